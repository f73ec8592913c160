"""These tests run with the ParaView that ./run paraview installs, and not among the others."""

import os

import pytest

import displays

collect_ignore_glob = [] if os.environ.get("SORTLAST_TEST_PARAVIEW") == "1" else ["test_*.py"]


@pytest.fixture(scope="session")
def display():
    """A display of no screen, in which all ranks draw."""
    with displays.started(1280, 1024) as name:
        yield name
