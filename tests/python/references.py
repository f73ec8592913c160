"""Programs that the tests compare with or look through, and what becomes of a test where one is missing.

The test is skipped and says why. Where SORTLAST_REQUIRE_REFERENCES is 1, as under ``./run test``, it fails: a
check that nobody makes must not look like one that passed.

    @pytest.mark.references("iverilog")
"""

from __future__ import annotations

import os
import shutil
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
