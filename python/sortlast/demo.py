"""The demo's program of one rank: render a block of a volume, composite, gather, check.

Rank 0 reads the volume, keeps it for the comparison at the end, and sends every rank its block; no
other rank holds more than that. The frames orbit the volume. The first frame is checked twice: against
the serial composite of the same block images, which must agree, and against one process that renders
the whole volume, which tells how much splitting the volume changes the picture.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import sortlast
from sortlast import render
from sortlast.launch.failure import together
from sortlast.render.blocks import GHOSTS, Block, Bounds, Spacing
from sortlast.render.surface import SurfaceRenderer
from sortlast.render.volume import VolumeRenderer
from sortlast.render.window import Image

if TYPE_CHECKING:
    from mpi4py import MPI

AZIMUTH, ELEVATION = 60.0, 28.0  # of the first frame [degrees]
BOUND_PER_RANK = 1e-6  # most that float32 `over` may differ from the serial composite, times p
VISIBLE = 2 / 255  # pixels that differ by more are counted

PHASES = ("render", "align", "order", "composite", "gather", "frame")
TIMES = ("late", "agree", "wait", "blend")
COUNTS = ("bytes_sent", "bytes_received", "messages_sent", "stages")

Renderer = VolumeRenderer | SurfaceRenderer
Progress = Callable[[str, int, int], None]  # what is done now, steps done, steps in all
Keep = Callable[[int, Image], None]  # takes frame k, from 0


@dataclass(frozen=True)
class Settings:
    """What to render and how; `size` is (width, height), `timeout` the longest wait in seconds."""

    data: str
    mode: str  # "volume" or "surface"
    size: tuple[int, int]
    frames: int
    algorithm: str
    timeout: float
    trace: Path | None
    component: int | None = None  # of the data, and its time: as render.load() takes them
    time: int | None = None
    memory: int | None = None  # bytes that the data may take


@dataclass(frozen=True)
class Result:
    """What rank 0 has at the end.

    `algorithm` is a full name, what `auto` chose. `rows` holds one entry a frame: seconds of PHASES on the
    rank that is slowest in each, TIMES of the rank that is slowest in "composite", COUNTS summed over the
    ranks (stages: the most). The first frame was made once before, untimed. `error` is the greatest
    difference to the serial composite and `bound` what it may be. `whole` compares with one process:
    seconds to render, greatest and mean absolute difference, and the share of pixels above VISIBLE, for
    channels in [0, 1].
    """

    frame: Image  # (height, width, 4), premultiplied
    remarks: tuple[str, ...]  # on what was taken of the data
    algorithm: str
    rows: list[dict[str, float]]
    error: float
    bound: float
    whole: dict[str, float]


@dataclass(frozen=True)
class Scene:
    """What every rank knows of the volume."""

    shape: tuple[int, int, int]
    spacing: Spacing
    threshold: float
    radius: float

    @property
    def whole(self) -> Block:
        """The whole volume as one block."""
        x, y, z = self.shape
        return Block((0, 0, 0), (x - 1, y - 1, z - 1))

    def camera(self, turn: float) -> render.Camera:
        """The camera after `turn` of a full turn around the volume."""
        bounds = self.whole.bounds(self.spacing)
        return render.Camera.orbit(bounds, self.radius, AZIMUTH + 360 * turn, ELEVATION)


@dataclass(frozen=True)
class Frame:
    """One frame as this rank knows it: its own images, and what became of all of them."""

    image: Image
    depth: Image | None
    order: Sequence[int]
    composited: Image | None  # on rank 0
    row: dict[str, float]  # see Result


def run(comm: MPI.Intracomm, settings: Settings, progress: Progress, keep: Keep) -> Result | None:
    """Render and composite all frames; a Result on rank 0, None elsewhere. Communicates.

    `progress` is called on rank 0 alone, and `keep` with each timed frame there, between frames. Raises
    sortlast.Error on every rank if the data cannot be read or split, if rendering cannot work here, or if
    compositing fails.
    """
    steps = settings.frames + 5
    report = progress if comm.rank == 0 else lambda what, done, total: None
    _share_cores(comm)

    # Read the volume and hand out the blocks.
    report("reading the volume", 0, steps)
    volume = together(comm, lambda: _load(settings) if comm.rank == 0 else None)
    scene: Scene = comm.bcast(None if volume is None else _scene(volume), root=0)
    blocks = render.split(scene.shape, scene.spacing, comm.size)
    voxels = _scatter(comm, blocks, None if volume is None else volume.voxels)

    # Render and composite the frames.
    report("starting the renderers", 1, steps)
    block = blocks[comm.rank]
    renderer = together(comm, lambda: _renderer(settings, scene, voxels, block))
    compositor = sortlast.Compositor(comm, algorithm=settings.algorithm, timeout=settings.timeout)

    def make(k: int) -> Frame:
        camera = scene.camera(k / settings.frames)
        # The last frame alone: rendering would leave several far apart on the timeline.
        compositor.trace = settings.trace is not None and k == settings.frames - 1
        report(f"frame {k + 1} of {settings.frames}", 3 + k, steps)
        frame = _frame(comm, compositor, renderer, camera, block.bounds(scene.spacing))
        together(comm, lambda: None if frame.composited is None else keep(k, frame.composited))
        return frame

    report("untimed frame", 2, steps)
    _frame(comm, compositor, renderer, scene.camera(0), block.bounds(scene.spacing))
    first = make(0)
    rows = [first.row, *(make(k).row for k in range(1, settings.frames))]
    if settings.trace is not None:
        _write_trace(comm, compositor, settings.trace)

    # Check the first frame.
    report("checking against the serial composite", settings.frames + 3, steps)
    error = _difference_to_serial(comm, first)
    report("rendering the whole volume in one process", settings.frames + 4, steps)
    whole = None
    if volume is not None and first.composited is not None:
        whole = _compare_with_whole(settings, scene, volume.voxels, first.composited)
    _wait_for_all(comm)
    if whole is None or first.composited is None:
        return None
    report("done", steps, steps)
    bound = BOUND_PER_RANK * comm.size if first.depth is None else 0.0
    remarks = () if volume is None else volume.remarks
    return Result(first.composited, remarks, compositor.algorithm, rows, error, bound, whole)


def _share_cores(comm: MPI.Intracomm) -> None:
    """Limit Mesa's threads to this rank's share of the node; to be called before any rendering."""
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    cores = len(os.sched_getaffinity(0))
    os.environ.setdefault("LP_NUM_THREADS", str(max(1, cores // node.size)))
    node.Free()


def _load(settings: Settings) -> render.Volume:
    return render.load(
        settings.data, component=settings.component, time=settings.time, memory=settings.memory
    )


def _scene(volume: render.Volume) -> Scene:
    x, y, z = volume.voxels.shape
    return Scene((x, y, z), volume.spacing, volume.threshold, volume.radius)


def _scatter(comm: MPI.Intracomm, blocks: list[Block], voxels: Image | None) -> Image:
    """Send every rank its block with ghosts from rank 0, which alone has `voxels`."""
    if voxels is not None:
        for rank in range(1, comm.size):
            comm.Send(render.cut(voxels, blocks[rank]).T, dest=rank)
        return render.cut(voxels, blocks[0])
    block = blocks[comm.rank]
    shape = [last - first + 1 + 2 * GHOSTS for first, last in zip(block.lower, block.upper, strict=True)]
    received = np.empty(shape[::-1], np.float32)
    comm.Recv(received, source=0)
    return received.T


def _renderer(settings: Settings, scene: Scene, voxels: Image, block: Block) -> Renderer:
    kind = VolumeRenderer if settings.mode == "volume" else SurfaceRenderer
    return kind(voxels, block, scene.spacing, scene.threshold, settings.size)


def _render(renderer: Renderer, camera: render.Camera) -> tuple[Image, Image | None]:
    if isinstance(renderer, SurfaceRenderer):
        return renderer.render(camera)
    return renderer.render(camera), None


def _frame(
    comm: MPI.Intracomm,
    compositor: sortlast.Compositor,
    renderer: Renderer,
    camera: render.Camera,
    bounds: Bounds,
) -> Frame:
    """Render this rank's block, within `bounds`, composite with all others and gather at rank 0."""
    begin = time.perf_counter()
    image, depth = _render(renderer, camera)
    rendered = time.perf_counter()
    comm.Barrier()  # so that no rank's compositing time holds another's rendering
    aligned = time.perf_counter()
    order = sortlast.visibility_order(comm, bounds, camera.eye)
    ordered = time.perf_counter()
    op = "over" if depth is None else "closest"
    tile = compositor.composite(image, depth=depth, op=op, order=order)
    composited = time.perf_counter()
    frame: Image | None = compositor.gather(tile, root=0)  # type: ignore[assignment]
    end = time.perf_counter()
    spans = (
        rendered - begin,
        aligned - rendered,
        ordered - aligned,
        composited - ordered,
        end - composited,
        end - begin,
    )
    return Frame(image, depth, order, frame, _row(comm, spans, compositor.timing))


