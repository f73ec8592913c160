"""The sources that a study's steps depend on: a hash over their model.

It covers the modules of studies that a module imports, directly or indirectly, and the data files in their
folders, such as published values that calibrate a model. Modules that only show results (rows of the table,
figures, reports) are excluded, so that rewording a report does not rerun any simulation.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

_DATA = ("*.csv", "*.v")  # in the folder of a module
_DIGITS = 12


def digest(module: str) -> str:
    """A hash over a module of a study, such as ``package.study.steps``, and all study modules it uses."""
    package = module.partition(".")[0]
    root = Path(str(import_module(package).__file__)).parent
    found = hashlib.sha256()
    for path in sorted(_files(root, package, module)):
        found.update(str(path.relative_to(root)).encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:_DIGITS]


def _files(root: Path, package: str, module: str) -> set[Path]:
    """The module, the modules that it uses, and the data files in their folders."""
    found: set[Path] = set()
    left = [module]
    while left:
        path = _path(root, left.pop())
        if path is None or path in found:
            continue
        found.add(path)
        left += _imported(path, package)
    return found | {data for path in found for pattern in _DATA for data in path.parent.glob(pattern)}


def _path(root: Path, module: str) -> Path | None:
    """The file of a module in the folder of a study; None for any other module."""
    parts = module.split(".")[1:]
    if len(parts) < 2:
        return None  # the framework
    base = root.joinpath(*parts)
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def _imported(path: Path, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name.startswith(f"{package}."))
