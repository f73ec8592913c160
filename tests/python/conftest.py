"""Settings of all Python tests."""

import signal

from hypothesis import settings

# The same examples on every run: a failure on one machine is a failure on all.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

# A shell that starts us in the background makes SIGINT be ignored, here and in all that we start; the tests
# of interrupts need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
