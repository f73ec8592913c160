"""Parsing of command-line options shared by several commands. Invalid values are usage errors."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from sortlast import _memory

DATA = "mni152, ch2better, hydrogen, or a file: NIfTI, VTK image, MetaImage, or FILE.raw:XxYxZ:DTYPE."

Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        show_default="half of the available memory",
        help="Maximum memory for data, such as 500M or 8G.",
    ),
]


def positive(value: float | None) -> float | None:
    """Check that a number, if given, is above 0: for an option's ``callback``."""
    if value is not None and not 0 < value < math.inf:
        raise typer.BadParameter(f"{value:g} is not above 0")
    return value


Timeout = Annotated[
    float,
    typer.Option("--timeout", callback=positive, help="Longest wait for a rank, in seconds; above 0."),
]


def size(text: str) -> tuple[int, int]:
    """``"4096x2048"``: width and height in pixels, each at least 0."""
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not WIDTHxHEIGHT, for example 1024x768") from None
    if width < 0 or height < 0:
        raise typer.BadParameter(f"{text!r} has a negative side")
    return width, height


def integers(text: str) -> list[int]:
    """``"2,0,1"``: whole numbers separated by commas."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of whole numbers such as 2,0,1") from None


def numbers(text: str) -> list[float]:
    """``"0.2,0.2,0.3"``: numbers separated by commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers such as 0.2,0.2,0.3") from None


def memory(text: str | None) -> int | None:
    """``"8G"``: bytes; None if not given."""
    try:
        return None if text is None else _memory.parse(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--memory") from None
