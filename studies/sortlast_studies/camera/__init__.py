"""When does the camera break contention? Frame rates of compositing over the directions that one looks from.

Swaps and radix-k merge neighbours in depth, so that who sends to whom, and which links are shared, changes
with the camera; in shift and direct-send it never does (Cavin and Demengeon, see
:mod:`sortlast_studies.shift_based`, leave that open). Here a regular volume is seen from all sides, for
several placements and fabrics.
"""

SUMMARY = (
    "Frames a second from every side: which placements, fabrics and schedules lose frames when the camera "
    "turns; no paper."
)
KIND = """\
Prints tables and figures of computed and simulated frames. There are no published ones to be put beside them,
and nothing is measured.
"""
PARAMETERS = ("ranks",)
