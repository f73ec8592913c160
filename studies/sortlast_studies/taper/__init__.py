"""How narrow may the tree of a visualization cluster be? Performance per cost against taper, simulated.

Navaridas et al. (see :mod:`sortlast_studies.narrowed_trees`) compare narrowed trees for seven patterns, with
all nodes in order, and leave open what a scheduler does to the result. Here the traffic is the compositing of
an image, by six schedules; taper, placement, leaves and missing cables are varied.
"""

PICTURE = "taper"
SUMMARY = (
    "Frames a second for the money: compositing on trees of every taper, with placement, leaves of GPUs and "
    "missing cables; no paper, but the cost model of Navaridas et al. (2007)."
)
KIND = """\
Prints tables and figures of simulated frames. There are no published ones to be put beside them, and nothing
is measured.
"""
