"""A fine frame is made in pieces: it is the same picture, and who moves does not wait for its end."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import mpirun
import viewing
from sortlast import render
from sortlast.demo.scene import Scene
from sortlast.render.amr import hierarchy
from sortlast.render.volume import BoxesRenderer, VolumeRenderer
from sortlast.view.hub import REST
from view_client import connected, picture
from view_messages import EYE

SIZE = (320, 240)
BOUND = 0.03 / 255  # of sortlast demo, between several ranks and one process


class GivenUp(Exception):  # noqa: N818
    """What a test gives an image up with."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return viewing.write_data(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize("boxes", [False, True])
def test_bands_make_the_whole_image(boxes, data):
    volume = render.load(data)
    scene = Scene.of(volume)
    if boxes:
        made = hierarchy(volume.voxels, scene.threshold / 2)
        parts = [(box, made.voxels(box)) for box in made.boxes]
        renderer = BoxesRenderer(parts, scene.spacing, scene.threshold, SIZE)
    else:
        voxels = render.cut(volume.voxels, scene.whole)
        renderer = VolumeRenderer(voxels, scene.whole, scene.spacing, scene.threshold, SIZE)
    pauses = []

    def images(pause=None) -> list[np.ndarray]:
        found = renderer.render(scene.camera(0), pause)
        return found[0] if boxes else [found]

    def give_up() -> None:
        pauses.append(1)
        if len(pauses) == 3:
            raise GivenUp

    whole = images()
    with pytest.raises(GivenUp):
        images(give_up)
    assert len(pauses) == 3
    for image, expected in zip(images(lambda: pauses.append(1)), whole, strict=True):
        np.testing.assert_array_equal(image, expected)
    assert len(pauses) >= 3 + (len(whole) if boxes else 16) - 1
    for image, expected in zip(images(), whole, strict=True):
        np.testing.assert_array_equal(image, expected)


FRAMES = """
import numpy as np
from sortlast import render
from sortlast.demo.scene import Scene
from sortlast.render.volume import VolumeRenderer
from sortlast.view.controls import Controls, Eye
from sortlast.view.stage import Order, Settings, Stage
from sortlast.view.verdict import Abandoned

stage = Stage(comm, Settings({data!r}, 30.0))
drawn = [0]

def frame(stop=None, yields=True):
    # Its picture on rank 0, and how often this rank drew for it.
    drawn[0] = 0
    image = None
    if rank:
        stage.follow()
    else:
        try:
            image = stage.frame(Order(Controls(), Eye(), (400, 300), yields=yields), stop).image
        except Abandoned:
            pass
        stage.end()
    return image, drawn[0]

frame()
def count(*_):
    drawn[0] += 1
stage._parts["volume"].renderer._window._window.AddObserver("EndEvent", count)
"""


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 5, pytest.param(1, marks=pytest.mark.slow)])
def test_ranks_give_a_frame_up_together_and_the_next_is_that_of_one_process(ranks, data):
    reports = mpirun.reports(
        ranks,
        FRAMES.format(data=data)
        + """
asked = []
def stop():
    asked.append(1)
    return len(asked) > 1
whole, most = frame()
nothing, few = frame(stop)
again, _ = frame()
plain, once = frame(yields=False)
if rank == 0:
    assert nothing is None
    for other in (again, plain):
        np.testing.assert_array_equal(other, whole)
    volume = render.load({data!r})
    scene = Scene.of(volume)
    voxels = render.cut(volume.voxels, scene.whole)
    one = VolumeRenderer(voxels, scene.whole, scene.spacing, scene.threshold, (400, 300))
    away = np.abs(whole - one.render(Eye().camera(scene)))
report([most, few, once, float(away.max()) if rank == 0 else 0.0])
""".replace("{data!r}", repr(data)),
    )
    most, few, once, away = zip(*reports, strict=True)
    assert min(most) >= 16
    assert few[0] == 2  # the others hear of it while they draw
    assert sum(few) < sum(most)
    assert set(once) == {1}
    assert away[0] <= BOUND


@pytest.mark.mpi
def test_a_rank_that_fails_while_others_render_ends_the_frame_on_all(data):
    reports = mpirun.reports(
        3,
        FRAMES.format(data=data)
        + """
from sortlast import Error
part = stage._parts["volume"]
if rank == 1:
    del part.renderer
told = None
try:
    frame()
except Error as error:
    told = str(error)
    stage.end()
report(told)
""",
    )
    assert reports[0] == "rank 1: AttributeError: 'BlockPart' object has no attribute 'renderer'"


@pytest.mark.mpi
def test_who_moves_gets_a_picture_before_the_fine_one_of_the_place_that_was_left(data):
    async def visit(address: str) -> None:
        async with connected(address) as line:
            shown = 0

            async def move(stamp: int) -> None:
                await line.send_json({"eye": {**EYE, "azimuth": stamp}, "stamp": stamp})

            async def show() -> dict:
                nonlocal shown
                header = await picture(line)
                shown += 1
                await line.send_json({"seen": shown})
                return header

            await line.send_json({"size": [1000, 800]})
            await move(1)
            while not (first := await show())["fine"]:
                pass
            assert first["stamp"] == 1
            for k in range(2):
                await move(10 + k)
                while (header := await show())["stamp"] != 10 + k:
                    assert not header["fine"]
                # The fine frame of this place has begun, and is not at its end.
                await asyncio.sleep(REST + first["seconds"]["render"] / 4)
                await move(20 + k)
                header = await show()
                assert (header["stamp"], header["fine"]) == (20 + k, False)
            while not (last := await show())["fine"]:
                pass
            assert last["stamp"] == 21
            assert last["size"] == [1000, 800]

    with viewing.served("--ranks", "2", data=data) as viewer:
        viewing.visit(visit(viewer.address))
