"""Files of traffic and programs, by path."""

from __future__ import annotations

import re
from pathlib import Path

from sortlast import _simulate
from sortlast._simulate import Program, Traffic
from sortlast.fabric import text_of


def read(path: str | Path) -> Traffic:
    """Read traffic in either format (GOAL if the file has ``num_ranks``). Raises like :func:`read_goal`."""
    text = text_of(path)
    return (_simulate.parse_goal if _is_goal(text) else _simulate.parse_fsin)(text, str(path))


def read_program(path: str | Path) -> Program:
    """Read traffic in either format as a program; GOAL keeps CPUs, NICs and the position of each receive.

    Raises like :func:`read_goal`.
    """
    text = text_of(path)
    if _is_goal(text):
        return _simulate.parse_program(text, str(path))
    return _simulate.program_of(_simulate.parse_fsin(text, str(path)))


def read_goal(path: str | Path) -> Traffic:
    """Read GOAL text, the input of LogGOPSim.

    Computations are in nanoseconds. Receives from any rank or with any tag (-1) are matched as in a run of
    the LogGOPS model with its default parameters. Raises :class:`sortlast.Error`, with file and line, if the
    file is malformed or cannot be read, or if sends and receives do not match or require each other in a
    cycle.
    """
    return _simulate.parse_goal(text_of(path), str(path))


def read_fsin(path: str | Path) -> Traffic:
    """Read a trace of FSIN: lines ``s from to tag bytes``, ``r from to tag bytes``, ``c task nanoseconds``.

    Raises :class:`sortlast.Error`, with file and line, if it is malformed or the file cannot be read.
    """
    return _simulate.parse_fsin(text_of(path), str(path))


def _is_goal(text: str) -> bool:
    return re.search(r"(?:^|\*/)\s*num_ranks\b", text, re.MULTILINE) is not None
