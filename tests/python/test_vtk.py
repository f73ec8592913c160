"""A VTK window whose scene is spread over ranks shows what one process would have shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mpirun
import sortlast
import vtk_scenes
from sortlast import vtk

pytestmark = pytest.mark.mpi

RANKS = [1, 2, 4, 5, pytest.param(8, marks=pytest.mark.slow)]

HEAD = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
import sortlast.vtk
from vtk_scenes import *

def told(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]

made = window()
spheres(mine(rank, size), renderer_of(made))
"""


def run(ranks: int, body: str, **options):
    job = mpirun.run(ranks, HEAD + mpirun.textwrap.dedent(body), **options)
    assert job.returncode == 0, job
    return job.reports


# ---- pictures


@pytest.mark.parametrize("ranks", RANKS)
def test_surfaces_are_those_of_one_process(ranks):
    """All pixels are equal but for some where two spheres touch."""
    found, share, nearest = run(
        ranks,
        """
        text("words", renderer_of(made))
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        for zoom in (1, 1.2):
            renderer_of(made).GetActiveCamera().Zoom(zoom)
            made.Render()
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            text("words", renderer_of(whole))
            look(whole, 1.2)
            whole.Render()
            deeper = float(np.abs(depths(made) - depths(whole)).mean())
            report([*difference(shown(made)[..., :3], shown(whole)[..., :3]), deeper])
        composition.close()
        """,
    )[0]
    assert share < 0.001, found
    assert nearest < 1e-4


@pytest.mark.parametrize("ranks", RANKS)
def test_volumes_are_those_of_one_process(ranks):
    """Within the bound of the demo, whose renderer makes blocks that go together: 0.03 of 255 [float32]."""
    body = """
        from sortlast import render
        from sortlast.render.volume import VolumeRenderer
        from sortlast.vtk import pixels
        x, y, z = np.ogrid[-1:1:48j, -1:1:48j, -1:1:48j]
        voxels = np.clip(1.2 - np.sqrt(x * x + y * y + z * z) + 0.1 * np.sin(9 * x), 0, 1).astype(np.float32)
        spacing = (1.0, 1.0, 1.0)
        camera = render.Camera.orbit((0, 47, 0, 47, 0, 47), 40, 30, 20)

        def scene(parts, part):
            block = render.split(voxels.shape, spacing, parts)[part]
            return VolumeRenderer(render.cut(voxels, block), block, spacing, 0.4, (120, 90))

        part = scene(size, rank)._window
        camera.apply(part.scene.GetActiveCamera(), part.size)
        box = render.split(voxels.shape, spacing, size)[rank].bounds(spacing)  # without ghosts
        composition = sortlast.vtk.compose(part._window, comm, box=box, timeout=30)
        found = part.render(camera)
        if rank == 0:
            report(float(np.abs(found - scene(1, 0).render(camera)).max()))
        composition.close()
        """
    assert run(ranks, body)[0] < 0.03 / 255


@pytest.mark.parametrize(
    "change",
    [
        "renderer_of(w).GradientBackgroundOn(); renderer_of(w).SetBackground2(0.9, 0.8, 0.1)",
        "w.SetAlphaBitPlanes(1); renderer_of(w).SetBackground(0, 0, 0)",  # of alpha 0 by default
        "renderer_of(w).GetActiveCamera().ParallelProjectionOn()",
        "w.SetSize(97, 61)",
    ],
    ids=["gradient", "transparent", "parallel", "odd size"],
)
def test_windows_of_many_kinds(change):
    found = run(
        3,
        f"""
        def changed(w):
            {change}
        changed(made)
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        if rank == 0:
            whole = window()
            changed(whole)
            spheres(range(SPHERES), renderer_of(whole))
            look(whole)
            whole.Render()
            report(difference(shown(made), shown(whole)))
        composition.close()
        """,
    )[0]
    assert found[1] < 0.001, found


def test_several_renderers_each_with_its_camera():
    found = run(
        4,
        """
        made = window(renderers=2)
        spheres(mine(rank, size), renderer_of(made, 0))
        spheres(mine(rank, size)[:2], renderer_of(made, 1))
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        if rank == 0:
            whole = window(renderers=2)
            spheres(range(SPHERES), renderer_of(whole, 0))
            spheres([i for r in range(size) for i in mine(r, size)[:2]], renderer_of(whole, 1))
            look(whole)
            whole.Render()
            report(difference(shown(made), shown(whole)))
        composition.close()
        """,
    )[0]
    assert found[1] < 0.001, found


