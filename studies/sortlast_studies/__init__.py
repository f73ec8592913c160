"""Studies: the tables and figures of papers, computed, simulated and measured with sortlast.

One folder per paper, with the published values as data (``published.csv``), the model, the steps to run
(``steps.py``), the conversion of their results to rows of one table (``study.py``), the claims of the text
and the list of reproduced tables and figures (``checks.toml``), the figures drawn from the table
(``figures.py``), and the report, a Markdown template over the table (``report.md``). This folder holds the
shared framework.

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
    """Import the package of a study, with its ``SUMMARY``, but none of the study's modules.

    Optional attributes: ``PICTURE``, the picture that the overview shows; ``OPTIONS`` (testbed, port),
    required by some of its steps; ``PARAMETERS`` (ranks, sizes) that accept values beyond the paper's, and
    ``SIZE_UNIT``, the unit of image sizes (edge, megapixel; pixel by default).
    """
    return import_module(f"{__name__}.{name.replace('-', '_')}")
