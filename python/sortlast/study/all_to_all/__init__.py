"""Mistry et al., "Contention of Communications in Switched Networks" (2013): a sort by all-to-all.

Its memory tables are computed, its times simulated on its cluster and measured on this machine, and the same
exchange by a shift schedule is set beside MPI_Alltoallv.
"""

from sortlast.study.all_to_all.study import STUDY

__all__ = ["STUDY"]
