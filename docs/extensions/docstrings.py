"""Generate the reference of Python from docstrings.

The comment

    <!-- every name of MODULE -->

on a page is replaced by all names in the module's `__all__`. Docstrings are in Google style, except for
properties, where a colon has no meaning. Types are shown without their modules.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, GoogleDocstring

_MARK = re.compile(r"<!-- every name of (\S+) -->\n")
_STYLE = Config(napoleon_use_ivar=True)
_MODULES = re.compile(r"\b(?:sortlast\._\w+|collections\.abc|numpy|os|typing|pathlib)\.(?=[A-Za-z])")


def list_names(app: Sphinx, document: str, source: list[str]) -> None:
    """Replace the comment on a page by the names."""
    source[0] = _MARK.sub(lambda mark: directives(mark[1]), source[0])


def directives(module: str) -> str:
    """Return Markdown that documents the public names of a module, classes first."""
    values = importlib.import_module(module)
    names = sorted(values.__all__, key=lambda name: (not inspect.isclass(getattr(values, name)), name))
    lines = [f".. automodule:: {module}", "   :no-members:", ""]
    for name in names:
        value = getattr(values, name)
        lines.append(f".. auto{'class' if inspect.isclass(value) else 'function'}:: {module}.{name}")
        if inspect.isclass(value):
            static = [member for member, found in vars(value).items() if is_native(found)]
            lines += ["", *(f"   .. automethod:: {module}.{name}.{member}" for member in static), ""]
    return "\n".join(("```{eval-rst}", *lines, "```", ""))


def is_native(value: object) -> bool:
    """Return whether this is a function of an extension module, which Sphinx takes for data in a class."""
    return type(value).__name__ == "nb_func"


def skip(app: Sphinx, what: str, name: str, value: object, skipped: bool, options: Any) -> bool | None:
    """Skip members that :func:`directives` lists explicitly."""
    return True if is_native(value) else None


def read(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Convert a docstring to reStructuredText."""
    if what == "property":
        # A property of an extension module without a docstring has only its type there.
        typed = re.fullmatch(r"\(self\) -> (.*)", "".join(lines).strip())
        if typed:
            lines[:] = [f"``{_MODULES.sub('', typed[1])}``"]
    else:
        lines[:] = GoogleDocstring(lines, _STYLE, app, what, name, value, options).lines()


def shorten(
    app: Sphinx, what: str, name: str, value: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Return the signature with short names of types and without `self`."""
    return (
        None if signature is None else re.sub(r"^\(self(?:, )?", "(", _MODULES.sub("", signature)),
        None if result is None else _MODULES.sub("", result),
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("source-read", list_names)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", read)
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True}
