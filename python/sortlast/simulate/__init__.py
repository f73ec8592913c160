"""The network simulator: how long traffic takes on a fabric, packet by packet.

::

    from sortlast import fabric, simulate

    f = fabric.thin_tree(8, 4, 4)
    t = simulate.pattern("BU", ranks=4096, size=1000)
    run = simulate.packet(f, t, seed=17)
    run.cycles, run.mean_delay, run.link_loads
"""

from sortlast._simulate import (
    PacketRun,
    Traffic,
    all_to_all,
    from_schedule,
    pattern,
    patterns,
    shift,
    uniform,
)
from sortlast.simulate.packets import packet
from sortlast.simulate.reading import read_fsin, read_goal

__all__ = [
    "PacketRun",
    "Traffic",
    "all_to_all",
    "from_schedule",
    "packet",
    "pattern",
    "patterns",
    "read_fsin",
    "read_goal",
    "shift",
    "uniform",
]
