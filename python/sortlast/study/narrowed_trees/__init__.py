"""Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks" (2007), computed.

Eight networks, seven patterns, five sizes of messages: 280 cells, each simulated packet by packet, 9.65 G
packet-hops in all, 90 % of them at 100 KB. The five networks of set "a" have 4096 nodes each, those of set
"b" switches of 12 ports; two networks are in both.

::

    from sortlast.study import narrowed_trees, runner

    study = narrowed_trees.make(sizes=(10, 100, 1000))
    results = runner.compute(study, Path("out"))
    runner.write(study, results, Path("out"))
"""

from sortlast.study.narrowed_trees.performance import Times, Weights, parse_weights
from sortlast.study.narrowed_trees.study import STUDY, make, times
from sortlast.study.narrowed_trees.workloads import QUICK_SIZES, SIZES

__all__ = ["QUICK_SIZES", "SIZES", "STUDY", "Times", "Weights", "make", "parse_weights", "times"]
