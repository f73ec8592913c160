"""How narrow may the tree of a visualization cluster be? Performance per cost against taper, simulated.

Navaridas et al. (see :mod:`sortlast.study.narrowed_trees`) compare narrowed trees for seven patterns, with
all nodes in order, and leave open what a scheduler does to the result. Here the traffic is the compositing of
an image, by six schedules; taper, placement, leaves and missing cables are varied.
"""

from sortlast.study.taper.study import STUDY

__all__ = ["STUDY"]
