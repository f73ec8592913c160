"""The study all-to-all: its memory tables, its sort under MPI, what is refused, and what is simulated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sortlast import ArgumentError
from sortlast_studies.all_to_all import cluster, design, measured, simulated
from sortlast_studies.all_to_all.design import GLOBAL_M, LOCAL_M, NODES, PAPER, Design, at, m_of, paper
from sortlast_studies.all_to_all.simulated import Simulation
from sortlast_studies.all_to_all.study import STUDY, make, sign, tabulate
from sortlast_studies.all_to_all.terms import TIMES, Terms
from sortlast_studies.study import Reading
from sortlast_studies.study import tabulate as with_settings

# --- the design and its memory ----------------------------------------------------------------------------


def test_equation_3_1_gives_the_papers_n():
    assert design.length(8, 6) == 1_492_992
    assert all(design.length(1, factor) % nodes**2 == 0 for factor in (2, 6) for nodes in NODES)


@pytest.mark.parametrize("item", ["Table 4.1", "Table 4.3"])
def test_memory_tables_are_exact(item, results):
    table = tabulate(results, True)
    rows = table.rows(item)
    assert len(rows) == 7
    for row in rows:
        cells = [
            [table.find(item, row, at(nodes), kind) for nodes in NODES] for kind in ("computed", "published")
        ]
        ours, theirs = ([Terms.printed(cell) for cell in line] for line in cells)
        assert ours == theirs, row
    check = next(check for check in reading(results)[0].checks if item in check.claim)
    assert (check.verdict, check.figure) == ("confirmed", "35 of 35 values equal")


def test_a_design_whose_blocks_differ_is_refused():
    with pytest.raises(ArgumentError, match=r"n is 10, which p\^2 = 2\^2 does not divide"):
        Design(2, 1, 10, 1)
    with pytest.raises(ArgumentError, match="size below 1"):
        Design(2, 1, 4, 0)


def test_the_papers_rule_refuses_the_last_row_and_names_the_greatest_m():
    refused = [m for m in LOCAL_M for nodes in NODES if design.paper_refusal(paper(nodes, m * nodes))]
    assert refused == [1024] * len(NODES)
    told = design.paper_refusal(paper(9, 9 * 1024))
    assert "N = 9, m = 9,216 takes 11.39 GB" in told
    most = int(told.split("m may be ")[1].replace(",", ""))
    assert design.paper_refusal(paper(9, most)) is None
    assert design.paper_refusal(paper(9, most + 1)) is not None


def test_what_connections_must_take_separates_errors_from_times():
    marks = [
        (paper(nodes, m * nodes), PAPER.get("Table 4.4", m_of(m), at(nodes)) is None)
        for m in LOCAL_M
        for nodes in NODES
    ]
    low, high = design.connections(marks)
    assert 0 < low < high

    def over(cell, connection):
        return cell.per_node * (cell.rank_bytes + cell.p * connection) > 24 * 2**30

    middle = (low + high) / 2
    assert [over(cell, middle) for cell, _ in marks] == [error for _, error in marks]
    assert [over(cell, low * 0.999) for cell, _ in marks] != [error for _, error in marks]
    assert [over(cell, high * 1.001) for cell, _ in marks] != [error for _, error in marks]


def test_a_run_that_does_not_fit_is_refused_before_any_rank_starts(monkeypatch):
    cell = Design(3, 1, 18, 1000)
    need = 3 * cell.rank_bytes
    monkeypatch.setattr(measured._memory, "limit", lambda: need - 1)
    monkeypatch.setattr(measured.launch, "ranks", lambda *args: pytest.fail("ranks were started"))
    told = measured.measure(measured.Run(cell, ("C",)))
    assert told["refused"].startswith("3 processes with n = 18 and m = 1,000 take ")
    assert told["refused"].endswith("m may be 999")
    assert design.refusal(cell, need) is None
    assert design.refusal(replace(cell, m=999), need - 1) is None


# --- the cluster and its simulation -----------------------------------------------------------------------


@pytest.mark.parametrize("way", cluster.NAMES)
def test_every_block_is_sent_or_copied_once(way):
    hosts = [0, 0, 1, 1, 2, 2]
    made = cluster.traffic(way, 1000, hosts, copy_rate=1e9)
    pairs = list(zip(made.source.tolist(), made.destination.tolist(), made.size.tolist(), strict=True))
    between = [(i, j, 1000) for i in range(6) for j in range(6) if hosts[i] != hosts[j]]
    assert sorted(pair for pair in pairs if pair[0] != pair[1]) == between
    copies = [(i, i, 1000) for i in range(6) for _ in range(2)]  # of 1000 ns
    assert sorted(pair for pair in pairs if pair[0] == pair[1]) == copies


def test_calibrated_cells_come_out_and_a_leaf_module_costs_what_leaves_the_nodes():
    quick = {}
    for nodes in (1, 9, 18):
        step = simulated.step(Simulation(nodes, GLOBAL_M * nodes))
        quick[nodes] = step.compute(lambda part: True)["seconds"]
    assert quick[1] == pytest.approx(1.14, rel=1e-3)
    assert quick[18] == pytest.approx(2.28, rel=1e-3)
    cell = paper(9, 9 * GLOBAL_M)
    leaving = 8 * cell.local_bytes * 8 / 9
    assert quick[9] == pytest.approx(leaving / cluster.link_rate(), rel=1e-3)


def seconds_of(nodes, m, **options):
    step = simulated.step(Simulation(nodes, m, **options))
    return step.compute(lambda part: True)["seconds"]


def test_a_cost_of_a_message_meets_its_two_cells_and_predicts_the_others_of_table_4_2():
    link = cluster.link(message_cost=True)
    assert 1e6 * link.held == pytest.approx(20.3, abs=0.1)
    assert cluster.link(message_cost=False) == cluster.Link(cluster.link_rate())
    # Given: one cell of each table.
    assert seconds_of(36, GLOBAL_M, message_cost=True) == pytest.approx(0.11, rel=1e-3)
    assert seconds_of(18, GLOBAL_M * 18, message_cost=True) == pytest.approx(2.28, rel=1e-3)
    # Predicted; without the cost those of many nodes are far too fast.
    for nodes, published in ((9, 0.25), (18, 0.15)):
        assert seconds_of(nodes, GLOBAL_M, message_cost=True) == pytest.approx(published, rel=0.02)
    assert seconds_of(36, GLOBAL_M) < 0.6 * 0.11
    # By hand: what leaves a node of 18, and 8 processes' messages to 136 others, on its link.
    cell = paper(18, GLOBAL_M)
    assert cluster.messages(cell) == 8 * 136
    by_hand = 8 * cell.local_bytes * 17 / 18 / link.rate + 8 * 136 * link.held
    assert seconds_of(18, GLOBAL_M, message_cost=True) == pytest.approx(by_hand, rel=1e-3)


# --- the report -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results():
    """Results as of the quick steps, whose times follow from the bytes alone."""
    made = {}
    for each in simulated.all_of(True):
        made[each.name] = {"seconds": each.message_bytes * each.design.p / 1e9}
    for run in measured.all_of(True):
        time = {"first": 0.02, "seconds": run.design.local_bytes / 1e9}
        made[run.name] = {"cores": 2, "ways": dict.fromkeys(run.ways, time)}
    made[measured.constant_local(True)[1024][2].name] = {"refused": "too large"}
    return made


def reading(results, quick=True):
    """With one space in the place of each white space, to find texts that are wrapped."""
    made = Reading(STUDY, with_settings(STUDY, results, quick))
    return made, " ".join(made.markdown.split())


def test_the_rule_of_memory_is_told_with_what_it_misses_and_its_false_alarms(results):
    made, text = reading(results)
    terms = Terms(made.table)
    assert terms.unforeseen == ["m = 810 N on 36 nodes"]
    assert [(row.row, row.column, row.value) for row in terms.false_alarms] == [
        ("m = 1024 N", "N = 1", 85),
        ("m = 1024 N", "N = 3", 170.62),
    ]
    assert "The rule errs on both sides: 3 of 4 memory errors foreseen, 1 not" in text
    rule = next(check for check in made.checks if check.claim.startswith("Arrays of up to 10 GB"))
    assert rule.verdict == "refuted"


@pytest.mark.parametrize("ranks", [0, 7, 40, 8 * 216])
def test_processes_that_the_vectors_are_not_sorted_on_are_refused(ranks):
    with pytest.raises(
        ArgumentError, match=rf"{ranks} processes; .* 8 times 1, 2, 3, 4, 6, 9, 12, 18, 27, 36"
    ):
        make(ranks=[ranks])


def test_trends_have_the_sign_and_size_of_the_times(results):
    assert [sign(factor) for factor in (0.5, 0.96, 1, 1.04, 2)] == [
        "falls",
        "steady",
        "steady",
        "steady",
        "rises",
    ]
    table = tabulate(results, True)
    made = {row.row: row for row in table.of("Trends, simulated", "simulated")}
    theirs = {row.row: row for row in table.of("Trends, simulated", "published")}
    assert list(made) == [f"{item}, {row}".removeprefix("Table ") for item, row, _ in TIMES[:-1]]
    assert theirs["4.2, m = 512"].value == pytest.approx(0.11 / 0.57)
    assert made["4.2, m = 512"].value == pytest.approx(3 / 36)
    assert Terms(table).same_sign(made["4.2, m = 512"])
    assert made["4.4, m = 810 N"].column == "3 to 18"  # the paper has no time on 36 nodes
    assert not Terms(table).same_sign(made["4.4, m = 810 N"])  # steady here
