"""Studies: the tables and figures of a paper, computed, beside the published ones.

One package a paper. It holds what the paper varies (``networks``), its published values as data with their
source (``published.json``), what is computed from them and the claims that its text makes of it, and a
README. What studies share is here: cells that are simulated on all cores and kept (``cells``).
"""
