"""Write the version in include/sortlast/version.hpp into all other files that contain it.

python packaging/version.py [CHECKOUT]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HEADER = "include/sortlast/version.hpp"
# Files, and patterns with a group that the version or the lines of macros replace.
PLACES = {
    "CITATION.cff": [r"^version: (.+)$"],
    "packaging/conda/recipe.yaml": [r'^  version: "(.+)"$'],
    "studies/pyproject.toml": [r'^version = "(.+)"$', r'"sortlast\[[\w,]+\]==([^"]+)"'],
    "testbed/pyproject.toml": [r'^version = "(.+)"$', r'"sortlast\[[\w,]+\]==([^"]+)"'],
    "docs/reference/stability.md": [r"The current version is ([\d.]+\d),"],
}
MACROS = {"capi/sortlast.h": r"((?:#define SORTLAST_VERSION\w* .+\n)+)"}


def contents(root: Path) -> dict[str, str]:
    """Return what the files should contain."""
    header = (root / HEADER).read_text()
    version = found(r'^#define SORTLAST_VERSION "(.+)"$', header, HEADER)[1]
    macros = found(MACROS["capi/sortlast.h"], header, HEADER)[1]
    result = {path: (root / path).read_text() for path in (*PLACES, *MACROS)}
    for path, patterns in PLACES.items():
        for pattern in patterns:
            result[path] = replaced(result[path], pattern, version, path)
    for path, pattern in MACROS.items():
        result[path] = replaced(result[path], pattern, macros, path)
    return result


def found(pattern: str, text: str, path: str) -> re.Match[str]:
    """Return the match of a pattern, or end with an error."""
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        sys.exit(f"version.py: {path} has no line like {pattern}")
    return match


def replaced(text: str, pattern: str, new: str, path: str) -> str:
    """Return a text with the pattern's group replaced."""
    match = found(pattern, text, path)
    return text[: match.start(1)] + new + text[match.end(1) :]


if __name__ == "__main__":
    checkout = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    for file, text in contents(checkout).items():
        (checkout / file).write_text(text)