def _row(comm: MPI.Intracomm, spans: tuple[float, ...], timing: Any) -> dict[str, float]:
    """One frame's numbers over all ranks, on every rank; see Result."""
    own = dict(zip(PHASES, spans, strict=True))
    own |= {name: getattr(timing, name) for name in TIMES + COUNTS}
    ranks = comm.allgather(own)
    slowest = max(ranks, key=lambda r: r["composite"])
    row = {name: max(r[name] for r in ranks) for name in (*PHASES, "stages")}
    row |= {name: slowest[name] for name in TIMES}
    row["agree"] -= row["late"]
    row["rest"] = row["composite"] - sum(row[name] for name in TIMES)
    return row | {name: sum(r[name] for r in ranks) for name in COUNTS if name != "stages"}


def _difference_to_serial(comm: MPI.Intracomm, own: Frame) -> float:
    """Greatest difference of a frame to the serial composite of all images, on rank 0; 0 elsewhere."""
    if own.composited is None:
        comm.Send(own.image, dest=0)
        if own.depth is not None:
            comm.Send(own.depth, dest=0)
        return 0.0
    images = [own.image]
    depths = None if own.depth is None else [own.depth]
    for rank in range(1, comm.size):
        images.append(np.empty_like(own.image))
        comm.Recv(images[-1], source=rank)
        if depths is not None:
            depths.append(np.empty_like(depths[0]))
            comm.Recv(depths[-1], source=rank)
    op = "over" if depths is None else "closest"
    expected = sortlast.composite_serial(images, depths=depths, op=op, order=own.order)
    pixels = expected[0] if isinstance(expected, tuple) else expected
    return float(np.abs(own.composited - pixels).max(initial=0))


def _compare_with_whole(settings: Settings, scene: Scene, voxels: Image, frame: Image) -> dict[str, float]:
    block = scene.whole
    renderer = _renderer(settings, scene, render.cut(voxels, block), block)
    begin = time.perf_counter()
    image, _ = _render(renderer, scene.camera(0))
    seconds = time.perf_counter() - begin
    difference = np.abs(frame - image)
    return {
        "render": seconds,
        "max": float(difference.max(initial=0)),
        "mean": float(difference.mean()) if difference.size else 0.0,
        "share_visible": float((difference.max(axis=-1) > VISIBLE).mean()) if difference.size else 0.0,
    }


def _wait_for_all(comm: MPI.Intracomm) -> None:
    """A barrier that leaves the cores to those who work: MPI's own polls."""
    arrived = comm.Ibarrier()
    while not arrived.Test():
        time.sleep(0.01)


def _write_trace(comm: MPI.Intracomm, compositor: sortlast.Compositor, path: Path) -> None:
    from sortlast import plot, trace

    events = trace.write(comm, compositor, path)
    together(comm, lambda: None if events is None else plot.timeline(events, path))
