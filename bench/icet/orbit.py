"""Orbit scenes in ParaView and time each frame; paraview_frames.py runs it.

    mpiexec -n P pvbatch orbit.py FRAMES UNCOUNTED FOLDER SCENE WIDTHxHEIGHT ...

Rank 0 prints a line of JSON for each scene and size: begin and end, in seconds of the monotonic clock, of
FRAMES frames, each with a different camera position, after UNCOUNTED frames that are not counted. With a
FOLDER other than "-" it then saves the last frame there.
"""

import json
import math
import sys
import time
from pathlib import Path

from paraview.simple import (
    ColorBy,
    Contour,
    CreateView,
    Delete,
    Render,
    SaveScreenshot,
    Show,
    Wavelet,
)

DATA = ("POINTS", "RTData")


def make_view(size):
    """An empty view in which everything is composited."""
    view = CreateView("RenderView")
    view.ViewSize = size
    view.OrientationAxesVisibility = 0
    view.UseColorPaletteForBackground = 0
    view.BackgroundColorMode = "Single Color"
    view.Background = (0.2, 0.3, 0.4)
    view.RemoteRenderThreshold = 0
    view.CameraFocalPoint = [0, 0, 0]
    view.CameraViewUp = [0, 1, 0]
    return view


def show(scene, view):
    """Surfaces or a volume of the same data; each rank has a part of it."""
    wavelet = Wavelet(WholeExtent=[-30, 30, -30, 30, -30, 30])
    if scene == "surface":
        surfaces = Contour(Input=wavelet, ContourBy=DATA, Isosurfaces=[100, 157, 200])
        ColorBy(Show(surfaces, view), DATA)
        return
    display = Show(wavelet, view)
    display.SetRepresentationType("Volume")
    ColorBy(display, DATA)


def orbit(view, frames, uncounted):
    """Begin and end of each counted frame."""
    times = []
    for frame in range(uncounted + frames):
        angle = 0.3 + 2 * math.pi * frame / (uncounted + frames)
        view.CameraPosition = [150 * math.sin(angle), 65, 150 * math.cos(angle)]
        begin = time.monotonic()
        Render(view)
        times.append((begin, time.monotonic()))
    return times[uncounted:]


def main():
    frames, uncounted = (int(number) for number in sys.argv[1:3])
    folder = sys.argv[3]
    for scene, size in zip(sys.argv[4::2], sys.argv[5::2], strict=True):
        view = make_view([int(number) for number in size.split("x")])
        show(scene, view)
        times = orbit(view, frames, uncounted)
        print(json.dumps({"scene": scene, "size": size, "times": times}), flush=True)
        if folder != "-":
            view.UseFXAA = 0  # it amplifies small differences
            SaveScreenshot(
                str(Path(folder) / f"{scene}-{size}.png"), view, ImageResolution=list(view.ViewSize)
            )
        Delete(view)


main()