def test_translucent_surfaces_lie_in_the_visibility_order_of_the_boxes():
    """Slabs of one sphere each, from left to right, seen from the left and from the right."""
    found = run(
        4,
        """
        def one(i, renderer):
            source = vtkSphereSource()
            source.SetCenter(i, 0, 0)
            source.SetRadius(0.49)
            mapper = vtkPolyDataMapper()
            mapper.SetInputConnection(source.GetOutputPort())
            actor = vtkActor()
            actor.SetMapper(mapper)
            actor.GetProperty().SetColor(i % 2, i / 4, 1 - i / 4)
            actor.GetProperty().SetOpacity(0.5)
            actor.GetProperty().BackfaceCullingOn()
            renderer.AddActor(actor)
            renderer.SetUseDepthPeeling(True)
            renderer.SetMaximumNumberOfPeels(20)
            renderer.SetOcclusionRatio(0)

        made = window()
        one(rank, renderer_of(made))
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        whole = window()
        for i in range(size):
            one(i, renderer_of(whole))
        worst = []
        for x in (-9, 9):
            for w in (made, whole):
                camera = renderer_of(w).GetActiveCamera()
                camera.SetPosition(x, 1, 2)
                camera.SetFocalPoint(1.5, 0, 0)
                renderer_of(w).ResetCamera()
            made.Render()
            whole.Render()
            worst.append(difference(shown(made)[..., :3], shown(whole)[..., :3], 4))
        report(worst)
        composition.close()
        """,
    )[0]
    assert all(share < 0.005 for _, share in found), found


