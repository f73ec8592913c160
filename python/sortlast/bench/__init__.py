"""The benchmark: compositing algorithms side by side with other ways to the same image, and with floors.

One run of :func:`run` measures any number of peers on the ranks of one communicator. Every peer's answer is
compared with the serial composite before it is timed. Then the peers take turns, frame by frame, so that
other load on the machine slows all of them equally. Compare the rows of one run directly; across runs,
compare their ratios to a floor.

A row of the result (:class:`Row`) is

========================  =================================================================================
task                      "composite"
peer, algorithm           the peer and one of its algorithms, see :mod:`sortlast.bench.peers`
ranks, width, height      p, and the size of an image in pixels
format, op                float32, float16 or uint8 (RGBA, with a float32 depth for closest); the operator
gather                    whether the frame had to be gathered at rank 0, or may stay distributed
content                   dense, block or random: which pixels are active, see :class:`Task`
bounds                    whether the peers received the box of each rank's active pixels
frames                    number of timed frames; two untimed ones precede them
median_ms, min_ms, max_ms  frame time of the slowest rank, each by its own clock from a barrier
cpu_ms                    median processor time of a frame, of all threads of all ranks together
max_abs_error             maximum difference to the serial composite, in units of a channel
peak_bytes                maximum memory of any rank, see :mod:`sortlast.bench.memory`; None if not known
version, build, host,     the origin, see :class:`sortlast.provenance.Provenance`; empty in files
cpu, cores, mpi, date     of older builds
========================  =================================================================================
"""

from sortlast.bench.runner import Report, Settings, origin, run
from sortlast.bench.task import CONTENTS, FORMATS, OPS, Row, Task

__all__ = ["CONTENTS", "FORMATS", "OPS", "Report", "Row", "Settings", "Task", "origin", "run"]
