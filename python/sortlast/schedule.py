"""Schedules: which rank sends which pixels to which other, and how they are merged.

:func:`make` makes a schedule by name ("shift", "radix-k:4,3", "auto", ...). It can be verified, printed stage
by stage, written to JSON and priced by the alpha-beta-gamma model of the papers. :func:`choose` predicts the
time of every algorithm on a :class:`Machine`, fastest first; "auto" uses it.
"""

from sortlast._core import (
    AlgorithmEntry,
    Fragment,
    Machine,
    Merge,
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

__all__ = [
    "AlgorithmEntry",
    "Fragment",
    "Machine",
    "Merge",
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
]
