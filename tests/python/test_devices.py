"""Images in the memory of GPUs, from Python: the protocols, streams, and where the results are.

The driver is the fake one of the C++ tests, unless SORTLAST_CUDA_DRIVER names another.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]

DRIVER = os.environ.get(
    "SORTLAST_CUDA_DRIVER", str(Path(__file__).parents[2] / "build" / "run" / "tests" / "libfake_cuda.so")
)

# Every rank makes all images of a frame, and has its own on a GPU.
HEAD = f"""
import os
os.environ["SORTLAST_CUDA_DRIVER"] = {DRIVER!r}
import numpy as np
import sortlast

def images(seed, dtype="float32", height=9, width=13):
    random = np.random.default_rng(seed)
    pictures = random.random((size, height, width, 4), np.float32)
    pictures[..., :3] *= pictures[..., 3:]
    return list(np.round(pictures * 255).astype(np.uint8) if dtype == "uint8" else pictures.astype(dtype))

def on_device(comp, picture, device="cuda"):
    array = comp.allocate(picture.shape, picture.dtype, device=device)
    array.copy_from_host(picture)
    return array

class Interface:  # an array of a library with the CUDA Array Interface alone
    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__ | changes

class Capsule:  # of one with DLPack alone
    def __init__(self, array):
        self.array = array
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__(stream=stream)

