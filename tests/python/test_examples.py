"""The examples in Python make the pictures that they promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import mpirun
import pages

EXAMPLES = pages.ROOT / "examples"
_IN_FOLDER = """
import os, runpy, sys
os.chdir(sys.argv[1])
del sys.argv[:2]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def picture(ranks: int, example: str, name: str, folder: Path, *options: str) -> NDArray[np.float64]:
    """The picture that an example writes on so many ranks: values from 0 to 255."""
    program = [str(EXAMPLES / example), *options]
    command = [sys.executable, "-m", "mpi4py", "-c", _IN_FOLDER, str(folder), *program]
    done = mpirun.run_command(ranks, command)
    assert done.returncode == 0, done.stderr
    return np.asarray(Image.open(folder / name), np.float64)


def drawn(found: NDArray[np.float64]) -> float:
    """The fraction of pixels that differ from the background, which the first pixel shows."""
    return float((found != found[0, 0]).any(axis=2).mean())


def over(*layers: tuple[float, float, float, float]) -> list[float]:
    """Straight RGBA colours from front to back on white, by the textbook; values from 0 to 255."""
    result = np.ones(3)
    for *colour, alpha in reversed(layers):
        result = alpha * np.array(colour) + (1 - alpha) * result
    return [255 * value for value in result]


@pytest.mark.mpi
def test_discs_lie_one_above_the_other(tmp_path: Path) -> None:
    found = picture(4, "discs.py", "discs.png", tmp_path)
    red, green, blue = ((1, 0, 0, 0.6), (0, 1, 0, 0.6), (0, 0, 1, 0.6))
    colours = (
        red,
        green,
        blue,
        red,
    )  # from front to back; centres at 200, 280, 360 and 440
    for x, layers in ((20, ()), (70, colours[:1]), (180, colours[:2]), (320, colours), (560, colours[3:])):
        np.testing.assert_allclose(found[240, x], over(*layers), atol=1)


@pytest.mark.mpi
def test_blobs_of_several_layers_make_the_picture_of_all(tmp_path: Path) -> None:
    whole = picture(1, "gpu_blobs.py", "blobs.png", tmp_path)
    assert drawn(whole) > 0.5
    np.testing.assert_allclose(picture(4, "gpu_blobs.py", "blobs.png", tmp_path), whole, atol=1)


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("example", "name"),
    [
        ("vtk_surface.py", "surface.png"),
        pytest.param("pyvista_shells.py", "shells.png", marks=pytest.mark.slow),
    ],
)
def test_slabs_make_the_picture_of_the_whole(example: str, name: str, tmp_path: Path) -> None:
    whole = picture(1, example, name, tmp_path)
    parts = picture(4, example, name, tmp_path)
    assert drawn(whole) > 0.1
    assert (np.abs(parts - whole).max(axis=2) > 8).mean() < 0.002  # but for some pixels at the edges


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("example", "name"), [("opaque_in_volume.py", "opaque.png"), ("fragment_lists.py", "bubbles.png")]
)
@pytest.mark.parametrize("ranks", [1, 3])
def test_scenes_pass_their_own_comparison(ranks: int, example: str, name: str, tmp_path: Path) -> None:
    found = picture(ranks, example, name, tmp_path, "--size", "96", "72")
    assert found.shape == (72, 96, 3)
    assert drawn(found) > 0.1


@pytest.mark.mpi
def test_a_partitioned_mesh_makes_the_picture_of_the_whole(tmp_path: Path) -> None:
    whole = picture(1, "partitioned_mesh.py", "mesh.png", tmp_path)
    parts = picture(4, "partitioned_mesh.py", "mesh.png", tmp_path)
    assert drawn(whole) > 0.1
    assert (np.abs(parts - whole).max(axis=2) > 8).mean() < 0.002


@pytest.mark.mpi
@pytest.mark.slow
def test_boxes_of_two_levels_make_one_cloud(tmp_path: Path) -> None:
    whole = picture(1, "amr_boxes.py", "boxes.png", tmp_path)
    parts = picture(4, "amr_boxes.py", "boxes.png", tmp_path)
    assert drawn(whole) > 0.1
    assert (np.abs(parts - whole).max(axis=2) > 2).mean() < 0.002


@pytest.mark.mpi
@pytest.mark.slow
def test_a_time_series_makes_the_film_of_the_whole(tmp_path: Path) -> None:
    films = []
    for ranks in (1, 3):
        picture(ranks, "time_series.py", "drum.gif", tmp_path)
        with Image.open(tmp_path / "drum.gif") as film:
            assert film.n_frames == 10
            frames = []
            for frame in range(10):
                film.seek(frame)
                frames.append(np.asarray(film.convert("RGB"), np.float64))
        films.append(frames)
    for one, several in zip(*films, strict=True):
        assert (np.abs(one - several).max(axis=2) > 8).mean() < 0.002
    assert np.abs(films[0][0] - films[0][-1]).max() > 50  # it moves


def test_pictures_in_files_are_put_one_behind_the_other(tmp_path: Path) -> None:
    colours = [(255, 0, 0, 128), (0, 255, 0, 51), (0, 0, 255, 255)]
    for number, colour in enumerate(colours):
        Image.new("RGBA", (7, 5), colour).save(tmp_path / f"{number}.png")
    done = subprocess.run(
        [sys.executable, EXAMPLES / "files.py", "out.png", "0.png", "1.png", "2.png"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = over(*[tuple(value / 255 for value in colour) for colour in colours])
    found = np.asarray(Image.open(tmp_path / "out.png"), float)
    assert found.shape == (5, 7, 3)
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), atol=1)
