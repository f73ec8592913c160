"""Runs pieces of Python that plot with PyVista on several ranks.

    reports = pyvista_ranks.run(4, "p = plotter(); p.add_mesh(slab(rank, size)); ...; report(...)")

They see what `mpirun.run` gives them; `slab(part, parts)`, a part of a volume; `plotter()`, one of all ranks;
`alone()`, PyVista's own; and `told(call)`, the error that a call raises as [name, text].
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import mpirun

HEAD = f"""
import os, sys
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkOSOpenGLRenderWindow")
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
import pyvista as pv
import sortlast.pyvista
from vtk_scenes import difference

def told(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]

def slab(part, parts, n=41):
    # Neighbours share the points of their common face.
    grid = np.linspace(-1, 1, n)
    first, last = (r * (n - 1) // parts for r in (part, part + 1))
    x, y, z = np.meshgrid(grid[first : last + 1], grid, grid, indexing="ij")
    made = pv.ImageData(dimensions=x.shape, spacing=[2 / (n - 1)] * 3, origin=(grid[first], -1, -1))
    made["u"] = (np.exp(-2 * (x * x + y * y + z * z)) + 0.3 * x).ravel(order="F")
    return made

OPTIONS = dict(off_screen=True, window_size=(200, 150))

def plotter(**more):
    return sortlast.pyvista.Plotter(comm, timeout=30, **OPTIONS, **more)

def alone(**more):
    made = pv.Plotter(**OPTIONS, **more)
    made.disable_anti_aliasing()
    return made
"""


run = partial(mpirun.reports, head=HEAD)
