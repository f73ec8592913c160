"""``sortlast simulate --ranks A:B[:S]``: the same traffic with several numbers of ranks, one run each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sortlast import ArgumentError, Error
from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _show
from sortlast.cli.simulate import _methods, _report, _traffic

if TYPE_CHECKING:
    from sortlast.cli.simulate._network import Place, Tables
    from sortlast.cli.simulate._options import Method

_MOST_RUNS = 10_000
_MOST_RANKS = 2**31 - 1
_EXPECTED = "a number, FIRST:LAST or FIRST:LAST:STEP, such as 64, 2:16 or 2:256:x2"


def counts(text: str | None) -> Sequence[int]:
    """The numbers of ranks in ``64``, ``2:16``, ``16:64:16`` or ``2:256:x2``; None: none."""
    if text is None:
        return ()
    found = re.fullmatch(r"(\d{1,10})(?::(\d{1,10})(?::(x?)(\d{1,10}))?)?", text)
    if found is None:
        raise _usage(f"{text!r} is not {_EXPECTED}")
    first, last, step = int(found[1]), int(found[2] or found[1]), int(found[4] or 1)
    if not 1 <= first <= last <= _MOST_RANKS:
        raise _usage(f"{text}: counts of ranks rise from 1 or more to at most {_MOST_RANKS:,}")
    if step < (2 if found[3] else 1):
        raise _usage(f"{text}: the step has to be 1 or more, or x2 or more")
    made = list(_multiples(first, last, step)) if found[3] else range(first, last + 1, step)
    if len(made) > _MOST_RUNS:
        raise _usage(f"{text} are {len(made):,} runs; at most {_MOST_RUNS:,} are made")
    return made


def is_sweep(text: str | None) -> bool:
    """Whether several numbers are given, for a table."""
    return text is not None and ":" in text


def _usage(message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint="--ranks")


def _multiples(first: int, last: int, factor: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= factor


@dataclass(frozen=True)
class Sweep:
    """The same traffic with several numbers of ranks, on the first hosts of one network."""

    counts: Sequence[int]
    method: Method
    wanted: _traffic.Wanted
    place: Place
    tables: Tables
    settings: dict[str, Any]

    def run(self, picture: Path | None, json: Path | None) -> None:
        """Simulate, print a table, and write the requested files."""
        if picture is not None:
            from sortlast import plot

            plot.check_format(picture)
        _terminal.check_places(json, pictures=[picture])
        report = self._report()
        if picture is not None:
            from sortlast import plot
            from sortlast.plot.simulate import sweep

            title = f"{self.wanted.pattern} on {report['fabric']}, {report['routing']}"
            runs = report["runs"]
            plot.save(sweep([row["tasks"] for row in runs], [row["seconds"] for row in runs], title), picture)
        if json is not None:
            _terminal.write_json(report, json)
        console = _terminal.console(picture, json)
        facts = [(name, str(report[name])) for name in ("fabric", "routing", "order", "method")]
        console.print(_show.facts(facts))
        console.print(_table(report["runs"]))
        _terminal.name_written(console, picture, json)

    def _report(self) -> dict[str, Any]:
        """The report on all runs."""
        from sortlast.simulate.links import link_classes, link_rate

        topology, hosts = self.place.find()
        if self.wanted.is_file():
            raise _usage(f"{self.wanted.pattern} is a file, which says its tasks")
        if self.counts[-1] > len(hosts):
            raise Error(f"--ranks: {self.counts[-1]} ranks do not fit: there are {len(hosts)} hosts for them")
        settings = {"link_bytes_per_second": link_rate(topology), **self.settings}
        ways = self.tables.ways(topology, self.method.value == "flow")
        settings |= ways.settings
        told = settings | (self.wanted.frame if self.wanted.size is not None else {})
        setup = _report.Setup(topology, self.method.value, ways.told, self.place, told)
        classes = link_classes(topology)
        rows = []
        with _progress.bar("runs", transient=True) as progress:
            for k, ranks in enumerate(self.counts):
                part = partial(self._progress, progress, k)
                made = self._made(ranks, len(hosts))
                job = _methods.Job(topology, ways.routes, made, hosts[:ranks], settings, part)
                simulate = _methods.packets if self.method.value == "packet" else self._flows
                rows.append(_report.as_json(setup, simulate(job), classes))
        return _joined(rows)

    def _progress(self, progress: Callable[[float], bool], k: int, part: float) -> bool:
        """The fraction done of all runs, during the k-th."""
        return progress((k + part) / len(self.counts))

    def _made(self, ranks: int, places: int) -> _traffic.Made:
        try:
            wanted = replace(self.wanted, ranks=ranks)
            return _traffic.make(wanted, places, rendezvous=self.method.value == "flow")
        except ArgumentError as error:
            raise Error(f"--ranks, {ranks} of them: {error}") from None

    def _flows(self, job: _methods.Job) -> _methods.Found:
        return _methods.flows(job, self.wanted.frame)


def _joined(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The values common to all runs, and the runs with the others."""
    of_all = ("fabric", "size", "method", "routing", "order", "settings")
    runs = [{name: value for name, value in row.items() if name not in of_all} for row in rows]
    return {**{name: rows[0][name] for name in of_all}, "runs": runs}


def _table(runs: list[dict[str, Any]]) -> Any:
    """The table, one line per run."""
    frames = any(row["frames_per_second"] is not None for row in runs)
    columns = [(name, "right") for name in ("ranks", "messages", "bytes", "time", "sent by a task")]
    columns += [("frames a second", "right")] * frames + [("busiest link", "right")]
    lines = []
    for row in runs:
        rate, speed = row["bytes_per_second"], row["frames_per_second"]
        line = [
            f"{row['tasks']:,}",
            f"{row['messages']:,}",
            f"{row['bytes']:,}",
            _show.seconds(row["seconds"]),
            "" if rate is None else f"{rate / 1e6:,.4g} MB/s",
        ]
        line += [("" if speed is None else f"{speed:,.4g}")] * frames
        lines.append([*line, f"{max(each['busy_max'] for each in row['links']):.1%}"])
    return _show.table("", columns, lines)
