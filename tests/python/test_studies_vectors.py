"""The study of k vectors and placements: jobs, numbers beside simulations of their own, and its report."""

from __future__ import annotations

import re

import pytest

from report_text import assert_whole
from sortlast import provenance, schedule, simulate
from sortlast_studies.steps import Kept, run
from sortlast_studies.study import Reading, tabulate
from sortlast_studies.vectors import figures, jobs, terms
from sortlast_studies.vectors.jobs import FABRICS, FRAGMENTED, PLACEMENTS, TAPERED, TORUS_3, Cell
from sortlast_studies.vectors.study import STUDY


def test_the_target_is_rounds_of_eight_and_what_is_left():
    assert [jobs.target_vector(p) for p in (8, 64, 128, 256)] == [
        "radix-k:8",
        "radix-k:8,8",
        "radix-k:8,8,2",
        "radix-k:8,8,4",
    ]


@pytest.mark.parametrize("where", PLACEMENTS)
@pytest.mark.parametrize("name", FABRICS)
def test_a_job_has_nodes_of_its_own(name, where):
    hosts = jobs.nodes(name, 128, where)
    assert len({*hosts}) == 128
    assert hosts == jobs.nodes(name, 128, where)
    assert (hosts == [*range(128)]) == (where == jobs.ORDER)


def test_a_cell_tells_what_frames_take():
    cell = Cell(16, TAPERED, FRAGMENTED)
    found = cell.simulate(lambda part: True)
    net, hosts = jobs.routes(TAPERED), jobs.nodes(TAPERED, 16, FRAGMENTED)
    join = 2 * jobs.MACHINE.gamma_read + jobs.MACHINE.gamma_write
    for told in found.values():
        run = simulate.frame(
            net,
            schedule.make(told["name"], p=16, n=jobs.IMAGE[0] * jobs.IMAGE[1]),
            placement=hosts,
            link_bytes_per_second=jobs.LINK,
            message_seconds=jobs.MACHINE.alpha,
            sends_at_once=1,
            blend_bytes_per_second=1 / join,
        )
        assert told["ms"] <= 1e3 * run.seconds * (1 + 1e-9)  # less where a ring follows the routing
        if not told["name"].startswith(("shift", "direct-send")):
            assert told["ms"] == pytest.approx(1e3 * run.seconds)
    times = {column: told["ms"] for column, told in found.items()}
    assert times["auto, fabric known"] == min(times.values())
    assert times["best vector"] <= times["k = 8"] <= times["worst vector"]
    assert found["k = 8"]["name"] == "radix-k:8,2"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The quick study of 16 ranks."""
    patch = pytest.MonkeyPatch()
    patch.setattr(jobs, "RANKS", (16,))
    patch.setattr(terms, "RANKS", (16,))
    try:
        kept = Kept(tmp_path_factory.mktemp("vectors"), STUDY.settings, "model", provenance.here())
        yield Reading(STUDY, tabulate(STUDY, run(STUDY.steps(True), kept, workers=2), True))
    finally:
        patch.undo()


def test_the_report_takes_the_results_of_all_steps(found):
    text = found.markdown
    assert_whole(text)
    verdicts = {check.claim: check.verdict for check in found.checks}
    assert verdicts["With the fabric known, no candidate is faster than the choice."] == "confirmed"
    assert set(re.findall(r"\]\((\S*)\.png\)", text)) == set(figures.draw(found.table)) == {"vectors"}
    assert len(found.table.rows(terms.times(16))) == len(FABRICS) * len(PLACEMENTS)
    row = terms.job(TORUS_3, FRAGMENTED)
    assert terms.Terms(found.table).chosen(16, row, terms.TARGET) == "radix-k:8,2"
