"""The study of radix-k: its models by formula, its rankings, its measurements' answers, and its report."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from math import prod

import pytest

from sortlast import launch
from sortlast.bench import Row
from sortlast.provenance import Provenance
from sortlast.schedule import make
from sortlast.trace import Event, messages
from sortlast_studies.radix_k import (
    blue_gene,
    cluster,
    later,
    live,
    profile,
    scaling,
    services,
    vectors,
)
from sortlast_studies.radix_k.blue_gene import BLEND, LATENCY, LINK, SERVICES
from sortlast_studies.radix_k.study import METHODS, STUDY, cost
from sortlast_studies.radix_k.terms import Items, Terms
from sortlast_studies.radix_k.vectors import (
    MEGAPIXEL,
    PIXEL_BYTES,
    PUBLISHED,
    VECTORS,
    label,
    parse,
    prime_factors,
    radix_k,
    text,
)
from sortlast_studies.study import Reading, tabulate

N = 2 * MEGAPIXEL
IMAGE = N * PIXEL_BYTES  # bytes


def compute(step):
    """Run a step."""
    return step.compute(lambda part: True)


def reading(results):
    """The study of some results of the quick steps."""
    return Reading(STUDY, tabulate(STUDY, results, True))


# --- what is published --------------------------------------------------------------------------------


def test_the_axis_of_figure_6_has_29_vectors_of_256_processes():
    places = PUBLISHED.column("Figure 6", "place on the axis")
    assert max(places.values()) == 30
    assert "twice, at 16 and 19" in PUBLISHED.note("Figure 6", "[2,8,8,2]", "place on the axis")
    assert {*places.values(), 19} == set(range(1, 31))
    assert len(VECTORS) == 29
    assert {prod(k) for k in VECTORS} == {256}
    assert [label(k) for k in VECTORS] == list(places)


def test_k_vectors_are_the_papers():
    assert [radix_k(p, N).name.removeprefix("radix-k:") for p in (64, 128, 256, 512)] == [
        "8,8",
        "8,8,2",
        "8,8,4",
        "8,8,8",
    ]
    assert [prime_factors(p) for p in (4, 60, 89, 96)] == [(2, 2), (2, 2, 3, 5), (89,), (2, 2, 2, 2, 2, 3)]


# --- the cost model -----------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [(2, 2, 2, 2, 2, 2), (8, 8), (16, 4), (64,)], ids=text)
def test_a_schedule_costs_what_section_3_2_says(k):
    terms = sum((each - 1) / prod(k[: i + 1]) for i, each in enumerate(k))
    found = cost(f"radix-k:{text(k)}", 64)
    assert list(found.values()) == pytest.approx((len(k), terms, terms))
    bound = PUBLISHED.line("Table 1", "Reduce-scatter")
    assert [found[of] for of in ("bandwidth", "computation")] == pytest.approx(
        [bound["bandwidth"], bound["computation"]]
    )


def test_the_bounds_are_those_of_64_processes():
    p = 64
    terms = {"log2(p)": 6, "1": 1, "(p-1)/p": (p - 1) / p, "2 (p-1)/p": 2 * (p - 1) / p}
    for row in PUBLISHED.of("Table 1"):
        assert row.value == terms[row.note.partition(": ")[2].partition(", at")[0]]


# --- the torus ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rounds", "transfer"), [("binary-swap", 3, 1 / 2 + 1 / 4 + 1 / 8), ("radix-k:8", 1, 1 / 2)]
)
def test_a_block_of_eight_is_a_hypercube(name, rounds, transfer):
    """Radix 8 uses all three links of a node of 2x2x2 at once: half of the image crosses each."""
    run = blue_gene.run(
        make(name, p=8, n=N),
        blue_gene.partition(8),
        2,
        service=SERVICES["no limit"],
        part_done=lambda part: True,
    )
    blending = IMAGE * 7 / 8 / BLEND
    assert run.seconds == pytest.approx(rounds * LATENCY + transfer * IMAGE / LINK + blending, rel=2e-3)


def test_the_ratio_to_binary_swap_is_the_published_one(invented):
    powers = [step for step in scaling.steps(True) if step.name.startswith("figure-4")]
    found = {step.name: compute(step) for step in powers}
    table = reading({**invented, **found}).table
    mean, most, least = (table.value(Items.over, of, "", "simulated") for of in ("mean", "most", "least"))
    assert mean == pytest.approx(table.value(Items.over, "mean", "", "published"), rel=0.03)
    assert most == pytest.approx(table.value(Items.over, "most", "", "published"), rel=0.05)
    assert least > table.value(Items.over, "least", "", "published")


@pytest.mark.slow
def test_the_best_vectors_are_the_published_ones(invented):
    wanted = [*vectors.steps(), *(step for step in services.steps(True) if "figure-6" in step.name)]
    found = {step.name: compute(step) for step in wanted if step.name != "figure-6/4x4x4 blocks"}
    shown = reading({**invented, **found})
    table = shown.table
    assert table.value(Items.ranking, "torus", "radix 16 or 32") > 0.7
    assert table.value(Items.ranking, "2x2x2 blocks", "begins with [8,8]") == 1
    correlations = table.column(Items.services, "torus")
    assert correlations["six links"] > correlations["ordered links"] > correlations["no limit"] > 0.5
    assert table.value(Items.services, "no limit", "direct-send over best, torus") == 1
    assert table.value(Items.services, "six links", "direct-send over best, torus") > 1.3
    best = Terms(table).best("Figure 6", "2x2x2 blocks")
    assert {(8, 8, 2, 2), (8, 8, 4)} <= {parse(k) for k, _ in best[:3]}
    assert {best[int(place) - 1][0] for place in table.column(Items.places).values()} == {
        "[8,8,2,2]",
        "[8,8,4]",
    }
    mesh, torus, blocks = (table.column("Figure 6", of) for of in ("mesh", "torus", "2x2x2 blocks"))
    assert min(blocks.values()) < min(torus.values())
    assert all(mesh[k] > 0.999 * torus[k] for k in torus)
    assert [check.verdict for check in shown.checks if check.where == "4.3"].count("confirmed") == 5


def test_rank_correlation_counts_pairs():
    times = {(2, 4): 1.0, (4, 2): 2.0, (8,): 3.0}
    assert vectors.rank_correlation(times, lambda k: k == (2, 4)) == 1
    assert vectors.rank_correlation(times, lambda k: k == (4, 2)) == 0
    assert vectors.rank_correlation(times, lambda k: k == (8,)) == -1


def test_2_3_swap_takes_about_twice_as_long_as_radix_k_off_powers_of_two(invented):
    names = ("2-3-swap/p384", "2-3-swap/p256", "figure-5/p384")
    found = {step.name: compute(step) for step in STUDY.steps(True) if step.name in names}
    assert len(found) == 3
    assert 1.8 < found["2-3-swap/p384"] / found["figure-5/p384"]["blocks"] < 2.3
    assert 1.2 < found["2-3-swap/p384"] / found["2-3-swap/p256"] < 2
    table = reading(invented).table
    assert table.value(Items.swaps, "other numbers", "over radix-k") == 1.5
    assert table.value(Items.others, "2-3 swap", "", "simulated") == 1


# --- the switch ---------------------------------------------------------------------------------------


def test_the_switch_takes_the_line_of_figure_7_to_its_end():
    first, last = PUBLISHED.column(Items.fours, "time").values()
    found = {p: compute(cluster.count(p)) for p in (4, 16, 25)}
    assert found[4]["packets"] == pytest.approx(first, rel=0.01)
    assert found[4]["flows"] * (95 / 96) / (3 / 4) == pytest.approx(last, rel=0.02)
    assert found[16]["flows"] == pytest.approx(found[4]["flows"] * (15 / 16) / (3 / 4), rel=1e-3)
    assert found[25]["packets"] > found[16]["packets"] * (24 / 25) / (15 / 16)


def test_primes_are_slow_on_crossbars_alone():
    prime, four = compute(cluster.count(89)), compute(cluster.count(88))
    assert prime["packets"] < 1.01 * four["packets"]
    assert prime["16-port crossbars"] > 1.3 * four["16-port crossbars"]


# --- profiles -----------------------------------------------------------------------------------------


def test_ordered_links_hide_the_blending_of_radix_k_and_not_that_of_binary_swap():
    found = compute(next(step for step in services.steps(True) if step.name == "services/figure-3"))
    assert set(found) == {*SERVICES, *services.CUT}
    hidden = {name: each["radix-k"]["hidden"] for name, each in found.items()}
    assert hidden["no limit"] < 0.01
    assert 0.5 < hidden["six links"] < hidden["ordered links"] < hidden["six ordered links"] < 0.8
    assert all(found[name]["binary-swap"]["hidden"] < 0.02 for name in SERVICES)
    assert all(each["hidden"] > 0.9 for name in services.CUT for each in found[name].values())


def test_rounds_of_a_simulated_binary_swap_halve_and_do_not_overlap():
    events = profile.events(compute(profile.steps(True)[0]))
    swap = events["binary-swap"]
    assert len(swap) == 64
    for own in swap:
        blends = [event.end - event.begin for event in own if event.activity == "blend"]
        assert len(blends) == 6
        assert all(b == pytest.approx(a / 2, rel=1e-3) for a, b in pairwise(blends))
    assert len(messages(swap)) == 64 * 6
    assert len(messages(events["radix-k"])) == 64 * 14
    assert profile.hidden(swap) < 0.02
    assert profile.hidden(events["radix-k"]) > 0.5
    assert profile.length(events["radix-k"]) < profile.length(swap)


def test_what_is_hidden_is_counted_by_rank():
    send = Event("send", 0.0, 2.0, peer=1)
    assert profile.hidden([[send, Event("blend", 1.0, 3.0)], [Event("blend", 0.0, 2.0)]]) == 0.25


@pytest.mark.mpi
def test_measured_profiles_hold_every_message():
    step = profile.steps(True)[1]
    found = profile.events(compute(step))
    assert set(found) == set(profile.VECTORS)
    for events in found.values():
        assert len(events) == 4
        sent = sum(event.bytes for own in events for event in own if event.activity == "send")
        assert sent == 4 * (MEGAPIXEL // 4) * PIXEL_BYTES * 3 / 4
        assert 0 <= profile.hidden(events) <= 1


# --- measurements -------------------------------------------------------------------------------------


@pytest.mark.mpi
def test_measured_frames_are_right():
    task = {"width": 64, "height": 32, "format": "float32", "op": "over", "gather": False}
    asked = {
        "tasks": [task],
        "algorithms": ["binary-swap", "radix-k"],
        "peers": [live.MESSAGES, *live.REDUCTIONS],
        "frames": 1,
    }
    told = launch.ranks(live.__name__, asked, 4, 60.0)
    found = live.rows(told)
    assert {live.name(row) for row in found} == {"binary-swap", "radix-k", *live.REDUCTIONS.values()}
    assert all(row.ranks == 4 and row.median_ms > 0 for row in found)
    assert max(row.max_abs_error for row in found) < 1e-6
    # What made them stands beside them in the file of the step, once.
    of_a_row = {field.name for field in fields(Row)} - {field.name for field in fields(Provenance)}
    assert all(set(row) == of_a_row for row in told["rows"])


# --- the report ---------------------------------------------------------------------------------------


def rows(p, names, sizes=((2048, 1024),), contents=("dense",)):
    """What a benchmark of p ranks might have told: binary swap takes 3 ms, radix-k 2, all else 6."""
    known = {name: peer for peer, name in live.REDUCTIONS.items()}
    shared = {
        "task": "composite",
        "ranks": p,
        "format": "float32",
        "op": "over",
        "gather": False,
        "bounds": False,
        "frames": 1,
        "min_ms": 0.0,
        "max_ms": 0.0,
        "cpu_ms": 0.0,
        "max_abs_error": 1e-7,
        "peak_bytes": None,
    }
    times = {"binary-swap": 3.0, "radix-k": 2.0}
    return {
        "notes": [],
        "cores": 2,
        "rows": [
            {
                **shared,
                "peer": known.get(name, live.MESSAGES),
                "algorithm": name,
                "width": width,
                "height": height,
                "content": content,
                "median_ms": times.get(name, 6.0),
            }
            for name in names
            for width, height in sizes
            for content in contents
        ],
    }


@pytest.fixture(scope="module")
def invented():
    """Results of all quick steps: radix-k takes 1 s and binary swap 2, a vector as many as it has rounds."""
    algorithms = ("binary-swap", "radix-k", "direct-send")
    every = (*algorithms, *live.REDUCTIONS.values())
    sweep = {text(k): float(len(k)) for k in VECTORS}
    pair = {"binary-swap": 2.0, "radix-k": 1.0}
    event = [("send", 0.0, 1.0, 0, 1, 16), ("blend", 0.5, 1.5, -1, -1, 16)]
    made = {
        "figure-4": {"blocks": pair, "none": pair},
        "figure-5": {"name": "radix-k:8", "none": 1.0, "blocks": 1.0},
        "figure-6/mesh": {text(k): len(k) + max(k) / 100 for k in VECTORS},
        "figure-6": sweep,
        "figure-7": {"k": "2,2", **dict.fromkeys(METHODS, 0.06)},
        "2-3-swap": 1.5,
        "quoted": {"processes": 1024, "name": "radix-k:8", "seconds": 0.35},
        "services/figure-6": dict.fromkeys(services.COMPARED, sweep),
        "services/figure-3": {
            name: {key: {"seconds": 0.1, "hidden": 0.25} for key in profile.VECTORS}
            for name in {**SERVICES, **services.CUT}
        },
        "services/figure-4": {name: [1.5, 1.6] for name in SERVICES},
        "figure-3": {name: [event, event] for name in profile.VECTORS},
        "sensitivity": {"1e9": {"blocks": 1.5, "none": 1.1}},
        "later/active": {f"{share:g}": sweep for share in later.SHARES},
        "later/cores": {str(cores): sweep for cores in later.CORE_COUNTS},
        "later/choice": {"switch": {"12": {"chosen": "radix-k:12", "seconds": {"radix-k:12": 1.0}}}},
        "live/sizes": rows(2, every, ((1024, 1024), (2048, 1024))),
        "live/active": rows(2, algorithms, contents=("dense", "block")),
        **{f"live/p{p}": rows(p, every) for p in (2, 3, 4)},
    }
    return {
        step.name: next(value for key, value in made.items() if step.name.startswith(key))
        for step in STUDY.steps(True)
    }


def test_verdicts_follow_the_results(invented):
    def verdicts(results):
        return {check.claim: check.verdict for check in reading(results).checks}

    mean, last = "Radix-k is 1.45 times as fast as binary swap on average (calibrated).", "96 processes take"
    found = verdicts(invented)
    assert (len(found), found[mean]) == (14, "refuted")
    assert found["It is nowhere slower."] == "confirmed"
    assert found["4 processes take 0.06 s (calibrated)."] == "confirmed"
    assert next(verdict for claim, verdict in found.items() if claim.startswith(last)) == "undecided"
    pair = {"binary-swap": 1.45, "radix-k": 1.0}
    published = {
        name: {"blocks": pair, "none": pair} if name.startswith("figure-4") else result
        for name, result in invented.items()
    }
    assert verdicts(published)[mean] == "confirmed"
