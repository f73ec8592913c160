"""The study of narrowed trees: its tables against the published ones, its cells, its report and its page."""

from __future__ import annotations

import json

import pytest

import browser
from sortlast import ArgumentError
from sortlast.study import narrowed_trees as study
from sortlast.study import runner
from sortlast.study.narrowed_trees import claims, networks, overview, performance, tables, workloads
from sortlast.study.narrowed_trees.cells import Cell, Result, Settings
from sortlast.study.narrowed_trees.networks import NETWORKS, SETS

SHARED = Settings(17, "uniform", "")


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """The times of the shortest messages, and the folder that holds them."""
    folder = tmp_path_factory.mktemp("study")
    return study.times(runner.compute(study.make(sizes=(10,)), folder)), folder


def write(simulated, folder):
    """Write the report on what was simulated into a folder."""
    chosen = study.make(sizes=(10,))
    runner.write(chosen, runner.compute(chosen, simulated[1]), folder)


def invented(relative, sizes=workloads.SIZES):
    """Times in which a cell takes ``relative(network, pattern, size)`` times a million cycles."""
    results = {
        cell: Result(round(1e6 * relative(cell.network, cell.pattern, cell.size)), 1, 1, 1.0, 1.0, 1)
        for cell in workloads.cells(sizes)
    }
    return performance.Times(results, sizes)


def mean_times(key, which):
    """Relative times that are the same for every cell of a network and give the sums of a published table."""
    sums = tables.published()["tables"][key]["rows"]["Σ Relative time"]
    mean = {net.name: total / 35 for net, total in zip(SETS[which], sums, strict=True)}
    return lambda net, *_: mean.get(net, 1.0)


# --- tables -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("net", NETWORKS.values(), ids=lambda net: net.name)
def test_table_1_is_what_the_topology_counts(net):
    by_level = [net.switches_of(level) for level in range(net.n)]
    assert networks.switches_by_level(net) == by_level
    whole = networks.complete(net)
    assert (whole.nodes, whole.switches) == (net.nodes, sum(by_level))
    assert networks.topology(net.name).name == net.name


@pytest.mark.parametrize("make", [tables.characteristics, tables.costs], ids=["2", "3"])
@pytest.mark.parametrize("which", "ab")
def test_tables_2_and_3_are_the_published_ones(make, which):
    table = make(which)
    rows = [row for row in table.rows if not row.name.endswith("by count")]
    assert [row.name for row in rows if not row.exact] == []
    names = [row.name.partition(",")[0] for row in rows]
    assert names == list(tables.published()["tables"][table.key]["rows"])


def test_the_used_elements_by_count_are_named_beside_the_window():
    table = tables.characteristics("b")
    assert table.row("Switches-U, by count").computed == [4248, 960, 699, 1020, 693]
    assert table.row("Links-U, by count").computed == [21808, 7680, 6112, 8160, 6166]
    assert table.row("Switches-U, symmetric window").computed == [4248, 960, 700, 1020, 694]
    assert [NETWORKS[name].first_host for name in table.networks] == [1840, 0, 1232, 0, 1232]


def test_a_table_of_the_published_sums_gives_the_published_ratios():
    """φ and performance per cost follow from the sums, to the last digit printed."""
    for key, which, count in (("4a", "a", "CN"), ("4b", "b", "U")):
        times = invented(mean_times(key, which))
        made = tables.weighed(times, key, which, performance.EQUAL, [count], "")
        for row in made.rows:
            assert row.computed == pytest.approx(row.published, abs=0.011 if row.digits else 0.51), row.name
        assert made.rank_agreement() == pytest.approx(dict.fromkeys(made.rank_agreement(), 1.0))


def test_weights_choose_what_is_summed():
    times = invented(lambda net, p, s: 3 if net != "8,4-fat-tree" and (p, s) == ("BU", 10) else 1)
    thin = networks.THIN_2
    assert times.weighted("a", thin, performance.EQUAL) == pytest.approx(37)
    assert times.weighted("a", thin, performance.COLLECTIVES) == pytest.approx(12)
    assert times.performance("a", thin, performance.LONG_MESSAGES) == 1
    assert times.weighted("a", thin, study.parse_weights("BU=2, 10=0.5")) == pytest.approx(
        6 * 4.5 + 2 * (4 + 0.5 * 3)
    )
    assert times.performance("a", thin, study.parse_weights("10=0,100=0,1000=0,10000=0,100000=0")) is None


