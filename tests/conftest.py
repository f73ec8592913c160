"""Order of all Python tests: files that took long the last time come first, and none is left at the end."""

import math

_KEPT = "sortlast/durations"  # seconds by file, in pytest's cache

_seconds: dict[str, float] = {}


def pytest_collection_modifyitems(config, items):
    """Put new files first, then the longest ones."""
    known = config.cache.get(_KEPT, {}) if hasattr(config, "cache") else {}
    items.sort(key=lambda item: -known.get(item.location[0], math.inf))


def pytest_runtest_logreport(report):
    """Add up what each file takes."""
    _seconds[report.location[0]] = _seconds.get(report.location[0], 0.0) + report.duration


def pytest_sessionfinish(session):
    """Keep it, in the process that hears of all tests."""
    config = session.config
    if hasattr(config, "cache") and not hasattr(config, "workerinput"):
        config.cache.set(_KEPT, config.cache.get(_KEPT, {}) | _seconds)
