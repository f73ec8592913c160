"""Virtual lanes from Python and the command line: what they take, tell, draw and refuse."""

from __future__ import annotations

import json

import pytest

from refusals import refused
from sortlast import ArgumentError, fabric, simulate

NET = "dragonfly:2,4,2,9"


def test_what_cannot_be_is_refused():
    f, tree = fabric.make_topology(NET), fabric.k_ary_n_tree(2, 2)
    t = simulate.all_to_all(4, 64)
    with pytest.raises(ArgumentError, match="needs 4 lanes"):
        simulate.packet(f, t, routing="ugal", lanes=3)
    with pytest.raises(ArgumentError, match="lanes is 0"):
        simulate.packet(f, t, routing="minimal", lanes=0)
    with pytest.raises(ArgumentError, match="lanes is 0"):
        simulate.load(f, 0.1, routing="minimal", lanes=0)
    with pytest.raises(ArgumentError, match="ugal_threshold and allocation are of virtual lanes"):
        simulate.packet(tree, t, ugal_threshold=1)
    with pytest.raises(ArgumentError, match="on lanes requests"):
        simulate.packet(f, t, routing="ugal", ties="fsin")
    with pytest.raises(ArgumentError, match="has no lanes"):
        simulate.packet(f, t, lanes=2)
    with pytest.raises(ArgumentError, match="intact dragonfly"):
        simulate.packet(tree, t, routing="valiant")
    with pytest.raises(ArgumentError, match="next group"):
        simulate.load(tree, 0.5, "next-group", routing="ar-updn")
    with pytest.raises(ArgumentError, match="'sideways'"):
        simulate.load(tree, 0.5, "sideways", routing="ar-updn")


# --- the commands -------------------------------------------------------------------------------------------


def test_simulate_takes_a_routing_on_lanes(cli, tmp_path):
    path = tmp_path / "run.json"
    status, _, err = cli(
        *("simulate", "uniform", "--net", NET, "--routing", "ugal", "--set", "lanes=8", "--json", path)
    )
    assert (status, err) == (0, "")
    told = json.loads(path.read_text())
    assert (told["routing"], told["settings"]["lanes"]) == ("ugal", 8)
    run = simulate.packet(
        fabric.make_topology(NET), simulate.uniform(72, 1000, 10, 17), routing="ugal", lanes=8
    )
    assert told["cycles"] == run.cycles


def test_load_says_what_python_finds(cli, tmp_path):
    table, picture = tmp_path / "load.json", tmp_path / "load.svg"
    options = ("--loads", "0,0.2", "--seeds", 2, "--measured", 1000, "--json", table, "--draw", picture)
    status, out, err = cli("fabric", "load", "--net", NET, "--routing", "minimal", *options)
    assert (status, err) == (0, "")
    idle, busy = json.loads(table.read_text())["rows"]
    assert (idle["delay"], idle["accepted"]) == (None, 0)
    assert "none" in out
    runs = [
        simulate.load(fabric.make_topology(NET), 0.2, routing="minimal", measured=1000, seed=seed)
        for seed in (17, 18)
    ]
    assert busy["accepted"] == pytest.approx(sum(run.accepted for run in runs) / 2)
    assert busy["delay"] == pytest.approx(sum(run.mean_delay for run in runs) / 2)
    assert picture.read_text().count("<svg") == 1


@pytest.mark.parametrize(
    ("option", "number"),
    [
        ("--warm-up", 3_000_000_000),
        ("--measured", 3_000_000_000),
        ("--drain", 3_000_000_000),
        ("--phits", 3_000_000_000),
        ("--switch-cycles", 3_000_000_000),
        ("--ugal-threshold", 3_000_000_000),
        ("--ugal-threshold", -3_000_000_000),
        ("--seed", 10**20),
    ],
)
def test_numbers_that_are_too_large_are_refused(cli, option, number):
    status, _, err = cli("fabric", "load", "--net", NET, "--routing", "ugal", option, number)
    assert status == 2
    assert f"'{option}'" in err
    assert "Input should be" in err


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--routing", "minimal", "--loads", "0.1,2"), "expected numbers from 0 to 1"),
        (("--routing", "minimal", "--loads", "much"), "expected numbers from 0 to 1"),
        (("--routing", "nonsense"), "no routing 'nonsense'"),
        (("--routing", "ugal", "--lanes", "2"), "needs 4 lanes"),
        (("--routing", "ugal", "--draw", "curve.txt"), "the suffix must be one of"),
    ],
)
def test_load_refuses(cli, options, text):
    assert text in refused(cli("fabric", "load", "--net", NET, *options))
