"""Mistry et al., "Contention of Communications in Switched Networks" (2013): a sort by all-to-all.

Its memory tables are computed, its times simulated on its cluster and measured on this machine, and the same
exchange by a shift schedule is compared with MPI_Alltoallv.
"""

PICTURE = "times"
SUMMARY = (
    'A parallel sort by all-to-all: Mistry et al., "Contention of Communications in Switched Networks with '
    'Applications to Parallel Sorting" (2013).'
)
OPTIONS = ("testbed",)
PARAMETERS = ("ranks",)
