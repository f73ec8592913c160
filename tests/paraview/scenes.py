"""Draw scenes on all ranks of ParaView, and save what they show.

    mpiexec -n 4 pvbatch scenes.py FOLDER [SCENE ...]

Each scene is for something that compositing may get wrong. Prints "drawn" once all are saved.
"""

import os
import sys

from paraview.simple import (
    ColorBy,
    Contour,
    CreateView,
    Glyph,
    Render,
    ResetSession,
    SaveScreenshot,
    Show,
    Sphere,
    Text,
    Wavelet,
)

FOLDER = sys.argv[1]
DATA = ("POINTS", "RTData")


def make_view(width=640, height=480, background=(0.2, 0.3, 0.4)):
    """A view whose pictures are composited however small the data is."""
    view = CreateView("RenderView")
    view.ViewSize = [width, height]
    view.OrientationAxesVisibility = 0
    view.UseColorPaletteForBackground = 0
    view.BackgroundColorMode = "Single Color"
    view.Background = background
    view.RemoteRenderThreshold = 0
    view.CameraPosition = [40, 25, 50]
    view.CameraFocalPoint = [0, 0, 0]
    view.CameraViewUp = [0, 1, 0]
    return view


def make_wavelet(n=20):
    wavelet = Wavelet()
    wavelet.WholeExtent = [-n, n, -n, n, -n, n]
    return wavelet


def show_contour(view, values=(130, 157, 200)):
    surfaces = Contour(Input=make_wavelet(), ContourBy=DATA, Isosurfaces=values)
    return surfaces, Show(surfaces, view)


def save(view, name, **options):
    path = os.path.join(FOLDER, f"{name}.png")
    SaveScreenshot(path, view, ImageResolution=list(view.ViewSize), **options)


def contour():
    """Opaque surfaces: the nearest of all ranks counts."""
    view = make_view()
    ColorBy(show_contour(view)[1], DATA)
    save(view, "contour")


def glyphs():
    """Many small surfaces, with edges everywhere."""
    view = make_view()
    spheres = Glyph(Input=make_wavelet(6), GlyphType="Sphere", ScaleFactor=1.5, GlyphMode="All Points")
    ColorBy(Show(spheres, view), DATA)
    view.CameraPosition = [12, 8, 15]
    save(view, "glyphs")


def volume():
    """A volume: ranks are blended in the order in which they are seen."""
    view = make_view()
    display = Show(make_wavelet(), view)
    display.SetRepresentationType("Volume")
    ColorBy(display, DATA)
    save(view, "volume")


def translucent():
    """Translucent surfaces, for which ParaView moves data between ranks so that these have an order."""
    view = make_view()
    display = show_contour(view)[1]
    ColorBy(display, DATA)
    display.Opacity = 0.4
    save(view, "translucent")


def few():
    """A thing so small that most ranks have nothing to draw."""
    view = make_view()
    Show(Sphere(Radius=5, ThetaResolution=3, PhiResolution=3), view)
    save(view, "few")


def two_views():
    """Two views of different sizes, by turns."""
    first = make_view()
    show_contour(first, [157])
    second = make_view(400, 300, (0, 0, 0))
    Show(make_wavelet(10), second).SetRepresentationType("Surface")
    second.CameraPosition = [-30, 20, 25]
    for _ in range(2):
        save(first, "two_views_first")
        save(second, "two_views_second")


def annotated():
    """A legend, text and axes, which are drawn over the picture on one rank alone."""
    view = make_view()
    display = show_contour(view)[1]
    ColorBy(display, DATA)
    display.SetScalarBarVisibility(view, True)
    Show(Text(Text="annotation"), view)
    view.OrientationAxesVisibility = 1
    save(view, "annotated")


def transparent():
    """No background, behind opaque and behind translucent surfaces."""
    view = make_view()
    display = show_contour(view)[1]
    ColorBy(display, DATA)
    save(view, "transparent", TransparentBackground=1)
    display.Opacity = 0.5
    save(view, "transparent_translucent", TransparentBackground=1)


def interaction():
    """The coarser pictures that are composited while the view is turned."""
    view = make_view()
    ColorBy(show_contour(view)[1], DATA)
    view.ImageReductionFactor = 4
    view.UseInteractiveRenderingForScreenshots = 1
    save(view, "interaction")


def batch():
    """Fifty frames, in each of which camera and data change."""
    view = make_view()
    surfaces, _ = show_contour(view, [157])
    for step in range(50):
        surfaces.Isosurfaces = [100 + 2 * step]
        view.CameraPosition = [40 - step, 25, 50 + step]
        if step % 10 == 9:
            save(view, f"batch_{step:02d}")
        else:
            Render(view)


SCENES = (contour, glyphs, volume, translucent, few, two_views, annotated, transparent, interaction, batch)

for scene in SCENES:
    if not sys.argv[2:] or scene.__name__ in sys.argv[2:]:
        scene()
        ResetSession()
print("drawn")
