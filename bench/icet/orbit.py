"""Orbit a scene in ParaView: pvbatch orbit.py surface|volume WIDTH HEIGHT FRAMES; see paraview.py."""

import math
import sys
import time

from paraview.simple import ColorBy, Contour, CreateView, Render, Show, Wavelet

scene, width, height, frames = sys.argv[1], *(int(number) for number in sys.argv[2:5])
view = CreateView("RenderView")
view.ViewSize = [width, height]
view.OrientationAxesVisibility = 0
view.RemoteRenderThreshold = 0
view.CameraFocalPoint = [0, 0, 0]
view.CameraViewUp = [0, 1, 0]
data = Wavelet(WholeExtent=[-20, 20, -20, 20, -20, 20])
field = ("POINTS", "RTData")
if scene == "surface":
    display = Show(Contour(Input=data, ContourBy=field, Isosurfaces=[100, 157, 200]), view)
else:
    display = Show(data, view)
    display.SetRepresentationType("Volume")
ColorBy(display, field)
for frame in range(frames):
    angle = 2 * math.pi * frame / frames
    view.CameraPosition = [45 * math.sin(angle), 20, 45 * math.cos(angle)]
    begin = time.perf_counter()
    Render(view)
    print(f"frame {time.perf_counter() - begin:.6f}", flush=True)
