#!/usr/bin/env python3
"""Time and memory of all shifts on fat-trees of 144 to 65,536 hosts, compared with SimGrid and ibutils.

Every answer is checked before its time counts: in routing order D-mod-K, ftree and SimGrid's routing are free
of contention. Each case runs in a separate process, with the peak memory reported by the system. A peer that
is not installed, or needs more than --limit seconds, is listed with the reason.

    python bench/fabric/scaling.py --json scaling.json --plot scaling.png
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ibdmsh
import simgrid

# PGFT(h; m; w; p) by number of hosts: the 12-ary 2- and 3-tree, and RLFTs of 36- and 64-port switches.
TREES: dict[int, tuple[list[int], list[int]]] = {
    144: ([12, 12], [1, 12]),
    1728: ([12, 12, 12], [1, 12, 12]),
    11664: ([18, 18, 36], [1, 18, 18]),
    65536: ([32, 32, 64], [1, 32, 32]),
}
# Our cases: engine and order of hosts.
OURS = {
    "sortlast d-mod-k": ("d-mod-k", "routing"),
    "sortlast tables": ("ftree", "routing"),
    "sortlast d-mod-k, random order": ("d-mod-k", "random"),
    "sortlast tables, random order": ("ftree", "random"),
}
Row = dict[str, Any]


def ours(peer: str, hosts: int) -> Row:
    """One case in this process; the seconds cover the analysis without the routing."""
    from sortlast import _fabric as fabric

    engine, order = OURS[peer]
    m, w = TREES[hosts]
    topology = fabric.pgft(m, w, [1] * len(m))
    # An intact tree needs no tables, but ftree makes them if its roots are given.
    top = max(switch.level for switch in topology.switches)
    roots = [switch.number for switch in topology.switches if switch.level == top and "tables" in peer]
    routes = fabric.route(topology, engine, roots=roots)
    placement = fabric.order_hosts(topology, order)
    begin, cpu = time.perf_counter(), time.process_time()
    found = fabric.contention(routes, fabric.shift_pattern(hosts), placement)
    row = {"seconds": time.perf_counter() - begin, "cpu_seconds": time.process_time() - cpu}
    if routes.engine != engine or found.flows != hosts * (hosts - 1):
        raise SystemExit(f"{peer} on {hosts} hosts: wrong engine or flows: {routes.engine}, {found.flows}")
    if order == "routing" and not found.contention_free:
        raise SystemExit(f"{peer} on {hosts} hosts: not free in routing order")
    return row | {"max_flows": found.max_flows, "mean_share": found.mean_share}


def timed(argv: list[Any], limit: float, folder: Path) -> tuple[str, Row]:
    """Output of a process, its seconds and its peak memory."""
    begin = time.perf_counter()
    with subprocess.Popen(
        list(map(str, argv)),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # including its children
            raise RuntimeError(f"took more than {limit:g} s") from None
    if process.returncode != 0:
        raise RuntimeError(f"ended with status {process.returncode}: {errors[-300:]}")
    return output, {"seconds": time.perf_counter() - begin}


def run_ours(peer: str, hosts: int, limit: float, folder: Path) -> Row:
    """A case in a separate process."""
    argv = [sys.executable, Path(__file__).resolve(), "--case", peer, "--hosts", hosts]
    output, _ = timed(argv, limit, folder)
    row: Row = json.loads(output)
    return row


def run_simgrid(hosts: int, limit: float, folder: Path) -> Row:
    """SimGrid's routes of all shifts; seconds include its start."""
    if missing := simgrid.missing():
        raise RuntimeError(missing)
    m, w = TREES[hosts]
    program = simgrid.build(folder)
    platform = simgrid.platform(folder, m, w, [1] * len(m))
    output, row = timed([peak_of(folder), program, platform], limit, folder)
    found = simgrid.answer(output)
    if (found.hosts, found.max_flows) != (hosts, 1):
        raise RuntimeError(f"wrong answer: {found}")
    return row | {"max_flows": found.max_flows, "mean_share": found.mean_share, "peak_mb": peak(folder)}


