"""Schedules: which rank sends which pixels to which other, and how they are merged.

:func:`make` makes a schedule by name ("shift", "radix-k:4,3", "auto", ...). It can be verified, printed stage
by stage, written to JSON and priced by the alpha-beta-gamma model of the papers. :func:`choose` predicts the
time of every algorithm on a :class:`Machine`, fastest first; "auto" uses it. :func:`register` adds an
algorithm of your own under a new name.
"""

from __future__ import annotations

from collections.abc import Callable

from sortlast import _core
from sortlast._core import (
    AlgorithmEntry,
    Builder,
    Fragment,
    Machine,
    Merge,
    Part,
    Prediction,
    Program,
    Receive,
    Schedule,
    Send,
    Transfer,
    algorithms,
    choose,
    formula,
    make,
    price,
)
from sortlast._errors import ArgumentError

__all__ = [
    "AlgorithmEntry",
    "Builder",
    "Fragment",
    "Machine",
    "Merge",
    "Part",
    "Prediction",
    "Program",
    "Receive",
    "Schedule",
    "Send",
    "Transfer",
    "algorithms",
    "choose",
    "formula",
    "make",
    "price",
    "register",
]

_functions: dict[str, Callable[[Builder], None]] = {}  # by the names of the algorithms that they describe


def register(
    name: str, *, summary: str = ""
) -> Callable[[Callable[[Builder], None]], Callable[[Builder], None]]:
    """Make the decorated function an algorithm, which is then known by its name like "shift".

    The function gets a :class:`Builder` and describes what all ranks send and merge::

        @schedule.register("star")
        def star(b):
            front = b.order[0]
            b.finish(b.merge([b.image(r) if r == front else b.send(b.image(r), front) for r in b.order]))

    :func:`make`, :func:`choose`, :class:`sortlast.Compositor` and the simulators accept the name, with
    parameters after a colon. The function is called when a schedule is made, in every rank, for any p and any
    n, 0 included. The schedule is then verified, which costs O(all steps). Every rank that uses the name has
    to register the function. Registering a name again replaces its function for later schedules.

    Args:
        name: Letters, digits, "-" and "_".
        summary: One sentence about the algorithm.

    Raises:
        ArgumentError: The name is invalid, or an algorithm of sortlast has it. An exception of the function
            is raised as an Error that names its type, text, file and line.
    """

    def decorate(build: Callable[[Builder], None]) -> Callable[[Builder], None]:
        if not callable(build):
            raise ArgumentError(f"build is a {type(build).__name__}; expected a function")
        _core.register(name, summary)
        _functions[name] = build
        return build

    return decorate
