"""The demo's program of one rank: render a part of a volume, composite, gather, check.

Rank 0 reads the volume, keeps it for the comparison at the end, and sends every rank its part; no other rank
holds more than its part. The kind of part depends on the mode (see MODES). The frames orbit the volume. The
first frame is checked twice: against the serial composite of the same images, which must agree, and against
one process that renders the whole, which shows how much splitting changes the picture.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import sortlast
from sortlast import render
from sortlast.launch.failure import together
from sortlast.render.window import Image

from .blocks import BlockPart
from .boxes import BoxesPart
from .scene import Part, Scene, Settings, share_cores
from .unstructured import UnstructuredPart

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["COUNTS", "MODES", "PHASES", "TIMES", "Frame", "Result", "Settings", "run"]

MODES: dict[str, Callable[[MPI.Intracomm, Settings, Scene, Image | None], Part]] = {
    "volume": BlockPart,
    "surface": BlockPart,
    "boxes": BoxesPart,
    "unstructured": UnstructuredPart,
}
BOUND_PER_IMAGE = 1e-6  # max difference of float32 `over` to the serial composite, per image
VISIBLE = 2 / 255  # pixels with a larger difference are counted

PHASES = ("render", "align", "order", "composite", "gather", "frame")
TIMES = ("late", "agree", "search", "wait", "blend")
COUNTS = ("bytes_sent", "bytes_received", "messages_sent", "stages")

Progress = Callable[[str, int, int], None]  # current activity, steps done, total steps
Keep = Callable[[int, Image], None]  # receives frame k, from 0


@dataclass(frozen=True)
class Result:
    """The results, on rank 0.

    `algorithm` is a full name, also if `auto` chose it. `rows` has one entry per frame: seconds of PHASES on
    the rank that is slowest in each, TIMES of the rank that is slowest in "composite", COUNTS summed over the
    ranks (stages: the maximum). The first frame was made once before, untimed. `error` is the maximum
    difference to the serial composite and `bound` its upper bound. `whole` compares with one process: seconds
    to render, maximum and mean absolute difference, and the share of pixels above VISIBLE, for channels in
    [0, 1].
    """

    frame: Image  # (height, width, 4), premultiplied
    remarks: tuple[str, ...]  # on choices made in reading the data
    algorithm: str
    rows: list[dict[str, float]]
    error: float
    bound: float
    whole: dict[str, float]


@dataclass(frozen=True)
class Frame:
    """One frame as seen by this rank: its own contribution, and the result."""

    own: Any  # this and the next: see Part
    order: Any
    composited: Image | None  # on rank 0
    row: dict[str, float]  # see Result


def run(comm: MPI.Intracomm, settings: Settings, progress: Progress, keep: Keep) -> Result | None:
    """Render and composite all frames; a Result on rank 0, None elsewhere. Communicates.

    `progress` is called on rank 0 only, and `keep` with each timed frame there, between frames. Raises
    sortlast.Error on every rank if the data cannot be read or split, if rendering is not possible here, or if
    compositing fails.
    """
    steps = settings.frames + 5
    report = progress if comm.rank == 0 else lambda what, done, total: None
    share_cores(comm)

    # Read the volume and distribute the parts.
    report("reading the volume", 0, steps)
    volume = together(comm, lambda: _load(settings) if comm.rank == 0 else None)
    scene: Scene = comm.bcast(None if volume is None else Scene.of(volume), root=0)
    report("handing out the parts", 1, steps)
    part = MODES[settings.mode](comm, settings, scene, None if volume is None else volume.voxels)

    # Render and composite the frames.
    compositor = sortlast.Compositor(comm, algorithm=settings.algorithm, timeout=settings.timeout)
    last: list[sortlast.Event] = []

    def make(k: int) -> Frame:
        camera = scene.camera(k / settings.frames)
        report(f"frame {k + 1} of {settings.frames}", 3 + k, steps)
        with compositor.trace() as events:
            frame = _frame(comm, compositor, part, camera)
        last[:] = events  # only the last frame's: rendering would spread several far apart on the timeline
        together(comm, lambda: None if frame.composited is None else keep(k, frame.composited))
        return frame

    report("untimed frame", 2, steps)
    _frame(comm, compositor, part, scene.camera(0))
    first = make(0)
    rows = [first.row, *(make(k).row for k in range(1, settings.frames))]
    if settings.trace is not None:
        _write_trace(comm, last, settings.trace)

    # Check the first frame.
    report("checking against the serial composite", settings.frames + 3, steps)
    expected = part.serial(first.own, first.order)
    report("rendering the whole in one process", settings.frames + 4, steps)
    whole = None
    if volume is not None and first.composited is not None:
        whole = _compare_with_whole(part, scene, first.composited)
    _wait_for_all(comm)
    if volume is None or whole is None or first.composited is None or expected is None:
        return None
    report("done", steps, steps)
    error = float(np.abs(first.composited - expected).max(initial=0))
    bound = BOUND_PER_IMAGE * part.images
    return Result(first.composited, volume.remarks, compositor.algorithm, rows, error, bound, whole)


def _load(settings: Settings) -> render.Volume:
    return render.load(settings.data, memory=settings.memory)


def _frame(comm: MPI.Intracomm, compositor: sortlast.Compositor, part: Part, camera: render.Camera) -> Frame:
    """Render this rank's part, composite with all others and gather at rank 0."""
    begin = time.perf_counter()
    own = part.render(camera)
    rendered = time.perf_counter()
    comm.Barrier()  # so that no rank's compositing time includes another's rendering
    aligned = time.perf_counter()
    order = part.order(camera)
    ordered = time.perf_counter()
    tile = part.composite(compositor, own, order)
    composited = time.perf_counter()
    frame = compositor.gather(tile, root=0)
    end = time.perf_counter()
    spans = (
        rendered - begin,
        aligned - rendered,
        ordered - aligned,
        composited - ordered,
        end - composited,
        end - begin,
    )
    image = None if frame is None else frame.colour
    return Frame(own, order, image, _row(comm, spans, compositor.timing))


