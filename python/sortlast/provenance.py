"""The origin of measurements: version and build of sortlast, machine, MPI library and date.

Store it with every measurement, and compare or join only measurements of one machine::

    origin = provenance.here()
    json.dumps({"seconds": seconds, **asdict(origin)})
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGE = Path(__file__).parent
_BUILD_DIGITS = 12
_ASK_MPI = """
import sys
sys.path[:] = filter(None, sys.path)  # never import from the current folder
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
name, number = MPI.get_vendor()
print(name, ".".join(map(str, number)))
"""


@dataclass(frozen=True)
class Provenance:
    """The origin of a measurement.

    Attributes:
        version: of sortlast, with the commit if it runs from a checkout.
        build: identifies the compiled modules, see :func:`build`.
        host: name of the machine.
        cpu: model of its processors.
        cores: number of cores that this process may use.
        mpi: vendor and version of the MPI library; empty if there is none.
        date: in UTC, to the second.
    """

    version: str
    build: str
    host: str
    cpu: str
    cores: int
    mpi: str
    date: str

    @property
    def machine(self) -> tuple[str, str, int, str]:
        """The parts that must be equal to compare measurements: host, processors and MPI library."""
        return self.host, self.cpu, self.cores, self.mpi


def here() -> Provenance:
    """The origin of measurements made by this process now."""
    return Provenance(
        version=_version(),
        build=build(),
        host=platform.node(),
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)),
        mpi=_mpi(),
        date=now(),
    )


def now() -> str:
    """The current date, in the format of :class:`Provenance`."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


@cache
def build() -> str:
    """A hash over the compiled modules of the package."""
    found = hashlib.sha256()
    for module in sorted(_PACKAGE.glob("_*.so")):
        found.update(module.name.encode())
        found.update(module.read_bytes())
    return found.hexdigest()[:_BUILD_DIGITS]


@cache
def _version() -> str:
    """The version of the installed distribution, with the commit of a checkout."""
    try:
        found = version("sortlast")
    except PackageNotFoundError:
        found = "unknown"
    root = _PACKAGE.parents[1]
    if not (root / ".git").exists():
        return found
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return found
    return f"{found} ({done.stdout.strip()})"


@cache
def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


@cache
def _mpi() -> str:
    """The running library's name, or asked in a separate process, because importing it would start MPI."""
    if "mpi4py.MPI" in sys.modules:
        from mpi4py import MPI

        name, number = MPI.get_vendor()
        return f"{name} {'.'.join(map(str, number))}"
    done = subprocess.run([sys.executable, "-c", _ASK_MPI], capture_output=True, text=True, check=False)
    return done.stdout.strip()
