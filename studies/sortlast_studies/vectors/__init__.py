"""Which k vector suits which placement? Radix-k on tori, tapered trees and fragmented jobs, simulated.

Peterka et al. (see :mod:`sortlast_studies.radix_k`) found that k = 8 is good on their machine, and Kendall et
al. take it as the target. Here all k vectors are simulated on the job's own links, beside what the library
chooses by itself, without the fabric and with it.
"""

PICTURE = "vectors"
SUMMARY = (
    "Which k vector suits which placement: tori, tapered trees and fragmented jobs, beside k = 8 and what "
    "the library chooses with the fabric known; no published values."
)
KIND = """\
Prints tables and figures of simulated frames. There are no published ones to be put beside them, and nothing
is measured.
"""
