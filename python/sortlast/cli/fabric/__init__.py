"""``sortlast fabric``: the behaviour of a communication pattern on a fabric, before it runs there.

One module per command, as in :mod:`sortlast.cli`: every public one defines ``register(group)``.
"""

from __future__ import annotations

import importlib
import pkgutil

import typer


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="Topologies, routing and contention: how a pattern behaves on a fabric, before it runs there.",
        no_args_is_help=True,
    )
    group.callback()(lambda: None)
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__name__}.{module.name}").register(group)
    app.add_typer(group, name="fabric")
