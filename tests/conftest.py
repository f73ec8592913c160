"""How tests are shared out, if several run at a time."""

import pytest

# What makes hosts, or looks whether all of them are gone.
_ON_NAMESPACES = (
    "hosts/",
    "python/test_study_hardware_barrier.py",
    "python/test_study_pages.py",
    "python/test_testbed.py",
)


def pytest_itemcollected(item):
    """Tests of a file share what its fixtures make; those that make hosts see all others."""
    if item.config.pluginmanager.hasplugin("xdist"):
        file = item.location[0].removeprefix("tests/")
        item.add_marker(pytest.mark.xdist_group("namespaces" if file.startswith(_ON_NAMESPACES) else file))
