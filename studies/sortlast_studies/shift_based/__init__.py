"""Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand Fat-Trees" (2012), reproduced.

Their cluster is modelled by two constants, a link's bandwidth and a stage's cost, which come from two of
their measured bandwidths, those of Figures 4 and 5; Figures 6 to 9 and direct-send are predicted. Beyond the
paper go other numbers of nodes, up to those of a tree of three levels, and other images.
"""

PICTURE = "figure-8"
SIZE_UNIT = "edge"
SUMMARY = (
    'Shift beside direct-send on 12 to 144 nodes: Cavin and Demengeon, "Shift-Based Parallel Image '
    'Compositing on InfiniBand Fat-Trees" (2012).'
)
PARAMETERS = ("ranks", "sizes")
