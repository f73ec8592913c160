"""The design of the experiment: how many vectors on how many processes, and the bytes that they take.

Sections 3.2 and 3.4, with the paper's symbols: n vectors of m doubles lie on p processes, l_n = n/p on each,
and every process sends l_n/p of them to every process. Sizes are powers of 1024, as the paper counts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from sortlast import ArgumentError

NODES = (1, 3, 9, 18, 36)  # N, the columns of all tables
LEAF = 18  # nodes of a leaf module
GLOBAL_M = 512  # m of the design with constant global memory
LOCAL_M = (512, 800, 810, 1024)  # m/N of the design with constant local memory, the rows of Table 4.4

_DOUBLE, _INT = 8, 4  # bytes
KILO, MEGA, GIGA = 2**10, 2**20, 2**30


def length(per_node: int, factor: int, nu: int = 1) -> int:
    """Equation 3.1: n = 2^nu (per_node * 18 * factor)^2, which p^2 divides for every N of the tables.

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
        """Processes."""
        return self.nodes * self.per_node

    @property
    def l_n(self) -> int:
        """Vectors of a process."""
        return self.n // self.p

    @property
    def block(self) -> int:
        """Vectors that a process sends to each."""
        return self.l_n // self.p

    @property
    def global_bytes(self) -> int:
        """One array of all vectors."""
        return _DOUBLE * self.m * self.n

    @property
    def local_bytes(self) -> int:
        """One array of the vectors of a process."""
        return _DOUBLE * self.m * self.l_n

    @property
    def block_bytes(self) -> int:
        """One message."""
        return _DOUBLE * self.m * self.block

    @property
    def rank_bytes(self) -> int:
        """What a process holds: both arrays of doubles, and both of keys."""
        return 2 * (self.local_bytes + _INT * self.l_n)


def paper(nodes: int, m: int) -> Design:
    """A cell of the paper: 8 processes a node, n = 1,492,992."""
    return Design(nodes, 8, length(8, 6), m)


def table(cells: list[Design]) -> dict[str, list[str]]:
    """Table 3.1 evaluated for these cells, in the words of Tables 4.1 and 4.3."""
    return {
        "m": [f"{cell.m:,}" for cell in cells],
        "n": [f"{cell.n:,}" for cell in cells],
        "memory of the global array": [f"{_rounded(cell.global_bytes, GIGA)} GB" for cell in cells],
        "l_n": [f"{cell.l_n:,}" for cell in cells],
        "memory of a local array": [f"{_rounded(cell.local_bytes, MEGA)} MB" for cell in cells],
        "l_n / p": [f"{cell.block:,}" for cell in cells],
        "memory of a block": [f"{_rounded(cell.block_bytes, KILO)} kB" for cell in cells],
    }


def _rounded(bytes_: int, unit: int) -> str:
    """In units, halves up, as printed."""
    return f"{floor(bytes_ / unit + 0.5):,}"
