"""The data of ``sortlast view`` displayed by trame: one process, VTK's own mappers, a VtkRemoteView.

    python trame_local.py DATA volume|surface PORT

It prints the address and serves until it is killed. Needs trame and trame-vtk.
"""

import sys

import vtkmodules.vtkRenderingVolumeOpenGL2  # noqa: F401
from trame.app import get_server
from trame.ui.html import DivLayout
from trame.widgets import vtk as widgets
from vtkmodules.vtkFiltersCore import vtkFlyingEdges3D
from vtkmodules.vtkInteractionStyle import vtkInteractorStyleTrackballCamera
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkPolyDataMapper,
    vtkRenderer,
    vtkRenderWindow,
    vtkRenderWindowInteractor,
    vtkVolume,
)
from vtkmodules.vtkRenderingVolumeOpenGL2 import vtkOpenGLGPUVolumeRayCastMapper

from sortlast import render
from sortlast.demo.scene import Scene
from sortlast.render.background import BACKGROUND
from sortlast.render.look import Look, volume_property
from sortlast.render.surface import COLOUR
from sortlast.render.volume import image_data


def volume_of(volume: render.Volume, scene: Scene) -> vtkVolume:
    """Ray casting with the transfer function of ``sortlast view``; VTK chooses the samples."""
    mapper = vtkOpenGLGPUVolumeRayCastMapper()
    mapper.SetInputData(image_data(render.cut(volume.voxels, scene.whole), scene.whole, scene.spacing))
    made = vtkVolume()
    made.SetMapper(mapper)
    made.SetProperty(volume_property(Look(), scene.threshold, min(scene.spacing)))
    return made


def surface_of(volume: render.Volume, scene: Scene) -> vtkActor:
    """The isosurface that ``sortlast view`` shows."""
    contour = vtkFlyingEdges3D()
    contour.SetInputData(image_data(render.cut(volume.voxels, scene.whole), scene.whole, scene.spacing))
    contour.SetValue(0, scene.threshold)
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(contour.GetOutputPort())
    mapper.ScalarVisibilityOff()
    made = vtkActor()
    made.SetMapper(mapper)
    made.GetProperty().SetColor(*COLOUR)
    return made


def window(data: str, mode: str) -> vtkRenderWindow:
    """A window with the data, seen by the camera of ``sortlast view``."""
    volume = render.load(data)
    scene = Scene.of(volume)
    renderer = vtkRenderer()
    renderer.SetBackground(*BACKGROUND)
    renderer.AddViewProp({"volume": volume_of, "surface": surface_of}[mode](volume, scene))
    made = vtkRenderWindow()
    made.OffScreenRenderingOn()
    made.AddRenderer(renderer)
    interactor = vtkRenderWindowInteractor()
    interactor.SetRenderWindow(made)
    interactor.SetInteractorStyle(vtkInteractorStyleTrackballCamera())
    scene.camera(0).apply(renderer.GetActiveCamera(), (1024, 768))
    return made


def main() -> None:
    render.check_offscreen()
    data, mode, port = sys.argv[1:]
    shown = window(data, mode)
    server = get_server("local", client_type="vue3")
    with DivLayout(server, style="width: 100vw; height: 100vh") as layout:
        widgets.VtkRemoteView(shown)
        layout.root.style = "width: 100vw; height: 100vh"
    server.controller.on_server_ready.add(lambda **_: print(f"open http://127.0.0.1:{port}/", flush=True))
    sys.argv = sys.argv[:1]
    server.start(port=int(port), host="127.0.0.1", open_browser=False, show_connection_info=False, timeout=0)


if __name__ == "__main__":
    main()
