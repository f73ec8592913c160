"""Whether a run fits into memory, told before it starts.

The paper's rule (section 3.4): of the 24 GB of a node each of the two arrays, *unsorted* and *sorted*, may
have 10. Its Table 4.4 shows what happens without: 85 s where proportion says 2, and memory errors. The rule
foresees the errors at m = 1024 N and not that at m = 810 N on 36 nodes, where the arrays alone take 18 of 24
GB. What grows with p beside them is what an MPI library keeps for every pair of processes:
:func:`connections`.
"""

from __future__ import annotations

from collections.abc import Iterable

from sortlast.study.all_to_all.design import GIGA, MEGA, Design
from sortlast.study.all_to_all.published import cluster


def paper_refusal(design: Design) -> str | None:
    """Why a cell does not fit on the paper's nodes by its own rule; None if it does."""
    array, most = design.per_node * design.local_bytes, cluster("largest array of a node [GB]") * GIGA
    if array <= most:
        return None
    return (
        f"N = {design.nodes}, m = {design.m:,} takes {array / GIGA:.2f} GB of a node for each of two arrays, "
        f"and {most / GIGA:.0f} of {cluster('memory of a node [GB]'):.0f} GB are allowed; "
        f"m may be {_most_m(design, most / design.per_node, 1):,}"
    )


def refusal(design: Design, room: int) -> str | None:
    """Why a cell does not fit on one machine that runs all its processes; None if it does.

    Args:
        design: the cell.
        room: bytes that the processes may take together.
    """
    need = design.p * design.rank_bytes
    if need <= room:
        return None
    return (
        f"{design.p} processes with n = {design.n:,} and m = {design.m:,} take {need / MEGA:,.0f} MB, twice "
        f"{design.local_bytes / MEGA:,.1f} MB each and their keys, and {room / MEGA:,.0f} MB may be taken; "
        f"m may be {_most_m(design, room / design.p, 2):,}"
    )


def connections(errors: Iterable[tuple[Design, bool]]) -> tuple[float, float]:
    """What each pair of processes must take beside the arrays, for exactly the marked cells not to fit.

    A node holds both arrays and keys of its processes, and ``per_node * p`` times this.

    Args:
        errors: cells, and whether they ended with a memory error.

    Returns:
        Bounds in bytes: above the first, and up to the second. The first is the greater one if no such value
        explains all.
    """
    low, high = 0.0, float("inf")
    for cell, error in errors:
        left = cluster("memory of a node [GB]") * GIGA - cell.per_node * cell.rank_bytes
        bound = left / (cell.per_node * cell.p)
        low, high = (max(low, bound), high) if error else (low, min(high, bound))
    return low, high


def _most_m(design: Design, bytes_: float, arrays: int) -> int:
    """The greatest m for which ``arrays`` arrays of a process take no more than so many bytes."""
    vectors = arrays * design.l_n
    keys = 0 if arrays == 1 else 4 * vectors
    return max(int((bytes_ - keys) // (8 * vectors)), 0)
