"""Python environments of links: sortlast, NumPy, what some extras bring, and nothing else.

    python = environments.make(tmp_path / "plain")
    python = environments.make(tmp_path / "drawing", "cli", "plot")

What the packages of an extra require is followed through the metadata of this environment; nothing is
downloaded.
"""

from __future__ import annotations

import venv
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path

import tomllib
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import sortlast

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def requirements(*extras: str) -> list[Requirement]:
    """What sortlast requires with some of its extras."""
    texts = [*PROJECT["dependencies"]]
    for extra in extras:
        texts += PROJECT["optional-dependencies"][extra]
    return [Requirement(text) for text in texts]


def closure(wanted: Iterable[Requirement]) -> set[str]:
    """Names of the distributions that requirements bring, with those that they require themselves."""
    found: set[str] = set()
    left = [(each.name, each.extras) for each in wanted]
    while left:
        name, extras = left.pop()
        if canonicalize_name(name) in found:
            continue
        found.add(canonicalize_name(name))
        for text in distribution(name).requires or ():
            each = Requirement(text)
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                left.append((each.name, each.extras))
    return found


def make(folder: Path, *extras: str) -> Path:
    """Make an environment with the extras, and return its Python."""
    venv.create(folder, symlinks=True, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "sortlast").symlink_to(Path(sortlast.__file__).parent)
    names = closure(requirements(*extras))
    for place in (*parts("sortlast"), *(part for name in names for part in parts(name))):
        link = site / place.name
        if not link.is_symlink():
            link.symlink_to(place)
    return folder / "bin" / "python"


def parts(name: str) -> Iterator[Path]:
    """What lies in site-packages of a distribution."""
    one = distribution(name)
    assert one.files, f"{name} does not tell its files"
    for top in {file.parts[0] for file in one.files} - {"..", "__pycache__"}:
        yield Path(str(one.locate_file(top))).resolve()
