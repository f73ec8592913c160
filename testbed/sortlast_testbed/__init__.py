"""A small fabric on one machine: hosts and switches are network namespaces, and real packets are sent.

::

    from sortlast_testbed import Settings, Testbed, measure

    with Testbed(Settings("k-ary-n-tree:4,2", engine="d-mod-k", rate_mbit=50)) as testbed:
        found = measure(testbed, testbed.order("random"), message_bytes=500_000)
    found.flows_differ, found.contended_measured ^ found.contended_predicted

Needs Linux, root, iproute2 (ip, tc) and util-linux (unshare).
"""

from sortlast_testbed.counter_files import write_counters
from sortlast_testbed.job import answer, run
from sortlast_testbed.measurement import Measured, measure
from sortlast_testbed.namespaces import why_not
from sortlast_testbed.pattern_time import TimedPattern, time_pattern
from sortlast_testbed.recording import Disturbance, Recorded, record
from sortlast_testbed.testbed import Settings, Testbed, remove, remove_stale

__all__ = [
    "Disturbance",
    "Measured",
    "Recorded",
    "Settings",
    "Testbed",
    "TimedPattern",
    "answer",
    "measure",
    "record",
    "remove",
    "remove_stale",
    "run",
    "time_pattern",
    "why_not",
    "write_counters",
]
