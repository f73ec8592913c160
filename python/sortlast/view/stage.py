"""State of every rank while data are viewed, and the frames that all ranks make together.

Rank 0 announces what a frame shows (:class:`Order`); the others sleep until then. If a frame cannot be made
as requested (a split into too many blocks, an error in a renderer), the same Error is raised on every rank
and the next frame may be requested. After an error of FATAL no more frames can be made.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sortlast
from sortlast import Error, MpiError, RemoteError, render
from sortlast import TimeoutError as Late
from sortlast.demo.blocks import BlockPart
from sortlast.demo.boxes import BoxesPart
from sortlast.demo.scene import Scene, share_cores
from sortlast.demo.scene import Settings as PartSettings
from sortlast.launch.failure import together
from sortlast.render.data import Volume
from sortlast.render.window import Image, Pause
from sortlast.view.controls import Controls, Eye
from sortlast.view.verdict import Abandoned, Verdict
from sortlast.vtk.messages import Messages

if TYPE_CHECKING:
    from mpi4py import MPI

FATAL = (Late, RemoteError, MpiError)
PING = 10.0  # interval at which idle ranks are pinged [s]
_GRACE = 30.0  # time for rank 0 to report an error of FATAL before the other ranks end [s]
_ADVICE = "; it may be stopped, or its machine out of reach"


@dataclass(frozen=True)
class Settings:
    """Arguments of the command; the data as ``render.load`` takes them, `timeout` in seconds."""

    data: str
    timeout: float
    component: int | None = None
    time: int | None = None
    memory: int | None = None


@dataclass(frozen=True)
class Order:
    """Content of a frame; `size` is (width, height) in pixels."""

    controls: Controls
    eye: Eye
    size: tuple[int, int]
    fine: bool = True  # if not, rays of volumes have fewer samples
    yields: bool = False  # whether rank 0 may abandon it


@dataclass(frozen=True)
class Drawn:
    """A frame on rank 0.

    `seconds` gives each phase's time on the slowest rank. `timeline` lists the activities of every rank,
    (activity, begin, end), in seconds since that rank began the frame.
    """

    image: Image  # (height, width, 4), premultiplied
    algorithm: str  # full name of the algorithm, also if "auto" chose it
    seconds: dict[str, float]
    timeline: list[list[tuple[str, float, float]]]


class Stage:
    """The stage, constructed by all ranks; rank 0 then calls `frame`, the others `follow`. Collective."""

    def __init__(self, comm: MPI.Intracomm, settings: Settings) -> None:
        self._comm, self._settings = comm, settings
        share_cores(comm)
        self.volume: Volume | None = together(comm, lambda: self._read() if comm.rank == 0 else None)
        self.scene: Scene = comm.bcast(self.volume and Scene.of(self.volume), root=0)
        self._messages = Messages(comm, settings.timeout, _ADVICE)
        self._parts: dict[str, BlockPart | BoxesPart] = {}
        self._compositor: sortlast.Compositor | None = None
        self._compositing: tuple[str, str] | None = None  # algorithm and wire of the compositor

    def _read(self) -> Volume:
        asked = self._settings
        return render.load(asked.data, component=asked.component, time=asked.time, memory=asked.memory)

    # --- rank 0 ---------------------------------------------------------------------------------------

    def frame(self, order: Order, stop: Callable[[], bool] | None = None) -> Drawn:
        """Make a frame with all ranks.

        If the order yields, ``stop`` is polled during rendering; True abandons the frame.

        Raises Abandoned in that case, or Error; the next frame may be requested unless it is one of FATAL.
        """
        self._messages.tell(order)
        drawn = self._make(order, stop)
        assert drawn is not None
        return drawn

    def ping(self) -> None:
        """Check that every rank answers. Raises TimeoutError, which names the ranks that do not."""
        self._messages.tell(None)
        self._messages.gather(None)

    def end(self) -> None:
        """Make the other ranks return from `follow`."""
        self._messages.tell("end")

    # --- the others -----------------------------------------------------------------------------------

    def follow(self) -> None:
        """Make frames until rank 0 ends. An error of FATAL is raised after rank 0 had time to report it."""
        try:
            while True:
                # Rank 0 sends something at least every PING seconds, except during a frame.
                order = self._messages.hear(PING + 2 * self._settings.timeout)
                if order == "end":
                    return
                if order is None:
                    self._messages.gather(None)
                    continue
                self._make_or_refuse(order)
        except FATAL:
            time.sleep(_GRACE)
            raise

    def _make_or_refuse(self, order: Order) -> None:
        try:
            self._make(order)
        except FATAL:
            raise
        except (Abandoned, Error):
            return  # rank 0 has the same error and reports it

    # --- all ------------------------------------------------------------------------------------------

    def _make(self, order: Order, stop: Callable[[], bool] | None = None) -> Drawn | None:
        """Render, composite and gather."""
        camera = order.eye.camera(self.scene)
        part = self._part(order.controls.mode)
        compositor = self._chosen(order.controls)
        times = [time.perf_counter()]

        def render(pause: Pause) -> Any:
            part.renderer.resize(order.size)
            part.renderer.show(order.controls.look(self.scene, fine=order.fine))
            own = part.render(camera, pause if order.yields else None)
            times.append(time.perf_counter())
            return own

        own = Verdict(self._messages, stop if order.yields else None).on(render)
        times.append(time.perf_counter())
        places: Any = part.order(camera)
        times.append(time.perf_counter())
        with compositor.trace() as events:
            tile = part.composite(compositor, own, places)
            times.append(time.perf_counter())
            frame = compositor.gather(tile, root=0)
            times.append(time.perf_counter())

        spans = list(zip(("render", "wait", "order", "composite", "gather"), times, times[1:], strict=False))
        spans += [(event.activity, event.begin, event.end) for event in events]
        gathered = self._messages.gather(
            [(name, begin - times[0], end - times[0]) for name, begin, end in spans]
        )
        if gathered is None or frame is None:
            return None
        phases = [{name: end - begin for name, begin, end in rank[:5]} for rank in gathered]
        seconds = {name: max(rank[name] for rank in phases) for name in phases[0]}
        return Drawn(frame.colour, compositor.algorithm, seconds, gathered)

    def _part(self, mode: str) -> BlockPart | BoxesPart:
        """This rank's part in a mode, made and distributed by rank 0 on first use."""
        if mode not in self._parts:
            asked = self._settings
            settings = PartSettings(asked.data, mode, (16, 16), 1, "auto", asked.timeout, None)
            voxels = None if self.volume is None else self.volume.voxels
            kind = BoxesPart if mode == "boxes" else BlockPart
            self._parts[mode] = kind(self._comm, settings, self.scene, voxels)
        return self._parts[mode]

    def _chosen(self, controls: Controls) -> sortlast.Compositor:
        """The requested compositor; the last one is reused while its settings stay the same."""
        asked = (controls.algorithm, controls.wire)
        if self._compositor is None or self._compositing != asked:
            algorithm, wire = asked
            made = sortlast.Compositor(
                self._comm, algorithm=algorithm, wire=wire, timeout=self._settings.timeout
            )
            if self._compositor is not None:
                self._compositor.close()
            self._compositor, self._compositing = made, asked
        return self._compositor
