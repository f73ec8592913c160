"""How narrow may the tree of a visualization cluster be? Performance per cost against taper, simulated.

Navaridas et al. (see :mod:`sortlast_studies.narrowed_trees`) compare narrowed trees for seven patterns, with
all nodes in order, and leave open how a scheduler changes the result. Here the traffic is the compositing of
an image by six schedules; taper, placement, leaves and missing cables vary.
"""

PICTURE = "taper"
SUMMARY = (
    "Frames per second and cost: compositing on trees of every taper, with placement, leaves of GPUs and "
    "missing cables; the cost model is from Navaridas et al. (2007), the rest is ours."
)
