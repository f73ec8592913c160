"""A header as Doxygen wants it: with comments that begin with three slashes.

Those of this project begin with two. Doxygen calls

    python docs/extensions/doxygen_filter.py HEADER

for each header, and reads what is printed: the header with its comments marked, one above a declaration or
behind it on its line. The comment at the top of a file becomes that of the file.

What is private, and the namespace `detail`, are left out. So are three things with which Breathe or Sphinx
has trouble: namespaces, which would be declared anew by every header (the pages name them); the typedefs of C
structures, which have the same names; and the points of designated initialisers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_ALONE = re.compile(r"(\s*)//(?!/) ?(.*)")
_BEHIND = re.compile(r"(.*\S {2,})//(?!/) ?(.*)")
_NAMESPACE = re.compile(r"namespace [\w:]+ \{|\}  // namespace ")
_HIDDEN = re.compile(r"namespace detail \{| private:")
_SHOWN = re.compile(r"\}  // namespace detail|(?=\};)")
_TYPEDEF = re.compile(r"^typedef (struct|enum)(?= \w+ \{)")
_OPAQUE = re.compile(r"^typedef struct (\w+) \1;")
_TYPEDEF_END = re.compile(r"^\} \w+;")
_DESIGNATED = re.compile(r"(?<== )\{\.")
_RULE = re.compile(r"-{4,}.*")  # ---- a heading ----


def marked(lines: list[str]) -> Iterator[str]:
    """The lines of a header with its comments marked for Doxygen."""
    behind = -1  # column of a comment behind a declaration that may go on in the next line
    file = True  # in the comment at the top
    hidden = False
    for number, line in enumerate(lines):
        hidden = not _SHOWN.match(line) if hidden else bool(_HIDDEN.match(line))
        if hidden:
            continue
        alone = _ALONE.fullmatch(line)
        trailing = _BEHIND.fullmatch(line)
        if file and alone:
            yield ("/// \\file\n" if number == 0 else "") + f"/// {escaped(alone[2])}"
        elif alone and _RULE.fullmatch(alone[2]):
            yield ""
        elif alone:
            yield f"{alone[1]}///{'<' if len(alone[1]) == behind else ''} {escaped(alone[2])}"
            continue
        elif trailing and line.lstrip()[0] not in "#}":
            yield f"{trailing[1]}///< {escaped(trailing[2])}"
            behind = len(trailing[1])
            continue
        else:
            file = False
            yield simpler(line)
        behind = -1


def simpler(line: str) -> str:
    """A line of code without what the module's first comment names."""
    if _NAMESPACE.match(line):
        return ""
    line = _OPAQUE.sub(r"struct \1 {};", _TYPEDEF.sub(r"\1", line))
    line = _TYPEDEF_END.sub("};", line)
    return _DESIGNATED.sub("{", line)


def escaped(text: str) -> str:
    """A comment's text without what Doxygen would take for commands, tags and links; `code` stays."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([\\@<>#%&])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


if __name__ == "__main__":
    print("\n".join(marked(Path(sys.argv[1]).read_text().splitlines())))
