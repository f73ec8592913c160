"""Several jobs on one network: their combined traffic, and the results of each job.

::

    jobs = simulate.join([(frame, range(0, 64)), (halo, range(64, 128))])
    run = simulate.flow(f, jobs.traffic, placement=jobs.placement, message_log=True)
    [job.seconds for job in jobs.results(run)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sortlast import _simulate
from sortlast._simulate import FlowResult, PacketResult, Traffic
from sortlast.simulate.timeline import records


@dataclass(frozen=True)
class JobResult:
    """The result of one job.

    Attributes:
        name: of its traffic.
        seconds: from the common start until its last message or computation ended [s].
        messages: number that arrived.
        bytes: of these messages.
    """

    name: str
    seconds: float
    messages: int
    bytes: int


@dataclass(frozen=True)
class Jobs:
    """Several jobs as one traffic, for :func:`flow` and :func:`packet`.

    Attributes:
        traffic: of all jobs.
        placement: the host of each task.
        tasks: by job and its task, the task of ``traffic``.
        job: by message of ``traffic``, the number of its job: int32 array.
        names: of the traffic of each job.
    """

    traffic: Traffic
    placement: tuple[int, ...]
    tasks: tuple[tuple[int, ...], ...]
    job: NDArray[np.int32]
    names: tuple[str, ...]

    def results(self, run: PacketResult | FlowResult) -> list[JobResult]:
        """The result of each job. Raises ArgumentError unless the run has a message log."""
        ends, messages, bytes_ = np.zeros(len(self.names)), *np.zeros((2, len(self.names)), np.int64)
        source, destination = self.traffic.source, self.traffic.destination
        size = self.traffic.size
        for message, _, _, end in records(run):
            job = self.job[message]
            ends[job] = max(ends[job], end)
            if source[message] != destination[message]:
                messages[job] += 1
                bytes_[job] += size[message]
        return [
            JobResult(name, float(ends[k]), int(messages[k]), int(bytes_[k]))
            for k, name in enumerate(self.names)
        ]


def join(jobs: Sequence[tuple[Traffic, Sequence[int]]], *, share_hosts: bool = False) -> Jobs:
    """Join jobs that begin together on one network and do not wait for each other.

    Args:
        jobs: for each job its traffic, and the host of each of its tasks. Jobs may share hosts.
        share_hosts: merge all tasks of a host into one, which sends any message that is ready. Required if
            jobs share hosts in the packet simulator, in which a host has one injection queue; the flow
            simulator runs tasks of a host side by side, and lets them share its link.

    A message of an ordered job waits for the previous one, unless all jobs are ordered and no tasks are
    merged; in the flow simulator its tasks then send one message at a time.

    Raises:
        ArgumentError: no jobs, a number of hosts other than the number of tasks, two tasks of a job on one
            host with ``share_hosts``, or more than 2^31 - 1 messages with repetitions expanded.
    """
    given = [(traffic, [int(host) for host in hosts]) for traffic, hosts in jobs]
    traffic, placement, tasks, job = _simulate.join_jobs(given, share_hosts)
    return Jobs(
        traffic,
        tuple(placement),
        tuple(map(tuple, tasks)),
        np.array(job, np.int32),
        tuple(each.name for each, _ in given),
    )
