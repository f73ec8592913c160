"""Schedules: who sends which pixels to whom, and what is merged with what.

:func:`make` makes one by name ("shift", "radix-k:4,3", "auto", ...); it can be verified, printed stage by
stage, written to JSON and priced by the alpha-beta-gamma model of the papers. :func:`choose` predicts what
every algorithm takes on a :class:`Machine`, fastest first; that is what "auto" goes by.
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
