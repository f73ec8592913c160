"""Programs that the tests compare with or look through, and what happens to a test whose program is missing.

The test is skipped with the reason. Where SORTLAST_REQUIRE_REFERENCES is 1, as in ``./run references``, it
fails: a check that did not run must not look like one that passed. ``./run`` unpacks the programs into
build/references, and PATH and LD_LIBRARY_PATH lead there.

    @pytest.mark.references("iverilog")
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from sortlast.testbed import why_not

PACKAGES = {
    "cc": "gcc",
    "chromium": "chromium",
    "doxygen": "doxygen",
    "dump_fts": "infiniband-diags",
    "ibdmchk": "ibutils",
    "ibnetdiscover": "infiniband-diags",
    "ibroute": "infiniband-diags",
    "ibsim": "ibsim-utils",
    "ip": "iproute2",
    "iverilog": "iverilog",
    "ldd": "libc-bin",
    "libumad2sim.so": "ibsim-utils",
    "opensm": "opensm",
    "scontrol": "slurm-client",
    "spin": "spin",
    "slurmctld": "slurmctld",
    "tc": "iproute2",
    "topology_tree.so": "slurm-wlm-basic-plugins",
    "unshare": "util-linux",
    "xvfb-run": "xvfb",
}
_ELSEWHERE = {"chromium": ("chromium-browser", "google-chrome")}  # other names of a program


def required() -> bool:
    """Whether a missing program makes a test fail."""
    return os.environ.get("SORTLAST_REQUIRE_REFERENCES") == "1"


def find(name: str) -> str:
    """Path of a program; without it the test is skipped, or fails."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    for each in (name, *_ELSEWHERE.get(name, ())):
        found = shutil.which(each, path=path)
        if found:
            return found
    missing(name)


def library(pattern: str) -> str:
    """Path of the first file that matches a pattern below the folders of libraries, as :func:`find` does."""
    folders = [Path(each) for each in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if each]
    for folder in (*folders, *sorted(Path("/usr/lib").glob("*-linux-gnu*"))):
        for found in sorted(folder.glob(pattern)):
            return str(found)
    missing(Path(pattern).name)


def missing(name: str) -> NoReturn:
    """Skip the test that runs, or let it fail, for want of a program or library."""
    told = f"{name} is not installed; it is in the Debian package {PACKAGES[name]}"
    if required():
        pytest.fail(told, pytrace=False)
    pytest.skip(told)


def needs_hosts() -> pytest.MarkDecorator:
    """Mark of tests that make a testbed; where a program is missing they fail if all are required."""
    lacking = os.geteuid() == 0 and any(shutil.which(name) is None for name in ("ip", "tc", "unshare"))
    reason = "" if lacking and required() else why_not()
    return pytest.mark.skipif(reason != "", reason=reason or "not skipped")