def test_annotations_are_those_of_rank_0_and_lie_on_top():
    found = run(
        2,
        """
        look(made, 3.0)
        text("rank 0" if rank == 0 else "QQQQQQQQ", renderer_of(made))
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            text("rank 0", renderer_of(whole))
            look(whole, 3.0)
            whole.Render()
            report(difference(shown(made)[..., :3], shown(whole)[..., :3]))
        composition.close()
        """,
    )[0]
    assert found[1] < 0.002, found


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
        layer(made)
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            layer(whole)
            look(whole)
            whole.Render()
            report(difference(shown(made)[..., :3], shown(whole)[..., :3]))
        composition.close()
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
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            look(whole)
            whole.Render()
            report(difference(shown(made)[..., :3], shown(whole)[..., :3]))
        composition.close()
        """,
    )[0]
    assert found[1] == 0


def test_no_rank_has_data():
    found = run(
        2,
        """
        made = window()
        text("nothing", renderer_of(made))
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        whole = window()
        text("nothing", renderer_of(whole))
        whole.Render()
        report(difference(shown(made)[..., :3], shown(whole)[..., :3]))
        composition.close()
        """,
    )[0]
    assert found == [0, 0]


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


# ---- adapters


@pytest.mark.parametrize("background", [(0.1, 0.2, 0.4), (1, 1, 1)])
def test_image_is_what_composites(background):
    """Of two windows with a background, each with some of the spheres."""
    pictures = []
    for part in (range(0, 16, 2), range(1, 16, 2), range(16)):
        made = vtk_scenes.window(background=background)
        vtk_scenes.spheres(part, vtk_scenes.renderer_of(made))
        vtk_scenes.text("words", vtk_scenes.renderer_of(made))
        vtk_scenes.look(made)
        pictures.append(vtk.image(made))
        assert vtk_scenes.renderer_of(made).GetBackground() == background
    *parts, whole = pictures
    found, depth = sortlast.composite_serial(
        [each.colour for each in parts], [each.depth for each in parts], op="closest"
    )
    assert vtk_scenes.difference(found, whole.colour)[1] < 0.001
    assert np.isinf(whole.depth).mean() > 0.3
    np.testing.assert_array_equal(np.isinf(depth), np.isinf(whole.depth))
    x0, y0, x1, y1 = whole.bounds
    assert (whole.colour[..., 3] > 0).sum() == (whole.colour[y0:y1, x0:x1, 3] > 0).sum()
    assert all(whole.colour[y0:y1, x0:x1].any(axis=(1, 2))[[0, -1]])
    assert whole.box is not None
    assert -2 <= whole.box[0] < whole.box[1] <= 2


def test_image_of_nothing():
    made = vtk_scenes.window()
    found = vtk.image(made)
    assert not found.colour.any()
    assert np.isinf(found.depth).all()
    assert (found.bounds, found.box) == ((0, 0, 0, 0), None)
    with pytest.raises(sortlast.ArgumentError, match="window is a int; expected a vtkRenderWindow"):
        vtk.image(7)


# ---- what goes wrong


def test_an_exception_in_an_observer_of_one_rank_ends_the_frame_on_all():
    reports = run(
        3,
        """
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        def fail(*_):
            raise MemoryError("no room")
        at = [("StartEvent", made), ("EndEvent", renderer_of(made)), ("EndEvent", made)]
        errors = []
        for event, thing in at:
            tag = thing.AddObserver(event, fail) if rank == 1 else None
            errors.append(told(made.Render))
            if tag is not None:
                thing.RemoveObserver(tag)
        errors.append(told(made.Render))
        report(errors)
        composition.close()
        """,
    )
    assert reports == [[["Error", "rank 1: MemoryError: no room"]] * 3 + [None]] * 3


def test_what_rank_0s_work_raises_is_raised_on_all():
    reports = run(
        3,
        """
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        def work():
            made.Render()
            raise ValueError("no such file")
        errors = [told(lambda: composition.lead(work)), told(lambda: composition.lead(made.Render))]
        report(errors)
        composition.close()
        """,
    )
    assert reports[0] == [["ValueError", "no such file"], None]
    assert reports[1:] == [[["Error", "rank 0: ValueError: no such file"], None]] * 2


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("sortlast.vtk.compose(7, comm)", "rank 1: window is a int; expected a vtkRenderWindow"),
        ("sortlast.vtk.compose(made, comm, 'solid')", "rank 1: mode is 'solid'; expected 'auto', 'surface'"),
        ("sortlast.vtk.compose(made, comm, timeout='long')", "rank 1: timeout is 'long'"),
        ("sortlast.vtk.compose(made, comm, reduction=0)", "rank 1: reduction is 0; expected 1 or more"),
        ("sortlast.vtk.compose(made, comm, box=(1, 2))", "rank 1: box is (1, 2)"),
        ("sortlast.vtk.compose(made, comm, algorithm='quick')", "quick"),
        ("sortlast.vtk.compose(window(renderers=2), comm)", "1 renderers on rank 0, and 2 on rank 1"),
        ("sortlast.vtk.compose(window(renderers=0), comm)", "rank 1: window has no renderer in layer 0"),
    ],
)
def test_wrong_arguments_on_one_rank_are_told_on_all(wrong, text):
    reports = run(
        2,
        f"""
        first = told((lambda: {wrong}) if rank == 1 else (lambda: sortlast.vtk.compose(made, comm)))
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        report([first, told(made.Render)])
        composition.close()
        """,
    )
    assert reports[0] == reports[1]
    assert text in reports[0][0][1]
    assert reports[0][1] is None


def test_what_looks_beyond_a_ranks_pixels_is_refused():
    reports = run(
        2,
        """
        from vtkmodules.vtkRenderingOpenGL2 import vtkRenderStepsPass, vtkSSAAPass
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        if rank == 1:
            passes = vtkSSAAPass()
            passes.SetDelegatePass(vtkRenderStepsPass())
            renderer_of(made).SetPass(passes)
        errors = [told(made.Render)]
        renderer_of(made).SetPass(None)
        if rank == 0:
            made.StereoRenderOn()
        errors.append(told(made.Render))
        made.StereoRenderOff()
        errors.append(told(made.Render))
        report(errors)
        composition.close()
        """,
    )
    assert reports[0] == reports[1]
    (_, passes), (_, stereo), last = reports[0]
    assert passes.startswith("rank 1: ArgumentError: a renderer has a render pass")
    assert stereo.startswith("rank 0: ArgumentError: the window renders in stereo")
    assert last is None


def test_boxes_without_an_order_are_an_error_on_all():
    reports = run(
        2,
        """
        look(made)
        composition = sortlast.vtk.compose(made, comm, "volume", timeout=30)
        report(told(made.Render))
        composition.close()
        """,
    )
    assert reports[0] == reports[1]
    assert reports[0][0] == "ArgumentError"
    assert "overlap" in reports[0][1]


def test_a_box_that_is_passed_takes_the_place_of_the_props_box():
    reports = run(
        2,
        """
        look(made)
        composition = sortlast.vtk.compose(
            made, comm, "volume", timeout=30, box=(-2 + 2 * rank, 2 * rank, -2, 2, -2, 2)
        )
        report(told(made.Render))
        composition.close()
        """,
    )
    assert reports == [None, None]


@pytest.mark.parametrize("absent", [0, 1])
def test_a_render_on_some_ranks_alone_ends_in_time(absent):
    reports = run(
        3,
        f"""
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=1)
        report([told(made.Render), told(made.Render)] if rank != {absent} else [])
        """,
        alone=True,
    )
    reports.pop(absent)
    expected = f"rank {absent} has not come within 1 s"
    for first, again in reports:
        assert first[0] == "TimeoutError"
        assert first[1].startswith(expected)
        assert again == first


if __name__ == "__main__":
    job = mpirun.run_command(2, [sys.executable, "-m", "mpi4py", "-c", sys.argv[1]])
    sys.stdout.write(job.stdout)
    sys.stderr.write(job.stderr)
