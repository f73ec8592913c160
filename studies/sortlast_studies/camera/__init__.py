"""When does the camera break contention? Frame rates of compositing over all viewing directions.

Swaps and radix-k merge neighbours in depth, so communication partners and shared links change with the
camera; in shift and direct-send they never do (Cavin and Demengeon, see :mod:`sortlast_studies.shift_based`,
leave this question open). Here a regular volume is seen from all sides, for several placements and fabrics.
"""

SUMMARY = (
    "Frames per second from every side: which placements, fabrics and schedules lose frames when the camera "
    "turns; no paper."
)
PARAMETERS = ("ranks",)
