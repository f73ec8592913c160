"""Off-screen VTK rendering of one block of a volume, for the demo and the examples.

The volume is split into p convex blocks with shared faces (`blocks`). Every rank renders its block
(`volume`: ray casting, `surface`: isosurface) with the same `camera`, and the images composite to
the picture that one process would have rendered. The package does not use MPI.
"""

from .blocks import Block, cut, split
from .camera import Camera
from .data import Volume, load
from .window import check_offscreen

__all__ = [
    "Block",
    "Camera",
    "Volume",
    "check_offscreen",
    "cut",
    "load",
    "split",
]
