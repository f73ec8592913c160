"""The exchanges as traffic for the simulators.

    posted   MPI_Alltoallv as MPICH and its descendants do it: to rank + 1, rank + 2, ..., without waiting for
    stages shift    at stage s rank i sends to i + s, and goes on when it has received and copied what belongs
    to the stage

A message within a node is a copy: a computation of its sender, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sortlast._simulate import Traffic, parse_goal

WAYS = ("posted", "shift")


def exchange(way: str, size: int, hosts: Sequence[int], copy_rate: float) -> Traffic:
    """All blocks of an all-to-all.

    Args:
        way: one of :data:`WAYS`.
        size: of each block, in bytes.
        hosts: of each rank; several may be on one.
        copy_rate: bytes a second that a rank copies.
    """
    copy = round(size / copy_rate * 1e9)
    lines = [f"num_ranks {len(hosts)}"]
    for rank in range(len(hosts)):
        lines += [f"rank {rank} {{", *_program(rank, way, size, hosts, copy), "}"]
    return parse_goal("\n".join(lines) + "\n", way)


def _program(rank: int, way: str, size: int, hosts: Sequence[int], copy: int) -> Iterator[str]:
    """What a rank does, as lines of GOAL, in which ``calc`` takes nanoseconds."""
    p = len(hosts)
    before: list[str] = []  # what ended the stage before
    copied = ""
    for s in range(p):
        to, source = (rank + s) % p, (rank - s) % p
        ends, waits = [], before if way == "shift" else []
        if hosts[to] == hosts[rank]:
            started = f"c{s}"
            yield f"{started}: calc {copy}"
            if way == "posted" and copied:
                waits = [copied]
            copied = started
        else:
            started = f"s{s}"
            yield f"{started}: send {size}b to {to} tag {s}"
        ends.append(started)
        if hosts[source] != hosts[rank]:
            yield f"r{s}: recv {size}b from {source} tag {s}"
            ends.append(f"r{s}")
        yield from (f"{started} requires {end}" for end in waits)
        before = ends
