"""The command price: what it prints, draws and refuses."""

from __future__ import annotations

import json
import math

import pytest

from sortlast import schedule
from sortlast.cost import Network, communication_time


def test_schedules_of_too_many_transfers_are_not_walked(cli, tmp_path):
    path = tmp_path / "price.json"
    status, out, _ = cli("price", "--p", "10100", "--json", path)
    assert status == 0
    rows = {row["algorithm"]: row for row in json.loads(path.read_text())["rows"]}
    assert rows["shift"]["formula_s"] > 0
    assert rows["shift"]["schedule_s"] is rows["shift"]["messages"] is None
    assert rows["binary-swap"]["schedule_s"] > 0
    assert "-: a schedule of more than 100,000,000 transfers, which is not walked" in out


def test_price_is_table_1(cli, tmp_path):
    path = tmp_path / "price.json"
    status, out, _ = cli("price", "--p", "64,1", "--size", "1000x500", "--json", path)
    assert status == 0
    written = json.loads(path.read_text())
    rows = {row["algorithm"]: row for row in written["rows"] if row["p"] == 64}
    transfer = 16 / 1800e6 * 500_000 * 63 / 64
    for name, latency, factor in (
        ("direct-send", 63, 1),
        ("binary-swap", 6, 1),
        ("2-3-swap", 24, 1.3),
        ("parallel-pipeline", 63, 1),
        ("shift", 63, 1),
    ):
        assert rows[name]["formula_s"] == pytest.approx(1e-6 * latency + factor * transfer)
        assert f"{1e3 * rows[name]['formula_s']:.3f}" in out
    assert rows["shift"]["ratio"] == pytest.approx(1, rel=1e-3)
    assert rows["2-3-swap"]["ratio"] < 0.8
    assert all(row["ratio"] is None for row in written["rows"] if row["p"] == 1)
    # Without nodes a two-level schedule is the one of its inner algorithm.
    priced = {entry.name for entry in schedule.algorithms()} - {"two-level"}
    assert {row["algorithm"] for row in written["rows"]} == priced


def test_both_readings_of_the_latency_of_radix_k():
    name = schedule.make("radix-k", p=64, n=0).name
    factors = [int(k) for k in name.split(":")[1].split(",")]
    assert math.prod(factors) == 64
    counts = {"per_message": sum(k - 1 for k in factors), "per_round": len(factors)}
    for reading, count in counts.items():
        network = Network(0, 16, 1e-6, 1.8e9, reading)
        assert communication_time("radix-k", 64, network) == pytest.approx(1e-6 * count)


def test_price_draws_both_figures(cli, tmp_path):
    status, out, _ = cli("price", "--p", "4", "--output-dir", tmp_path / "new")
    assert status == 0
    names = {
        f"communication-{name}.{suffix}" for name in ("crossbar", "fat-tree") for suffix in ("png", "svg")
    }
    assert {path.name for path in (tmp_path / "new").iterdir()} == names
    assert all(name in out for name in names)


@pytest.mark.parametrize(
    "args",
    [("--size", "4x"), ("--size", "-1x5"), ("--p", "a"), ("--bandwidth", "0")],
)
def test_price_explains_wrong_options(cli, args):
    status, out, err = cli("price", *args)
    assert (status, out) == (2, "")
    assert args[1] in err
    assert "Traceback" not in err
