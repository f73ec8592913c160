"""Every rank renders its slab of an isosurface with VTK; rank 0 writes the whole surface to surface.png."""

import os

# Render without a display, with Mesa. Omit this line if there is a display or a GPU.
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkOSOpenGLRenderWindow")

import numpy as np
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (registers the windows)
from mpi4py import MPI
from PIL import Image
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkFloatArray, vtkUnsignedCharArray
from vtkmodules.vtkCommonDataModel import vtkBox
from vtkmodules.vtkFiltersCore import vtkClipPolyData, vtkFlyingEdges3D
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow

import sortlast

comm = MPI.COMM_WORLD
width, height = 640, 480
half = 40  # the data are (2 half + 1)^3 grid points

# This rank's slab. Neighbours share the points of their common face, so that there is no gap. A ghost layer
# on each side provides the normals at the face; the surface in it is clipped.
first, last = (-half + 2 * half * r // comm.size for r in (comm.rank, comm.rank + 1))
source = vtkRTAnalyticSource()
source.SetWholeExtent(-half, half, -half, half, -half, half)
source.UpdateExtent((max(first - 1, -half), min(last + 1, half), -half, half, -half, half))
contour = vtkFlyingEdges3D()
contour.SetInputData(source.GetOutput())
contour.SetValue(0, 150)
slab = vtkBox()
slab.SetBounds(first, last, -half, half, -half, half)
clip = vtkClipPolyData()
clip.SetInputConnection(contour.GetOutputPort())
clip.SetClipFunction(slab)
clip.InsideOutOn()

mapper = vtkPolyDataMapper()
mapper.SetInputConnection(clip.GetOutputPort())
mapper.ScalarVisibilityOff()
actor = vtkActor()
actor.SetMapper(mapper)
actor.GetProperty().SetColor(0.93, 0.79, 0.70)

# A black background of alpha 0 keeps the colours premultiplied, and one sample per pixel the depth exact.
renderer = vtkRenderer()
renderer.SetBackground(0, 0, 0)
renderer.SetBackgroundAlpha(0)
renderer.AddActor(actor)
window = vtkRenderWindow()
window.OffScreenRenderingOn()
window.SetAlphaBitPlanes(1)
window.SetMultiSamples(0)
window.SetSize(width, height)
window.AddRenderer(renderer)

# The camera sees the whole data on every rank, so that depths are comparable.
whole = (-half, half, -half, half, -half, half)
camera = renderer.GetActiveCamera()
camera.SetPosition(2, 1.5, 3)
renderer.ResetCamera(whole)
camera.Zoom(1.3)
renderer.ResetCameraClippingRange(whole)
window.Render()

# The pixels drawn by VTK, without a copy: rows from the bottom up, and depth 1 where nothing was drawn.
colours, depths = vtkUnsignedCharArray(), vtkFloatArray()
window.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, colours)
window.GetZbufferData(0, 0, width - 1, height - 1, depths)
image = vtk_to_numpy(colours).reshape(height, width, 4)
depth = vtk_to_numpy(depths).reshape(height, width)
depth[depth >= 1] = np.inf

compositor = sortlast.Compositor(comm)
tile = compositor.composite(image, depth, op="closest", background=(1, 1, 1, 1))
frame = compositor.gather(tile)
if frame is not None:  # on rank 0
    Image.fromarray(frame.colour[::-1, :, :3]).save("surface.png")
    print(f"surface.png: {comm.size} slabs, {compositor.algorithm}")
