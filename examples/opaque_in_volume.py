"""Every rank draws opaque atoms and its slab of an orbital around them; rank 0 writes a picture of benzene.

The atoms are composited with `closest`. All ranks get their depth and end their rays there, and the volume is
composited with `over`. Rank 0 compares the result with the picture that it makes alone.
"""

import argparse

import numpy as np
from mpi4py import MPI
from PIL import Image

import sortlast

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, nargs=2, default=(800, 600), metavar=("WIDTH", "HEIGHT"))
parser.add_argument("--output", default="opaque.png")
options = parser.parse_args()
width, height = options.size
background = (0.055, 0.065, 0.09, 1)
comm = MPI.COMM_WORLD

# The eye looks at the origin, with a ray of length 1 through every pixel. Depths are distances from the eye.
eye = np.array([3.3, -6.6, 6.2], np.float32)
ahead, right = -eye / np.linalg.norm(eye), np.array([2, 1, 0]) / 5**0.5
y, x = np.mgrid[0:height, 0:width, 0:1][:2] / height - 0.5
rays = ahead + 0.6 * (x + 0.5 - width / height / 2) * right - 0.6 * y * np.cross(right, ahead)
rays = (rays / np.linalg.norm(rays, axis=2, keepdims=True)).astype(np.float32)

# The grid of the volume, and this rank's slab of it, between two planes of grid points.
low, cell, points = np.array([-4, -4, -3.2], np.float32), np.float32(0.1), (81, 81, 65)
first, last = (rank * (points[0] - 1) // comm.size for rank in (comm.rank, comm.rank + 1))

# The centre, the radius and the colour of six carbon and six hydrogen atoms.
ring = [1.39 * np.array([np.cos(angle), np.sin(angle), 0]) for angle in np.arange(6) * np.pi / 3]
atoms = [(at, 0.55, (0.72, 0.75, 0.8)) for at in ring] + [(1.7 * at, 0.35, (1, 1, 1)) for at in ring]


def draw_atoms(some: list) -> tuple[np.ndarray, np.ndarray]:
    """The colours and the depths of some atoms."""
    image, depth = np.zeros((height, width, 4), np.float32), np.full((height, width), np.inf, np.float32)
    for centre, radius, colour in some:
        along = rays @ (centre - eye)
        inside = along**2 - (centre - eye) @ (centre - eye) + radius**2
        t = along - np.sqrt(np.maximum(inside, 0))
        seen = (inside > 0) & (t < depth)
        depth[seen] = t[seen]
        normals = (eye + t[seen, None] * rays[seen] - centre) / radius
        light = 0.15 + 0.85 * np.maximum(normals @ (-0.3, -0.5, 0.81), 0)[:, None]
        image[seen] = np.hstack([light * colour, np.ones_like(light)])
    return image, depth


def draw_volume(first: int, last: int, depth: np.ndarray) -> np.ndarray:
    """The slab of the volume between planes of grid points, as far as it lies in front of the depth."""
    at = np.stack(np.mgrid[first : last + 1, : points[1], : points[2]], axis=-1) * cell + low
    waves = [np.exp(-1.6 * np.linalg.norm(at - centre, axis=-1)) for centre in ring]
    values = at[..., 2] * np.tensordot((2, 1, -1, -2, -1, 1), waves, 1)

    # Where each ray enters the slab, and where it leaves the slab or meets an atom.
    faces = low + cell * np.array([(first, 0, 0), (last, points[1] - 1, points[2] - 1)], np.float32)
    crossings = np.sort((faces[:, None, None] - eye) / rays, axis=0)
    enter, leave = crossings[0].max(axis=2), np.minimum(crossings[1].min(axis=2), depth)

    # Sample k of a ray is k steps from the eye in every slab. At an atom the last step is shorter.
    image, step = np.zeros((height, width, 4), np.float32), np.float32(0.08)
    for t in step * np.arange(enter.min() // step, leave.max() // step + 1, dtype=np.float32):
        seen = np.nonzero((enter <= t) & (t < leave))
        place = ((eye + t * rays[seen] - low) / cell).T - np.float32([[first], [0], [0]])
        corner = np.clip(place.astype(int), 0, np.array([values.shape]).T - 2)
        corners = (corner + np.array([by]).T for by in np.ndindex(2, 2, 2))
        value = sum((1 - np.abs(at - place)).prod(axis=0) * values[tuple(at)] for at in corners)
        density = np.exp(-(((np.abs(value) - 0.18) / 0.03) ** 2)) + 6 * value**4
        alpha = 1 - np.exp(-density * np.minimum(step, depth[seen] - t))
        colours = np.where(value[:, None] > 0, (1, 0.5, 0.12, 1), (0.2, 0.55, 1, 1))
        image[seen] += (alpha * (1 - image[seen][:, 3]))[:, None] * colours
    return image


# Composite this rank's atoms, which may be any of them, and send the depth of the frame to all ranks.
compositor = sortlast.Compositor(comm)
tile = compositor.composite(*draw_atoms(atoms[comm.rank :: comm.size]), op="closest", background=background)
opaque = compositor.gather(tile, depth=True)
depth = comm.bcast(opaque and opaque.depth)

# Composite the slabs of the volume, each drawn up to this depth.
order = sortlast.visibility_order(comm, (first, last, 0, 80, 0, 64), eye=(eye - low) / cell)
frame = compositor.gather(compositor.composite(draw_volume(first, last, depth), order=order))

# Put the volume in front of the atoms, and do everything again alone.
if frame is not None:
    whole = frame.colour + (1 - frame.colour[..., 3:]) * opaque.colour
    Image.fromarray((255 * whole[..., :3]).clip(0, 255).round().astype(np.uint8)).save(options.output)
    image, depth = draw_atoms(atoms)
    alone = draw_volume(0, points[0] - 1, depth)
    alone += (1 - alone[..., 3:]) * np.where(image[..., 3:] == 0, np.float32(background), image)
    difference = np.abs(whole - alone).max()
    print(f"{options.output}: slabs from front to back {order}, maximum difference {difference:.1e}")
    assert difference < 1e-5
