"""Rank correlation of two orders of the same things."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def spearman(first: ArrayLike, second: ArrayLike) -> float | None:
    """Spearman's rank correlation, -1 to 1; equal values share their mean rank.

    None if all values of one of the two are equal, or there are none.

    Args:
        first: values of things in any order: array (things,).
        second: other values of the same things in the same order.
    """
    one, other = (_ranks(np.asarray(values, np.float64)) for values in (first, second))
    if not one.size or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean: NDArray[np.float64] = np.cumsum(counts) - (counts + 1) / 2
    return mean[inverse]
