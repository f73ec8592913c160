"""The study of narrowed trees: its tables against the published ones, its cells, its report and its page."""

from __future__ import annotations

import json

import numpy as np
import pytest

import browser
from sortlast import ArgumentError
from sortlast_studies.checks import declared
from sortlast_studies.narrowed_trees import networks, workloads
from sortlast_studies.narrowed_trees.models import AS_IS, LIKELY, MODELS, Setting
from sortlast_studies.narrowed_trees.networks import NETWORKS, SETS
from sortlast_studies.narrowed_trees.performance import (
    COLLECTIVES,
    EQUAL,
    LONG_MESSAGES,
    Times,
    parse_weights,
)
from sortlast_studies.narrowed_trees.steps import runs
from sortlast_studies.narrowed_trees.study import STUDY, make, tabulate
from sortlast_studies.narrowed_trees.terms import FEWER, FSIN, MODELS_ITEM, RANKS, STANDING_IN, Terms
from sortlast_studies.narrowed_trees.workloads import Cell
from sortlast_studies.study import Reading, compute
from sortlast_studies.table import published

PUBLISHED = published("sortlast_studies.narrowed_trees")


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """The table of the shortest messages, and the folder that holds their steps."""
    folder = tmp_path_factory.mktemp("study")
    return compute(make(sizes=(10,), models="none"), folder), folder


@pytest.fixture(scope="module")
def report(simulated, tmp_path_factory):
    """Its report as a page."""
    folder = tmp_path_factory.mktemp("report")
    reading(simulated[0]).write(folder)
    return folder / "report.html"


def reading(table):
    return Reading(STUDY, table)


def invented(relative, sizes=workloads.SIZES, weights=EQUAL):
    """The table where a cell takes ``relative(network, pattern, size)`` times a million cycles."""
    counts = {"packets": 1, "packet_hops": 1, "mean_delay": 1.0, "elapsed": 1.0, "bytes_used": 1}
    results = {
        cell.name: {"cycles": round(1e6 * relative(cell.network, cell.pattern, cell.size)), **counts}
        for cell in workloads.cells(sizes)
    }
    table = tabulate(results, weights)
    for name in ("seed", "ties"):
        table.add("run", name, "", kind="")
    table.add("run", "quick", "", 0, kind="")
    return table


def under_models(relative, sizes=workloads.SIZES, models="all"):
    """The table where a cell takes ``relative(setting, k, network, pattern, size)`` million cycles."""
    counts = {"packets": 1, "packet_hops": 1, "mean_delay": 1.0, "elapsed": 1.0, "bytes_used": 1}
    results = {}
    for run in runs(sizes, 17, models):
        cell = run.cell
        time = relative(run.setting, run.seed - 17, cell.network, cell.pattern, cell.size)
        results[run.name(17)] = {"cycles": round(1e6 * time), **counts}
    table = tabulate(results)
    for name in ("seed", "ties"):
        table.add("run", name, "", kind="")
    table.add("run", "quick", "", 0, kind="")
    return table


def mean_times(item, which):
    """Relative times that are the same for every cell of a network and give the sums of a published table."""
    sums = PUBLISHED.line(item, "Σ Relative time")
    mean = {net.name: sums[net.name] / 35 for net in SETS[which]}
    return lambda net, *_: mean.get(net, 1.0)


# --- tables -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("net", NETWORKS.values(), ids=lambda net: net.name)
def test_table_1_is_what_the_topology_counts(net):
    by_level = [net.switches_of(level) for level in range(net.n)]
    assert networks.switches_by_level(net) == by_level
    whole = networks.complete(net)
    assert (whole.nodes, whole.switches) == (net.nodes, sum(by_level))
    assert networks.topology(net.name).name == net.name


@pytest.mark.parametrize("item", ["Table 2a", "Table 2b", "Table 3a", "Table 3b"])
def test_tables_2_and_3_are_the_published_ones(item):
    table = invented(lambda *_: 1)
    rows = [row for row in table.rows(item, "ours") if not row.endswith("by count")]
    assert [row for row in rows if not Terms(table).exact(item, row)] == []
    assert [row.partition(",")[0] for row in rows] == PUBLISHED.rows(item)


