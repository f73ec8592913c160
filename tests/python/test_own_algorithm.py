"""Algorithms that are Python functions: made, refused, simulated, and executed by ranks."""

from __future__ import annotations

import runpy
import sys

import numpy as np
import pytest

import mpirun
import pages
import sortlast
from sortlast import schedule

EXAMPLE = pages.ROOT / "examples" / "own_algorithm.py"


@schedule.register("star-in-python", summary="All send to the frontmost rank.")
def star(b: schedule.Builder) -> None:
    front = b.order[0]
    b.finish(b.merge([b.image(r) if r == front else b.send(b.image(r), front) for r in b.order]))


@pytest.mark.parametrize("p", [1, 2, 3, 8, 13])
def test_a_function_gives_the_image_of_the_serial_compositor(p: int) -> None:
    runpy.run_path(str(EXAMPLE), run_name="example")  # registers the example's algorithm
    rng = np.random.default_rng(p)
    order = rng.permutation(p).tolist()
    images = [rng.random((9, 14, 4)).astype(np.float32) * 0.5 for _ in range(p)]
    expected = np.asarray(sortlast.composite_serial(images, order=order))
    for name in ("star-in-python", "paired-direct-send"):
        made = schedule.make(name, p=p, n=9 * 14, order=order)
        made.verify()
        frame = sortlast.execute_serial(made, images)
        np.testing.assert_allclose(np.asarray(frame), expected, atol=1e-5)
    assert schedule.make("star-in-python", p=p, n=10, order=order).piece(order[0]) == (0, 10)


def test_it_is_priced_chosen_and_simulated_like_the_others() -> None:
    made = schedule.make("star-in-python", p=8, n=1000)
    direct = schedule.make("direct-send", p=8, n=1000)
    assert schedule.price(made, alpha=0, beta=1, gamma=0).total == pytest.approx(7 * 1000)
    chosen = schedule.choose(8, 10**6, candidates=["star-in-python", "direct-send"])
    assert [prediction.name for prediction in chosen] == ["direct-send", "star-in-python"]
    network = sortlast.fabric.k_ary_n_tree(4, 2)
    rates = [sortlast.simulate.frame(network, each).frames_per_second for each in (made, direct)]
    assert rates[1] > 3 * rates[0]  # seven images enter one rank, not seven eighths of one
    inner = schedule.make("two-level:star-in-python", p=4, n=100, nodes=[0, 0, 1, 1])
    inner.verify()


def test_errors_name_the_function_and_the_line() -> None:
    @schedule.register("broken-in-python")
    def broken(b: schedule.Builder) -> None:
        raise ValueError(f"no plan for {b.p} ranks")

    line = broken.__code__.co_firstlineno + 2
    with pytest.raises(sortlast.Error) as raised:
        schedule.make("broken-in-python", p=3, n=10)
    assert str(raised.value) == (
        f"algorithm 'broken-in-python' raised ValueError: no plan for 3 ranks ({__file__}, line {line})"
    )

    @schedule.register("broken-in-python")  # replaces it
    def incomplete(b: schedule.Builder) -> None:
        b.finish(b.cut(b.image(0), (0, 5)))

    with pytest.raises(sortlast.Error, match="schedule: rank 0"):
        schedule.make("broken-in-python", p=3, n=10)

    @schedule.register("broken-in-python")
    def stopped(b: schedule.Builder) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schedule.make("broken-in-python", p=3, n=10)

    with pytest.raises(sortlast.ArgumentError, match=r"star-in-python.*, auto"):
        schedule.make("star-in-pyton", p=3, n=10)
    for name in ("shift", "auto", "", "a b", "x:1"):
        with pytest.raises(sortlast.ArgumentError, match="name is"):
            schedule.register(name)(star)
    with pytest.raises(sortlast.ArgumentError, match="build is a int"):
        schedule.register("not-a-function")(3)  # type: ignore[arg-type]


def test_a_builder_ends_with_its_function() -> None:
    kept: list[schedule.Builder] = []

    @schedule.register("keeps-its-builder")
    def keeps(b: schedule.Builder) -> None:
        kept.append(b)
        star(b)

    schedule.make("keeps-its-builder", p=2, n=10)
    with pytest.raises(sortlast.UsageError, match="schedule is complete"):
        kept[0].image(0)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 5, 8])
def test_the_example_runs_on_ranks(ranks: int) -> None:
    done = mpirun.run_command(ranks, [sys.executable, "-m", "mpi4py", str(EXAMPLE)])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("paired-direct-send:")
    assert lines[-1].startswith("farthest from the serial compositor:")


@pytest.mark.mpi
def test_an_exception_on_one_rank_reaches_the_others() -> None:
    code = """
    import numpy as np, sortlast
    from sortlast import schedule
    @schedule.register("fails-on-rank-1")
    def fails(b):
        if b.n > 0 and rank == 1:
            raise ValueError("only here")
        front = b.order[0]
        b.finish(b.merge([b.image(r) if r == front else b.send(b.image(r), front) for r in b.order]))
    compositor = sortlast.Compositor(comm, algorithm="fails-on-rank-1", timeout=30)
    try:
        compositor.composite(np.zeros((8, 8, 4), np.float32))
        report("nothing")
    except sortlast.Error as error:
        report([type(error).__name__, str(error)])
    compositor.close()
    """
    found = mpirun.reports(3, code)
    assert [kind for kind, _ in found] == ["RemoteError", "Error", "RemoteError"]
    assert all("only here" in text for _, text in found)
