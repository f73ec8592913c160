"""The ranks of ``sortlast composite``: read an image, composite, write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.cli import _terminal

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

    from sortlast import Compositor, Fragments
    from sortlast.image_files import Image


@dataclass(frozen=True)
class Job:
    """The work of the ranks: rank r reads ``files[r]`` and ``planes[r]``, rank 0 writes."""

    files: list[Path]
    planes: list[Path] | None
    output: Path
    op: str
    order: list[int] | None
    background: list[float] | None
    algorithm: str
    memory: int | None
    deep: bool
    layer: str | None

    def run(self, comm: MPI.Intracomm) -> None:
        """Read, composite, write. Communicates."""
        from sortlast import Compositor, Error, _memory, image_files
        from sortlast.launch.failure import together

        if comm.size != len(self.files):
            raise Error(
                f"{len(self.files)} files on {comm.size} ranks; start as many ranks as there are files"
            )
        most = _memory.limit(self.memory, _ranks_here(comm))
        if self._are_deep(comm):
            self._composite_deep(comm, most)
            return
        image = together(comm, lambda: self._read(comm.rank, most))
        remarks = self._check_frames(comm, (image.pixels.shape[1], image.pixels.shape[0]))
        channels = 4 if self.op == "over" else max(comm.allgather(image.pixels.shape[2]))
        background = None if self.background is None else self.background[:channels]

        compositor = Compositor(comm, algorithm=self.algorithm)
        tile = compositor.composite(
            _with_channels(image.pixels, channels),
            depth=image.depth,
            op=self.op,
            order=self.order,
            background=background,
        )
        frame = compositor.gather(tile, root=0, depth=image.depth is not None)
        result = None
        if frame is not None:
            result = image_files.Image(frame.colour, frame.depth, image.corner)

        together(comm, lambda: None if result is None else image_files.write(self.output, result))
        if result is not None:
            self._report(f"{_size(result.pixels)}, {self.op}", compositor, remarks)

    def _are_deep(self, comm: MPI.Intracomm) -> bool:
        """Whether the images are deep; if only some are, the same error on every rank. Communicates."""
        from sortlast import Error, deep_files
        from sortlast.launch.failure import together

        found = comm.allgather(together(comm, lambda: deep_files.is_deep(self.files[comm.rank])))
        if not all(found) and (any(found) or self.deep):
            file = self.files[found.index(False)]
            raise Error(f"{file} is no deep image; give deep images alone (exr with deep scan lines)")
        if all(found):
            given = {
                "--op": self.op != "over",
                "--order": self.order is not None,
                "--depth": self.planes is not None,
                "--layer": self.layer is not None,
            }
            for option, is_given in given.items():
                if is_given:
                    raise Error(
                        "deep images have one layer and are composited by the depths of their fragments;"
                        f" leave {option} out"
                    )
        return all(found)

    def _composite_deep(self, comm: MPI.Intracomm, most: int | None) -> None:
        """Like :meth:`run`, for deep images."""
        from sortlast import Compositor, cinema_files, deep_files, image_files
        from sortlast.launch.failure import together

        fragments = together(comm, lambda: deep_files.read(self.files[comm.rank], most))
        height, width = fragments.shape
        remarks = self._check_frames(comm, (width, height))
        fragments = self._alike(comm, fragments)
        compositor = Compositor(comm, algorithm=self.algorithm)
        tile = compositor.composite_fragments(fragments, background=self.background, keep_lists=self.deep)
        frame = compositor.gather(tile, fragments=self.deep)
        corner = image_files.place(self.files[comm.rank]).corner

        def write() -> None:
            if frame is None:
                return
            if frame.fragments is None:
                image_files.write(self.output, image_files.Image(frame.colour, corner=corner))
            elif self.output.suffix.lower() == ".cdb":
                cinema_files.write(self.output, frame.fragments)
            else:
                deep_files.write(self.output, frame.fragments, corner)

        together(comm, write)
        if frame is not None:
            self._report(f"{width}x{height}, deep", compositor, remarks)

    def _report(self, what: str, compositor: Compositor, remarks: list[str]) -> None:
        """Print a summary of the output."""
        console = _terminal.console(self.output)
        for remark in remarks:
            console.print(remark, soft_wrap=True)
        console.print(
            f"wrote {self.output}: {_images(len(self.files))} of {what},"
            f" {compositor.algorithm}, {1e3 * compositor.timing.total:.3g} ms",
            soft_wrap=True,
        )

    def _alike(self, comm: MPI.Intracomm, fragments: Fragments) -> Fragments:
        """Add the values that fragments of other files have: intervals become sheets, channels are 0.

        Channels are only kept with the lists. Communicates.
        """
        import numpy as np

        from sortlast import Error

        # A file without fragments does not determine the type of its channels.
        own = {} if len(fragments.depth) == 0 else fragments.channels or {}
        kinds = {name: np.asarray(values).dtype for name, values in own.items()}
        found = comm.allgather((fragments.depth_back is not None, kinds if self.deep else {}))
        wanted: dict[str, np.dtype[Any]] = {}
        for file, (_, named) in zip(self.files, found, strict=True):
            for name, kind in named.items():
                if wanted.setdefault(name, kind) != kind:
                    raise Error(f"the channel {name} of {file} is {kind}, and {wanted[name]} in another file")
        back = fragments.depth_back
        if back is None and any(intervals for intervals, _ in found):
            back = fragments.depth
        zeros = {name: np.zeros(len(fragments.depth), kind) for name, kind in wanted.items()}
        channels = {name: own.get(name, zeros[name]) for name in wanted}
        return replace(fragments, depth_back=back, channels=channels)

    def _read(self, rank: int, most: int | None) -> Image:
        """This rank's image, with depth if the operator or the user requires it."""
        from sortlast import Error, image_files

        image = image_files.read(self.files[rank], most, self.layer)
        if self.planes is not None:
            depth = image_files.read_depth(self.planes[rank], most, self.layer)
            if depth.shape != image.pixels.shape[:2]:
                sizes = f"{_size(depth)} but its image {self.files[rank]} is {_size(image.pixels)}"
                raise Error(f"{self.planes[rank]} is {sizes}; give a depth plane of the image's size")
            return replace(image, depth=depth)
        if self.op != "closest":
            return replace(image, depth=None)
        if image.depth is None:
            raise Error(f"closest needs depth, and {self.files[rank]} has none; name a plane with --depth")
        return image

    def _check_frames(self, comm: MPI.Intracomm, size: tuple[int, int]) -> list[str]:
        """Raise the same error on every rank, naming the files, unless all images have the same frame.

        Returns remarks on pixels outside the frame. Communicates.
        """
        from sortlast import Error, image_files
        from sortlast.launch.failure import together

        place = together(comm, lambda: image_files.place(self.files[comm.rank]))
        found = comm.allgather((size, place))
        if len({each for each, _ in found}) > 1:
            listed = ", ".join(f"{f} is {w}x{h}" for f, ((w, h), _) in zip(self.files, found, strict=True))
            raise Error(f"the images differ in size: {listed}; give images of one size")
        if len({place.corner for _, place in found}) > 1:
            listed = ", ".join(
                f"{file} begins at {place.corner[0]},{place.corner[1]}"
                for file, (_, place) in zip(self.files, found, strict=True)
            )
            raise Error(f"the images differ in display window: {listed}; give images of one window")
        return [
            f"{file}: pixels outside of its display window are left out"
            for file, (_, place) in zip(self.files, found, strict=True)
            if place.cropped
        ]


def _ranks_here(comm: MPI.Intracomm) -> int:
    """Number of ranks that share this machine's memory. Communicates."""
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    count = node.size
    node.Free()
    return count


def _images(count: int) -> str:
    return "1 image" if count == 1 else f"{count} images"


def _size(plane: NDArray[Any]) -> str:
    return f"{plane.shape[1]}x{plane.shape[0]}"


def _with_channels(pixels: NDArray[Any], channels: int) -> NDArray[Any]:
    """RGB pixels as opaque RGBA if 4 channels are asked for."""
    import numpy as np

    if pixels.shape[2] == channels:
        return pixels
    return np.concatenate([pixels, np.ones((*pixels.shape[:2], 1), pixels.dtype)], axis=2)


def _measure(comm: MPI.Intracomm, asked: Any) -> None:
    """Run a job after its paths were converted to text. Communicates."""
    planes = asked["planes"]
    Job(
        **{
            **asked,
            "files": [Path(each) for each in asked["files"]],
            "planes": None if planes is None else [Path(each) for each in planes],
            "output": Path(asked["output"]),
        }
    ).run(comm)


if __name__ == "__main__":
    launch.serve(_measure, alike=True)
