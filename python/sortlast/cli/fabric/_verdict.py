"""The verdict of ``sortlast fabric check``: the time that a job loses, compared with a lower bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from sortlast.fabric import Contention

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Verdict:
    """Times in seconds, at the rates of links; ``lost``: the fraction above ``cut_bound``, 0 to 1."""

    seconds: float
    host_bound: float  # if only the hosts' own links were shared
    cut_bound: float  # under the best routing of this placement, which knows the taper of a tree
    contention_free: bool

    @property
    def lost(self) -> float:
        """The fraction of the time that another routing or order may save."""
        return max(0.0, 1 - self.cut_bound / self.seconds) if self.seconds > 0 else 0.0

    @property
    def at_bound(self) -> bool:
        """Whether no routing takes less time."""
        return self.lost < _ROUNDING

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        if self.at_bound:
            return "CONTENTION-FREE" if self.contention_free else "AT THE BOUND"
        return "SLOWED" if self.contention_free else "CONTENDED"


def judge(found: Contention, rate: float) -> Verdict:
    """The verdict on a job; ``rate``: as for :func:`sortlast.fabric.contended_time`."""
    from sortlast import fabric

    time = fabric.contended_time(found, rate)
    bound = time.seconds if time.seconds <= time.bound else fabric.cut_bound(found, rate)
    return Verdict(time.seconds, time.bound, min(bound, time.seconds), found.contention_free)


def sentence(found: Contention, verdict: Verdict) -> str:
    """The reason of the verdict."""
    from sortlast.fabric.analysis import repeats

    if found.contention_free and verdict.at_bound:
        return "no link carries two flows at any stage"
    if found.contention_free:
        return f"no link carries two flows, but slower links cost {verdict.lost:.1%} of the time"
    flows = f"up to {found.max_flows} flows on a link"
    if verdict.at_bound:
        where = (
            "the hosts' own links" if verdict.seconds <= verdict.host_bound else "hosts' links and the taper"
        )
        return f"{flows}, which {where} make necessary: no routing takes less time"
    contended = sum(times for most, times in zip(found.stage_max, repeats(found), strict=True) if most > 1)
    return (
        f"{flows}; {contended:,} of {_show.count(found.steps, 'stage')} contended; a flow has"
        f" {found.mean_share:.3f} of a link's bandwidth on average"
    )
