"""Script with the arguments PID FD NAME: removes testbed NAME after process PID, its maker, has ended."""

from __future__ import annotations

import signal
import sys

from sortlast._keeper import SIGNALS, wait_for_end
from sortlast_testbed.testbed import remove_all

if __name__ == "__main__":
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    wait_for_end(int(sys.argv[1]), int(sys.argv[2]))
    remove_all(sys.argv[3])
