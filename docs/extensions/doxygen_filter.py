"""Mark the comments of a header for Doxygen.

Comments of this project begin with two slashes; Doxygen expects three. It calls

    python docs/extensions/doxygen_filter.py HEADER

for each header and reads the printed text, in which comments above and behind declarations are marked. The
comment at the top of a file documents the file.

Private members and the namespace `detail` are left out. Three constructs that Breathe or Sphinx cannot handle
are removed: namespaces, because every header would declare them again (the pages name them); typedefs of C
structures with the same name; and the dots of designated initializers.
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
    """Yield the lines of a header with its comments marked for Doxygen."""
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
    """Return a line of code without the constructs that Breathe and Sphinx cannot handle."""
    if _NAMESPACE.match(line):
        return ""
    line = _OPAQUE.sub(r"struct \1 {};", _TYPEDEF.sub(r"\1", line))
    line = _TYPEDEF_END.sub("};", line)
    return _DESIGNATED.sub("{", line)


def escaped(text: str) -> str:
    """Escape characters that Doxygen would read as commands, tags and links, except in `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([\\@<>#%&])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


if __name__ == "__main__":
    print("\n".join(marked(Path(sys.argv[1]).read_text().splitlines())))
