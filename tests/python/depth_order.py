"""An order of boxes from front to back, found by looking at every pair."""

from __future__ import annotations

import numpy as np


def front_to_back(bounds, eye):
    """Boxes from front to back, from their (n, 6) bounds; each pair is looked at."""
    bounds = np.asarray(bounds)
    in_front = np.zeros((len(bounds), len(bounds)), bool)
    for axis in range(3):
        lower, upper = bounds[:, 2 * axis], bounds[:, 2 * axis + 1]
        apart = upper[:, np.newaxis] <= lower
        in_front |= apart & (eye[axis] <= upper[:, np.newaxis])
        in_front |= apart.T & (eye[axis] >= lower[:, np.newaxis])
    # No ray meets both of two boxes that lie in front of each other.
    in_front &= ~in_front.T
    hidden = in_front.sum(axis=0)
    ready, order = list(np.flatnonzero(hidden == 0)), []
    while ready:
        first = ready.pop()
        order.append(int(first))
        hidden -= in_front[first]
        ready += list(np.flatnonzero(in_front[first] & (hidden == 0)))
    return order
