"""A turn that is recorded: the film and the pictures are read back."""

from __future__ import annotations

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import commands
import viewing
from sortlast.demo.scene import ELEVATION
from sortlast.view import film
from sortlast.view.controls import Controls, Eye

FRAMES = 6
SIZE = (96, 64)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return viewing.write_data(tmp_path_factory.mktemp("data"))


def record(data, path, *more: str):
    width, height = SIZE
    return commands.run(
        "view", data, "--ranks", 2, "--record", path, "--size", f"{width}x{height}", "--frames", FRAMES, *more
    )


@pytest.mark.mpi
def test_a_film_has_all_frames_of_the_turn(data, tmp_path):
    path = tmp_path / "orbit.mp4"
    done = record(data, path)
    assert done.returncode == 0, done
    assert done.stdout == f"wrote {path}\n"
    assert "100%" in done.stderr
    read = imageio_ffmpeg.read_frames(str(path))
    about = next(read)
    assert about["size"] == SIZE
    assert about["fps"] == 30
    width, height = SIZE
    frames = [np.frombuffer(frame, np.uint8).reshape(height, width, 3).astype(int) for frame in read]
    assert len(frames) == FRAMES
    for k, frame in enumerate(frames):
        eye = Eye(Eye().azimuth + 360 * k / FRAMES, ELEVATION)
        expected = viewing.one_process(data, Controls(), eye, SIZE)
        assert frame.max() > 100
        assert np.abs(frame - expected).mean() < 6  # the film is compressed


@pytest.mark.mpi
def test_pictures_in_a_folder(data, tmp_path):
    done = record(data, tmp_path / "orbit", "--mode", "surface")
    assert done.returncode == 0, done
    pictures = sorted((tmp_path / "orbit").iterdir())
    assert [each.name for each in pictures] == [f"frame-{k}.png" for k in range(1, FRAMES + 1)]
    read = [np.asarray(Image.open(each)).astype(int) for each in pictures]
    assert {each.shape for each in read} == {(SIZE[1], SIZE[0], 3)}
    assert all(each.max() > 100 for each in read)
    assert np.abs(read[0] - read[FRAMES // 2]).max() > 50


@pytest.mark.parametrize(
    ("name", "more", "told"),
    [
        ("orbit.avi", [], "ends neither in .mp4 nor as a folder does"),
        ("a-file", [], "it is no folder"),
        ("orbit.mp4", ["--size", "95x64"], "a film has even sides"),
        ("orbit.mp4", ["--size", "0x64"], "no pixels"),
        ("missing/orbit.mp4", [], "there is no folder"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_work(name, more, told, data, tmp_path):
    (tmp_path / "a-file").write_text("kept")
    done = record(data, tmp_path / name, *more)
    assert done.returncode == 2, done
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["a-file"]


def test_an_error_in_mid_film_is_not_replaced_by_that_of_the_pipe(tmp_path):
    def fail_in_mid_film():
        with film._to_file(film.Film(tmp_path / "a.mp4", (16, 16), 2)) as keep:
            keep(np.zeros((16, 16, 3), np.uint8))  # stays in the buffer
            (ffmpeg,) = keep.args
            ffmpeg.kill()
            ffmpeg.wait()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_in_mid_film()
    assert [*tmp_path.iterdir()] == []
