"""Translucent blobs, drawn on the GPU where CuPy is installed, else on the CPU; rank 0 writes blobs.png."""

import numpy as np
from mpi4py import MPI
from PIL import Image

import sortlast

comm = MPI.COMM_WORLD
try:
    import cupy as xp

    xp.cuda.Device(comm.rank % xp.cuda.runtime.getDeviceCount()).use()
except ImportError:
    xp = np

# 60 blobs, from front to back; each rank draws one layer of depth, rank 0 the front.
random = np.random.default_rng(1)
centres = random.uniform((40, 40), (440, 600), (60, 2))
colours = random.uniform(0.1, 1.0, (60, 3))
mine = np.array_split(np.arange(60), comm.size)[comm.rank]

# Draw the blobs behind each other, premultiplied.
y, x = xp.mgrid[0:480, 0:640].astype(xp.float32)
image = xp.zeros((480, 640, 4), xp.float32)
for number in mine.tolist():
    cy, cx = centres[number].tolist()
    alpha = 0.8 * xp.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * 40.0**2)) * (1 - image[..., 3])
    image[..., :3] += alpha[..., None] * xp.asarray(colours[number], xp.float32)
    image[..., 3] += alpha

compositor = sortlast.Compositor(comm)
tile = compositor.composite(image, op="over", background=(1, 1, 1, 1), root=0)  # the image stays where it is
frame = compositor.gather(tile, root=0)
if frame is not None:  # on rank 0
    picture = xp.asarray(frame.colour)  # on the GPU, without a copy
    picture = (255 * picture[..., :3]).round().astype(xp.uint8)
    Image.fromarray(picture if xp is np else xp.asnumpy(picture)).save("blobs.png")
    print(compositor.explain())
