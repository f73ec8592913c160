"""The links that late messages have in common, and what counters of their ports say about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sortlast.fabric import PortCounters, Routes
from sortlast.simulate.replay import Residual

_LATE = 0.25  # of the largest unexplained time: a message above is late
_ALIKE = 0.95  # of the best score: links above cannot be distinguished
_COMMON = 0.5  # score that something needs to be called common to the late messages
_AT_ONCE = 0.01  # of the largest unexplained time, within which messages end that a rank noticed together
_OVERHEAD = 0.1  # of the bytes on a link: headers, acknowledgements, agreements


@dataclass(frozen=True)
class Suspects:
    """What late messages have in common.

    Attributes:
        channels: the links with the best score, ascending; empty if no link is common to the late messages.
        ranks: the ranks with the best score, and those that are an end of every late message and noticed
            several together: they may not have run until then.
        score: fraction of the lateness on messages of the suspects, times the fraction of their messages'
            bytes that were late: 1 if all late messages and no punctual ones use them.
        late: the late messages.
    """

    channels: tuple[int, ...]
    ranks: tuple[int, ...]
    score: float
    late: tuple[Residual, ...]


def suspects(routes: Routes, residuals: Sequence[Residual], placement: Sequence[int]) -> Suspects:
    """Find the links and ranks common to late messages, and not to punctual ones."""
    largest = max((each.unexplained for each in residuals), default=0.0)
    late = tuple(each for each in residuals if each.unexplained > _LATE * largest)
    total = sum(each.unexplained for each in late)
    if total <= 0:
        return Suspects((), (), 0.0, ())

    # Add up bytes and lateness of every link and every rank.
    lateness: dict[tuple[str, int], float] = defaultdict(float)
    carried: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])  # bytes, late bytes
    for each in residuals:
        is_late = each.unexplained > _LATE * largest
        if not is_late and each.end - each.sent - each.predicted > _LATE * largest:
            continue  # it may have been late, and arrived before its receiver asked for it
        users = [("channel", c) for c in routes.walk(placement[each.source], placement[each.destination])]
        for user in (*users, ("rank", each.source), ("rank", each.destination)):
            lateness[user] += each.unexplained * is_late
            carried[user][0] += each.bytes
            carried[user][1] += each.bytes * is_late
    scores = {
        user: value / total * carried[user][1] / max(carried[user][0], 1) for user, value in lateness.items()
    }
    best = max(scores.values())
    chosen = {user for user, score in scores.items() if score >= _ALIKE * best and best >= _COMMON}
    channels = sorted(number for kind, number in chosen if kind == "channel")
    ranks = {number for kind, number in chosen if kind == "rank"}
    return Suspects(tuple(channels), tuple(sorted(ranks | _woken(late))), best, late)


def _woken(late: Sequence[Residual]) -> set[int]:
    """The ranks at an end of all late messages, if these are several and ended at one moment.

    A slow link ends its messages one after the other; a process that runs again finds all that arrived.
    """
    ends = [each.end for each in late]
    if len(late) < 2 or max(ends) - min(ends) > _AT_ONCE * max(each.unexplained for each in late):
        return set()
    return set.intersection(*({each.source, each.destination} for each in late))


def sent_bytes(routes: Routes, residuals: Sequence[Residual], placement: Sequence[int]) -> NDArray[np.int64]:
    """Bytes of the recorded messages on each channel: (channels,)."""
    result = np.zeros(routes.topology.channels, np.int64)
    for each in residuals:
        result[routes.walk(placement[each.source], placement[each.destination])] += each.bytes
    return result


@dataclass(frozen=True)
class Evidence:
    """What the counters of suspected links say.

    Attributes:
        verdict: "none": there are no counters of these links; "traffic": they carried bytes of others, enough
            to explain the lateness; "confirmed": no such bytes, but errors or waits; "contradicted": nothing
            waited before these links, and they had no errors; "quiet": no bytes of others, and no more is
            known.
        text: the same in words, with figures.
    """

    verdict: str
    text: str


def weigh(
    routes: Routes,
    found: Suspects,
    placement: Sequence[int],
    counters: PortCounters | None,
    sent: NDArray[np.int64],
    lateness: float,
    link_bytes_per_second: float,
) -> Evidence:
    """Weigh counters of suspects; ``lateness``: seconds to explain; ``sent``: of :func:`sent_bytes`."""
    own = np.array(found.channels, np.int64)
    known = own if counters is None else own[counters.bytes[own] >= 0]
    if counters is None or not len(known):
        return Evidence("none", "no counters of these links are known")

    # Subtract the bytes of the recorded messages.
    foreign = counters.bytes[known] - (1 + _OVERHEAD) * sent[known]
    most = int(np.argmax(foreign))
    share = counters.bytes[known[most]] / max(int(sent[known[most]]), 1)
    if foreign[most] / link_bytes_per_second >= lateness / 2:
        return Evidence(
            "traffic",
            f"its port counted {counters.bytes[known[most]]:,} bytes, and the messages brought"
            f" {sent[known[most]]:,}: others send on it",
        )
    others = "nobody else sends on it" if foreign[most] <= 0 else "others send on it, but too little"
    carried = f"its port counted {share:.2f} times the bytes of the messages: {others}"

    # Look for errors, and for ports that waited for these links.
    errors = [
        f"{int(values[known].max()):,} {name}"
        for name, values in (
            ("symbol errors", counters.symbol_errors),
            ("link downs", counters.link_downs),
        )
        if values[known].max() > 0
    ]
    if errors:
        return Evidence("confirmed", f"{carried}; it had {' and '.join(errors)}")
    before = _before(routes, found, placement)
    waits = counters.waits[np.array(sorted({*before, *known.tolist()}), np.int64)]
    if waits.max() > 0:
        ticks = int(waits[waits > 0].sum())
        return Evidence("confirmed", f"{carried}; it and the ports that lead to it waited {ticks:,} ticks")
    if before and (waits >= 0).all() and (counters.symbol_errors[known] >= 0).all():
        return Evidence("contradicted", f"{carried}, no port that leads to it waited, and it had no errors")
    return Evidence("quiet", carried)


def _before(routes: Routes, found: Suspects, placement: Sequence[int]) -> set[int]:
    """The channels by which late messages reach the suspected ones."""
    result: set[int] = set()
    for each in found.late:
        walk = routes.walk(placement[each.source], placement[each.destination])
        at = [walk.index(channel) for channel in found.channels if channel in walk]
        result.update(walk[: min(at, default=0)])
    return result
