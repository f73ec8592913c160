"""What goes wrong with a VTK window on one rank is told on all, and ends the frame and no more."""

from __future__ import annotations

import pytest

from vtk_ranks import run

pytestmark = pytest.mark.mpi


def test_an_exception_in_an_observer_of_one_rank_ends_the_frame_on_all():
    reports = run(
        3,
        """
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        def fail(*_):
            np.empty(1 << 57)
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
    assert reports[0] == reports[1] == reports[2]
    *ended, last = reports[0]
    assert len(ended) == 3
    for kind, text in ended:
        assert kind == "Error"
        assert text.startswith("rank 1: ")
        assert "MemoryError: Unable to allocate" in text
    assert last is None


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
    expected = f"rank {absent} has not arrived within 1 s"
    for first, again in reports:
        assert first[0] == "TimeoutError"
        assert first[1].startswith(expected)
        assert again == first


def test_an_error_that_vtk_prints_on_one_rank_ends_the_frame_on_all():
    """A volume for which the graphics card has no texture, and a file that is gone."""
    reports = run(
        2,
        """
        from vtkmodules.vtkCommonDataModel import vtkImageData
        from vtkmodules.vtkCommonCore import VTK_UNSIGNED_CHAR
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
        from vtkmodules.vtkRenderingCore import vtkVolume
        from vtkmodules.vtkRenderingVolumeOpenGL2 import vtkOpenGLGPUVolumeRayCastMapper
        look(made)
        composition = sortlast.vtk.compose(made, comm, "volume", timeout=30, box=(rank, rank + 1, 0, 1, 0, 1))

        too_long = vtkImageData()
        too_long.SetDimensions(100_000, 2, 2)
        too_long.SetSpacing(1e-5, 1, 1)
        too_long.AllocateScalars(VTK_UNSIGNED_CHAR, 1)
        mapper = vtkOpenGLGPUVolumeRayCastMapper()
        mapper.SetInputData(too_long)
        volume = vtkVolume()
        volume.SetMapper(mapper)

        reader = vtkXMLPolyDataReader()
        reader.SetFileName("/no/such/file.vtp")
        reading = vtkPolyDataMapper()
        reading.SetInputConnection(reader.GetOutputPort())
        actor = vtkActor()
        actor.SetMapper(reading)

        errors = []
        for prop in (volume, actor):
            if rank == 1:
                renderer_of(made).AddViewProp(prop)
            errors.append(told(made.Render))
            renderer_of(made).RemoveViewProp(prop)
        errors.append(told(made.Render))
        report(errors)
        composition.close()
        """,
    )
    assert reports[0] == reports[1]
    (kind, texture), (_, file), last = reports[0]
    assert kind == "Error"
    assert texture.startswith("rank 1: VTK: vtkVolumeTexture: Invalid texture dimensions")
    assert file.startswith("rank 1: VTK: vtkXMLPolyDataReader")
    assert "/no/such/file.vtp" in file
    assert last is None


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("composition.sample_alike([renderer_of(made)])", "rank 1: volume 0 is a"),
        ("composition.sample_alike([], [(0, 1, 0, 1, 0, 1)])", "rank 1: boxes has 1 boxes for 0 volumes"),
        ("composition.sample_alike([vtkVolume()])", "rank 1: the volume's mapper is missing"),
    ],
)
def test_volumes_that_cannot_be_sampled_alike_are_told_on_all(wrong, text):
    reports = run(
        2,
        f"""
        from vtkmodules.vtkRenderingCore import vtkVolume
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        first = told((lambda: {wrong}) if rank == 1 else (lambda: composition.sample_alike([])))
        report([first, told(made.Render)])
        composition.close()
        """,
    )
    assert reports[0] == reports[1]
    assert text in reports[0][0][1]
    assert reports[0][1] is None
