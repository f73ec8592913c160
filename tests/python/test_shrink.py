"""Compositor.shrink: ranks that live go on without those that have died."""

from __future__ import annotations

import importlib.util
import re
import subprocess

import pytest

import mpirun
from sortlast import launch

pytestmark = [pytest.mark.mpi, pytest.mark.family]

ULFM = ["--with-ft", "ulfm"]  # of Open MPI's mpiexec

PRELUDE = """
import os, signal, time
import numpy as np
import sortlast

image = np.full((6, 8, 4), (rank + 1) / 64, np.float32)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def met(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return ["nothing", ""]

def end():
    # Open MPI 5.0.11 may wait in MPI_Finalize for ever for a rank that has died.
    os._exit(0)

def works(comp):
    frame = comp.gather(comp.composite(image, op="add"))
    return frame is None or bool((frame.colour == sum(each + 1 for each in comp.ranks) / 64).all())
"""


def run(ranks, snippet, options=ULFM):
    if options and launch.find_mpiexec().family != "openmpi":
        pytest.skip("this MPI has no ULFM")
    return mpirun.run(ranks, PRELUDE + "if True:\n" + snippet, timeout=60, alone=True, options=options)


def test_an_mpi_without_ulfm_can_load_the_module():
    """Open MPI 4 lacks the functions of ULFM, and a Python module gets all its symbols when it is loaded."""
    found = importlib.util.find_spec(f"sortlast._mpi_{launch.find_mpiexec().family}")
    assert found is not None
    assert found.origin is not None
    symbols = subprocess.run(
        ["readelf", "-W", "--dyn-syms", found.origin], capture_output=True, text=True, check=True
    ).stdout
    assert re.search(r" GLOBAL .* UND MPI_Comm_size$", symbols, re.MULTILINE)
    assert not re.search(r" GLOBAL .* UND MPIX_", symbols)


def test_without_ulfm_it_says_what_to_do():
    job = run(
        3,
        """
        comp = sortlast.Compositor(comm)
        found = met(comp.shrink)
        report([comp.ranks, found, works(comp)])
        """,
        options=(),
    )
    assert job.returncode == 0, job
    for ranks, (kind, text), right in job.reports:
        assert (ranks, kind, right) == ([0, 1, 2], "UsageError", True)
        assert "mpiexec --with-ft ulfm" in text


def test_frames_go_on_after_two_deaths():
    job = run(
        5,
        """
        comp = sortlast.Compositor(comm, "radix-k:5", ring=[4, 3, 2, 1, 0], timeout=40)
        found = []
        for victim in (1, 3):
            assert works(comp)
            if rank == victim:
                die()
            while (error := met(lambda: works(comp)))[0] == "nothing":
                pass
            old, comp = comp, comp.shrink()
            again = met(lambda: works(old))[0]
            old.close()
            found.append([error, again, comp.ranks, works(comp), comp.algorithm])
        report(found)
        comp.close()
        end()
        """,
    )
    assert [rank for rank in range(5) if job.reports[rank] is None] == [1, 3], job
    for rank in (0, 2, 4):
        assert job.reports[rank] is not None, job
        first, second = job.reports[rank]
        # The second is rank 2 of the four that were left.
        for (error, again, ranks, right, algorithm), dead, left in (
            (first, 1, [0, 2, 3, 4]),
            (second, 2, [0, 2, 4]),
        ):
            kind, text = error
            assert (kind, ranks, right) == ("RemoteError", left, True)
            assert f"rank {dead} has " in text
            assert again == "TimeoutError"
            assert algorithm.startswith("radix-k")


def test_ranks_in_another_call_hear_of_it():
    job = run(
        3,
        """
        comp = sortlast.Compositor(comm, timeout=40)
        found = ["nothing", ""] if rank == 0 else met(lambda: comp.composite(image, op="add"))
        rest = comp.shrink()
        report([found, rest.ranks, works(rest)])
        """,
    )
    assert job.returncode == 0, job
    for rank, ((kind, text), ranks, right) in enumerate(job.reports):
        assert (ranks, right) == ([0, 1, 2], True)
        assert kind == ("nothing" if rank == 0 else "RemoteError")
        assert rank == 0 or "shrink()" in text


def test_a_rank_that_does_not_call_it_hangs_nobody():
    job = run(
        3,
        """
        comp = sortlast.Compositor(comm, timeout=1)
        assert works(comp)
        report(met(comp.shrink) if rank != 1 else time.sleep(4))
        end()
        """,
    )
    for rank in (0, 2):
        assert job.reports[rank] is not None, job
        kind, text = job.reports[rank]
        assert kind == "TimeoutError"
        assert "not all ranks that live called it" in text
