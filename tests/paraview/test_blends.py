"""Pictures of ParaView beside the exact blend of what its ranks drew, which a recorder writes down.

A picture of one rank is not exact enough to judge a blend by: where ParaView shares a volume out, the
pictures of several ranks are brighter than that of one by half a unit, also where the blend is exact.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import jobs

BYTES = 0xC001  # ICET_IMAGE_COLOR_RGBA_UBYTE
NEAREST = 0.5001  # of a unit: what rounding to bytes takes


@dataclass(frozen=True)
class Recorded:
    """An image of a rank, as record.c wrote it."""

    colours: np.ndarray  # (height, width, 4), 0..255
    depth: np.ndarray | None  # (height, width)
    drawn: np.ndarray  # (height, width), bool: the readback viewport
    order: list[int]  # ranks from front to back


def read(path: Path) -> Recorded:
    data = path.read_bytes()
    head = np.frombuffer(data, np.int32, 10)
    width, height, colours, _, ordered, x, y, columns, rows, ranks = (int(value) for value in head)
    assert colours & 0xFFFFFFFF == BYTES
    order = np.frombuffer(data, np.int32, ranks, 40).tolist() if ordered else list(range(ranks))
    begin = 40 + 4 * ranks
    pixels = width * height
    drawn = np.zeros((height, width), bool)
    drawn[y : y + rows, x : x + columns] = True
    depth = None
    if len(data) > begin + 4 * pixels:
        depth = np.frombuffer(data, np.float32, pixels, begin + 4 * pixels).reshape(height, width)
    return Recorded(
        np.frombuffer(data, np.uint8, 4 * pixels, begin).reshape(height, width, 4).astype(float),
        depth,
        drawn,
        order,
    )


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    """The library that records, compiled."""
    library = tmp_path_factory.mktemp("recorder") / "record.so"
    folder = Path(__file__).parent
    subprocess.run(
        [
            *("cc", "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"),
            *(f"-I{folder.parents[1] / 'icet' / 'include'}", str(folder / "record.c"), "-ldl"),
            *("-o", str(library)),
        ],
        check=True,
    )
    return library


def frames(
    ours: bool, ranks: int, scene: str, recorder: Path, folder: Path, display: str
) -> list[tuple[Recorded, list]]:
    """Of every frame of a scene, the picture and what each rank had drawn, in composite order."""
    record = folder / "record"
    pictures = folder / "pictures"
    for each in (record, pictures):
        each.mkdir(parents=True)
    options = ["-x", f"RECORD={record}", "-x", f"LD_PRELOAD={recorder}"]
    program = [jobs.program("pvbatch"), str(jobs.FOLDER / "scenes.py"), str(pictures), scene]
    job = jobs.command(ours, ranks, [*options, *program])
    done = subprocess.run(
        job, env=jobs.variables(display), capture_output=True, text=True, timeout=jobs.LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    found = []
    for shown in sorted(record.glob("*.shown")):
        picture = read(shown)
        images = [record / f"{shown.name.split('.')[0]}.rank{rank}.drawn" for rank in picture.order]
        found.append((picture, [read(image) for image in images if image.exists()]))
    assert found
    return found


def errors(picture: Recorded, images: list[Recorded]) -> np.ndarray:
    """How far the picture's bytes are from the exact blend, where something was drawn."""
    blend = np.zeros_like(picture.colours)
    for image in images:
        blend += (1 - blend[..., 3:] / 255) * np.where(image.drawn[..., None], image.colours, 0)
    return (picture.colours - blend)[(blend > 0).any(-1)]


def check_nearest(picture: Recorded, images: list[Recorded]) -> None:
    """The picture is that of the nearest depth; of equal ones that farther back in the order is shown."""
    depth = np.ones_like(picture.depth)
    colours = picture.colours
    for image in images:
        nearer = image.drawn & (image.depth < 1) & (image.depth <= depth)
        depth = np.where(nearer, image.depth, depth)
        colours = np.where(nearer[..., None], image.colours, colours)
    assert np.array_equal(picture.depth, depth)
    assert np.array_equal(picture.colours, colours)


@pytest.mark.parametrize("ranks", jobs.RANKS)
@pytest.mark.parametrize("scene", ["volume", "translucent"])
def test_blends_are_exact_to_the_nearest_byte(scene, ranks, recorder, tmp_path, display):
    blended = 0
    for picture, images in frames(True, ranks, scene, recorder, tmp_path / "ours", display):
        if picture.depth is None:
            assert np.abs(errors(picture, images)).max() <= NEAREST
            blended += 1
    assert blended


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "icet"])
def test_the_nearest_is_shown_and_of_equals_the_same(ours, recorder, tmp_path, display):
    for picture, images in frames(ours, 4, "glyphs", recorder, tmp_path / "drawn", display):
        check_nearest(picture, images)


def test_icet_is_farther_from_the_exact_blend(recorder, tmp_path, display):
    """Why its pictures are no measure of a blend."""
    ours, icet = (
        frames(which, 4, "volume", recorder, tmp_path / str(which), display)[0] for which in (True, False)
    )
    assert np.abs(errors(*icet)).max() > 1
    assert (errors(*icet) ** 2).mean() > 2 * (errors(*ours) ** 2).mean()