def run_ibdmsh(hosts: int, limit: float, folder: Path) -> Row:
    """Traces of ibdmsh along OpenSM's tables; seconds include reading the tables, but not OpenSM."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))
    import opensm
    from sortlast import _fabric as fabric

    if missing := ibdmsh.missing():
        raise RuntimeError(missing)
    if hosts > 1728:
        raise RuntimeError("OpenSM on a simulated fabric cannot follow")
    m, w = TREES[hosts]
    run = opensm.route(fabric.write_ibsim(fabric.pgft(m, w, [1] * len(m))), "ftree", folder)
    topology = fabric.read_topology(run.ibnetdiscover, "ibnetdiscover")
    lids = [host.lid for host in topology.hosts]
    shift = fabric.shift_pattern(hosts)
    stages = ([(lids[a], lids[b]) for a, b, _ in shift.flows(stage)] for stage in range(shift.stages))
    ibdmsh.write_script(folder / "trace.tcl", list(stages), "ibdmCongReport")
    _, row = timed([peak_of(folder), "ibdmsh", "trace.tcl"], limit, folder)
    return row | {"peak_mb": peak(folder)}


def peak_of(folder: Path) -> Path:
    """A program that runs another one and records its peak memory."""
    path = folder / "peak_of"
    path.write_text(
        f"#!{sys.executable}\nimport resource, subprocess, sys\n"
        "status = subprocess.run(sys.argv[1:]).returncode\n"
        "with open('peak', 'w') as file:\n"
        "    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
        "sys.exit(status)\n"
    )
    path.chmod(0o755)
    return path


def peak(folder: Path) -> float:
    """Peak memory in MB recorded by peak_of."""
    return int((folder / "peak").read_text()) / 1024


def measure(hosts: list[int], limit: float) -> list[Row]:
    """All cases, smallest first; a peer that has exceeded the limit is skipped from then on."""
    peers: dict[str, Callable[[int, float, Path], Row]] = {
        name: lambda n, s, f, name=name: run_ours(name, n, s, f) for name in OURS
    } | {"SimGrid": run_simgrid, "ibdmsh": run_ibdmsh}
    rows: list[Row] = []
    for peer, run in peers.items():
        for count in hosts:
            row: Row = {"task": "all shifts", "peer": peer, "hosts": count}
            try:
                with tempfile.TemporaryDirectory() as folder:
                    row |= run(count, limit, Path(folder))
            except RuntimeError as error:
                row["reason"] = str(error)
            rows.append(row)
            print(json.dumps(row), file=sys.stderr)
            if "reason" in row:
                break
    return rows


def plot(rows: list[Row], path: Path) -> None:
    """Plot time and memory over hosts, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for axis, key, title in [(axes[0], "seconds", "Time [s]"), (axes[1], "peak_mb", "Peak memory [MB]")]:
        for peer in dict.fromkeys(row["peer"] for row in rows):
            points = [(row["hosts"], row[key]) for row in rows if row["peer"] == peer and key in row]
            if points:
                axis.loglog(*zip(*points, strict=True), marker="o", label=peer)
        axis.set(title=title, xlabel="hosts")
        axis.set_xticks(list(TREES), [f"{count:,}" for count in TREES])
        axis.minorticks_off()
        axis.grid(visible=True, alpha=0.3)
    axes[0].legend(fontsize="small")
    figure.suptitle(f"Contention of all shifts on fat-trees, {os.cpu_count()} cores")
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measure everything, or run one case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, nargs="+", choices=list(TREES), default=list(TREES))
    parser.add_argument("--limit", type=float, default=600, help="seconds per case (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the rows")
    parser.add_argument("--plot", type=Path, help="write a picture")
    parser.add_argument("--case", choices=list(OURS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        import resource

        row = ours(options.case, options.hosts[0])
        row["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(row))
        return
    rows = measure(sorted(options.hosts), options.limit)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
