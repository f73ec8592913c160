"""Frames of 4,096 to 131,072 participants, simulated: which algorithms scale, and two published frames.

On a fat-tree of three levels with links of 400 Gbit/s, with costs of messages and blending measured on one
machine; and on models of the machines of Kendall et al. (2010), who report the time of a frame of radix-k on
32 K processes, and of Nonaka et al. (2015), who report the gain by multi-step compositing on 32,768 nodes.
"""

PICTURE = "scaling"
SUMMARY = (
    "Frames of up to 131,072 participants: strong scaling of every algorithm on a current fat-tree, compared "
    "with Kendall et al. (2010) on Blue Gene/P and Nonaka et al. (2015) on the K computer."
)
