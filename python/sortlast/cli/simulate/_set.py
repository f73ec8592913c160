"""``sortlast simulate --set NAME=VALUE,..``: keyword arguments of the simulators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from inspect import signature
from typing import Any

import typer

_LARGEST = 2**31 - 1  # magnitude of any whole number
_TRUTHS = {"yes": True, "no": False}


def parse(texts: Sequence[str]) -> dict[str, str]:
    """The settings in ``NAME=VALUE,..``, by name."""
    found: dict[str, str] = {}
    for part in ",".join(texts).split(",") if texts else ():
        name, equals, value = part.partition("=")
        if not name or not equals:
            raise _usage(f"{part!r} is not NAME=VALUE")
        if name in found:
            raise _usage(f"{name} is given twice")
        found[name] = value
    return found


def take(given: dict[str, str], names: Collection[str], *functions: Callable[..., object]) -> dict[str, Any]:
    """Remove the settings of these names from ``given``, and return all of them with their defaults.

    The functions have keyword arguments of these names; the first that has one says its type and default.
    """
    known = {
        name: each
        for function in reversed(functions)
        for name, each in signature(function).parameters.items()
    }
    return {
        name: _value(name, given.pop(name), str(known[name].annotation))
        if name in given
        else known[name].default
        for name in names
    }


def refuse_rest(given: Collection[str], method: str, known: Collection[str]) -> None:
    """Raise a usage error for settings that nothing has taken."""
    for name in given:
        raise _usage(f"{name} is no setting here; --method {method} has {', '.join(known)}")


def _value(name: str, text: str, annotation: str) -> Any:
    """Convert a value by the annotation of its parameter."""
    kind = annotation.split()[0]
    try:
        if kind == "bool":
            return _TRUTHS[text]
        if kind == "float":
            return float(text)
        if kind == "int":
            number = int(text)
            if abs(number) > _LARGEST:
                raise _usage(f"{name}={text} is above {_LARGEST:,}")
            return number
    except (KeyError, ValueError):
        expected = {"bool": "yes or no", "float": "a number", "int": "a whole number"}[kind]
        raise _usage(f"{name}={text}; expected {expected}") from None
    return text


def _usage(message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint="--set")
