"""Fabrics of real clusters. They are not part of the project; SORTLAST_REAL_FABRICS names their folder.

EDR: LLNL's Lassen, director switches, 1,644 adapters. HDR: 140 nodes with eight rails, 1,336 adapters. NDR:
two levels with missing up-links, 582 adapters, from NVIDIA's topograph. All have aggregation nodes.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

FILES = {
    "EDR": "edr-directors.ibnetdiscover.gz",
    "HDR": "hdr-8-rails.ibnetdiscover.gz",
    "NDR": "ndr-fabric.ibnetdiscover",
}


def find(name: str) -> Path:
    """The file of a fabric; the test is skipped if the variable is not set."""
    folder = os.environ.get("SORTLAST_REAL_FABRICS")
    if not folder:
        pytest.skip(f"SORTLAST_REAL_FABRICS names no folder: the test did not run on the {name} fabric")
    return Path(folder, FILES[name])


def text(name: str) -> str:
    """The file's contents."""
    path = find(name)
    return gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()
