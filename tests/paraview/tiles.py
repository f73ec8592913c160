"""Show a scene on the tiles of a pvserver: pvpython tiles.py PORT. Prints "shown", and waits for a line."""

import sys

from paraview.simple import (
    AssignViewToLayout,
    ColorBy,
    Connect,
    Contour,
    CreateLayout,
    CreateView,
    Render,
    Show,
    Wavelet,
)

Connect("localhost", int(sys.argv[1]))
view = CreateView("RenderView")
layout = CreateLayout("wall")
AssignViewToLayout(view, layout=layout)
view.ViewSize = [512, 512]
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.BackgroundColorMode = "Single Color"
view.Background = (0.2, 0.3, 0.4)
view.RemoteRenderThreshold = 0
wavelet = Wavelet()
wavelet.WholeExtent = [-20, 20, -20, 20, -20, 20]
surfaces = Contour(Input=wavelet, ContourBy=("POINTS", "RTData"), Isosurfaces=(130, 157, 200))
ColorBy(Show(surfaces, view), ("POINTS", "RTData"))
view.CameraPosition = [40, 25, 50]
view.CameraFocalPoint = [0, 0, 0]
view.CameraViewUp = [0, 1, 0]
Render(view)
layout.SMProxy.ShowViewsOnTileDisplay()
print("shown", flush=True)
sys.stdin.readline()
