#!/usr/bin/env python3
"""Compare files of ``sortlast bench ... --json`` from two builds: what became slower?

A row is a regression if its time, or the processor time of all its ranks, grew by more than both thresholds:
--percent of the old time and --absolute ms. Exit status: 0 if there is none, 1 if there is one, 2 if a file
cannot be used. Rows that only one build has are listed without effect on the result. Files from different
machines or MPI libraries are compared only with --any-machine. Rows of older builds, which do not say where
they were measured, are counted. On a busy machine, two runs differ by more than the builds do:
bench/alternate.py measures both builds alternately. Needs only Python.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

# The fields that identify a measurement.
IDENTITY = (
    "task",
    "peer",
    "algorithm",
    "ranks",
    "width",
    "height",
    "format",
    "op",
    "gather",
    "content",
    "bounds",
)
MACHINE = ("host", "cpu", "cores", "mpi")  # rows are compared only if these are equal
TIMES = ("median_ms", "cpu_ms")  # of the slowest rank, and of all processors together

Key = tuple[Any, ...]
Rows = dict[Key, list[float]]  # identity -> the times


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--percent", type=float, default=10.0, help="default: %(default)s")
    parser.add_argument("--absolute", type=float, default=1.0, help="in ms; default: %(default)s")
    parser.add_argument("--any-machine", action="store_true", help="compare files of two machines")
    options = parser.parse_args()
    try:
        files = {path: read(path) for path in (options.old, options.new)}
        old, new = (times(files[path]) for path in (options.old, options.new))
        check_machines(files, options.any_machine)
    except ValueError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    return report(old, new, options.percent, options.absolute)


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file. Raises ValueError, which names the file, if it is not a benchmark file."""
    try:
        rows = json.loads(path.read_text())
        times(rows)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a list of rows of sortlast bench: {error!r}") from error
    found: list[dict[str, Any]] = rows
    return found


def times(rows: list[dict[str, Any]]) -> Rows:
    """The times of rows, by identity."""
    return {tuple(row[name] for name in IDENTITY): [float(row[name]) for name in TIMES] for row in rows}


def check_machines(files: dict[Path, list[dict[str, Any]]], any_machine: bool) -> None:
    """Raise ValueError if rows are from several machines; report rows without a machine."""
    machines: dict[Key, Path] = {}
    for path, rows in files.items():
        known = [row for row in rows if row.get("host")]
        if len(known) < len(rows):
            count = f"{len(rows) - len(known)} of {len(rows)} rows"
            print(f"compare.py: {path}: {count} do not tell where they were measured", file=sys.stderr)
        for row in known:
            machines.setdefault(tuple(row.get(name) for name in MACHINE), path)
    if len(machines) > 1 and not any_machine:
        told = "; ".join(f"{path}: {', '.join(map(str, machine))}" for machine, path in machines.items())
        raise ValueError(f"rows of {len(machines)} machines ({told}); --any-machine compares them anyway")


def report(old: Rows, new: Rows, percent: float, absolute: float) -> int:
    """Print all rows of both files; return 1 if one is a regression, else 0."""
    regressions = 0
    print(f"{'old ms':>10} {'new ms':>10} {'change':>8} {'processor':>10} {'':>10} {'change':>8}")
    for key in (key for key in old if key in new):
        grown = [slower(*pair, percent, absolute) for pair in zip(old[key], new[key], strict=True)]
        regressions += any(grown)
        figures = " ".join(
            f"{before:10.2f} {after:10.2f} {change(before, after):>8}"
            for before, after in zip(old[key], new[key], strict=True)
        )
        print(f"{figures}  {text(key)}{'  SLOWER' if any(grown) else ''}")
    for name, keys in (("old", old.keys() - new.keys()), ("new", new.keys() - old.keys())):
        for key in sorted(map(text, keys)):
            print(f"only in the {name} file: {key}")
    print(f"{regressions} regressions beyond {percent:g} % and {absolute:g} ms")
    return 1 if regressions else 0


def slower(before: float, after: float, percent: float, absolute: float) -> bool:
    """Whether a time grew by more than both thresholds."""
    return after - before > absolute and after - before > before * percent / 100


def change(before: float, after: float) -> str:
    """The growth in percent."""
    return f"{100 * (after - before) / before:+.1f} %" if before > 0 else ""


def text(key: tuple[Any, ...]) -> str:
    task, peer, algorithm, ranks, width, height, format_, op, gather, content, bounds = key
    where = "gathered" if gather else "not gathered"
    told = ", bounds told" if bounds else ""
    pixels = f"{width}x{height} {format_}"
    return f"{task}/{peer} {algorithm}, {ranks} ranks, {pixels}, {op}, {content}{told}, {where}"


if __name__ == "__main__":
    sys.exit(main())
