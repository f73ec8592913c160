"""Validation of channels from callers: arrays that accompany an image, with rules for compositing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast import _arrays
from sortlast._errors import ArgumentError

_TYPES = ("uint32", "float32")
_RULES = ("blend", "front", "accumulated")


@dataclass(frozen=True)
class Channel:
    """A channel in the form that extension modules take; ``values`` is None on a rank without an image."""

    name: str
    type: str
    width: int
    values: NDArray[Any] | None
    rule: str
    threshold: float
    background: list[float]


def channels(
    given: object | None, rules: object | None, backgrounds: object | None, picture: _arrays.Picture
) -> list[Channel]:
    """Check the channels of an image, their rules and their backgrounds.

    Raises ArgumentError, which names the channel.
    """
    arrays = _mapping(given, "channels", "arrays")
    all_rules = _mapping(rules, "rules", "rules")
    all_backgrounds = _mapping(backgrounds, "channel_background", "values")
    for what, named in (("rules", all_rules), ("channel_background", all_backgrounds)):
        for name in named:
            if name not in arrays:
                raise ArgumentError(f"{what} has {name!r}; expected a name of channels")
    return [
        _channel(name, value, all_rules.get(name), all_backgrounds.get(name), picture)
        for name, value in arrays.items()
    ]


def of_fragments(given: object | None, fragments: int) -> list[Channel]:
    """Check the channels of ``fragments`` fragments. Raises ArgumentError, which names the channel."""
    checked = []
    for name, value in _mapping(given, "channels of the fragments", "arrays").items():
        array = _values_of(name, value, (fragments,), "as there are fragments")
        width = array.shape[1] if array.ndim == 2 else 1
        checked.append(Channel(name, str(array.dtype), width, array, "automatic", 0.0, []))
    return checked


def _mapping(value: object | None, what: str, of: str) -> Mapping[str, object]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{what} is a {type(value).__name__}; expected a dict of {of} by channel")
    for name in value:
        if not isinstance(name, str) or not name.isprintable():
            raise ArgumentError(f"{what} has the key {name!r}; expected the name of a channel")
    return value


def _channel(
    name: str, value: object, rule: object | None, background: object | None, picture: _arrays.Picture
) -> Channel:
    values, kind, width = _described(name, value) if picture.colour is None else _array(name, value, picture)
    rule_name, threshold = _rule(name, rule)
    behind = [] if background is None else _values(name, background, width)
    return Channel(name, kind, width, values, rule_name, threshold, behind)


def _array(name: str, value: object, picture: _arrays.Picture) -> tuple[NDArray[Any], str, int]:
    """Check the array of a channel against its image."""
    array = _values_of(name, value, (picture.height, picture.width), "as the image")
    return array, str(array.dtype), array.shape[2] if array.ndim == 3 else 1


def _values_of(name: str, value: object, expected: tuple[int, ...], as_what: str) -> NDArray[Any]:
    """The values of a channel, an array of the expected shape or with one more dimension."""
    what = f"channel {name!r}"
    array = _arrays.as_array(value, what)
    if str(array.dtype) not in _TYPES:
        raise ArgumentError(f"{what} is {array.dtype}; expected uint32 or float32")
    dimensions = len(expected)
    further = array.shape[dimensions:]
    if len(further) > 1 or array.shape[:dimensions] != expected or 0 in further:
        raise ArgumentError(
            f"{what} has shape {array.shape}; expected {expected}, {as_what}, or {(*expected, 'n')}"
        )
    if not array.flags.c_contiguous:
        raise ArgumentError(
            f"{what} is not C-contiguous; expected one that is, as numpy.ascontiguousarray makes it"
        )
    return array


def _described(name: str, value: object) -> tuple[None, str, int]:
    """A channel of the other ranks, on a rank without an image: its type and number of values."""
    wrong = ArgumentError(
        f"channel {name!r} is {_arrays.shown(value)}, but image is None; expected the type of the other "
        "ranks' channel, as numpy.uint32 or (numpy.float32, 3)"
    )
    if isinstance(value, np.ndarray):
        raise wrong
    try:
        kind = np.dtype(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise wrong from None
    if str(kind.base) not in _TYPES or len(kind.shape) > 1:
        raise wrong
    return None, str(kind.base), kind.shape[0] if kind.shape else 1


def _rule(name: str, rule: object | None) -> tuple[str, float]:
    """The name of a rule and its threshold."""
    if rule is None:
        return "automatic", 0.0
    rule_name, *further = rule if isinstance(rule, tuple) and rule else (rule,)
    if rule_name not in _RULES or len(further) > 1 or (further and rule_name == "blend"):
        raise ArgumentError(
            f"the rule of channel {name!r} is {_arrays.shown(rule)}; expected 'blend', 'front', "
            "('front', threshold), 'accumulated' or ('accumulated', threshold)"
        )
    threshold = _arrays.number(further[0], f"the threshold of channel {name!r}") if further else 0.0
    return rule_name, threshold


def _values(name: str, background: object, width: int) -> list[float]:
    """The background of a channel: one number for all values of a pixel, or one for each."""
    try:
        listed = [float(value) for value in np.atleast_1d(background)]  # type: ignore[call-overload]
    except (OverflowError, TypeError, ValueError):
        listed = []
    if len(listed) == 1:
        listed *= width
    if len(listed) != width:
        raise ArgumentError(
            f"the background of channel {name!r} is {_arrays.shown(background)}; expected a number, or "
            f"{width} of them"
        )
    return listed
