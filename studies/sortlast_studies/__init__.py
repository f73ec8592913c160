"""Studies: the tables and figures of papers, computed, simulated and measured with sortlast.

A folder a paper, with its published values as data (``published.csv``), the model, the steps that are run
(``steps.py``), how their results become rows of one table (``study.py``), what the text claims and what of
the paper is reproduced, declared (``checks.toml``), figures that are drawn from the table (``figures.py``),
and the report, a Markdown template over the table (``report.md``). What they share lies beside the folders.

::

    from sortlast_studies import study

    shift = study.load("shift-based")
    table = study.compute(shift, Path("out"), quick=True)
    table.value("Figure 4", "frames/s", "shift", "simulated")
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

NAMES = (
    "shift-based",
    "radix-k",
    "all-to-all",
    "hardware-barrier",
    "narrowed-trees",
    "taper",
    "camera",
    "scale",
    "made-routes",
    "vectors",
    "gpu-nodes",
    "beside",
)


def package(name: str) -> ModuleType:
    """The package of a study, with its ``SUMMARY``; it imports none of the study's modules.

    It may also name the ``PICTURE`` that the overview shows; the ``OPTIONS`` (testbed, port) that its steps
    need; the ``PARAMETERS`` (ranks, sizes) in which it goes beyond its paper, and the ``SIZE_UNIT`` of images
    (edge, megapixel; pixel by default); and ``KIND``, for its help.
    """
    return import_module(f"{__name__}.{name.replace('-', '_')}")
