"""How much do forwarding tables made for the running schedule gain?

Cavin and Demengeon (see :mod:`sortlast_studies.shift_based`) keep the tables of OpenSM and change the
schedule: shift is free of contention under them. They claim, without showing it, that tables can be computed
under which binary swap is free of contention too. This study makes such tables for their cluster, simulates
frames under both, and measures them on hosts of network namespaces.
"""

PICTURE = "rates"
SUMMARY = (
    "Frames per second of binary swap, radix-k and shift if the tables of the cluster of Cavin and Demengeon "
    "were made for them; no published values."
)
OPTIONS = ("testbed",)
