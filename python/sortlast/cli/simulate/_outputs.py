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

    picture: Path | None
    trace: Path | None
    json: Path | None

    @property
    def files(self) -> tuple[Path | None, ...]:
        """All of them."""
        return (self.picture, self.trace, self.json)

    def check(self) -> None:
        """Raise, before the run, if a file could not be written."""
        if self.picture is not None:
            from sortlast import plot

            plot.check_format(self.picture)
        if self.trace not in (None, STANDARD_OUTPUT) and self.trace.suffix.lower() != ".json":
            raise typer.BadParameter(f"{self.trace} does not end in .json", param_hint="--trace")
        _terminal.check_places(self.trace, self.json, pictures=[self.picture])

    def check_length(self, made: Made) -> None:
        """Reject a trace that would be too long for viewers."""
        if self.trace is not None and made.traffic.messages > _MOST_TRACED:
            raise Error(
                f"--trace: {made.traffic.messages:,} messages are more than a viewer shows; up to"
                f" {_MOST_TRACED:,} can be written: take fewer ranks or stages"
            )

    def write(self, found: Found, classes: Sequence[LinkClass], report: dict[str, Any]) -> None:
        """Write the requested files."""
        if self.picture is not None:
            from sortlast import plot
            from sortlast.plot.simulate import links

            title = f"{report['traffic']} on {report['fabric']}, {report['routing']}: {found.time}"
            plot.save(links(classes, found.busy, title), self.picture)
        if self.trace is not None:
            from sortlast import trace
            from sortlast.simulate.timeline import timeline

            trace.save(timeline(found.traffic, found.run), self.trace)
        if self.json is not None:
            _terminal.write_json(report, self.json)
