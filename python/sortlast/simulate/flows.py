"""The flow simulator, and frames of a schedule on a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sortlast import _simulate
from sortlast._simulate import FlowResult, Frame, Traffic
from sortlast.fabric import Routes, Spreading, Topology, route, spread, spreadings
from sortlast.schedule import Schedule
from sortlast.simulate.links import link_rate


def flow(
    fabric: Topology | Routes | Spreading,
    traffic: Traffic,
    *,
    placement: Sequence[int] | None = None,
    routing: str = "ftree",
    link_bytes_per_second: float | None = None,
    message_seconds: float = 0,
    sends_at_once: int = 1,
    receives_at_once: int = 0,
    precision: float = 1e-9,
    message_log: bool = False,
    host_links: bool = True,
    ordered_links: bool = False,
    background: float | Sequence[float] = 0,
    progress: Callable[[float], object] | None = None,
) -> FlowResult:
    """Simulate traffic as flows that share the links of their paths, each with its max-min fair rate.

    For messages that take much longer than the network's latency. Equal arguments give equal runs.

    Args:
        fabric: a fabric, or one with its routing or spreading.
        traffic: the messages of its tasks.
        placement: the host of each task; several tasks may share one; None: hosts 0, 1, 2, ...
        routing: for a fabric without routes: an engine of :func:`sortlast.fabric.engines`; or one of
            :func:`sortlast.fabric.spreadings`, which splits each flow evenly over all its paths, as adaptive
            routing does in the long run.
        link_bytes_per_second: of each direction of every link; None: the most common data rate in the
            fabric's file, or 1.25e9 if it has none.
        message_seconds: cost of a message before its bytes move, during which its sender is busy.
        sends_at_once: maximum messages of a task in flight; 0: unlimited; they share its link.
        receives_at_once: maximum messages being received by a task; 0: unlimited. Others wait, and still
            count as in flight at their senders. For nodes with k ports, set both to k.
        precision: events within this fraction of the time since the start are merged, 0 to 0.1; raise it if
            irregular traffic of a large fabric has too many events.
        message_log: keep the start and end of every message, which ``bandwidth`` needs.
        host_links: whether the links between hosts and switches count; False if nodes are their own routers,
            as in a torus of nodes, and can use all their links at once.
        ordered_links: whether a link serves messages one after the other, in order of arrival, each at the
            full rate; otherwise all share it, and messages that begin together end together. Not with a
            spreading.
        background: fraction of each direction of every link used by other traffic, 0 or more and below 1; or
            one fraction per channel of the fabric (not with ``ordered_links``).
        progress: called repeatedly with the fraction done, 0 to 1; an exception or the result False ends the
            run.

    Raises:
        ArgumentError: tasks do not fit on the hosts, an argument is out of range, no such routing.
        Error: messages deadlock (the text names them), or routes lead nowhere.
    """
    options = _simulate.FlowOptions(
        link_bytes_per_second=link_rate(fabric) if link_bytes_per_second is None else link_bytes_per_second,
        message_seconds=message_seconds,
        sends_at_once=sends_at_once,
        receives_at_once=receives_at_once,
        precision=precision,
        message_log=message_log,
        host_links=host_links,
        ordered_links=ordered_links,
        background=_shares_of(background),
    )
    hosts = list(range(traffic.tasks)) if placement is None else list(placement)
    return _simulate.simulate_flows(_ways(fabric, routing), traffic, hosts, options, progress)


def frame(
    fabric: Topology | Routes | Spreading,
    schedule: Schedule,
    *,
    placement: Sequence[int] | None = None,
    routing: str = "ftree",
    pixel_bytes: int = 16,
    active: float = 1,
    link_bytes_per_second: float | None = None,
    message_seconds: float = 0,
    sends_at_once: int = 0,
    receives_at_once: int = 0,
    stage_seconds: float = 0,
    blend_bytes_per_second: float = 0,
    overlap: bool = True,
    window: int | None = None,
    rendezvous: bool = True,
    barrier: bool = False,
    chunk_bytes: int = 0,
    precision: float = 1e-9,
    message_log: bool = True,
    host_links: bool = True,
    ordered_links: bool = False,
    background: float | Sequence[float] = 0,
    progress: Callable[[float], object] | None = None,
) -> Frame:
    """Simulate a frame of a schedule on a fabric: frames per second, overlap, bandwidths.

    Args:
        fabric: a fabric, or one with its routing or spreading.
        schedule: with the image's number of pixels.
        placement: the host of each rank; None: hosts 0, 1, 2, ...
        routing: for a fabric without routes: an engine of :func:`sortlast.fabric.engines`; or one of
            :func:`sortlast.fabric.spreadings`, which splits each flow evenly over all its paths, as adaptive
            routing does in the long run.
        pixel_bytes: bytes per pixel.
        active: fraction of an image's pixels that are active and sent, above 0 up to 1. A fraction a becomes
            1 - (1 - a)**d when d images are merged.
        link_bytes_per_second: of each direction of every link; None: the most common data rate in the
            fabric's file, or 1.25e9 if it has none.
        message_seconds: cost of a message before its bytes move.
        sends_at_once: maximum messages of a rank in flight; 0: unlimited; they share its link.
        receives_at_once: as in :func:`flow`.
        stage_seconds: cost of a stage at a rank, before its messages of that stage may start.
        blend_bytes_per_second: bytes of a fragment that a rank joins to another; 0: blending takes no time.
        overlap: blending overlaps the rank's messages; otherwise each stage is blended after its messages and
            before the messages of the next stage.
        window: maximum stages of a rank in progress; 0: unlimited; None: the schedule's.
        rendezvous: a transfer waits until its receiver has begun the stage too, like long messages in MPI
            libraries.
        barrier: all ranks begin a stage together, and the window is 1.
        chunk_bytes: messages are cut at multiples of this many bytes of the image; 0: not cut.
        precision: as in :func:`flow`.
        message_log: keep the start and end of every message, which ``bandwidth`` needs.
        host_links: as in :func:`flow`.
        ordered_links: as in :func:`flow`.
        background: as in :func:`flow`.
        progress: as in :func:`flow`; if blending takes time, the frame is simulated again without blending.

    Raises:
        ArgumentError: ranks do not fit on the hosts, an argument is out of range, no such routing.
        Error: routes lead nowhere.
    """
    compositing = _simulate.CompositingOptions(
        pixel_bytes=pixel_bytes,
        active=active,
        blend_bytes_per_second=blend_bytes_per_second,
        overlap=overlap,
        window=-1 if window is None else window,
        rendezvous=rendezvous,
        barrier=barrier,
        stage_seconds=stage_seconds,
        chunk_bytes=chunk_bytes,
    )
    options = _simulate.FlowOptions(
        link_bytes_per_second=link_rate(fabric) if link_bytes_per_second is None else link_bytes_per_second,
        message_seconds=message_seconds,
        sends_at_once=sends_at_once,
        receives_at_once=receives_at_once,
        precision=precision,
        message_log=message_log,
        host_links=host_links,
        ordered_links=ordered_links,
        background=_shares_of(background),
    )
    hosts = list(range(schedule.p)) if placement is None else list(placement)
    return _simulate.simulate_frame(schedule, _ways(fabric, routing), hosts, compositing, options, progress)


def frame_traffic(
    schedule: Schedule,
    *,
    pixel_bytes: int = 16,
    active: float = 1,
    stage_seconds: float = 0,
    blend_bytes_per_second: float = 0,
    overlap: bool = True,
    window: int | None = None,
    rendezvous: bool = True,
    barrier: bool = False,
    chunk_bytes: int = 0,
) -> Traffic:
    """The traffic of a frame as simulated by :func:`frame`, for :func:`packet` or to be written as GOAL.

    Raises:
        ArgumentError: an argument is out of range.
    """
    return _simulate.compositing_traffic(
        schedule,
        _simulate.CompositingOptions(
            pixel_bytes=pixel_bytes,
            active=active,
            blend_bytes_per_second=blend_bytes_per_second,
            overlap=overlap,
            window=-1 if window is None else window,
            rendezvous=rendezvous,
            barrier=barrier,
            stage_seconds=stage_seconds,
            chunk_bytes=chunk_bytes,
        ),
    )


def _shares_of(background: float | Sequence[float]) -> list[float]:
    """Convert to a list for the simulator: one fraction, or one per channel; empty for 0."""
    if isinstance(background, (int, float)):
        return [float(background)] if background else []
    return [float(share) for share in background]


def _ways(fabric: Topology | Routes | Spreading, routing: str) -> Routes | Spreading:
    """The routes or spreading to use."""
    if not isinstance(fabric, Topology):
        return fabric
    return spread(fabric, routing) if routing in dict(spreadings()) else route(fabric, routing)
