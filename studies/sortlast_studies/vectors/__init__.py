"""Which k vector suits which placement? Radix-k on tori, tapered trees and fragmented jobs, simulated.

Peterka et al. (see :mod:`sortlast_studies.radix_k`) found that k = 8 is good on their machine, and Kendall et
al. take it as the target. Here all k vectors are simulated on the job's own links, and compared with the
library's default choices without and with knowledge of the fabric.
"""

PICTURE = "vectors"
SUMMARY = (
    "Which k vector suits which placement: tori, tapered trees and fragmented jobs, compared with k = 8 and "
    "the library's choice when it knows the fabric; no published values."
)
