"""The study of frames beside a halo exchange: its runs, beside simulations of their own, and its report."""

from __future__ import annotations

import re

import pytest

from report_text import assert_whole
from sortlast import provenance, simulate
from sortlast_studies.beside import figures, jobs, terms
from sortlast_studies.beside.jobs import ALGORITHMS, FABRICS, FAT, GRIDS, SHIFT, SIZES, SWITCH, TORUS, Cell
from sortlast_studies.beside.study import STUDY
from sortlast_studies.steps import Kept, run
from sortlast_studies.study import Reading, tabulate


def test_a_rate_counts_the_part_of_a_message_that_has_passed():
    exchange = simulate.halo([2], 1000)
    both = simulate.join([(exchange, [0, 1]), (exchange, [2, 3])])
    net = jobs.routes(SWITCH, 64)
    found = simulate.flow(
        net, both.traffic, placement=both.placement, link_bytes_per_second=1e6, message_log=True
    )
    assert found.seconds == pytest.approx(1e-3)
    for until in (0.25e-3, 1e-3):
        assert jobs.rate(both, found, 1, until) == pytest.approx(2e6)
    assert jobs.rate(both, found, 1, 2e-3) == pytest.approx(1e6)


def test_a_cell_tells_what_both_take_beside_each_other():
    cell = Cell(64, TORUS, "radix-k", 1_000_000)
    told = cell.simulate(lambda part: True)
    net = jobs.routes(TORUS, 64)
    assert told["frame"] == pytest.approx(1e3 * jobs.run(net, jobs.frame("radix-k", 64)).seconds)
    halo = simulate.halo(GRIDS[64], 1_000_000, 4)
    assert told["exchange"] == pytest.approx(1e3 * jobs.run(net, halo).seconds / 4, rel=0.01)
    assert told["frame beside"] > told["frame"]
    assert told["exchange beside"] > told["exchange"]

    # An exchange that goes on for longer changes nothing of the frame beside it.
    longer = simulate.halo(GRIDS[64], 1_000_000, 40)
    both = simulate.join([(jobs.frame("radix-k", 64), range(64)), (longer, range(64))])
    found = jobs.run(net, both.traffic, list(both.placement), log=True)
    assert 1e3 * both.results(found)[0].seconds == pytest.approx(told["frame beside"], rel=0.01)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The quick study."""
    kept = Kept(tmp_path_factory.mktemp("beside"), STUDY.settings, "model", provenance.here())
    return Reading(STUDY, tabulate(STUDY, run(STUDY.steps(True), kept, workers=2), True))


def test_the_report_takes_the_results_of_all_steps(found):
    assert_whole(found.markdown)
    assert (
        set(re.findall(r"\]\((\S*)\.png\)", found.markdown)) == set(figures.draw(found.table)) == {"beside"}
    )
    assert len(found.table.rows(terms.times(terms.FRAME, 64))) == len(FABRICS) * len(ALGORITHMS)
    told = terms.Terms(found.table)
    for fabric in FABRICS:
        assert told.slower(terms.FRAME, 64, fabric, SHIFT, SIZES[64][-1]) >= 1
    row, column = terms.pair(FAT, SHIFT), terms.face(SIZES[64][-1])
    cell = Cell(64, FAT, SHIFT, SIZES[64][-1]).simulate(lambda part: True)
    assert found.table.value(terms.times(terms.FRAME_BESIDE, 64), row, column) == cell["frame beside"]
