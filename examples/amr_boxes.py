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


# Twelve boxes, assigned to the ranks in rotation. They share their faces, so that there is no gap.
boxes = split([[-1, 1], [-1, 1], [-1, 1]], 12)[comm.rank :: comm.size]

# Level 1, for boxes that the shock front crosses, has twice the cells of level 0 in each direction.
source = np.array([0.4, 0.6, 0.2])
parts, levels = pv.MultiBlock(), []
for box in boxes:
    levels.append(int(np.linalg.norm(np.mean(box, axis=1) - source) < 0.8))
    cells = [max(2, round(20 * 2 ** levels[-1] * (high - low))) for low, high in box]
    spacing = [(high - low) / n for (low, high), n in zip(box, cells, strict=True)]
    part = pv.ImageData(dimensions=[n + 1 for n in cells], spacing=spacing, origin=[low for low, _ in box])
    distance = np.linalg.norm(part.points - source, axis=1)
    part["density"] = np.exp(-40 * (distance - 0.5) ** 2) + 0.5 * np.exp(-20 * distance**2)
    parts.append(part)

plotter = sortlast.pyvista.Plotter(comm, off_screen=True, window_size=(640, 480))
plotter.add_volume(parts, scalars="density", clim=(0, 1), cmap="inferno", opacity="linear")
for i in range(-(-12 // comm.size)):  # every rank makes the same calls
    plotter.add_mesh(parts[i].outline() if i < len(parts) else None, color="grey")
plotter.show(screenshot="boxes.png")
levels = comm.gather(levels)
if comm.rank == 0:
    print(f"boxes.png: boxes of levels {levels}, by rank")
