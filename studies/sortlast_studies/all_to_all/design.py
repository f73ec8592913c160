"""The design of the experiment: numbers of vectors and processes, their bytes, and memory limits.

Sections 3.2 and 3.4, with the paper's symbols: n vectors of m doubles are on p processes, l_n = n/p on each,
and every process sends l_n/p of them to every process. Units are powers of 1024, as in the paper.

Whether a run fits into memory is decided before it starts. The paper's rule: each of the two arrays,
*unsorted* and *sorted*, may have 10 of the 24 GB of a node. Its Table 4.4 shows the results of breaking the
rule: 85 s where proportion predicts 2, and memory errors. The rule predicts the errors at m = 1024 N but not
the error at m = 810 N on 36 nodes, where the arrays alone take 18 of 24 GB. In addition, an MPI library keeps
memory for every pair of processes, which grows with p: :func:`connections`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sortlast import ArgumentError
from sortlast_studies.table import published

PAPER = published("sortlast_studies.all_to_all")

NODES = (1, 3, 9, 18, 36)  # N, the columns of all tables
LEAF = 18  # nodes per leaf module
GLOBAL_M = 512  # m of the design with constant global memory
LOCAL_M = (512, 800, 810, 1024)  # m/N of the design with constant local memory, the rows of Table 4.4

_DOUBLE, _INT = 8, 4  # bytes
KILO, MEGA, GIGA = 2**10, 2**20, 2**30


def at(nodes: int) -> str:
    """The column for ``nodes`` nodes in every table."""
    return f"N = {nodes}"


def m_of(m: int) -> str:
    """The row of Table 4.4 with this m/N."""
    return f"m = {m} N"


def of_cluster(name: str) -> float:
    """A property of the paper's cluster."""
    return PAPER.value("cluster", name)


def length(per_node: int, factor: int, nu: int = 1) -> int:
    """Equation 3.1: n = 2^nu (per_node * 18 * factor)^2, divisible by p^2 for every N of the tables.

    ``factor`` is the product of the paper's l_m1 and l_m2, two leaf modules and three nodes: 6.
    """
    return int(2**nu * (per_node * LEAF * factor) ** 2)


@dataclass(frozen=True)
class Design:
    """One cell: N ``nodes`` with ``per_node`` processes each sort ``n`` vectors of ``m`` doubles.

    Raises ArgumentError if a size is below 1 or p^2 does not divide n.
    """

    nodes: int
    per_node: int
    n: int
    m: int

    def __post_init__(self) -> None:
        if min(self.nodes, self.per_node, self.n, self.m) < 1:
            raise ArgumentError(f"{self} has a size below 1")
        if self.n % self.p**2:
            raise ArgumentError(
                f"n is {self.n}, which p^2 = {self.p}^2 does not divide: blocks would differ in size; "
                "take n from equation 3.1"
            )

    @property
    def p(self) -> int:
        """Number of processes."""
        return self.nodes * self.per_node

    @property
    def l_n(self) -> int:
        """Vectors per process."""
        return self.n // self.p

    @property
    def block(self) -> int:
        """Vectors from one process to another."""
        return self.l_n // self.p

    @property
    def global_bytes(self) -> int:
        """Bytes of one array of all vectors."""
        return _DOUBLE * self.m * self.n

    @property
    def local_bytes(self) -> int:
        """Bytes of one array of the vectors of a process."""
        return _DOUBLE * self.m * self.l_n

    @property
    def node_array(self) -> int:
        """Bytes of one array of the vectors of a node."""
        return self.per_node * self.local_bytes

    @property
    def block_bytes(self) -> int:
        """Bytes per message."""
        return _DOUBLE * self.m * self.block

    @property
    def rank_bytes(self) -> int:
        """Memory of a process: both arrays of doubles, and both of keys."""
        return 2 * (self.local_bytes + _INT * self.l_n)


def paper(nodes: int, m: int) -> Design:
    """A cell of the paper: 8 processes per node, n = 1,492,992."""
    return Design(nodes, 8, length(8, 6), m)


def nodes_of(ranks: int) -> int:
    """The number of nodes for ``ranks`` processes that can sort the paper's n vectors.

    Raises ArgumentError if they are not whole nodes of the cluster, or blocks would differ in size.
    """
    per_node = paper(1, 1).per_node
    most = int(of_cluster("leaf modules")) * LEAF
    counts = [count for count in range(1, most + 1) if length(per_node, 6) % (per_node * count) ** 2 == 0]
    if ranks not in [per_node * count for count in counts]:
        raise ArgumentError(
            f"{ranks} processes; the paper's vectors are sorted on {per_node} times "
            f"{', '.join(map(str, counts))} nodes"
        )
    return ranks // per_node


def lengths_and_sizes(cell: Design) -> dict[str, tuple[float, str]]:
    """Table 3.1 evaluated for a cell: values and units of the rows of Tables 4.1 and 4.3."""
    return {
        "m": (cell.m, ""),
        "n": (cell.n, ""),
        "memory of the global array": (cell.global_bytes / GIGA, "GB"),
        "l_n": (cell.l_n, ""),
        "memory of a local array": (cell.local_bytes / MEGA, "MB"),
        "l_n / p": (cell.block, ""),
        "memory of a block": (cell.block_bytes / KILO, "kB"),
    }


# --- memory limits ------------------------------------------------------------------------------------


def paper_refusal(design: Design) -> str | None:
    """Why a cell does not fit on the paper's nodes by its own rule; None if it does."""
    array, most = design.node_array, of_cluster("largest array of a node") * GIGA
    if array <= most:
        return None
    return (
        f"N = {design.nodes}, m = {design.m:,} takes {array / GIGA:.2f} GB of a node for each of two arrays, "
        f"and {most / GIGA:.0f} of {of_cluster('memory of a node'):.0f} GB are allowed; "
        f"m may be {_most_m(design, most / design.per_node, 1):,}"
    )


def refusal(design: Design, room: int) -> str | None:
    """Why a cell does not fit on one machine that runs all its processes; None if it does.

    Args:
        design: the cell.
        room: total memory for the processes, in bytes.
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
    """Bounds of the memory per pair of processes, besides the arrays, that explains exactly the marked cells.

    A node holds both arrays and keys of its processes, and ``per_node * p`` times this memory.

    Args:
        errors: cells, and whether they ended with a memory error.

    Returns:
        An exclusive lower and an inclusive upper bound, in bytes. The lower bound is larger if no value
        explains all cells.
    """
    low, high = 0.0, float("inf")
    for cell, error in errors:
        left = of_cluster("memory of a node") * GIGA - cell.per_node * cell.rank_bytes
        bound = left / (cell.per_node * cell.p)
        low, high = (max(low, bound), high) if error else (low, min(high, bound))
    return low, high


def _most_m(design: Design, bytes_: float, arrays: int) -> int:
    """The largest m for which ``arrays`` arrays of a process take at most ``bytes_`` bytes."""
    vectors = arrays * design.l_n
    keys = 0 if arrays == 1 else 4 * vectors
    return max(int((bytes_ - keys) // (8 * vectors)), 0)
