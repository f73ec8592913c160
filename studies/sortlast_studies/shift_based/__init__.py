"""Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand Fat-Trees" (2012), reproduced.

The model of their cluster has two constants, the bandwidth of a link and the cost of a stage, derived from
two measured mean bandwidths, in Figures 4 and 5; Figures 6 to 9 and direct-send are predicted. Beyond the
paper, the study takes other images and other numbers of nodes, up to a tree of three levels.
"""

PICTURE = "figure-8"
SIZE_UNIT = "edge"
SUMMARY = (
    'Shift compared with direct-send on 12 to 144 nodes: Cavin and Demengeon, "Shift-Based Parallel Image '
    'Compositing on InfiniBand Fat-Trees" (2012).'
)
PARAMETERS = ("ranks", "sizes")
