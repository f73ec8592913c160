"""Makes text from files safe to print: it cannot move a cursor, reverse a line or end an element.

Node descriptions come from the fabric, so anyone with a port there can choose them.
"""

from __future__ import annotations

import unicodedata

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")  # categories: control, format (bidirectional), surrogates, ...


def shown(text: str, keep: str = "") -> str:
    """Escape every character that would be invisible, except the characters in ``keep``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each in keep else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN:
        return character
    return character.encode("unicode_escape").decode("ascii")