@pytest.mark.parametrize("text", ["XX=1", "BU", "BU=-1", "BU=nan", "BU=inf", "20=1"])
def test_wrong_weights_are_refused(text):
    with pytest.raises(ArgumentError, match=r"weight '.*expected"):
        study.parse_weights(text)


def test_sums_over_fewer_sizes_have_no_ratio():
    made = tables.performance_cost(invented(lambda *_: 1, study.QUICK_SIZES))
    assert [table.key for table in made] == ["4a", "4b", "5a"]  # 5b is of 100 KB alone
    for table in made:
        assert table.rows[0].ratios is None
        assert table.row("Normalized φ").ratios is not None
    whole = tables.performance_cost(invented(lambda *_: 1, (100_000,)))
    assert whole[-1].key == "5b"
    assert whole[-1].rows[0].ratios is not None


# --- cells --------------------------------------------------------------------------------------------


def test_there_are_280_cells_and_their_work_is_known():
    cells = workloads.cells()
    assert len(cells) == len(set(cells)) == 280
    assert sum(map(workloads.packets, cells[:35])) == pytest.approx(242.9e6, rel=1e-3)


def test_cells_are_simulated_as_alone(simulated):
    times, _ = simulated
    assert len(times.results) == 56
    for cell in (Cell("6,5-fat-tree", "BU", 10), Cell("9:3,6-slender-tree", "3M", 10)):
        alone = workloads.simulate_cell(cell, SHARED, lambda _: True)
        assert times.results[cell].cycles == alone.cycles
        assert times.results[cell].packet_hops == alone.packet_hops


@pytest.mark.parametrize("sizes", [(), (11,), (10, 11)])
def test_other_sizes_are_refused(sizes):
    with pytest.raises(ArgumentError, match="expected some of"):
        study.make(sizes=sizes)


def test_steps_are_the_cells_of_the_sizes():
    assert len(study.STUDY.steps(False)) == 280
    assert len(study.STUDY.steps(True)) == 168
    names = [step.name for step in study.make(sizes=(1000, 10)).steps(False)]
    assert names == [cell.name for cell in workloads.cells((10, 1000))]


# --- overview -----------------------------------------------------------------------------------------


def test_every_table_and_figure_is_in_the_overview():
    items = overview.reproduced(invented(mean_times("4a", "a")))
    names = [item.item for item in items]
    assert names == [f"Table {k}" for k in range(1, 6)] + [f"Figure {k}" for k in range(1, 8)]
    assert all(item.why for item in items if "not reproduced" in item.how)
    assert [item.near for item in items[1:3]] == ["11 of 11 rows equal", "6 of 6 rows equal"]


def test_tables_of_sizes_that_did_not_run_are_missing_with_the_reason(simulated):
    items = {item.item: item for item in overview.reproduced(simulated[0])}
    assert items["Table 5"].how == ["not reproduced"]
    assert "not simulated" in items["Table 5"].why


# --- claims -------------------------------------------------------------------------------------------


def verdicts(times):
    return {claim.text: verdict.word for claim, verdict in claims.judge(times)}


def test_claims_follow_the_times():
    alike = verdicts(invented(lambda *_: 1))
    assert alike["A thin-tree cannot be faster than the fat-tree with as many ports down."] == "confirmed"
    assert alike["In some cases a slender-tree is faster than the fat-tree."] == "refuted"
    fast = verdicts(invented(lambda net, *_: 0.5 if "fat" not in net else 1))
    assert fast["A thin-tree cannot be faster than the fat-tree with as many ports down."] == "refuted"
    assert fast["In some cases a slender-tree is faster than the fat-tree."] == "confirmed"
    butterfly = "The 8:4,4-thin-tree is faster than the fat-tree on BU with long messages."
    assert (alike[butterfly], fast[butterfly]) == ("refuted", "confirmed")


def test_the_sums_of_the_paper_confirm_what_it_reads_in_them():
    found = verdicts(invented(mean_times("4b", "b")))
    best = "Of those of same radix 6,5-fat-tree and 8:4,4-thin-tree are best, almost alike."
    assert found[best] == "confirmed"
    assert found["The 8:4,4-thin-tree performs as the 6,5-fat-tree at a fourth of the cost."] == "confirmed"


def test_claims_of_sizes_that_did_not_run_are_undecided(simulated):
    judged = claims.judge(simulated[0])
    for claim, verdict in judged:
        assert verdict.figure
        if not set(claim.sizes) <= {10}:
            assert verdict.word == "undecided"
            assert "did not run" in verdict.figure
    words = {claim.text: verdict.word for claim, verdict in judged}
    assert words["Narrowing 2:1 brings the price below a third."] == "confirmed"
    assert words["Thin-trees are slightly cheaper than comparable slender-trees."] == "refuted"  # U, 9:3
    assert {claim.section for claim, _ in judged} == {"4.1", "4.2", "5.1", "5.2", "5.3", "6"}