def test_the_used_elements_by_count_are_named_beside_the_window():
    table = invented(lambda *_: 1)

    def values(row):
        return list(table.line("Table 2b", row, "ours").values())

    assert values("Switches-U, by count") == [4248, 960, 699, 1020, 693]
    assert values("Links-U, by count") == [21808, 7680, 6112, 8160, 6166]
    assert values("Switches-U, symmetric window") == [4248, 960, 700, 1020, 694]
    assert [NETWORKS[name].first_host for name in table.columns("Table 2b")] == [1840, 0, 1232, 0, 1232]


def test_a_table_of_the_published_sums_gives_the_published_ratios():
    """φ and performance per cost follow from the sums, to the last digit printed."""
    for item, which, count in (("Table 4a", "a", "CN"), ("Table 4b", "b", "U")):
        table = invented(mean_times(item, which))
        rows = [row for row in table.rows(item, "ours") if which == "a" or not row.endswith("-CN")]
        assert any(row.endswith(f"-{count}") for row in rows) == (which == "b")
        for row in rows:
            digits = Terms(table).digits(row)
            theirs = table.line(item, row, "published")
            assert table.line(item, row, "ours") == pytest.approx(theirs, abs=0.011 if digits else 0.51), row
        ranks = {row: value for row, value in table.column(RANKS, "Spearman").items() if item in row}
        assert ranks
        assert ranks == pytest.approx(dict.fromkeys(ranks, 1.0))


def test_weights_choose_what_is_summed():
    times = Times(invented(lambda net, p, s: 3 if net != "8,4-fat-tree" and (p, s) == ("BU", 10) else 1))
    thin = networks.THIN_2
    assert times.weighted("a", thin, EQUAL) == pytest.approx(37)
    assert times.weighted("a", thin, COLLECTIVES) == pytest.approx(12)
    assert times.performance("a", thin, LONG_MESSAGES) == 1
    assert times.weighted("a", thin, parse_weights("BU=2, 10=0.5")) == pytest.approx(
        6 * 4.5 + 2 * (4 + 0.5 * 3)
    )
    assert times.performance("a", thin, parse_weights("10=0,100=0,1000=0,10000=0,100000=0")) is None


@pytest.mark.parametrize("text", ["XX=1", "BU", "BU=-1", "BU=nan", "BU=inf", "20=1"])
def test_wrong_weights_are_refused(text):
    with pytest.raises(ArgumentError, match=r"weight '.*expected"):
        parse_weights(text)


def test_sums_over_fewer_sizes_have_no_ratio():
    table = invented(lambda *_: 1, workloads.QUICK_SIZES)
    items = [item for item in table.items("Table") if table.rows(item, "simulated")]
    assert items == ["Table 4a", "Table 4b", "Table 5a"]  # 5b is of 100 KB alone
    for item in items:
        assert Terms(table).ratios(item) == []
        rows = [row for row in table.rows(item, "simulated") if "Cost/Node" not in row]
        notes = {table.note(item, row, net, "simulated") for row in rows for net in table.line(item, row)}
        assert notes == {FEWER}
    assert table.rows(RANKS) == []
    told = reading(table).markdown
    assert "46.95" not in told  # the published sum of five sizes
    whole = invented(lambda *_: 1, (100_000,))
    assert whole.rows("Table 5b", "simulated")
    assert len(Terms(whole).ratios("Table 5b")) == 4


# --- cells --------------------------------------------------------------------------------------------


def test_there_are_280_cells_and_their_work_is_known():
    cells = workloads.cells()
    assert len(cells) == len(set(cells)) == 280
    packets = [workloads.packets(cell, AS_IS.setting) for cell in cells[:35]]
    assert sum(packets) == pytest.approx(242.9e6, rel=1e-3)


def test_cells_are_simulated_as_alone(simulated):
    table, _ = simulated
    assert len(table.of("cycles")) == table.find("work", "packet-hops").n == 56
    for cell in (Cell("6,5-fat-tree", "BU", 10), Cell("9:3,6-slender-tree", "3M", 10)):
        alone = workloads.simulated(cell, AS_IS.setting, 17, "uniform", lambda _: True)
        assert table.value("cycles", cell.workload, cell.network) == alone["cycles"]


