"""Peterka et al., "A Configurable Algorithm for Parallel Image-Compositing Applications" (2009).

Figures 4 to 6 and the profile of Figure 3 are simulated on the torus of Blue Gene/P, Figure 7 on a switch;
Figures 1 and 3 are measured on this machine. ``README.md`` has the calibration and the tolerances.
"""

PARAMETERS = ("ranks", "sizes")  # additional frames: numbers of processes, and megapixels

SUMMARY = (
    "Radix-k compared with binary swap, direct-send and MPI's reductions: Peterka et al., "
    '"A Configurable Algorithm for Parallel Image-Compositing Applications" (2009).'
)
PICTURE = "figure-6"
SIZE_UNIT = "megapixel"
