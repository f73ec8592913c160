"""Errors over MPI: the same on every rank, at once, with ranks and values; and ranks that never come."""

from __future__ import annotations

from functools import partial

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]

# attempt(action): what every rank met, [type, text].
ATTEMPT = """
import numpy as np
import sortlast

image = np.full((6, 8, 4), 0.25, np.float32)

def attempt(action):
    comm.barrier()
    try:
        action()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return ["nothing", ""]

def works(comp):
    frame = comp.gather(comp.composite(image))
    return rank != 0 or bool(np.allclose(frame.colour[..., 3], 1 - 0.75**size))
"""


run = partial(mpirun.reports, head=ATTEMPT)


def expect_same(reports, kind, *parts):
    """Every rank met the same error, and its text holds the parts."""
    for found, text in reports:
        assert (found, text) == (kind, reports[0][1])
        for part in parts:
            assert part in text


# Calls that differ on rank 1 of 3, and what every rank's message holds.
MISMATCHES = {
    "size": ("comp.composite(image[:, :4].copy())", ["size: 8x6 on ranks 0, 2; 4x6 on rank 1"]),
    "dtype": (
        "comp.composite(image.astype(np.float16))",
        ["RGBA float32 on ranks 0, 2", "RGBA float16 on rank 1"],
    ),
    "channels": (
        "comp.composite(image[..., :3].copy(), op='add')",
        ["RGB float32 on rank 1", "add on rank 1"],
    ),
    "depth": ("comp.composite(image, image[..., 0].copy())", ["RGBA float32 + depth on rank 1"]),
    "op": ("comp.composite(image, op='max')", ["op: over on ranks 0, 2; max on rank 1"]),
    "order": ("comp.composite(image, order=[2, 1, 0])", ["order: ", "[2,1,0] on rank 1"]),
    "background": (
        "comp.composite(image, background=[0, 0, 0, 1])",
        ["(none) on ranks 0, 2; 0, 0, 0, 1 on"],
    ),
    "call": ("comp.gather(tile)", ["call: composite on ranks 0, 2; gather on rank 1"]),
    "absent": ("comp.composite(None, shape=(6, 9, 4), dtype='float32')", ["9x6 on rank 1"]),
}

# Calls that are wrong in themselves, on rank 1 of 3 alone.
WRONG = {
    "float64": ("comp.composite(image.astype(float))", "image is float64; expected float32"),
    "2-D": ("comp.composite(image[0])", "image has shape (8, 4)"),
    "strided": ("comp.composite(image[:, ::2])", "image is not C-contiguous"),
    "list": ("comp.composite([1, 2])", "image is a list"),
    "None": ("comp.composite(None)", "image is None; expected shape="),
    "shape": ("comp.composite(None, shape=5, dtype='float32')", "shape is 5; expected (H, W, 4)"),
    "short shape": ("comp.composite(None, shape=(6, 8), dtype='float32')", "shape is (6, 8)"),
    "float shape": ("comp.composite(None, shape=(6, 8.5, 4), dtype='float32')", "shape is (6, 8.5, 4)"),
    "huge shape": ("comp.composite(None, shape=(2**62, 2**62, 4), dtype='float32')", "shape is ("),
    "dtype": ("comp.composite(None, shape=(6, 8, 4), dtype='colour')", "dtype is 'colour'; expected float32"),
    "op": ("comp.composite(image, op='under')", "'under'"),
    "op type": ("comp.composite(image, op=3)", "op is "),
    "order": ("comp.composite(image, order=[0, 0, 1])", "order"),
    "empty order": ("comp.composite(image, order=[])", "order"),
    "order type": ("comp.composite(image, order='front')", "order is 'front'; expected a list of ranks"),
    "background": ("comp.composite(image, background=[1])", "background has 1 values; expected 4"),
    "background type": ("comp.composite(image, background=[1, 2, 3, 'x'])", "expected one number a channel"),
    "closest": ("comp.composite(image, op='closest')", "closest needs a depth plane"),
    "depth": ("comp.composite(image, image)", "depth has shape (6, 8, 4); expected (6, 8)"),
    "vast shape": (
        "comp.composite(None, shape=(0, 2**64, 4), dtype='float32')",
        "shape is (0, 18446744073709551616, 4)",
    ),
    "premultiplied": (
        "comp.composite(image, premultiplied=np.ones(3))",
        "premultiplied is array([1., 1., 1.])",
    ),
    "background value": (
        "comp.composite(image, background=[1e300] * 4)",
        "expected numbers that float32 holds",
    ),
    "bounds": ("comp.composite(image, bounds=(0, 0, 2**70, 1))", "bounds is (0, 0, "),
}


