"""Every rank renders its slab of translucent surfaces with PyVista; rank 0 writes the whole to shells.png."""

import os

# Render without a display, with Mesa. Omit this line if there is a display or a GPU.
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkOSOpenGLRenderWindow")

import numpy as np
import pyvista as pv
from mpi4py import MPI
from PIL import Image

import sortlast

comm = MPI.COMM_WORLD
width, height = 640, 480

# This rank's slab of the data, along x. Neighbours share the points of their common face.
points = 64
grid = np.linspace(-1, 1, points)
first, last = (r * (points - 1) // comm.size for r in (comm.rank, comm.rank + 1))
x, y, z = np.meshgrid(grid[first : last + 1], grid, grid, indexing="ij")
slab = pv.ImageData(dimensions=x.shape, spacing=[2 / (points - 1)] * 3, origin=(grid[first], -1, -1))
slab["height"] = (np.sin(4 * x) + np.sin(4 * y) + np.sin(4 * z)).ravel(order="F")
surfaces = slab.contour([0.5], scalars="height")

# A black background of alpha 0 keeps the colours premultiplied.
plotter = pv.Plotter(off_screen=True, window_size=(width, height))
plotter.background_color = "black"
plotter.disable_anti_aliasing()
plotter.enable_depth_peeling(16)  # translucent surfaces of this rank in the right order
if surfaces.n_points:
    plotter.add_mesh(surfaces, color="teal", opacity=0.4, show_scalar_bar=False)
eye = (3.0, 2.2, 4.0)
plotter.camera_position = [eye, (0, 0, 0), (0, 1, 0)]
plotter.camera.clipping_range = (0.5, 10)
image = np.ascontiguousarray(plotter.screenshot(transparent_background=True, return_img=True))

# Slabs are boxes: their order from front to back follows from the boxes and the eye.
bounds = (grid[first], grid[last], -1, 1, -1, 1)
order = sortlast.visibility_order(comm, bounds, eye=eye)
with sortlast.Compositor(comm) as compositor:
    frame = compositor.gather(compositor.composite(image, order=order, background=(1, 1, 1, 1)))
    if frame is not None:  # on rank 0
        Image.fromarray(frame.colour[..., :3]).save("shells.png")
        print(f"shells.png: {comm.size} slabs, front to back {order}")
