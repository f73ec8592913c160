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
width, height = 800, 600

# This rank's slab of the data, along x. Neighbours share the points of their common face.
points = 64
grid = np.linspace(-1, 1, points)
first, last = (r * (points - 1) // comm.size for r in (comm.rank, comm.rank + 1))
x, y, z = np.meshgrid(grid[first : last + 1], grid, grid, indexing="ij")
slab = pv.ImageData(dimensions=x.shape, spacing=[2 / (points - 1)] * 3, origin=(grid[first], -1, -1))
field = np.sin(5 * x) * np.cos(5 * y) + np.sin(5 * y) * np.cos(5 * z) + np.sin(5 * z) * np.cos(5 * x)
slab["level"] = field.ravel(order="F")
surfaces = slab.contour([-0.6, 0.6], scalars="level")

# Normals of the field. Normals of the triangles would differ between the two sides of a cut.
sin, cos = np.sin(5 * surfaces.points), np.cos(5 * surfaces.points)
surfaces["Normals"] = np.roll(sin, 1, axis=1) * sin - cos * np.roll(cos, -1, axis=1)

# A black background of alpha 0 keeps the colours premultiplied.
plotter = pv.Plotter(off_screen=True, window_size=(width, height))
plotter.background_color = "black"
plotter.disable_anti_aliasing()
plotter.enable_depth_peeling(16)  # translucent surfaces of this rank in the right order
if surfaces.n_points:
    look = {"opacity": 0.55, "ambient": 0.25, "specular": 0.7, "specular_power": 40}
    colours = {"clim": (-0.6, 0.6), "cmap": ["deepskyblue", "orange"], "show_scalar_bar": False}
    plotter.add_mesh(surfaces, smooth_shading=True, **look, **colours)
eye = (3.6, 2.4, 4.9)
plotter.camera_position = [eye, (0, 0, 0), (0, 1, 0)]
plotter.camera.clipping_range = (0.5, 10)
image = np.ascontiguousarray(plotter.screenshot(transparent_background=True, return_img=True))

# Slabs are boxes: their order from front to back follows from the boxes and the eye.
bounds = (grid[first], grid[last], -1, 1, -1, 1)
order = sortlast.visibility_order(comm, bounds, eye=eye)
with sortlast.Compositor(comm) as compositor:
    frame = compositor.gather(compositor.composite(image, order=order, background=(0.055, 0.065, 0.09, 1)))
    if frame is not None:  # on rank 0
        Image.fromarray(frame.colour[..., :3]).save("shells.png")
        print(f"shells.png: {comm.size} slabs, front to back {order}")
