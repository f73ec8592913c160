"""What are forwarding tables worth that are made for the schedule which runs?

Cavin and Demengeon (see :mod:`sortlast_studies.shift_based`) keep the tables of OpenSM and change the
schedule: shift is free of contention under them. They say, without showing it, that tables could be computed
under which binary swap is. Here such tables are made for their cluster, and frames under both are simulated,
and measured on hosts of network namespaces.
"""

PICTURE = "rates"
SUMMARY = (
    "Frames a second of binary swap, radix-k and shift if the tables of the cluster of Cavin and Demengeon "
    "were made for them; no published values."
)
KIND = """\
Prints tables and figures of simulated frames, and with --testbed of measured ones. There are no published
ones to be put beside them.
"""
OPTIONS = ("testbed",)
