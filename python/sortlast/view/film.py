"""One turn around the data, as a film or as pictures in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sortlast import Error, _extras
from sortlast.files import check_place, replacing
from sortlast.launch.failure import together
from sortlast.render.background import on_background
from sortlast.view.controls import Controls, Eye
from sortlast.view.stage import FATAL, Order, Settings, Stage

if TYPE_CHECKING:
    from mpi4py import MPI

Pixels = npt.NDArray[np.uint8]

SUFFIX = ".mp4"
_QUALITY = 8  # of 10, as imageio-ffmpeg counts
_PICTURE = "frame-{:0{}d}.png"


@dataclass(frozen=True)
class Film:
    """Where a turn is written and how; `size` is (width, height) in pixels, `rate` frames a second."""

    path: Path
    size: tuple[int, int]
    frames: int
    rate: float

    @property
    def moving(self) -> bool:
        """Whether it is one file, and not a folder of pictures."""
        return self.path.suffix.lower() == SUFFIX

    def check(self) -> None:
        """Raise Error where it could not be written, before anything is made."""
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

    with replacing(film.path) as temporary:
        writer: Any = imageio_ffmpeg.write_frames(
            str(temporary),
            film.size,
            fps=film.rate,
            quality=_QUALITY,
            macro_block_size=2,
            output_params=["-f", "mp4", "-movflags", "+faststart"],
        )
        writer.send(None)
        try:
            yield lambda pixels: writer.send(np.ascontiguousarray(pixels))
        finally:
            writer.close()


@contextmanager
def _to_folder(film: Film) -> Iterator[Callable[[Pixels], None]]:
    from PIL import Image as Pillow

    film.path.mkdir(parents=True, exist_ok=True)
    digits = len(str(film.frames))
    numbers = iter(range(1, film.frames + 1))

    def keep(pixels: Pixels) -> None:
        with replacing(film.path / _PICTURE.format(next(numbers), digits)) as temporary:
            Pillow.fromarray(pixels).save(temporary, format="png")

    yield keep