def error_of(call):
    try:
        call()
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"
"""

run = partial(mpirun.reports, head=HEAD)


@pytest.mark.parametrize("ranks", [1, 3])
def test_results_are_where_the_image_is_with_the_bits_of_the_host(ranks):
    reports = run(
        ranks,
        """
        host = sortlast.Compositor(comm, algorithm="direct-send")
        comp = sortlast.Compositor(comm, algorithm="direct-send")
        for number, dtype in enumerate(("float32", "float16", "uint8")):
            pictures = images(number, dtype)
            depth = np.random.default_rng(rank).random((9, 13), np.float32)
            right = host.gather(host.composite(pictures[rank], depth), depth=True)
            device = on_device(comp, pictures[rank])
            plane = on_device(comp, depth)
            for image in (device, Interface(device), Capsule(device)):
                tile = comp.composite(image, plane)
                assert isinstance(tile.pixels, sortlast.DeviceArray)
                assert tile.pixels.shape == (tile.end - tile.begin, 4) and tile.pixels.dtype == dtype
                frame = comp.gather(tile, depth=True)
                assert "in the memory of GPU 0" in comp.explain()
                if rank == 0:
                    assert frame.shape == (9, 13, 4) and frame.dtype == dtype
                    assert frame.colour.copy_to_host().tobytes() == right.colour.tobytes()
                    assert frame.depth.copy_to_host().tobytes() == right.depth.tobytes()
                    assert frame.__cuda_array_interface__["shape"] == (9, 13, 4)
                    assert frame.__dlpack_device__() == (2, 0)
                    assert "copy_to_host" in error_of(lambda: np.asarray(frame))
        report("fine")
        """,
    )
    assert reports == ["fine"] * ranks


def test_memory_of_the_caller_and_ranks_on_the_host():
    reports = run(
        3,
        """
        comp = sortlast.Compositor(comm, algorithm="direct-send")
        pictures = images(5)
        right = comp.gather(comp.composite(pictures[rank]), root=1)
        mixed = on_device(comp, pictures[rank]) if rank != 2 else pictures[rank]
        out = comp.allocate((9, 13, 4), "float32", device="cuda") if rank != 2 else np.zeros((9, 13, 4), "f4")
        tile = comp.composite(mixed, out=out)
        assert isinstance(tile.pixels, sortlast.DeviceArray) == (rank != 2)
        whole = comp.allocate((9, 13, 4), "float32", device="cuda:0")
        frame = comp.gather(tile, root=1, out=whole)
        if rank == 1:
            assert frame.colour is whole
            assert whole.copy_to_host().tobytes() == right.colour.tobytes()
        on_host = np.empty((9, 13, 4), "float32")
        frame = comp.gather(tile, root=1, out=on_host)
        if rank == 1:
            assert on_host.tobytes() == right.colour.tobytes()
        report("fine")
        """,
    )
    assert reports == ["fine"] * 3


def test_the_root_of_one_gpu_blends_all():
    reports = run(
        3,
        """
        comp = sortlast.Compositor(comm)
        pictures = images(6)
        tile = comp.composite(on_device(comp, pictures[rank]), root=2)
        frame = comp.gather(tile, root=2)
        if rank == 2:
            oracle = sortlast.composite_serial(pictures).colour
            assert np.abs(frame.colour.copy_to_host() - oracle).max() < 1e-5
        report([tile.end - tile.begin, comp.algorithm, "share this GPU" in comp.explain()])
        """,
    )
    assert reports == [[0, "collect:2", True], [0, "collect:2", True], [117, "collect:2", True]]


def test_lists_of_images_are_copied_to_the_host():
    reports = run(
        3,
        """
        comp = sortlast.Compositor(comm)
        pictures = images(11)[:2]
        depths = [np.random.default_rng(rank + k).random((9, 13), np.float32) for k in range(2)]
        settings = dict(positions=[rank, size + rank], shape=(9, 13), op="closest")
        right = comp.gather(comp.composite_layers(pictures, depths=depths, **settings))
        silent = "GPU" not in comp.explain()
        mine = [on_device(comp, pictures[0]), pictures[1] if rank else Capsule(on_device(comp, pictures[1]))]
        planes = [on_device(comp, depths[0]), depths[1]]
        frame = comp.gather(comp.composite_layers(mine, depths=planes, **settings))
        told = "were copied to the host" in comp.explain()
        comp.composite(pictures[0])
        report([
            silent and told and "were copied" not in comp.explain(),
            rank > 0 or np.asarray(frame).tobytes() == np.asarray(right).tobytes(),
            rank > 0 or isinstance(frame.colour, np.ndarray),
        ])
        """,
    )
    assert reports == [[True, True, True]] * 3


def test_what_cannot_be_read_is_refused_on_every_rank():
    reports = run(
        2,
        """
        comp = sortlast.Compositor(comm)
        picture = images(7)[rank]
        device = on_device(comp, picture)
        def wrong(image, **more):
            return error_of(lambda: comp.composite(image if rank == 0 else picture, **more))
        report([
            wrong(Interface(device, typestr="<f8")),
            wrong(Interface(device, strides=(4, 4, 4))),
            wrong(Interface(device, data=(picture.ctypes.data, False))),
            wrong(device, depth=np.zeros((9, 13), np.float32) if rank == 0 else None),
            wrong(device, stream="mine"),
            wrong(device, channels={"id": np.zeros((9, 13), np.uint32)}),
            error_of(lambda: comp.allocate((1,), "float32", device="gpu")),
            error_of(lambda: comp.allocate((1,), "float32", device="cuda:7")),
            error_of(lambda: device.copy_from_host(picture[:1])),
            comp.usable,
        ])
        """,
    )
    for found in reports:
        for text, expected in zip(
            found,
            [
                "float64; expected float32",
                "not C-contiguous",
                "memory of the host",
                "different memory",
                "stream is a str",
                "only one image per rank",
                "device is 'gpu'; expected 'cpu'",
                "GPU 7 of",
                "expected float32 (9, 13, 4)",
            ],
            strict=False,
        ):
            assert expected in text
        assert found[-1] is True


def test_a_rank_that_does_not_come_is_named():
    reports = run(
        3,
        """
        comp = sortlast.Compositor(comm, timeout=2)
        device = on_device(comp, images(8)[rank])
        comp.composite(device)
        error = error_of(lambda: comp.composite(device)) if rank != 1 else None
        comm.barrier()
        again = sortlast.Compositor(comm)
        frame = again.gather(again.composite(device))
        report([error, comp.usable, frame is not None])
        """,
        alone=True,
    )
    for rank in (0, 2):
        assert "rank 1 has not arrived" in reports[rank][0]
        assert reports[rank][1:] == [False, rank == 0]


def test_importing_loads_no_driver():
    code = "import sortlast, sys; print('libcuda' in open('/proc/self/maps').read())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
