"""Windows of ranks follow rank 0's: its size, camera, interactor and screenshots, off screen and on."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import mpirun
import vtk_scenes
from vtk_ranks import HEAD, run

pytestmark = pytest.mark.mpi


def test_a_layer_above_is_drawn_over_the_picture():
    found = run(
        2,
        """
        def layer(w):
            above = vtkRenderer()
            above.SetLayer(1)
            above.InteractiveOff()
            w.SetNumberOfLayers(2)
            w.AddRenderer(above)
            spheres([0], above)
            above.SetActiveCamera(renderer_of(w).GetActiveCamera())
        compare(change=layer)
        """,
    )[0]
    assert found[1] < 0.002, found


def test_ranks_follow_size_camera_and_bounds_of_rank_0():
    reports = run(
        3,
        """
        made.SetSize(100 + 20 * rank, 80)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        renderer = renderer_of(made)
        renderer.GetActiveCamera().SetPosition(*((1, 1, 8) if rank == 0 else (0, 5, 0)))
        renderer.ResetCamera()
        made.Render()
        before = renderer.GetActiveCamera().GetClippingRange()

        # Data that is added later is not clipped away.
        if rank == 2:
            spheres([0], renderer)
            renderer.GetActors().GetLastActor().SetPosition(0, 0, -30)
        made.Render()
        camera = renderer.GetActiveCamera()
        report([made.GetSize(), camera.GetPosition(), before, camera.GetClippingRange()])
        composition.close()
        """,
    )
    assert reports[0][0] == [100, 80]
    assert all(reported == reports[0] for reported in reports)
    assert reports[0][3][1] > reports[0][2][1] + 20


@pytest.mark.parametrize("without", [0, 1])
def test_a_rank_without_data(without):
    found = run(
        2,
        f"""
        made = window()
        if rank != {without}:
            spheres(range(SPHERES), renderer_of(made))
        compare()
        """,
    )[0]
    assert found[1] == 0


def test_rank_0_leads_and_vtk_takes_screenshots(tmp_path):
    """An image of twice the size, tile by tile, while the others follow."""
    found = run(
        3,
        f"""
        from vtkmodules.vtkIOImage import vtkPNGReader, vtkPNGWriter
        from vtkmodules.vtkRenderingCore import vtkWindowToImageFilter
        look(made)

        def write(w, path):
            take = vtkWindowToImageFilter()
            take.SetInput(w)
            take.SetScale(2)
            writer = vtkPNGWriter()
            writer.SetInputConnection(take.GetOutputPort())
            writer.SetFileName(path)
            writer.Write()
            return "written"

        composition = sortlast.vtk.compose(made, comm, timeout=30)
        returned = composition.lead(lambda: write(made, {str(tmp_path / "made.png")!r}))
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            look(whole)
            write(whole, {str(tmp_path / "whole.png")!r})
        report(returned)
        composition.close()
        """,
    )
    assert found == ["written", None, None]
    from PIL import Image

    made, whole = (np.asarray(Image.open(tmp_path / f"{name}.png"), float) for name in ("made", "whole"))
    assert made.shape == (2 * vtk_scenes.SIZE[1], 2 * vtk_scenes.SIZE[0], 3)
    assert vtk_scenes.difference(made, whole)[1] < 0.001


def test_the_picture_is_coarser_while_somebody_interacts():
    coarse, fine, same = run(
        2,
        """
        from vtkmodules.vtkRenderingCore import vtkRenderWindowInteractor
        look(made)
        text("words", renderer_of(made))
        if rank == 0:
            interactor = vtkRenderWindowInteractor()
            interactor.SetRenderWindow(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30, reduction=4)
        pictures = []
        for rate in (15.0, 0.001):
            made.SetDesiredUpdateRate(rate)
            made.Render()
            pictures.append(shown(made)[..., :3])
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            text("words", renderer_of(whole))
            look(whole)
            whole.Render()
            blocks = pictures[0][40:].reshape(20, 4, 40, 4, 3)  # above the words
            report([
                difference(pictures[0], shown(whole)[..., :3]),
                difference(pictures[1], shown(whole)[..., :3]),
                float((blocks == blocks[:, :1, :, :1]).all(axis=(1, 3, 4)).mean()),
            ])
        composition.close()
        """,
    )[0]
    assert fine[1] < 0.001
    assert 0.01 < coarse[1] < 0.3
    assert same == 1


def test_multisampling_is_off_until_the_composition_is_closed():
    """With several samples the background would shine through where parts of two ranks meet."""
    reports = run(
        2,
        """
        made.SetMultiSamples(4)
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        within = made.GetMultiSamples()
        composition.close()
        composition.close()
        made.Render()  # alone
        report([within, made.GetMultiSamples(), renderer_of(made).GetActors().GetNumberOfItems()])
        """,
    )
    assert reports == [[0, 4, 8]] * 2


@pytest.mark.references("xvfb-run")
def test_on_screen():
    """Rank 0's window on a display, the other's off screen, driven by rank 0's interactor."""
    script = HEAD.replace("import sys\n", mpirun.PRELUDE.format(folder="/nonexistent") + "import sys\n", 1)
    script = script.replace("made = window()", "made = window(); made.SetOffScreenRendering(rank != 0)")
    script += mpirun.textwrap.dedent(
        """
        from vtkmodules.vtkRenderingCore import vtkRenderWindowInteractor
        import vtkmodules.vtkRenderingUI
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)

        def interact():
            interactor = vtkRenderWindowInteractor()
            interactor.SetRenderWindow(made)
            interactor.Initialize()
            turns = []
            def turn(*_):
                renderer_of(made).GetActiveCamera().Azimuth(10)
                interactor.Render()
                turns.append(1)
                if len(turns) == 3:
                    interactor.TerminateApp()
            interactor.AddObserver("TimerEvent", turn)
            interactor.CreateRepeatingTimer(10)
            interactor.Start()
            return len(turns), made.GetClassName(), shown(made)

        done = composition.lead(interact)
        composition.close()
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            look(whole)
            renderer_of(whole).GetActiveCamera().Azimuth(30)
            whole.Render()
            print(done[0], done[1], difference(done[2][..., :3], shown(whole)[..., :3])[1] < 0.001)
        """
    )
    command = ["xvfb-run", "-a", "-s", "-screen 0 640x480x24", sys.executable, __file__, script]
    environ = os.environ | {"VTK_DEFAULT_OPENGL_WINDOW": "vtkXOpenGLRenderWindow"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environ)
    assert done.stdout.split() == ["3", "vtkXOpenGLRenderWindow", "True"], done


if __name__ == "__main__":
    job = mpirun.run_command(2, [sys.executable, "-m", "mpi4py", "-c", sys.argv[1]])
    sys.stdout.write(job.stdout)
    sys.stderr.write(job.stderr)
