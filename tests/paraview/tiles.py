"""Show a scene on the tiles of a pvserver, and save what each shows: pvpython tiles.py PORT FOLDER."""

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

TILES = 4

Connect("localhost", int(sys.argv[1]))
layout = CreateLayout("wall")  # a wall shows a layout
view = CreateView("RenderView")
AssignViewToLayout(view, layout=layout)
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.BackgroundColorMode = "Single Color"
view.Background = (0.2, 0.3, 0.4)
view.RemoteRenderThreshold = 0
surfaces = Contour(
    Input=Wavelet(WholeExtent=[-20, 20, -20, 20, -20, 20]),
    ContourBy=("POINTS", "RTData"),
    Isosurfaces=(130, 157, 200),
)
ColorBy(Show(surfaces, view), ("POINTS", "RTData"))
view.CameraPosition = [40, 25, 50]
view.CameraFocalPoint = [0, 0, 0]
view.CameraViewUp = [0, 1, 0]
layout.SMProxy.ShowViewsOnTileDisplay()
Render(view)
for rank in range(TILES):
    layout.SMProxy.SaveAsPNG(rank, f"{sys.argv[2]}/tile{rank}.png")
