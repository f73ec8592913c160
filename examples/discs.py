"""Every rank draws a translucent disc; rank 0 writes their composite, its own disc in front, to discs.png."""

import numpy as np
from mpi4py import MPI
from PIL import Image

import sortlast

comm = MPI.COMM_WORLD
y, x = np.mgrid[0:480, 0:640]
inside = (x - 200 - 80 * comm.rank) ** 2 + (y - 240) ** 2 < 140**2

image = np.zeros((480, 640, 4), np.float32)  # a translucent disc, premultiplied RGBA
image[inside, comm.rank % 3] = 0.6
image[inside, 3] = 0.6

bounds = (0, 1, 0, 1, comm.rank, comm.rank + 1)  # the box of this rank's data: x, y, z
order = sortlast.visibility_order(comm, bounds, eye=(0.5, 0.5, -10))
compositor = sortlast.Compositor(comm)
tile = compositor.composite(image, op="over", order=order, background=(1, 1, 1, 1))
frame = compositor.gather(tile)
if frame is not None:  # on rank 0
    Image.fromarray((255 * frame.colour[..., :3]).round().astype(np.uint8)).save("discs.png")
    print(compositor.algorithm, compositor.timing)
