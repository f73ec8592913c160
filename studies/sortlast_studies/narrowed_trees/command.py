"""``sortlast study narrowed-trees``, with options for sizes, weights, seed and ties."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from sortlast_studies.command import Again, Full, Output, Workers, run


class Ties(str, Enum):
    """How a port is drawn among ports with equally many credits."""

    uniform = "uniform"
    fsin = "fsin"


class Models(str, Enum):
    """Models of the simulator to run in addition to the first."""

    none = "none"
    short = "short"
    likely = "likely"
    all = "all"


def narrowed_trees(
    output: Output = Path("narrowed-trees"),
    quick: Annotated[bool, typer.Option("--quick", help="Only messages of up to 1 KB: seconds.")] = False,
    sizes: Annotated[
        str | None, typer.Option(help="Message sizes in bytes, separated by commas, from the paper's five.")
    ] = None,
    weights: Annotated[
        str, typer.Option(help="Weights of patterns and sizes, such as BU=2,WF=0,10=0; others are 1.")
    ] = "",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random draws.")] = 17,
    ties: Annotated[
        Ties, typer.Option(help="Draw among equally good ports uniformly, or as the simulator FSIN does.")
    ] = Ties.uniform,
    models: Annotated[
        Models,
        typer.Option(
            help="Other models of the paper's simulator to run: none, all with messages of up to 10 KB,"
            " the likely one with 100 KB too, or all with all sizes, which takes six times as long."
        ),
    ] = Models.short,
    workers: Workers = None,
    again: Again = None,
    full: Full = False,
) -> None:
    """Print Tables 1 to 5 with the published values and the ratio, and verdicts on the claims of the text.

    Performance, cost, and performance per cost, from 5 sizes of messages, 7 patterns of 4096 tasks and 8
    networks.

    The whole takes minutes, mostly for 100 KB. Finished cells are kept in the output folder: an
    interrupted study resumes where it stopped. The folder then holds `report.html`, with adjustable
    weights, `report.md`, and Figures 1 to 4, 6 and 7.
    """
    from sortlast import ArgumentError
    from sortlast.cli import _parse
    from sortlast_studies.narrowed_trees.performance import parse_weights
    from sortlast_studies.narrowed_trees.study import make

    # Reject invalid values before anything runs.
    if quick and sizes is not None:
        raise ArgumentError("--quick names the sizes, and --sizes does too; leave one out")
    chosen = None if sizes is None else _parse.integers(sizes)
    wanted = make(
        sizes=chosen, seed=seed, ties=ties.value, weights=parse_weights(weights), models=models.value
    )
    run(wanted, output, quick=quick, workers=workers, again=again, full=full)
