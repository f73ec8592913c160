"""Every rank renders its boxes of an adaptively refined volume; rank 0 writes the image to boxes.png."""

import os

# Render without a display, with Mesa. Omit this line if there is a display or a GPU.
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkOSOpenGLRenderWindow")

import numpy as np
import pyvista as pv
from mpi4py import MPI

import sortlast.pyvista

comm = MPI.COMM_WORLD


def split(box: list[list[float]], boxes: int) -> list[list[list[float]]]:
    """Cut a box [[x0, x1], [y0, y1], [z0, z1]] along its longest side into the given number of boxes."""
    if boxes == 1:
        return [box]
    axis = int(np.argmax([high - low for low, high in box]))
    low, high = box[axis]
    middle = low + (high - low) * (boxes // 2) / boxes
    ends = [[low, middle], [middle, high]], [boxes // 2, boxes - boxes // 2]
    return [
        leaf
        for side, share in zip(*ends, strict=True)
        for leaf in split([side if i == axis else box[i] for i in range(3)], share)
    ]


# Twenty-four boxes, assigned to the ranks in rotation. They share their faces, so that there is no gap.
boxes = split([[-1, 1], [-1, 1], [-1, 1]], 24)[comm.rank :: comm.size]

# Level 1, for boxes near the source of the blast, has twice the cells of level 0 in each direction.
source = np.array([0.75, 0.35, 0.2])
parts, levels = pv.MultiBlock(), []
for box in boxes:
    levels.append(int(np.linalg.norm(np.mean(box, axis=1) - source) < 0.8))
    cells = [max(2, round(20 * 2 ** levels[-1] * (high - low))) for low, high in box]
    spacing = [(high - low) / n for (low, high), n in zip(box, cells, strict=True)]
    part = pv.ImageData(dimensions=[n + 1 for n in cells], spacing=spacing, origin=[low for low, _ in box])
    distance = np.linalg.norm(part.points - source, axis=1)
    part["density"] = np.exp(-40 * (distance - 0.5) ** 2) + 0.5 * np.exp(-20 * distance**2)
    parts.append(part)

plotter = sortlast.pyvista.Plotter(comm, off_screen=True, window_size=(800, 600))
plotter.background_color = (14, 17, 23)
opacity = [0, 0.03, 0.1, 0.3]
plotter.add_volume(
    parts, scalars="density", clim=(0, 1), cmap="inferno", opacity=opacity, show_scalar_bar=False
)
for i in range(-(-24 // comm.size)):  # every rank makes the same calls
    own = i < len(parts)
    colour = "orange" if own and levels[i] else "steelblue"
    plotter.add_mesh(parts[i].outline() if own else None, color=colour)
plotter.camera_position = "iso"
plotter.camera.zoom(0.95)
plotter.show(screenshot="boxes.png")
levels = comm.gather(levels)
if comm.rank == 0:
    print(f"boxes.png: boxes of levels {levels}, by rank")
