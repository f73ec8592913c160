"""Settings of all Python tests."""

from hypothesis import settings

# The same examples on every run: a failure on one machine is a failure on all.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
