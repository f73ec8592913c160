"""Routes of all shifts on SimGrid's fat-tree zone: an independent implementation of D-mod-K."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("simgrid_shifts.cpp")
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="tree" prefix="host" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}" lat="{latency}"
             topology="FAT_TREE" topo_parameters="{parameters}"/>
  </zone>
</platform>
"""


@dataclass(frozen=True)
class Answer:
    """Results of SimGrid's routes over all shifts."""

    hosts: int
    max_flows: int
    mean_share: float


def missing() -> str:
    """The missing software; empty: none."""
    if not shutil.which("g++"):
        return "g++ is not installed"
    folders = [
        *filter(None, os.environ.get("CPATH", "").split(os.pathsep)),
        "/usr/include",
        "/usr/local/include",
    ]
    found = any(Path(folder, "simgrid/s4u.hpp").exists() for folder in folders)
    return "" if found else "SimGrid is not installed; it is in the Debian package libsimgrid-dev"


def build(folder: Path, source: Path = SOURCE) -> Path:
    """Compile a program in a folder; returns its path."""
    program = folder / source.stem
    subprocess.run(["g++", "-O2", "-std=c++20", source, "-lsimgrid", "-o", program], check=True)
    return program


def platform(
    folder: Path,
    m: list[int],
    w: list[int],
    p: list[int],
    bandwidth: str = "125MBps",
    latency: str = "50us",
) -> Path:
    """Write the platform of a PGFT(h; m; w; p) into a folder; returns its path."""
    hosts = 1
    for children in m:
        hosts *= children
    parameters = ";".join([str(len(m)), *(",".join(map(str, counts)) for counts in (m, w, p))])
    path = folder / f"tree-{hosts}.xml"
    path.write_text(
        PLATFORM.format(last=hosts - 1, parameters=parameters, bandwidth=bandwidth, latency=latency)
    )
    return path


def answer(output: str) -> Answer:
    """Parse the program's output."""
    hosts, max_flows, mean_share = output.split()
    return Answer(int(hosts), int(max_flows), float(mean_share))