@pytest.mark.parametrize("sizes", [(), (11,), (10, 11)])
def test_other_sizes_are_refused(sizes):
    with pytest.raises(ArgumentError, match="expected some of"):
        make(sizes=sizes)


def test_steps_are_the_cells_of_the_sizes():
    assert len(make(models="none").steps(False)) == 280
    assert len(STUDY.steps(True)) == 168
    names = [step.name for step in make(sizes=(1000, 10), models="none").steps(False)]
    assert names == [cell.name for cell in workloads.cells((10, 1000))]


# --- overview -----------------------------------------------------------------------------------------


def test_every_table_and_figure_is_in_the_overview():
    items = reading(invented(mean_times("Table 4a", "a"))).items
    names = [item.item for item in items]
    assert names == [f"Table {k}" for k in range(1, 6)] + [f"Figure {k}" for k in range(1, 8)]
    assert all(item.why for item in items if item.how == "not reproduced")
    assert [item.near for item in items[1:3]] == ["11 of 11 rows equal", "6 of 6 rows equal"]


def test_tables_of_sizes_that_did_not_run_are_missing_with_the_reason(simulated):
    items = {item.item: item for item in reading(simulated[0]).items}
    assert items["Table 5"].how == "not reproduced"
    assert "not simulated" in items["Table 5"].why


# --- claims -------------------------------------------------------------------------------------------


def verdicts(table):
    return {check.claim: check.verdict for check in reading(table).checks}


def test_claims_follow_the_times():
    alike = verdicts(invented(lambda *_: 1))
    assert alike["A thin-tree cannot be faster than the fat-tree with as many ports down."] == "confirmed"
    assert alike["In some cases a slender-tree is faster than the fat-tree."] == "not reproduced"
    fast = verdicts(invented(lambda net, *_: 0.5 if "fat" not in net else 1))
    assert fast["A thin-tree cannot be faster than the fat-tree with as many ports down."] == "not reproduced"
    assert fast["In some cases a slender-tree is faster than the fat-tree."] == "confirmed"
    butterfly = "The 8:4,4-thin-tree is faster than the fat-tree on BU with long messages."
    assert (alike[butterfly], fast[butterfly]) == ("refuted", "confirmed")  # 7 is near the published 6.39


def test_the_sums_of_the_paper_confirm_what_it_reads_in_them():
    found = verdicts(invented(mean_times("Table 4b", "b")))
    best = "Of those of same radix 6,5-fat-tree and 8:4,4-thin-tree are best, almost alike."
    assert found[best] == "confirmed"
    assert found["The 8:4,4-thin-tree performs as the 6,5-fat-tree at a fourth of the cost."] == "confirmed"


# Those that need other sizes than 10 B, or judge by all; the others need none.
SIZELESS = {
    "Slender-trees do badly on BT with small messages: their paths are longer.",
    "Narrowing 2:1 brings the price below a third.",
    "Narrowing further saves less.",
    "Comparable narrowed trees cost about the same.",
    "Thin-trees are slightly cheaper than comparable slender-trees.",
    "Computation and input dilute the benefit of the more expensive networks.",
    "Where tasks are placed without regard to locality, the advantage of narrowed trees disappears.",
    "Every narrowed tree studied costs less than a third of the fat-tree.",
    "Without a scheduler that knows the network the advantage is lost.",
}


def test_claims_of_sizes_that_did_not_run_are_undecided(simulated):
    checks = reading(simulated[0]).checks
    assert len(checks) == 40
    for check in checks:
        assert check.figure
        if check.claim not in SIZELESS:
            assert check.verdict == "undecided"
            assert "did not run" in check.figure
    words = {check.claim: check.verdict for check in checks}
    assert words["Narrowing 2:1 brings the price below a third."] == "confirmed"
    assert words["Thin-trees are slightly cheaper than comparable slender-trees."] == "refuted"  # U, 9:3
    assert {check.where for check in checks} == {"4.1", "4.2", "5.1", "5.2", "5.3", "6"}


