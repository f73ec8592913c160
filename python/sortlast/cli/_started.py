"""Ranks that a command starts for its job: what they are asked, and what they tell."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from sortlast import _leftovers, launch

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def answer(module: str, settings: DataclassInstance, ranks: int) -> Any:
    """Run ``python -m module SETTINGS REPORT`` on ``ranks`` ranks and return the report, read from JSON.

    Ends the command, with the ranks' status, if they fail.
    """
    with _leftovers.folder() as folder:
        asked, told = folder / "settings.json", folder / "report.json"
        asked.write_text(json.dumps(asdict(settings)))
        status = launch.run(module, [str(asked), str(told)], ranks)
        if status != 0:
            raise typer.Exit(status)
        return json.loads(told.read_text())
