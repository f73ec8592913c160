"""The network simulator: how long traffic takes on a fabric, by packets or by flows.

::

    from sortlast import fabric, schedule, simulate

    f = fabric.thin_tree(8, 4, 4)
    t = simulate.pattern("BU", ranks=4096, size=1000)
    run = simulate.packet(f, t, seed=17)
    run.cycles, run.mean_delay, run.link_loads

    frame = simulate.frame(f, schedule.make("shift", p=144, n=4096 * 2048), blend_bytes_per_second=5e9)
    frame.frames_per_second, frame.hidden, frame.bandwidth
"""

from sortlast._simulate import (
    FlowResult,
    Frame,
    LoadResult,
    LogGopsResult,
    PacketResult,
    Program,
    Traffic,
    all_to_all,
    from_pattern,
    from_schedule,
    halo,
    lane_routings,
    pattern,
    patterns,
    shift,
    uniform,
)
from sortlast.simulate.chakra import write_chakra
from sortlast.simulate.choice import FrameTime, JobFabric, choose
from sortlast.simulate.flows import flow, frame, frame_traffic
from sortlast.simulate.htsim import write_htsim
from sortlast.simulate.joining import JobResult, Jobs, join
from sortlast.simulate.lateness import FrameLateness, Lateness, LinkResidual, lateness
from sortlast.simulate.loads import load
from sortlast.simulate.loggops import loggops
from sortlast.simulate.packets import packet
from sortlast.simulate.reading import read, read_fsin, read_goal, read_program
from sortlast.simulate.replay import Residual

__all__ = [
    "FlowResult",
    "Frame",
    "FrameLateness",
    "FrameTime",
    "JobFabric",
    "JobResult",
    "Jobs",
    "Lateness",
    "LinkResidual",
    "LoadResult",
    "LogGopsResult",
    "PacketResult",
    "Program",
    "Residual",
    "Traffic",
    "all_to_all",
    "choose",
    "flow",
    "frame",
    "frame_traffic",
    "from_pattern",
    "from_schedule",
    "halo",
    "join",
    "lane_routings",
    "lateness",
    "load",
    "loggops",
    "packet",
    "pattern",
    "patterns",
    "read",
    "read_fsin",
    "read_goal",
    "read_program",
    "shift",
    "uniform",
    "write_chakra",
    "write_htsim",
]
