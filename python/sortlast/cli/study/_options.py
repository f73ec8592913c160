"""Options that all studies have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Output = Annotated[Path, typer.Option(help="Folder for finished steps, the report and its pictures.")]
Quick = Annotated[bool, typer.Option("--quick", help="The smaller cases alone, in less than two minutes.")]
Testbed = Annotated[
    bool,
    typer.Option("--testbed", help="Also measure on hosts: network namespaces of this machine. Needs root."),
]
Port = Annotated[
    bool,
    typer.Option(
        "--port", help="Also measure this machine's parallel port, /dev/parport0: it toggles its lines."
    ),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Simulations at a time; default: one a core.")]