# --- command and page ---------------------------------------------------------------------------------


def test_the_command_prints_and_writes_the_report(cli, simulated):
    times, folder = simulated
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.json")}
    status, out, _ = cli("study", "narrowed-trees", "--sizes", "10", "--weights", "BU=0", "--output", folder)
    assert status == 0
    for text in (
        "Table 2a.",
        "Table 3b.",
        "Table 4a.",
        "Table 5a.",
        "Your weights: BU 0",
        "26335125",
        "Spearman",
    ):
        assert text in out
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.json")} == before
    names = ["figure-6.png", "figure-6.svg", "figure-7.png", "figure-7.svg", "report.html", "report.md"]
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == names
    report = (folder / "report.md").read_text()
    expected = times.weighted("a", networks.SLENDER_4, performance.EQUAL)
    assert f"{expected:.2f}" in report
    assert "![Figure 6." in report
    assert report.count("| undecided |") == sum(v.word == "undecided" for _, v in claims.judge(times))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--quick", "--sizes", "10"], "leave one out"),
        (["--sizes", "11"], "expected some of"),
        (["--weights", "BU=x"], "expected NAME=NUMBER"),
    ],
)
def test_wrong_arguments_run_nothing(cli, tmp_path, arguments, message):
    status, _, err = cli("study", "narrowed-trees", "--output", tmp_path / "out", *arguments)
    assert status == 2
    assert message in " ".join(err.split())
    assert not (tmp_path / "out").exists()


def test_cells_of_other_runs_are_named_by_the_command(cli, simulated):
    status, _, err = cli("study", "narrowed-trees", "--sizes", "10", "--seed", 3, "--output", simulated[1])
    assert status == 2
    assert "choose another folder" in err


def test_the_page_computes_what_python_computes(simulated, tmp_path):
    times, _ = simulated
    write(simulated, tmp_path)
    weights = study.parse_weights("BU=3,WF=0,10=2")
    given = {
        "pattern": [weights.pattern.get(pattern, 1) for pattern in workloads.PATTERNS],
        "size": [weights.size.get(size, 1) for size in times.sizes],
    }
    with browser.page(tmp_path / "report.html") as shown:
        shown.wait("globalThis.study !== undefined")
        for k, which in enumerate("ab"):
            rows = shown.run(f"study.indicators(study.data.sets[{k}], {json.dumps(given)})")
            counts = ["CN"] if which == "a" else ["CN", "U"]
            table = tables.weighed(times, "", which, weights, counts, "")
            assert [row["name"] for row in rows] == table.networks
            assert [row["sum"] for row in rows] == pytest.approx(table.rows[0].computed)
            assert [row["performance"] for row in rows] == pytest.approx(table.rows[1].computed)
            for c, count in enumerate(counts):
                suffix = "" if which == "a" else f"-{count}"
                expected = table.row(f"Perf./Cost{suffix}").computed
                assert [row["perCost"][c] for row in rows] == pytest.approx(expected)
        assert shown.errors == []
        assert [url for url in shown.requests if not url.startswith(("file:", "data:"))] == []


def test_the_page_follows_the_weights(simulated, tmp_path):
    write(simulated, tmp_path)
    with browser.page(tmp_path / "report.html") as shown:
        shown.wait("globalThis.study !== undefined")
        told = "document.getElementById('weighed').innerText"
        equal = shown.run(told)
        set_to = (
            "((name, value) => {{ const box = [...document.querySelectorAll('#weigh label')]"
            ".find((label) => label.textContent === name).querySelector('input');"
            " box.value = value; box.dispatchEvent(new Event('input')); }})('{}', {})"
        )
        shown.run(set_to.format("BU", 5))
        assert shown.run(told) != equal
        preset = "document.getElementById('preset')"
        shown.run(f"{preset}.value = 'all 1 (Table 4)'; {preset}.dispatchEvent(new Event('change'))")
        assert shown.run(told) == equal
        shown.run(set_to.format("10 B", 0))
        assert "nothing is left" in shown.run(told)
        names = [name for role, name in shown.tree() if role == "spinbutton"]
        assert names == [*workloads.PATTERNS, "10 B"]
        assert shown.errors == []
