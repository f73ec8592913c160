"""The files that ``sortlast simulate`` writes: pictures, a trace, JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sortlast import Error
from sortlast.cli import _terminal
from sortlast.files import STANDARD_OUTPUT

if TYPE_CHECKING:
    from sortlast.cli.simulate._methods import Found
    from sortlast.cli.simulate._traffic import Made
    from sortlast.simulate.links import LinkClass

_MOST_TRACED = 500_000  # max messages that viewers of traces can show


@dataclass(frozen=True)
class Outputs:
    """The output files; None: not wanted."""

    links: Path | None
    buffers: Path | None
    delays: Path | None
    trace: Path | None
    json: Path | None

    @property
    def files(self) -> tuple[Path | None, ...]:
        """All of them."""
        return (*self._pictures, self.trace, self.json)

    @property
    def _pictures(self) -> tuple[Path | None, ...]:
        return (self.links, self.buffers, self.delays)

    def check(self) -> None:
        """Raise, before the run, if a file could not be written."""
        pictures = [path for path in self._pictures if path is not None]
        if pictures:
            from sortlast import plot

            for path in pictures:
                plot.check_format(path)
        if self.trace not in (None, STANDARD_OUTPUT) and self.trace.suffix.lower() != ".json":
            raise typer.BadParameter(f"{self.trace} does not end in .json", param_hint="--trace")
        _terminal.check_places(self.trace, self.json, pictures=pictures)

    def check_length(self, made: Made) -> None:
        """Reject a trace that would be too long for viewers."""
        if self.trace is not None and made.traffic.messages > _MOST_TRACED:
            raise Error(
                f"--trace: {made.traffic.messages:,} messages are more than a viewer shows; up to"
                f" {_MOST_TRACED:,} can be written: take fewer ranks or stages"
            )

    def write(self, found: Found, classes: Sequence[LinkClass], report: dict[str, Any]) -> None:
        """Write the requested files."""
        title = f"{report['traffic']} on {report['fabric']}, {report['routing']}: {found.time}"
        self._draw(found, classes, title)
        if self.trace is not None:
            from sortlast import trace
            from sortlast.simulate.timeline import timeline

            trace.save(timeline(found.traffic, found.run), self.trace)
        if self.json is not None:
            _terminal.write_json(report, self.json)

    def _draw(self, found: Found, classes: Sequence[LinkClass], title: str) -> None:
        if not any(self._pictures):
            return
        from sortlast import plot
        from sortlast.plot import simulate as pictures
        from sortlast.simulate import PacketResult

        run = found.run
        if self.links is not None:
            plot.save(pictures.links(classes, found.busy, title), self.links)
        if self.buffers is not None and isinstance(run, PacketResult):
            plot.save(pictures.buffers(run.occupation, title), self.buffers)
        if self.delays is not None and isinstance(run, PacketResult):
            marks = [
                ("median", float(run.delay_percentile(50))),
                ("mean", run.mean_delay),
                ("99 %", float(run.delay_percentile(99))),
            ]
            plot.save(pictures.delays(run.delays, marks, title), self.delays)
