"""The options of ``sortlast simulate`` as keyword arguments of the simulators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

# The names of options, and the simulators' names where they differ.
_FRAME = ("pixel_bytes", "active", "overlap", "stage_seconds", "barrier")
_PACKETS = {
    "seed": "seed",
    "packet_bytes": "packet_bytes",
    "phits": "packet_phits",
    "switch_cycles": "switch_cycles",
    "buffer": "buffer_packets",
    "injection": "injection_packets",
    "arbitration": "arbitration",
    "ties": "ties",
    "requests": "requests",
    "background": "background",
    "lanes": "lanes",
    "ugal_threshold": "ugal_threshold",
    "allocation": "allocation",
    "link_cycles": "link_cycles",
    "global_cycles": "global_cycles",
}


@dataclass(frozen=True)
class Settings:
    """The options of the command line, by name."""

    options: Mapping[str, Any]

    def frame(self) -> dict[str, Any]:
        """For :func:`sortlast.simulate.frame` only."""
        named = {name: self.options[name] for name in _FRAME}
        return named | {"blend_bytes_per_second": self.options["blend"] * 1e6}

    def packets(self) -> dict[str, Any]:
        """For :func:`sortlast.simulate.packet`."""
        named = {keyword: _plain(self.options[name]) for name, keyword in _PACKETS.items()}
        sample = 0 if self.options["draw_buffers"] is None else self.options["sample"]
        return {**self._rate(), **named, "sample_cycles": sample}

    def flows(self) -> dict[str, Any]:
        """For :func:`sortlast.simulate.flow` and :func:`sortlast.simulate.frame`."""
        at_once = self.options["sends_at_once"]
        if at_once is None:
            at_once = 1 if self.options["size"] is None else 0
        return {
            **self._rate(),
            "message_seconds": self.options["message_seconds"],
            "sends_at_once": at_once,
            "background": self.options["background"],
        }

    def _rate(self) -> dict[str, float]:
        bandwidth = self.options["bandwidth"]
        return {} if bandwidth is None else {"link_bytes_per_second": bandwidth * 1e6}


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
