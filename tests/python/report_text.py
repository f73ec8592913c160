"""What the text of every study's report must be, whatever it tells."""

from __future__ import annotations

import re


def assert_tables_are_whole(text: str) -> None:
    """The rows of each table have the cells of its head."""
    for lines in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in lines.splitlines()}) == 1


def assert_whole(text: str) -> None:
    """So are its tables, and no value in it is one that was not found."""
    assert not re.search(r"\b(nan|None|Undefined|inf)\b", text)
    assert_tables_are_whole(text)
