"""Every rank draws some soap bubbles, which intersect other ranks' bubbles; rank 0 writes bubbles.png.

The ranks have no order from front to back, so each passes two fragments of every bubble in a pixel, its front
and its back wall. Rank 0 compares the result with a sort in NumPy.
"""

import argparse

import numpy as np
from mpi4py import MPI
from PIL import Image

import sortlast

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, nargs=2, default=(800, 600), metavar=("WIDTH", "HEIGHT"))
parser.add_argument("--output", default="bubbles.png")
options = parser.parse_args()
width, height = options.size
background = (0.055, 0.065, 0.09, 1)
comm = MPI.COMM_WORLD

# Seventy bubbles, seen along z in a frame of height 1. Every rank knows all of them.
random = np.random.default_rng(5)
centres = random.uniform(-1, 1, (70, 3)) * (0.5, 0.33, 0.3)
radii = random.uniform(0.05, 0.17, 70)
y, x = np.mgrid[0:height, 0:width] / height - 0.5
x += 0.5 - width / height / 2


def draw(numbers: range) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pixels, the colours and the depths of the fragments of some bubbles."""
    pixels, colours, depths = [], [], []
    for centre, radius in zip(centres[numbers], radii[numbers], strict=True):
        rest = radius**2 - (x - centre[0]) ** 2 - (y - centre[1]) ** 2
        seen = np.flatnonzero(rest > 0)
        across = np.sqrt(rest.ravel()[seen])  # from the centre's plane to the walls
        for wall in (-across, across):
            normals = np.stack([x.ravel()[seen] - centre[0], y.ravel()[seen] - centre[1], wall], 1) / radius
            rim = (1 - np.abs(normals[:, 2:])) ** 2  # a film reflects more light at a slant
            alpha = 0.03 + 0.5 * rim
            hue = 5 * rim + 40 * radius + np.array([0, 2.1, 4.2])  # colours of interference
            shine = np.maximum(normals @ (-0.48, -0.6, -0.64), 0)[:, None] ** 80
            colour = alpha * (0.6 + 0.4 * np.cos(hue))
            colours.append(np.hstack([(1 - shine) * colour + shine, (1 - shine) * alpha + shine]))
            depths.append(centre[2] + wall)
            pixels.append(seen)
    return np.concatenate(pixels), np.float32(np.concatenate(colours)), np.float32(np.concatenate(depths))


# This rank's fragments, pixel by pixel in row order; within a pixel in any order.
pixel, colour, depth = draw(range(comm.rank, len(radii), comm.size))
order = np.argsort(pixel, kind="stable")
counts = np.bincount(pixel, minlength=height * width).reshape(height, width).astype(np.int32)
fragments = sortlast.Fragments((height, width), counts, colour[order], depth[order])

# Merge the lists of all ranks by depth, and blend them.
compositor = sortlast.Compositor(comm)
tile = compositor.composite_fragments(fragments, background=background, keep_lists=False)
frame = compositor.gather(tile)

# Sort the fragments of all bubbles by pixel and depth, and blend them layer by layer.
if frame is not None:
    pixel, colour, depth = draw(range(len(radii)))
    order = np.lexsort((depth, pixel))
    counts = np.bincount(pixel, minlength=height * width)
    firsts = np.cumsum(counts) - counts
    alone = np.zeros((height * width, 4), np.float32)
    for layer in range(counts.max()):
        seen = np.flatnonzero(counts > layer)
        alone[seen] += (1 - alone[seen, 3:]) * colour[order[firsts[seen] + layer]]
    alone += (1 - alone[:, 3:]) * np.float32(background)
    Image.fromarray((255 * frame.colour[..., :3]).clip(0, 255).round().astype(np.uint8)).save(options.output)
    difference = np.abs(frame.colour.reshape(-1, 4) - alone).max()
    print(f"{options.output}: up to {counts.max()} fragments in a pixel, maximum difference {difference:.1e}")
    assert difference < 1e-5
