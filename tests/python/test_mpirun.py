"""The parallel runner that the other tests stand on."""

import time

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]


def test_reports_come_back_in_rank_order() -> None:
    job = mpirun.run(3, "report([rank, comm.allreduce(rank)])")
    assert job.returncode == 0, job
    assert job.reports == [[0, 3], [1, 3], [2, 3]]


def test_an_exception_on_one_rank_ends_all() -> None:
    job = mpirun.run(
        2,
        """
        if rank == 1:
            raise ValueError("rank 1 gave up")
        comm.recv(source=1)
        """,
    )
    assert job.returncode != 0
    assert "rank 1 gave up" in job.stderr
    assert job.reports == [None, None]


def test_a_hang_is_ended_at_the_limit() -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError, match=r"2 ranks did not end within 3 s.*\n.*waiting"):
        mpirun.run(2, "print('waiting', flush=True)\ncomm.recv(source=1 - rank)", timeout=3.0)
    assert time.monotonic() - began < 60  # and not for ever, however busy the machine is


def test_more_ranks_than_cores() -> None:
    job = mpirun.run(16, "for _ in range(100): comm.barrier()\nreport(size)")
    assert job.returncode == 0, job
    assert job.reports == [16] * 16
