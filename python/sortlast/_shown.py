"""Text of files as it may be shown: nothing in it moves a cursor, turns a line round or ends an element.

Node descriptions come from the fabric, so anyone with a port there can choose them.
"""

from __future__ import annotations

import unicodedata

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")  # categories: control, format (bidirectional), surrogates, ...


def shown(text: str, keep: str = "") -> str:
    """The text with every character that is not to be seen escaped; those of ``keep`` stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each in keep else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN:
        return character
    return character.encode("unicode_escape").decode("ascii")
