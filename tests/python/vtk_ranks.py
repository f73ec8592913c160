"""Runs pieces of Python that draw with VTK on several ranks.

    reports = vtk_ranks.run(4, "look(made); ...; report(...)")

They see what `mpirun.run` gives them, the scenes of `vtk_scenes`, `made`, a window that shows this rank's
spheres, and `told(call)`, the error that a call raises as [name, text]. `compare()` reports on rank 0 what
differs between its picture of all ranks and that of one process, after `change(window)` of both windows.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import mpirun

HEAD = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
import sortlast.vtk
from vtk_scenes import *

def told(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]

made = window()
spheres(mine(rank, size), renderer_of(made))

def compare(channels=3, change=lambda w: None):
    change(made)
    look(made)
    composition = sortlast.vtk.compose(made, comm, timeout=30)
    made.Render()
    if rank == 0:
        whole = window()
        change(whole)
        spheres(range(SPHERES), renderer_of(whole))
        look(whole)
        whole.Render()
        report(difference(shown(made)[..., :channels], shown(whole)[..., :channels]))
    composition.close()
"""


run = partial(mpirun.reports, head=HEAD)
