"""What the words of the text are taken to mean."""

from __future__ import annotations

ALMOST_ALL = 0.9  # at least this part of the cases
MOST = 0.5  # more than this part
MANY = 0.25  # at least this part

# Times that differ by less are equal. Over the seeds 17 to 19 relative times at 10 and 100 B have standard
# deviations of 0.8 % in the median and at most 2.1 % in light patterns; in 2M, 3M and BU, up to 11 %, but
# those are far from 1.
NOISE = 0.02
AS_WELL = 1.05  # a relative time up to this
NO_DIFFERENCE = 1.10  # relative times up to this, and down to its inverse
ACCEPTABLE = 1.25  # a relative time up to this
TOO_SLOW = 1.5  # a relative time from this on
SIMILAR_COST = 0.1  # part by which costs differ

LIGHT = ("2W", "3W", "WF", "BT")  # section 4.1 names them
HEAVY = ("2M", "3M", "BU")
SHORT = (10, 100, 1_000)
LONG = (10_000, 100_000)

MEANINGS = (
    f"almost all: at least {ALMOST_ALL:.0%} of the cases; most: more than {MOST:.0%}; "
    f"many: at least {MANY:.0%}",
    f"equal: times that differ by at most {NOISE:.0%}; as well: at most {AS_WELL - 1:.0%} slower",
    f"almost no difference: within {NO_DIFFERENCE - 1:.0%}; acceptable: at most {ACCEPTABLE - 1:.0%} slower",
    f"too slow: at least {TOO_SLOW - 1:.0%} slower; similar cost: within {SIMILAR_COST:.0%}",
    f"light patterns: {', '.join(LIGHT)}; heavy ones: {', '.join(HEAVY)}; short messages: up to 1 KB",
)