def test_what_does_not_hold_is_refuted_only_where_the_sums_are_the_papers():
    claim = "A thin-tree cannot be faster than the fat-tree with as many ports down."
    sums = mean_times("Table 4a", "a")

    def faster(net, pattern, size):  # in one cell, which leaves the sums near the published ones
        return 0.9 if "thin" in net and (pattern, size) == ("BT", 10) else sums(net)

    assert verdicts(invented(faster))[claim] == "refuted"
    assert verdicts(invented(lambda net, *cell: 2 * faster(net, *cell) if "fat" not in net else 1))[
        claim
    ] == ("confirmed")
    far = verdicts(invented(lambda net, *_: 0.5 if "fat" not in net else 1))
    assert far[claim] == "not reproduced"
    assert far["Narrowing 2:1 brings the price below a third."] == "confirmed"


def test_every_claim_about_times_names_what_it_rests_on():
    for check in declared("sortlast_studies.narrowed_trees").checks:
        about_times = any(word in check.get("value", "") for word in ("T(", "phi(", "per_cost(", "most_of("))
        about_times |= check.get("value") == "not_paying()"
        assert ("rests" in check) == about_times, check["claim"]


def test_random_placement_is_answered_by_the_study_of_tapers():
    figures = [check.figure for check in reading(invented(lambda *_: 1)).checks]
    assert sum("../taper/report.html" in figure for figure in figures) == 2


# --- models -------------------------------------------------------------------------------------------


def test_a_setting_says_what_differs_from_the_first_model():
    assert len({model.name for model in MODELS}) == len(MODELS) == 6
    assert [model.setting.name for model in MODELS] == [
        "as-is",
        "drawn",
        "persistent",
        "persistent-drawn",
        "persistent-drawn-one-wave",
        "persistent-drawn-switch-3",
    ]
    for model in MODELS:
        for pattern in workloads.PATTERNS:
            setting = model.of(pattern)
            assert setting.drawn <= (pattern in ("2M", "3M"))
            assert setting.one_wave <= (pattern == "WF")


def test_models_share_the_cells_that_they_have_in_common():
    short = runs(workloads.SIZES, 17, "short")
    assert len(short) == len(set(short)) == len({run.name(17) for run in short})
    assert {run.cell.size for run in short if run.setting != AS_IS.setting and not run.setting.one_wave} == {
        10,
        100,
        1_000,
        10_000,
    }
    seeds = {run.seed for run in short if run.cell.size == 10_000}
    assert seeds == {17}
    assert {run.seed for run in short if run.cell.size == 1_000} == {17, 18, 19}
    likely = {run for run in runs(workloads.SIZES, 17, "likely") if run.cell.size == 100_000}
    wanted = {(model.of(p), p) for model in (AS_IS, LIKELY) for p in workloads.PATTERNS}
    assert wanted <= {(run.setting, run.cell.pattern) for run in likely}


def test_nodes_that_draw_their_order_send_the_same_messages():
    in_step, drawn = workloads.traffic("2M", 10), workloads.drawn("2M", 10, 17)
    for task in (0, 1, 65, 4095):
        theirs = [t.destination[t.source == task].tolist() for t in (in_step, drawn)]
        assert sorted(theirs[0]) == sorted(theirs[1])
    assert in_step.destination.tolist() != drawn.destination.tolist()
    assert workloads.drawn("2M", 10, 18).destination.tolist() != drawn.destination.tolist()
    first = [drawn.destination[drawn.source == task][0] - task for task in range(65, 127)]
    assert len(set(first)) == 4  # left, right, above and below


@pytest.mark.parametrize("size", [10, 1000])
def test_one_wave_is_an_iteration_of_the_waterfall(size):
    all_waves, one = workloads.traffic("WF", size), workloads.one_wave(size)
    assert one.repeats == 1
    assert np.array_equal(one.destination, all_waves.destination)
    assert np.array_equal(one.causes, all_waves.causes)
    assert np.array_equal(one.size, all_waves.size)


