"""Options that all studies have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Output = Annotated[Path, typer.Option(help="Folder for finished steps, the report and its pictures.")]
Quick = Annotated[bool, typer.Option("--quick", help="The smaller cases alone, in less than two minutes.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Simulations at a time; default: one a core.")]
