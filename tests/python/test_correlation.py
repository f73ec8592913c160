"""Rank correlation."""

from __future__ import annotations

import pytest

from sortlast.correlation import spearman


def test_equal_and_opposite_orders():
    assert spearman([1, 2, 3], [10, 20, 300]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)


def test_equal_values_share_their_mean_rank():
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.9486833)


def test_equal_values_alone_are_no_order():
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert spearman([1, 2, 3], [5, 5, 5]) is None
    assert spearman([], []) is None