def test_waves_that_do_not_overlap_take_their_number_of_times_as_long():
    cell = Cell("8,4-fat-tree", "WF", 100)
    overlapping, alone = (
        workloads.simulated(cell, Setting(one_wave=one_wave), 17, "uniform", lambda _: True)
        for one_wave in (False, True)
    )
    waves = workloads.traffic("WF", 100).repeats
    assert alone["cycles"] % waves == 0
    assert alone["packets"] * waves == overlapping["packets"]
    assert alone["cycles"] > overlapping["cycles"]


def test_settings_change_what_they_are_about():
    def cycles(pattern, **setting):
        cell = Cell("8,4-fat-tree", pattern, 10)
        return workloads.simulated(cell, Setting(**setting), 17, "uniform", lambda _: True)["cycles"]

    assert cycles("BT", switch_cycles=3) == cycles("BT") + 2 * 3 * (1 + 3 + 5 + 7)  # 3 steps at each height
    assert cycles("BU", requests="persistent") != cycles("BU")
    assert cycles("3M", drawn=True) != cycles("3M")


def test_the_model_whose_sums_are_nearest_is_named():
    published = mean_times("Table 4a", "a")

    def relative(setting, k, net, pattern, size):
        far = {"as-is": 1.5, "persistent": 1.1}.get(setting.name, 1.3)
        return published(net) * (far if "fat" not in net else 1)

    table = under_models(relative)
    terms = Terms(table)
    assert terms.best_model == "persistent"
    assert [model.name for model in terms.models] == [model.name for model in MODELS]
    assert table.value(MODELS_ITEM, "as is", "stand-ins") == 0
    assert table.value(f"{MODELS_ITEM}, Table 4a", "as is", "8:4,4-thin-tree") == pytest.approx(1.5, rel=1e-3)
    apart = table.column(MODELS_ITEM, "apart")
    assert min(apart, key=apart.__getitem__) == terms.best_model


def test_a_model_that_contradicts_the_paper_is_never_the_best():
    table = under_models(lambda setting, k, net, *_: 1 if setting.switch_cycles > 1 else 3)
    apart = table.column(MODELS_ITEM, "apart")
    assert Terms(table).best_model != "slow switch"
    assert set(apart) == {model.name for model in MODELS} | {STANDING_IN}


def test_the_spread_is_over_seeds_and_10_kb_stand_in_for_100_kb():
    def relative(setting, k, net, pattern, size):
        return 1 if "fat" in net else {10: 2 + k, 10_000: 5}.get(size, 2)

    table = under_models(relative, models="short")
    row = table.find(f"{MODELS_ITEM}, Table 5b", "persistent", "8:4,4-thin-tree")
    assert row.value == pytest.approx(7 * 5 / 6.39)
    assert row.n is None  # one seed
    four = table.find(f"{MODELS_ITEM}, Table 4a", "persistent", "8:4,4-thin-tree")
    sums = [7 * (2 + k + 2 + 2 + 5 + 5) / 46.95 for k in range(3)]
    assert four.n == 3
    assert four.spread == pytest.approx((sums[0], sums[2]))
    assert four.value == pytest.approx(sums[1])
    assert table.note(MODELS_ITEM, "persistent", "stand-ins") == " ".join(workloads.PATTERNS)
    assert table.note(MODELS_ITEM, "as is", "stand-ins") == ""
    stands_in = table.value(f"{MODELS_ITEM}, Table 5b", STANDING_IN, "8:4,4-thin-tree")
    assert stands_in == pytest.approx(7 * 5 / 6.39)
    assert "stand in for" in reading(table).markdown


def test_without_10_kb_there_are_no_models():
    table = under_models(lambda *_: 1, sizes=(10, 100, 1_000), models="short")
    assert table.rows(MODELS_ITEM) == []
    assert Terms(table).best_model == ""
    assert "under the models" not in reading(table).markdown


def test_every_claim_has_its_verdict_under_every_model():
    read = reading(under_models(lambda setting, k, net, *_: 0.5 if "fat" not in net else 1))
    terms = Terms(read.table)
    for check in read.checks:
        letters = terms.under_models(check.claim).split()
        assert len(letters) == len(MODELS)
        assert set(letters) <= set("CRNU")
        first = {"C": "confirmed", "R": "refuted", "N": "not reproduced", "U": "undecided"}[letters[0]]
        assert first == check.verdict
        assert f"{check.figure} | {' '.join(letters)} |" in read.markdown


