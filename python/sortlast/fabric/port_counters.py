"""Port counters of a fabric at one time: bytes, waits, errors.

A fabric tool prints many counters for each port. The reader of bytes (:func:`sortlast.fabric.read_counters`)
finds ports by LID, GUID or row; the other counters are read by the same reader, which is given a text in
which the wanted counter has the name of the bytes sent.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sortlast import _fabric
from sortlast._errors import ArgumentError
from sortlast._fabric import Topology
from sortlast.fabric.reading import text_of

_WORD = 4  # bytes; the unit of counters of data
_DATA = re.compile(r"\b(Port(?:Xmit|Rcv)Data)(?=Extended\b|\b)", re.IGNORECASE)

# Names in perfquery and ibqueryerrors, and in ibdiagnet's PM_INFO. The receiving port counts symbol errors.
_NAMES = {"waits": "PortXmitWait", "symbol_errors": "SymbolErrorCounter", "link_downs": "LinkDownedCounter"}
_COUNTED_BY_RECEIVER = ("symbol_errors",)
_ENDS = {"waits": 2**32 - 1, "symbol_errors": 2**16 - 1, "link_downs": 2**8 - 1}  # at which they stay
_ERRORS = ("symbol_errors", "link_downs")
_NOTES = re.compile(r"^\s*##.*$", re.MULTILINE)  # of ibqueryerrors: thresholds by name, and a summary


@dataclass(frozen=True)
class PortCounters:
    """Counters of each channel: int64 arrays (channels,), -1 where a counter is unknown.

    Attributes:
        bytes: that the channel has carried.
        waits: ticks in which its port had data and could not send (PortXmitWait): the next switch had no
            buffer free, or another port was served first.
        symbol_errors: that its receiving port has found.
        link_downs: how often its port has lost the link.
    """

    bytes: NDArray[np.int64]
    waits: NDArray[np.int64]
    symbol_errors: NDArray[np.int64]
    link_downs: NDArray[np.int64]

    def since(self, before: PortCounters) -> PortCounters:
        """What was counted since an earlier reading; unknown unless both know it.

        ``ibqueryerrors`` prints error counters above a threshold only, so one that is new counts in full if
        the earlier reading knows the port's bytes. Raises ArgumentError if a counter fell.
        """
        parts = {}
        for field in fields(self):
            late, early = getattr(self, field.name), getattr(before, field.name)
            if field.name in _ERRORS:
                early = np.where((early < 0) & (before.bytes >= 0), 0, early)
            both = (late >= 0) & (early >= 0)
            fell = np.flatnonzero(both & (late < early))
            if len(fell):
                raise ArgumentError(
                    f"the counter {field.name} of channel {fell[0]} fell from {early[fell[0]]} to"
                    f" {late[fell[0]]}: it was reset in between, or the readings are the wrong way round"
                )
            parts[field.name] = np.where(both, late - early, -1)
        return PortCounters(**parts)


def read_port_counters(topology: Topology, path: str | Path) -> PortCounters:
    """Read port counters: output of perfquery -x or ibqueryerrors, or a .db_csv.

    The bytes are the same as from :func:`read_counters`, and required; the other counters are unknown if the
    file lacks them, and where they have reached the end at which they stay. Raises like
    :func:`read_counters`.
    """
    text, file = text_of(path), str(path)
    parts = {"bytes": _fabric.read_counters(topology, text, file)}
    values = _NOTES.sub("", text)
    for field, name in _NAMES.items():
        counts = np.full(topology.channels, -1, np.int64)
        if re.search(rf"\b{name}", values, re.IGNORECASE):
            # None of a known port: on lines for all ports of a switch, or one at its end.
            with suppress(ArgumentError):
                counts = _counts(topology, values, file, name)
        counts[counts >= _ENDS[field]] = -1
        parts[field] = _of_sender(topology, counts) if field in _COUNTED_BY_RECEIVER else counts
    return PortCounters(**parts)


def _counts(topology: Topology, text: str, file: str, name: str) -> NDArray[np.int64]:
    """A counter of the port by which each channel leaves: renamed, so that the reader of bytes finds it."""
    others = _DATA.sub(r"Other\1", text)
    renamed = re.sub(rf"\b{name}(?=Extended\b|\b)", "PortXmitData", others, flags=re.IGNORECASE)
    found = _fabric.read_counters(topology, renamed, file)
    return np.where(found >= 0, found // _WORD, -1)


def _of_sender(topology: Topology, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Move what a port counts of arriving data to the channel that arrives there."""
    moved = np.full(len(counts), -1, np.int64)
    leaving = {topology.source(channel): channel for channel in range(topology.channels)}
    for channel in range(topology.channels):
        end = topology.target(channel)
        if end is not None:
            moved[channel] = counts[leaving[end]]
    return moved
