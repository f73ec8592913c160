"""What is wrong on one rank alone is told on all; threads, forks and late calls are errors, not crashes."""

from __future__ import annotations

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]

PICTURE = "image = np.full((20, 30, 4), 0.25, np.float32)"


def run(ranks: int, body: str, **options):
    """A job whose ranks have numpy, sortlast, an image and `told(call)`: what a call raised, in two texts."""
    lines = [
        "import numpy as np, sortlast",
        PICTURE,
        "def told(call):",
        "    try:",
        "        call()",
        "    except Exception as error:",
        "        return [type(error).__name__, str(error)]",
        "    return None",
    ]
    return mpirun.run(ranks, "\n".join(lines) + "\n" + mpirun.textwrap.dedent(body), **options)


def test_a_closed_compositor_says_so():
    job = run(
        2,
        """
        with sortlast.Compositor(comm) as comp:
            tile = comp.composite(image)
            kept = tile.pixels.copy()
        comp.close()
        same = bool((tile.pixels == kept).all())
        report([told(lambda: comp.composite(image)), told(lambda: comp.gather(tile)), same])
        """,
    )
    assert job.returncode == 0, job
    for composite, gather, same in job.reports:
        assert "closed" in composite[1]
        assert "closed" in gather[1]
        assert same


def test_pixels_go_where_the_caller_wants_them():
    job = run(
        3,
        """
        rng = np.random.default_rng(rank)
        image = rng.random((20, 30, 4), np.float32)
        depth = rng.random((20, 30), np.float32)
        image[6:], depth[6:] = 0, np.inf
        same = []
        for nodes, root in [(None, None), (1, None), (1, 0)]:
            comp = sortlast.Compositor(comm, "direct-send", timeout=20, node_ranks=nodes)
            plain = comp.composite(image, depth, op="closest", root=root)
            same.append((len(plain.ranges) > 1) == (root is not None))
            frame = comp.gather(plain, depth=True)
            out = np.full_like(image, 7), np.full_like(depth, 7)
            tile = comp.composite(image, depth, op="closest", out=out, root=root)
            flat, flat_depth = out[0].reshape(-1, 4), out[1].reshape(-1)
            mine = np.concatenate([np.arange(begin, end) for begin, end in tile.ranges])
            others = np.setdiff1d(np.arange(600), mine)
            same.append(bool((flat[others] == 7).all() and (flat_depth[others] == 7).all()))
            same.append(bool((flat[mine] == plain.pixels).all() and (flat_depth[mine] == plain.depth).all()))
            whole = (np.empty_like(image), np.empty_like(depth)) if rank == 0 else None
            gathered = comp.gather(tile, depth=True, out=whole)
            if rank == 0:
                same.append(gathered.colour is whole[0] and gathered.depth is whole[1])
                same.append(np.array_equal(gathered.colour, frame.colour))
                same.append(np.array_equal(gathered.depth, frame.depth))
        report(same)
        """,
    )
    assert job.returncode == 0, job
    assert all(all(same) and same for same in job.reports)


def test_straight_alpha_is_multiplied():
    job = run(
        3,
        """
        straight = np.full((20, 30, 4), (1.0, 0.5, 0.25, 0.5), np.float32)
        ready = straight * np.array([0.5, 0.5, 0.5, 1], np.float32)
        comp = sortlast.Compositor(comm, timeout=20)
        right = comp.gather(comp.composite(ready))
        converted = comp.gather(comp.composite(straight, premultiplied=rank < 0))
        mixed = comp.gather(comp.composite(straight if rank else ready, premultiplied=rank == 0))
        report(rank or [np.array_equal(one, right) for one in (converted, mixed)])
        """,
    )
    assert job.returncode == 0, job
    assert job.reports[0] == [True, True]


def test_two_threads_are_told():
    job = run(
        2,
        """
        import threading, time
        comp = sortlast.Compositor(comm, timeout=20)
        answers = []
        def late():
            time.sleep(0.3)
            answers.append(told(lambda: comp.composite(image)))
        if rank == 0:
            other = threading.Thread(target=late)
            other.start()
            tile = comp.composite(image)
            other.join()
        else:
            time.sleep(1.0)
            tile = comp.composite(image)
        report([tile.shape, answers])
        """,
    )
    assert job.returncode == 0, job
    shape, ((kind, message),) = job.reports[0]
    assert shape == [20, 30, 4]
    assert "thread" in message, (kind, message)


def test_calls_after_mpi_has_ended_are_exceptions():
    job = run(
        2,
        """
        comp = sortlast.Compositor(comm)
        tile = comp.composite(image)
        MPI.Finalize()
        report([told(lambda: comp.composite(image)), told(lambda: comp.gather(tile)),
                told(lambda: comp.close())])
        """,
        alone=True,
    )
    assert job.returncode == 0, job
    for composite, gather, close in job.reports:
        assert "MPI" in composite[1]
        assert "MPI" in gather[1]
        assert close is None


def test_a_forked_child_harms_no_frame_of_its_parent():
    job = run(
        2,
        """
        import os
        comp = sortlast.Compositor(comm, timeout=20)
        kept = []
        for number in range(8):
            image[:] = number / 16
            frame = comp.gather(comp.composite(image, op="max"))
            kept.append((frame, number / 16))
            comm.Barrier()
            child = os.fork()
            if child == 0:
                kept.clear()
                del frame
                os._exit(0)
            os.waitpid(child, 0)
            comm.Barrier()
        report(rank or [bool((frame.colour == value).all()) for frame, value in kept])
        """,
        alone=True,
    )
    assert job.returncode == 0, job
    assert job.reports[0] == [True] * 8
