"""Every rank simulates its strip of a drum and shows it while it runs; rank 0 writes the film to drum.gif."""

import os

# Render without a display, with Mesa. Omit this line if there is a display or a GPU.
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkOSOpenGLRenderWindow")

import numpy as np
import pyvista as pv
from mpi4py import MPI

import sortlast.pyvista

comm = MPI.COMM_WORLD
before, after = (r if 0 <= r < comm.size else MPI.PROC_NULL for r in (comm.rank - 1, comm.rank + 1))

# This rank's strip of the heights, with one row from each neighbour on either side.
n = 120
first, last = (r * (n - 1) // comm.size for r in (comm.rank, comm.rank + 1))
x, y = np.meshgrid(np.linspace(-1, 1, n)[first : last + 1], np.linspace(-1, 1, n), indexing="ij")
now = np.zeros((len(x) + 2, n))
now[1:-1] = np.exp(-60 * ((x + 0.3) ** 2 + (y - 0.2) ** 2))
last_step = now.copy()


def step() -> None:
    """Compute one step of the wave equation. Neighbours share a row, and exchange the row next to it."""
    global now, last_step
    comm.Sendrecv(np.ascontiguousarray(now[2]), before, recvbuf=now[-1], source=after)
    comm.Sendrecv(np.ascontiguousarray(now[-3]), after, recvbuf=now[0], source=before)
    new = 2 * now - last_step
    new[1:-1, 1:-1] += 0.4 * (
        now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1]
    )
    new[1:-1][:, [0, -1]] = 0
    if before == MPI.PROC_NULL:
        new[1] = 0
    if after == MPI.PROC_NULL:
        new[-2] = 0
    now, last_step = new, now


strip = pv.StructuredGrid(x, y, 0 * x)
plotter = sortlast.pyvista.Plotter(comm, off_screen=True, window_size=(480, 320))
strip["height"] = now[1:-1].ravel(order="F")
plotter.add_mesh(strip, scalars="height", clim=(-0.3, 0.3), cmap="coolwarm")
plotter.camera_position = [(2.6, -2.8, 2.2), (0, 0, 0), (0, 0, 1)]
plotter.open_gif("drum.gif")
for frame in range(60):
    step()
    if frame % 6 == 5:
        strip["height"][:] = now[1:-1].ravel(order="F")
        strip.points[:, 2] = 0.5 * strip["height"]
        plotter.write_frame()
plotter.close()
if comm.rank == 0:
    print("drum.gif: 10 frames")
