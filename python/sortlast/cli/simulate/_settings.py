"""``sortlast simulate --set NAME=VALUE,..``: keyword arguments of the simulators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import typer

from sortlast.cli.simulate._options import Method

_PACKETS = (
    *("packet_bytes", "packet_phits", "switch_cycles", "buffer_packets", "injection_packets"),
    *("arbitration", "ties", "requests", "background"),
    *("lanes", "ugal_threshold", "link_cycles", "global_cycles", "allocation"),
)
_FLOWS = (
    *("message_seconds", "sends_at_once", "receives_at_once"),
    *("host_links", "ordered_links", "background"),
)
_LOGGOPS = ("L", "o", "g", "G", "O", "S")
_FRAME = ("pixel_bytes", "active", "stage_seconds", "blend_bytes_per_second", "overlap", "barrier")

_LARGEST = 2**31 - 1  # magnitude of any whole number
_TRUTHS = {"yes": True, "no": False}


@dataclass(frozen=True)
class Settings:
    """All settings with their values, given or default."""

    simulator: dict[str, Any]
    frame: dict[str, Any]  # of frame_traffic()

    def on_network(self, bandwidth: float | None, seed: int | None) -> dict[str, Any]:
        """The simulator's, with the bandwidth of links [MB/s] and the seed; None: none."""
        rate = {} if bandwidth is None else {"link_bytes_per_second": bandwidth * 1e6}
        return {**rate, **({} if seed is None else {"seed": seed}), **self.simulator}


def read(texts: Sequence[str], method: Method, *, frame: bool, others: bool) -> Settings:
    """The settings in ``NAME=VALUE,..``, each with the type and the default of the keyword argument.

    ``frame``: the traffic is the compositing of an image; ``others``: further jobs may be that. Raises a
    usage error for a name that the method does not have, and for a value of another type.
    """
    from sortlast import simulate

    names, function = {
        Method.packet: (_PACKETS, simulate.packet),
        Method.flow: (_FLOWS, simulate.frame if frame else simulate.flow),
        Method.loggops: (_LOGGOPS, simulate.loggops),
    }[method]
    given = _parse(texts)
    for name in given:
        if name in _FRAME and not (frame or others):
            raise _usage(f"{name} is of frames, which need --size")
        if name not in (*names, *_FRAME):
            known = ", ".join((*names, *_FRAME))
            raise _usage(f"{name} is no setting of --method {method.value}; known are {known}")
    return Settings(_take(given, names, function), _take(given, _FRAME, simulate.frame_traffic))


def _parse(texts: Sequence[str]) -> dict[str, str]:
    """Texts by name."""
    found: dict[str, str] = {}
    for part in (part for text in texts for part in text.split(",")):
        name, equals, value = part.partition("=")
        if not name or not equals:
            raise _usage(f"{part!r} is not NAME=VALUE")
        if name in found:
            raise _usage(f"{name} is given twice")
        found[name] = value
    return found


def _take(given: dict[str, str], names: Sequence[str], function: Callable[..., object]) -> dict[str, Any]:
    """The values of these names, by default those of the function's arguments."""
    known = signature(function).parameters
    return {
        name: _value(name, given[name], str(known[name].annotation)) if name in given else known[name].default
        for name in names
    }


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