def test_fsin_stands_beside_what_ran(simulated):
    table, _ = simulated
    rows = table.rows(FSIN)
    assert "8,4-fat-tree, BU, 10 B" in rows
    assert not any("1 KB" in row for row in rows)
    for row in rows:
        if row.startswith(("8,4-fat-tree, 2M", "8,4-fat-tree, 3M")):
            continue  # one run of a few packets; test_simulate_packet.py has means over seeds
        ours, theirs = (table.value(FSIN, row, of) for of in ("sortlast", "FSIN"))
        assert ours == pytest.approx(theirs, rel=0.06), row


# --- command and page ---------------------------------------------------------------------------------


def test_the_command_prints_and_writes_the_report(cli, simulated):
    table, folder = simulated
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*-10.json")}
    options = ("--sizes", "10", "--weights", "BU=0", "--models", "none", "--full")
    status, out, _ = cli("study", "narrowed-trees", *options, "--output", folder)
    assert status == 0
    for text in (
        "Table 2a.",
        "Table 3b.",
        "Table 4a.",
        "Table 5a.",
        "Your weights: BU 0",
        "26335125",
    ):
        assert text in out
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*-10.json")} == before
    assert len(before) == 56
    names = [f"figure-{k}.{suffix}" for k in (1, 2, 3, 4, 6, 7) for suffix in ("pdf", "png", "svg")]
    names += ["narrowed-trees.csv", "narrowed-trees.json", "report.html", "report.md"]
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == names
    report = (folder / "report.md").read_text()
    expected = Times(table).weighted("a", networks.SLENDER_4)
    assert f"{expected:.2f}" in report
    assert "![Figure 6." in report
    assert report.count("| undecided |") == sum(c.verdict == "undecided" for c in reading(table).checks)


@pytest.mark.slow
def test_the_command_draws_a_report_again_from_its_table(cli, simulated, tmp_path):
    """With the weights that it was made with, and without a step."""
    first, again = tmp_path / "first", tmp_path / "again"
    chosen = ("--sizes", "10", "--weights", "BU=2.5,10=0.5")
    table = compute(make(sizes=(10,), weights=parse_weights(chosen[-1])), simulated[1])
    Reading(make(weights=parse_weights(chosen[-1])), table).write(first)
    table = first / "narrowed-trees.csv"
    status, out, _ = cli("study", "narrowed-trees", "--full", "--from", table, "--output", again)
    assert status == 0
    assert "Your weights: BU 2.5, 10 B 0.5; the others weigh one." in " ".join(out.split())
    assert not (again / "steps").exists()
    for name in ("report.md", "narrowed-trees.csv", "narrowed-trees.json", "figure-6.png"):
        assert (again / name).read_bytes() == (first / name).read_bytes()


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


def test_the_page_computes_what_python_computes(simulated, report):
    times = Times(simulated[0])
    weights = parse_weights("BU=3,WF=0,10=2")
    given = {
        "pattern": [weights.pattern.get(pattern, 1) for pattern in workloads.PATTERNS],
        "size": [weights.size.get(size, 1) for size in times.sizes],
    }
    with browser.page(report) as shown:
        shown.wait("globalThis.study !== undefined")
        for k, which in enumerate("ab"):
            rows = shown.run(f"study.indicators(study.data.sets[{k}], {json.dumps(given)})")
            counts = ["CN"] if which == "a" else ["CN", "U"]
            nets = SETS[which]
            assert [row["name"] for row in rows] == [net.name for net in nets]
            sums, phi = (
                [of(which, net, weights) for net in nets] for of in (times.weighted, times.performance)
            )
            assert [row["sum"] for row in rows] == pytest.approx(sums)
            assert [row["performance"] for row in rows] == pytest.approx(phi)
            for c, count in enumerate(counts):
                expected = [times.per_cost(which, net, count, weights) for net in nets]
                assert [row["perCost"][c] for row in rows] == pytest.approx(expected)
        assert shown.errors == []
        assert [url for url in shown.requests if not url.startswith(("file:", "data:"))] == []


def test_the_page_follows_the_weights(report):
    with browser.page(report) as shown:
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
