"""``sortlast simulate --beside``: other jobs on the same network, and the results of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from sortlast.cli.fabric import _inputs, _show
from sortlast.cli.simulate import _traffic

if TYPE_CHECKING:
    from sortlast.cli.simulate._methods import Found, Job
    from sortlast.fabric import Topology
    from sortlast.simulate import Jobs

_ON = " on "


@dataclass(frozen=True)
class Beside:
    """The jobs of the options ``--beside``, any number."""

    texts: Sequence[str]
    wanted: _traffic.Wanted  # of the first job; its settings of frames hold for all
    packets: bool  # whether packets are simulated, with one queue per host

    def join(self, job: Job, hosts: Sequence[int]) -> tuple[Job, Jobs | None]:
        """Add the other jobs; ``hosts``: the hosts that the command may use, in order."""
        if not self.texts:
            return job, None
        from sortlast import simulate

        jobs = [(job.made.traffic, job.hosts)]
        jobs += [self._other(text, job.topology, hosts, job.hosts) for text in self.texts]
        joined = simulate.join(jobs, share_hosts=self.packets)
        made = _traffic.Made(joined.traffic.tasks, None, lambda: joined.traffic)
        settings = job.settings | {"message_log": True}
        return replace(job, made=made, hosts=list(joined.placement), settings=settings), joined

    def _other(
        self, text: str, topology: Topology, hosts: Sequence[int], first: list[int]
    ) -> tuple[Any, list[int]]:
        """Traffic and hosts of ``PATTERN@SIZE``, ``FILE``, or either with `` on NODES``."""
        what, on, where = text.partition(_ON)
        if not on:
            places = first
        elif where == "free":
            taken = {*first}
            places = [host for host in hosts if host not in taken]
        else:
            places = _inputs.hosts_of(topology, where)
        if not places:
            raise typer.BadParameter(f"{text!r}: there is no host for it", param_hint="--beside")
        wanted = _traffic.parse(what, len(places), self.wanted, "--beside")
        made = _traffic.make(wanted, len(places), rendezvous=not self.packets)
        return made.traffic, places[: made.tasks]


def told(found: Found, jobs: Jobs | None) -> Found:
    """Add the results of each job to a run."""
    if jobs is None:
        return found
    results = jobs.results(found.run)
    facts = [
        (
            "job" if k == 0 else "beside it",
            f"{each.name}: {_show.seconds(each.seconds)}, {_show.count(each.messages, 'message')},"
            f" {_show.count(each.bytes, 'byte')}",
        )
        for k, each in enumerate(results)
    ]
    rows = [
        {"traffic": each.name, "seconds": each.seconds, "messages": each.messages, "bytes": each.bytes}
        for each in results
    ]
    return replace(found, facts=facts + found.facts, numbers={**found.numbers, "jobs": rows})
