"""Programs and libraries that tests need and builds do not: a fabric's real tools, simulators, a browser.

    @pytest.mark.references("iverilog")

A test whose program is missing is skipped and says why. Where SORTLAST_REQUIRE_REFERENCES is 1 it fails,
so that a check that did not run never looks like one that passed. A test that uses a program without the
mark fails: ``./run test`` leaves marked tests out, and must not depend on what else is installed.
``./run references`` unpacks the programs into build/references, where PATH and LD_LIBRARY_PATH lead.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import NoReturn

import pytest

from sortlast_testbed import why_not

PACKAGES = {
    "chromium": "chromium",
    "doxygen": "doxygen",
    "dump_fts": "infiniband-diags",
    "ibdmchk": "ibutils",
    "ibdmsh": "ibutils",
    "iblinkinfo": "infiniband-diags",
    "ibnetdiscover": "infiniband-diags",
    "ibroute": "infiniband-diags",
    "ibsim": "ibsim-utils",
    "iverilog": "iverilog",
    "opensm": "opensm",
    "scontrol": "slurm-client",
    "simgrid": "libsimgrid-dev",
    "slurm-plugins": "slurm-wlm-basic-plugins",
    "slurmctld": "slurmctld",
    "spin": "spin",
    "umad2sim": "ibsim-utils",
    "xvfb-run": "xvfb",
}
_ELSEWHERE = {"chromium": ("chromium-browser", "google-chrome")}  # other names of a program
_FILES = {  # libraries: a file, and the variable whose folders are searched before the system's
    "simgrid": ("simgrid/s4u.hpp", "CPATH"),
    "slurm-plugins": ("slurm-wlm/topology_tree.so", "LD_LIBRARY_PATH"),
    "umad2sim": ("umad2sim/libumad2sim.so", "LD_LIBRARY_PATH"),
}
_SYSTEM = ("/usr/include", "/usr/local/include", *map(str, sorted(Path("/usr/lib").glob("*-linux-gnu*"))))
declared: Collection[str] | None = None  # by the marks of the test that runs


def required() -> bool:
    """Whether a missing program makes a test fail."""
    return os.environ.get("SORTLAST_REQUIRE_REFERENCES") == "1"


def find(name: str) -> str:
    """Path of a program or a file of a library; without it the test is skipped, or fails."""
    if declared is not None and name not in declared:
        pytest.fail(f"this test needs {name}; mark it: @pytest.mark.references({name!r})", pytrace=False)
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    found = [shutil.which(each, path=path) for each in (name, *_ELSEWHERE.get(name, ()))]
    if name in _FILES:
        file, variable = _FILES[name]
        folders = filter(None, (*os.environ.get(variable, "").split(os.pathsep), *_SYSTEM))
        found = [str(Path(folder, file)) for folder in folders if Path(folder, file).exists()]
    for each in found:
        if each:
            return each
    _end(f"{name} is not installed; it is in the Debian package {PACKAGES[name]}", required())


def find_namespaces() -> None:
    """Skip a test that makes a testbed where that is impossible, or fail for want of a program alone."""
    if reason := why_not():
        lacking = os.geteuid() == 0 and any(shutil.which(name) is None for name in ("ip", "tc", "unshare"))
        _end(reason, lacking and required())


def check(names: Collection[str]) -> None:
    """Find all that the marks of a test name."""
    global declared
    declared = names
    for name in names:
        if name == "namespaces":
            find_namespaces()
        else:
            find(name)


def _end(reason: str, fails: bool) -> NoReturn:
    if fails:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


NAMESPACES = pytest.mark.references("namespaces")  # of a test that makes a testbed
OPENSM = pytest.mark.references(
    "opensm", "ibsim", "umad2sim", "ibnetdiscover", "dump_fts", "ibroute", "ibdmchk"
)