def test_arguments_that_differ():
    calls = "\n".join(f"            {name!r}: lambda: {call}," for name, (call, _) in MISMATCHES.items())
    reports = run(
        3,
        f"""
        comp = sortlast.Compositor(comm, timeout=20)
        tile = comp.composite(image)
        calls = {{
{calls}
        }}
        found = {{}}
        for name, call in calls.items():
            found[name] = attempt(call if rank == 1 else lambda: comp.composite(image))
            assert works(comp)
        report(found)
        """,
    )
    for name, (_, parts) in MISMATCHES.items():
        expect_same([r[name] for r in reports], "MismatchError", *parts)


def test_arguments_that_are_wrong_on_one_rank():
    calls = "\n".join(f"            {name!r}: lambda: {call}," for name, (call, _) in WRONG.items())
    reports = run(
        3,
        f"""
        comp = sortlast.Compositor(comm, timeout=20)
        calls = {{
{calls}
        }}
        found = {{}}
        for name, call in calls.items():
            found[name] = attempt(call if rank == 1 else lambda: comp.composite(image))
            assert works(comp)
        found["everywhere"] = attempt(lambda: comp.composite(image.astype(float)))
        assert works(comp)
        report(found)
        """,
    )
    for name, (_, part) in WRONG.items():
        expect_same([r[name] for r in reports], "MismatchError", part, "on rank 1")
    expect_same([r["everywhere"] for r in reports], "ArgumentError", "image is float64")


def test_gather():
    reports = run(
        3,
        """
        comp = sortlast.Compositor(comm, timeout=20)
        tile = comp.composite(image)
        found = {}
        for name, call in {
            "root": lambda: comp.gather(tile, root=2),
            "depth": lambda: comp.gather(tile, depth=True),
            "range": lambda: comp.gather(tile, root=3),
            "huge": lambda: comp.gather(tile, root=2**40),
            "type": lambda: comp.gather(tile, root="first"),
            "flag": lambda: comp.gather(tile, depth=np.ones(2)),
            "none": lambda: comp.gather(None),
            "out": lambda: comp.gather(tile, 1, out=np.ones((3, 3))),
            "tile": lambda: comp.gather(tile.pixels),
        }.items():
            found[name] = attempt(call if rank == 1 else lambda: comp.gather(tile))
            assert works(comp)
        report(found)
        """,
    )
    parts = {
        "root": ["root: 0 on ranks 0, 2; 2 on rank 1"],
        "depth": ["on rank 1"],
        "range": ["root is 3; expected a rank, 0..2"],
        "huge": ["root is 1099511627776; expected a rank"],
        "type": ["root is 'first'; expected a rank"],
        "tile": ["tile is a ndarray; expected one of composite()"],
        "flag": ["depth is array([1., 1.]); expected True or False"],
        "none": ["tile is a NoneType"],
        "out": ["out is float64 (3, 3); expected float32 (6, 8, 4)"],
    }
    for name, texts in parts.items():
        expect_same([r[name] for r in reports], "MismatchError", *texts, "on rank 1")


def test_constructors():
    reports = run(
        3,
        """
        found = {}
        for name, options in {
            "algorithm": dict(algorithm="direct-send"),
            "ring": dict(ring=[2, 0, 1]),
            "unknown": dict(algorithm="bubble"),
            "algorithm type": dict(algorithm=7),
            "no permutation": dict(ring=[0, 0, 1]),
            "timeout": dict(timeout=0),
            "timeout type": dict(timeout="long"),
            "check": dict(check=object()),
            "nodes": dict(node_ranks=-1),
            "profile": dict(profile=7),
            "wire": dict(wire="float8"),
        }.items():
            options = {"algorithm": "shift"} | (options if rank == 1 else {})
            found[name] = attempt(lambda: sortlast.Compositor(comm, **options))
        assert works(sortlast.Compositor(comm))
        report(found)
        """,
    )
    parts = {
        "algorithm": "algorithm: shift on ranks 0, 2; direct-send on rank 1",
        "ring": "[2,0,1] on rank 1",
        "unknown": "'bubble' is not known; expected one of",
        "algorithm type": "algorithm is ",
        "no permutation": "ring",
        "timeout": "timeout is 0",
        "timeout type": "timeout is ",
        "check": "check is a object; expected True or False",
        "nodes": "node_ranks is -1; expected 0 or more, or None",
        "profile": "profile is 7; expected a path",
        "wire": "wire is 'float8'; expected 'image' or 'float16'",
    }
    for name, part in parts.items():
        expect_same([r[name] for r in reports], "MismatchError", part, "on rank 1")


