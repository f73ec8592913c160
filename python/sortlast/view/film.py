"""One turn around the data, as a film or as pictures in a folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sortlast import Error, _extras
from sortlast.files import check_place, naming, replacing
from sortlast.launch.failure import together
from sortlast.render.background import on_background
from sortlast.view.controls import Controls, Eye
from sortlast.view.stage import FATAL, Order, Settings, Stage

if TYPE_CHECKING:
    from mpi4py import MPI

Pixels = npt.NDArray[np.uint8]

SUFFIX = ".mp4"
_RATE = 30  # frames per second
_QUALITY = 10  # of libx264, from 0 (lossless) to 51
_PICTURE = "frame-{:0{}d}.png"


@dataclass(frozen=True)
class Film:
    """Output of a turn: path and format; `size` is (width, height) in pixels."""

    path: Path
    size: tuple[int, int]
    frames: int

    @property
    def moving(self) -> bool:
        """Whether the output is one film file rather than a folder of pictures."""
        return self.path.suffix.lower() == SUFFIX

    def check(self) -> None:
        """Raise Error, before any frame is made, if the output could not be written."""
        if self.moving:
            _extras.check("imageio_ffmpeg", "a film", "view")
            check_place(self.path, text=False)
            if any(side % 2 for side in self.size):
                width, height = self.size
                raise Error(f"a film has even sides, and {width}x{height} has not; choose another --size")
            return
        _extras.check("PIL", "a picture", "view")
        if self.path.suffix:
            raise Error(f"{self.path} ends neither in {SUFFIX} nor as a folder does; name a film or a folder")
        if self.path.exists() and not self.path.is_dir():
            raise Error(f"cannot write pictures to {self.path}: it is no folder; choose another place")
        check_place(self.path / _PICTURE.format(1, 1), text=False, folders=True)


def write(
    comm: MPI.Intracomm,
    settings: Settings,
    first: Controls,
    film: Film,
    progress: Callable[[str, int, int], None],
) -> None:
    """Make all frames and write them. Collective; rank 0 writes, and calls ``progress``.

    Raises Error on every rank if data cannot be read or split, or if rank 0 cannot write.
    """
    stage = Stage(comm, settings)
    if comm.rank:
        stage.follow()
        together(comm, lambda: None)
        return
    failure: Exception | None = None
    try:
        _write(stage, first, film, progress)
    except FATAL:
        raise
    except (Error, OSError) as error:
        failure = error
    stage.end()

    def tell() -> None:
        if failure is not None:
            raise failure

    together(comm, tell)


def _write(stage: Stage, first: Controls, film: Film, progress: Callable[[str, int, int], None]) -> None:
    eye = Eye()
    with (_to_file if film.moving else _to_folder)(film) as keep:
        for k in range(film.frames):
            progress(f"frame {k + 1} of {film.frames}", k, film.frames)
            turned = replace(eye, azimuth=eye.azimuth + 360 * k / film.frames)
            keep(on_background(stage.frame(Order(first, turned, film.size)).image))
    progress("done", film.frames, film.frames)


@contextmanager
def _to_file(film: Film) -> Iterator[Callable[[Pixels], None]]:
    with _extras.needed("a film", extra="view"):
        import imageio_ffmpeg

    width, height = film.size
    pixels = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(_RATE)]
    coded = ["-vcodec", "libx264", "-pix_fmt", "yuv420p", "-crf", str(_QUALITY)]
    with replacing(film.path) as temporary, open(os.memfd_create("ffmpeg"), "r+b") as said:
        kept = ["-f", "mp4", "-movflags", "+faststart", str(temporary)]
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-v", "error", *pixels, "-i", "-", *coded, *kept]
        # Its own session, so that an interrupt ends ffmpeg through this process.
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said, start_new_session=True) as ffmpeg:
            assert ffmpeg.stdin is not None
            try:
                yield partial(_send, ffmpeg)
                _send(ffmpeg, None)
            except BaseException:
                ffmpeg.kill()
                # Popen's own exit would flush the pipe and raise BrokenPipeError instead of this error.
                with suppress(OSError):
                    ffmpeg.stdin.close()
                raise
        if ffmpeg.returncode:
            said.seek(0)
            why = said.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise OSError(why or f"ffmpeg ended with status {ffmpeg.returncode}")


def _send(ffmpeg: subprocess.Popen[bytes], pixels: Pixels | None) -> None:
    """Pass on a frame, or the end of the film (None). If ffmpeg has ended early, its exit status shows it."""
    assert ffmpeg.stdin is not None
    with suppress(BrokenPipeError):
        if pixels is None:
            ffmpeg.stdin.close()
        else:
            ffmpeg.stdin.write(np.ascontiguousarray(pixels).data)


@contextmanager
def _to_folder(film: Film) -> Iterator[Callable[[Pixels], None]]:
    from PIL import Image as Pillow

    with naming(film.path):
        film.path.mkdir(parents=True, exist_ok=True)
    digits = len(str(film.frames))
    numbers = iter(range(1, film.frames + 1))

    def keep(pixels: Pixels) -> None:
        with replacing(film.path / _PICTURE.format(next(numbers), digits)) as temporary:
            Pillow.fromarray(pixels).save(temporary, format="png")

    yield keep
