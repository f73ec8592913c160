"""Every rank plots its part of a mesh, partitioned as by dolfinx; rank 0 writes the whole to mesh.png.

With dolfinx the part is ``pv.UnstructuredGrid(*dolfinx.plot.vtk_mesh(V))`` and its values ``u.x.array``.
"""

import os

# Render without a display, with Mesa. Omit this line if there is a display or a GPU.
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkOSOpenGLRenderWindow")

import numpy as np
import pyvista as pv
from mpi4py import MPI

import sortlast.pyvista

comm = MPI.COMM_WORLD

# A triangulated plate with a hole. Real codes have only their own cells; here each rank makes all of them.
radius, angle = np.meshgrid(np.linspace(0.3, 1, 15), np.linspace(0, 2 * np.pi, 91), indexing="ij")
points = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * radius], axis=-1).reshape(-1, 3)
index = np.arange(len(points)).reshape(radius.shape)
a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])

# The parts interlock, so they have no order from front to back. Opaque surfaces need none.
x, y, _ = points[triangles].mean(axis=1).T
owner = ((np.arctan2(y, x) + np.pi + 2 * np.hypot(x, y)) % (2 * np.pi) / (2 * np.pi) * comm.size).astype(int)
own = triangles[np.minimum(owner, comm.size - 1) == comm.rank]

# This rank's part as a VTK grid, and the solution at its points.
part = pv.UnstructuredGrid({pv.CellType.TRIANGLE: own}, points).clean()
x, y, _ = part.points.T
part["u"] = 0.25 * np.cos(3 * np.arctan2(y, x)) * np.hypot(x, y) ** 3
part = part.warp_by_scalar("u")

plotter = sortlast.pyvista.Plotter(comm, off_screen=True, window_size=(640, 480))
plotter.add_mesh(part, scalars="u", cmap="coolwarm", show_edges=True)
plotter.add_axes()
plotter.camera_position = [(2, -2.75, 2.5), (0, 0, -0.15), (0, 0, 1)]
plotter.show(screenshot="mesh.png")
if comm.rank == 0:
    print(f"mesh.png: {len(triangles)} triangles of {comm.size} ranks")
