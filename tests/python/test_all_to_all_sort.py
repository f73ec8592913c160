"""The sort of the all-to-all study: its keys and vectors, its exchanges under MPI, and the program."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

import mpirun
from sortlast import Error, launch
from sortlast_studies.all_to_all import exchange, program
from sortlast_studies.all_to_all.design import Design

# --- the sort ---------------------------------------------------------------------------------------------


def test_unsorted_keys_are_the_papers_matrix():
    cell = Design(4, 1, 48, 2)
    rows = [exchange.unsorted_keys(cell, rank).tolist() for rank in range(4)]
    assert rows[0] == [1, 2, 3, 13, 14, 15, 25, 26, 27, 37, 38, 39]
    assert rows[3] == [10, 11, 12, 22, 23, 24, 34, 35, 36, 46, 47, 48]
    assert sorted(key for row in rows for key in row) == list(range(1, 49))
    assert all(exchange.send_counts(cell, np.array(row)).tolist() == [3] * 4 for row in rows)


@pytest.mark.parametrize("m", [1, 3, 200_000])
def test_one_wrong_component_is_found(m):
    cell = Design(2, 1, 8, m)
    vectors = np.empty((cell.l_n, m))
    exchange.fill_vectors(cell, exchange.sorted_keys(cell, 1), vectors)
    assert vectors[2, m - 1] == 7 + 0.0001 * (m - 1)
    assert exchange.wrong_vectors(cell, 1, vectors) is None
    assert exchange.wrong_vectors(cell, 0, vectors) is not None
    vectors[3, m - 1] += 1e-9
    assert exchange.wrong_vectors(cell, 1, vectors).startswith("vector 3 of rank 1 is not the one")


@pytest.mark.parametrize("ring", [range(6), [3, 1, 5, 0, 2, 4]])
def test_stages_of_a_shift_are_permutations_that_meet_everybody_once(ring):
    stages = [exchange.partners(rank, list(ring)) for rank in range(6)]
    for k in range(5):
        assert sorted(stages[rank][k][0] for rank in range(6)) == list(range(6))
        assert all(stages[stages[rank][k][0]][k][1] == rank for rank in range(6))
    for rank in range(6):
        assert sorted(to for to, _ in stages[rank]) == [other for other in range(6) if other != rank]


@pytest.mark.mpi
@pytest.mark.parametrize("p", [1, 3, 4])
def test_every_exchange_sorts_and_is_timed(p):
    cells = [Design(p, 1, 3 * p * p, 5), Design(1, 1, 7, 2)]
    settings = {"cells": list(map(asdict, cells)), "ways": exchange.WAYS, "repeat": 2, "seed": 5}
    told = launch.ranks(program.__name__, settings, p, 60)
    assert len(told) == 2
    for found in told:
        assert list(found) == list(exchange.WAYS)
        assert all(time["first"] > 0 and time["seconds"] > 0 for time in found.values())


@pytest.mark.mpi
@pytest.mark.parametrize("way", exchange.WAYS)
def test_an_exchange_that_does_not_sort_is_an_error_on_every_rank(way):
    reports = mpirun.reports(
        3,
        f"""
        import sortlast
        from sortlast_studies.all_to_all import exchange, program
        sound = exchange.prepare
        def prepared(comm, design, ways, seed):
            made = sound(comm, design, ways, seed)
            each = made[{way!r}]
            def move():
                each.move()
                if comm.rank == 1:
                    each.clear()
            return made | {{{way!r}: exchange.Exchange(each.clear, move, each.wrong)}}
        program.prepare = prepared
        cell = dict(nodes=2, per_node=1, n=8, m=3)
        try:
            program.measure(comm, dict(cells=[cell], ways=[{way!r}], repeat=1, seed=1))
        except sortlast.Error as error:
            report(str(error))
        """,
    )
    assert len(set(reports)) == 1
    assert reports[0].startswith(f"exchange {way} did not sort: ")
    assert "rank 1" in reports[0]


@pytest.mark.mpi
def test_too_few_ranks_are_an_error():
    settings = {"cells": [asdict(Design(3, 1, 9, 1))], "ways": ["C"], "repeat": 1, "seed": 1}
    with pytest.raises(Error, match=r"2 ranks of .* failed with status 2"):
        launch.ranks(program.__name__, settings, 2, 60)