def _row(comm: MPI.Intracomm, spans: tuple[float, ...], timing: Any) -> dict[str, float]:
    """Timings and counts of one frame over all ranks, on every rank; see Result."""
    own = dict(zip(PHASES, spans, strict=True))
    own |= {name: getattr(timing, name) for name in TIMES + COUNTS}
    ranks = comm.allgather(own)
    slowest = max(ranks, key=lambda r: r["composite"])
    row = {name: max(r[name] for r in ranks) for name in (*PHASES, "stages")}
    row |= {name: slowest[name] for name in TIMES}
    row["agree"] -= row["late"]
    row["rest"] = row["composite"] - sum(row[name] for name in TIMES)
    return row | {name: sum(r[name] for r in ranks) for name in COUNTS if name != "stages"}


def _compare_with_whole(part: Part, scene: Scene, frame: Image) -> dict[str, float]:
    begin = time.perf_counter()
    image = part.whole(scene.camera(0))
    seconds = time.perf_counter() - begin
    difference = np.abs(frame - image)
    return {
        "render": seconds,
        "max": float(difference.max(initial=0)),
        "mean": float(difference.mean()) if difference.size else 0.0,
        "share_visible": float((difference.max(axis=-1) > VISIBLE).mean()) if difference.size else 0.0,
    }


def _wait_for_all(comm: MPI.Intracomm) -> None:
    """Wait in a barrier without using the cores: MPI's own barrier polls."""
    arrived = comm.Ibarrier()
    while not arrived.Test():
        time.sleep(0.01)


def _write_trace(comm: MPI.Intracomm, events: list[sortlast.Event], path: Path) -> None:
    from sortlast import plot, trace

    gathered = trace.write(comm, events, path)
    together(comm, lambda: None if gathered is None else plot.timeline(gathered, path))
