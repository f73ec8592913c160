"""The reference of Python, from docstrings.

Where a page says

    <!-- every name of MODULE -->

stand all names that the module's `__all__` has. Docstrings are in Google's style, those of properties
excepted, whose colons mean nothing. Types are written without the modules that they come from.
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
    """Put the names where a page wants them."""
    source[0] = _MARK.sub(lambda mark: directives(mark[1]), source[0])


def directives(module: str) -> str:
    """Markdown that documents the public names of a module, classes first."""
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
    """Whether it is a function of an extension module, which Sphinx takes for data if it is in a class."""
    return type(value).__name__ == "nb_func"


def skip(app: Sphinx, what: str, name: str, value: object, skipped: bool, options: Any) -> bool | None:
    """Leave out what :func:`directives` names by itself."""
    return True if is_native(value) else None


def read(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Turn a docstring into what Sphinx reads."""
    if what == "property":
        # All that the extension modules say of a property without a docstring is its type.
        typed = re.fullmatch(r"\(self\) -> (.*)", "".join(lines).strip())
        if typed:
            lines[:] = [f"``{_MODULES.sub('', typed[1])}``"]
    else:
        lines[:] = GoogleDocstring(lines, _STYLE, app, what, name, value, options).lines()


def shorten(
    app: Sphinx, what: str, name: str, value: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """The signature with short names of types, and without the object itself."""
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
