"""Schedules: who sends which pixels to whom, and what is merged with what.

:func:`make` makes one by name ("shift", "radix-k:4,3", "auto", ...); it can be verified, printed stage by
stage, written to JSON and priced by the alpha-beta-gamma model of the papers.
"""

from sortlast._core import (
    AlgorithmEntry,
    Fragment,
    Merge,
    Program,
    Receive,
    Schedule,
    Send,
    Transfer,
    algorithms,
    formula,
    make,
    price,
)

__all__ = [
    "AlgorithmEntry",
    "Fragment",
    "Merge",
    "Program",
    "Receive",
    "Schedule",
    "Send",
    "Transfer",
    "algorithms",
    "formula",
    "make",
    "price",
]
