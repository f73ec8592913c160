"""Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand Fat-Trees" (2012), reproduced.

Their cluster is modelled by two constants, a link's bandwidth and a stage's cost, which come from two of
their measured bandwidths; no frame rate is used, so that all of them are predicted.
"""

PICTURE = "figure-8"
SIZE_UNIT = "edge"
SUMMARY = (
    'Shift beside direct-send on 12 to 144 nodes: Cavin and Demengeon, "Shift-Based Parallel Image '
    'Compositing on InfiniBand Fat-Trees" (2012).'
)
