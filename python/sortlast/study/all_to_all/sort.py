"""The parallel sort: what is unsorted, where it goes, and whether what arrived is sorted.

Section 3.3. Process id holds p runs of l_n/p vectors, run d of which belongs to process d, so that nothing is
sorted locally before or after and every message has the same size. As printed, equation 3.3 divides keys that
begin at 1, which would send each run's last key one process too far; the key less 1 is divided here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sortlast.study.all_to_all.design import Design

STEP = 0.0001  # between the components of a vector, equation 3.7
_CHUNK = 1 << 17  # components that are compared at once


def unsorted_keys(design: Design, rank: int) -> NDArray[np.int32]:
    """Equation 3.6: the keys of a process, (l_n,) int32, of 1 .. n."""
    i = np.arange(design.l_n, dtype=np.int64)
    run, within = i // design.block, i % design.block
    return (1 + design.block * rank + design.l_n * run + within).astype(np.int32)


def sorted_keys(design: Design, rank: int) -> NDArray[np.int32]:
    """What a process holds when all are sorted: (l_n,) int32."""
    return np.arange(1 + design.l_n * rank, 1 + design.l_n * (rank + 1), dtype=np.int32)


def send_counts(design: Design, keys: NDArray[np.int32]) -> NDArray[np.int32]:
    """Equations 3.3 and 3.5: how many vectors go to each process, (p,) int32."""
    return np.bincount((keys - 1) // design.l_n, minlength=design.p).astype(np.int32)


def displacements(counts: NDArray[np.int32]) -> NDArray[np.int32]:
    """Where the vectors for each process begin, (p,) int32."""
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)


def fill_vectors(design: Design, keys: NDArray[np.int32], vectors: NDArray[np.float64]) -> None:
    """Equation 3.7: component j of vector i is key i plus 0.0001 j; (l_n, m) float64."""
    np.add(keys[:, np.newaxis], STEP * np.arange(design.m), out=vectors)


def wrong_keys(design: Design, rank: int, received: NDArray[np.int32]) -> str | None:
    """What is wrong with the keys that a process received; None if they are sorted."""
    return _first_wrong(received != sorted_keys(design, rank), rank, "key")


def wrong_vectors(design: Design, rank: int, received: NDArray[np.float64]) -> str | None:
    """What is wrong with the vectors, (l_n, m), that a process received; None if they are sorted."""
    keys, components = sorted_keys(design, rank), STEP * np.arange(design.m)
    rows = max(_CHUNK // design.m, 1)
    for begin in range(0, design.l_n, rows):
        expected = keys[begin : begin + rows, np.newaxis] + components
        differ = (received[begin : begin + rows] != expected).any(axis=1)
        if found := _first_wrong(differ, rank, "vector", begin):
            return found
    return None


def _first_wrong(differ: NDArray[np.bool_], rank: int, what: str, begin: int = 0) -> str | None:
    wrong = np.flatnonzero(differ)
    if wrong.size == 0:
        return None
    return f"{what} {begin + int(wrong[0])} of rank {rank} is not the one that sorted data has there"
