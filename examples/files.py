"""Composite image files without MPI.

    python files.py OUT FRONT ... BACK

The pictures have alpha and the same size. The first one is nearest to the viewer.
"""

import sys

import numpy as np
from PIL import Image

import sortlast

out, *names = sys.argv[1:]

# Image files have straight alpha: multiply the colours by it.
images = []
for name in names:
    image = np.asarray(Image.open(name).convert("RGBA"), np.float32) / 255
    image[..., :3] *= image[..., 3:]
    images.append(image)

# The serial composite, one image after the other.
frame = sortlast.composite_serial(images, op="over", background=(1, 1, 1, 1))
Image.fromarray((255 * frame.colour[..., :3]).round().astype(np.uint8)).save(out)

# The result of a parallel schedule with one image per rank, executed in this process.
height, width, _ = frame.shape
schedule = sortlast.schedule.make("radix-k", p=len(images), n=height * width)
parallel = sortlast.execute_serial(schedule, images, op="over")
serial = sortlast.composite_serial(images, op="over")
difference = np.abs(parallel.colour - serial.colour).max()
print(f"{out}: {len(images)} pictures; {schedule.name} differs by at most {difference:.1e}")
