"""Files of traffic, by path."""

from __future__ import annotations

import re
from pathlib import Path

from sortlast import _simulate
from sortlast._simulate import Traffic
from sortlast.fabric import text_of


def read(path: str | Path) -> Traffic:
    """Read traffic in either form, GOAL if the file says ``num_ranks``. Raises as :func:`read_goal`."""
    text = text_of(path)
    is_goal = re.search(r"^\s*num_ranks\b", text, re.MULTILINE) is not None
    return (_simulate.parse_goal if is_goal else _simulate.parse_fsin)(text, str(path))


def read_goal(path: str | Path) -> Traffic:
    """Read GOAL text, the input of LogGOPSim.

    Computations are in nanoseconds. Raises :class:`sortlast.Error`, with file and line, if it is malformed,
    sends and receives do not match or require each other in a circle, or the file cannot be read.
    """
    return _simulate.parse_goal(text_of(path), str(path))


def read_fsin(path: str | Path) -> Traffic:
    """Read a trace of FSIN: lines ``s from to tag bytes``, ``r from to tag bytes``, ``c task nanoseconds``.

    Raises :class:`sortlast.Error`, with file and line, if it is malformed or the file cannot be read.
    """
    return _simulate.parse_fsin(text_of(path), str(path))