def test_errors_have_their_builtin_kin():
    run(
        1,
        """
        comp = sortlast.Compositor(comm)
        for kind in (ValueError, sortlast.Error):
            try:
                comp.composite(image.astype(float))
            except kind:
                continue
            raise AssertionError(kind)
        assert issubclass(sortlast.TimeoutError, TimeoutError)
        assert issubclass(sortlast.MismatchError, ValueError)
        for kind in (sortlast.UsageError, sortlast.RemoteError, sortlast.MpiError):
            assert issubclass(kind, RuntimeError)
        """,
    )


def test_a_rank_that_never_calls():
    reports = run(
        4,
        """
        comp = sortlast.Compositor(comm, timeout=0.7)
        tile = comp.composite(image)
        if rank != 2:
            first = attempt(lambda: comp.gather(tile))
            again = attempt(lambda: comp.gather(tile))
        else:
            comm.barrier()
            comm.barrier()
            first = again = None
        fresh = sortlast.Compositor(comm)
        assert works(fresh)
        report([first, again])
        """,
        timeout=30,
        alone=True,
    )
    for rank in (0, 1, 3):
        (kind, text), (kind_again, text_again) = reports[rank]
        assert kind == kind_again == "TimeoutError"
        assert "rank 2 has not arrived" in text
        assert f"rank {rank} waits for all ranks to call gather" in text
        assert "make a new one" in text_again


@pytest.mark.parametrize("node_ranks", [0, 1])
def test_alarms_for_ranks_that_have_closed_reach_no_later_compositor(node_ranks):
    """MPI would give the number of a freed communicator to one of the ranks that have freed it."""
    reports = run(
        4,
        f"""
        comp = sortlast.Compositor(comm, timeout=1.5, node_ranks={node_ranks})
        found = attempt(comp.close if rank < 3 else lambda: comp.composite(image))[0]
        comm.barrier()
        part = comm.Split(rank == 3)
        later = [attempt(lambda: sortlast.Compositor(part, timeout=60).close()) for _ in range(5)]
        report([found, [name for name, _ in later]])
        """,
        timeout=60,
        alone=True,
    )
    assert [found for found, _ in reports] == ["nothing"] * 3 + ["TimeoutError"]
    assert [names for _, names in reports] == [["nothing"] * 5] * 4


def test_an_interrupt_ends_a_wait():
    """Ctrl-C on a rank that waits is seen at once, not when the limit has passed."""
    reports = run(
        2,
        """
        import os, signal, threading
        comp = sortlast.Compositor(comm, timeout=60)
        comm.barrier()
        if rank == 0:
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            try:
                comp.composite(image)
            except KeyboardInterrupt:
                report("interrupted")
        comm.barrier()
        """,
        timeout=30,
        alone=True,
    )
    assert reports[0] == "interrupted"


def test_a_rank_that_cannot_load_the_compositor():
    """Its process has no file descriptors left at the first call; the others do not wait for it."""
    reports = run(
        3,
        """
        import resource
        make = sortlast.Compositor
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        if rank == 1:
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
        first = attempt(lambda: make(comm, timeout=60))
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        comm.barrier()
        report([first, works(make(comm, timeout=60))])
        """,
        alone=True,
    )
    assert all(again for _, again in reports)
    (_, own), others = reports[1][0], [reports[0][0], reports[2][0]]
    assert "Too many open files" in own
    for kind, text in others:
        assert kind == "RemoteError"
        assert "rank 1 gave up: " in text
        assert "Too many open files" in text
