"""What fabrics cost and are worth: Navaridas et al., files of prices, ``sortlast fabric cost``."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from refusals import refused
from sortlast import ArgumentError, fabric, schedule, simulate

PUBLISHED = Path(__file__).parents[2] / "studies" / "sortlast_studies" / "narrowed_trees" / "published.csv"
# Navaridas et al., section 5.1: a switch of 16 ports costs 5625 dollars, others as their ports squared.
PAPER = fabric.PriceList(switch_port_squared=5625 / 16**2, cable={"any": 150.0})
TREES = {
    "8,4-fat-tree": fabric.thin_tree(8, 8, 4),
    "8:4,4-thin-tree": fabric.thin_tree(8, 4, 4),
    "8:2,4-thin-tree": fabric.thin_tree(8, 2, 4),
    "8:4,8-slender-tree": fabric.slender_tree(8, 4, 8),
    "8:2,5-slender-tree": fabric.slender_tree(8, 2, 5),
    "6,5-fat-tree": fabric.thin_tree(6, 6, 5),
    "9:3,4-thin-tree": fabric.thin_tree(9, 3, 4),
    "9:3,6-slender-tree": fabric.slender_tree(9, 3, 6),
}
SET_A = ("8,4-fat-tree", "8:4,4-thin-tree", "8:2,4-thin-tree", "8:4,8-slender-tree", "8:2,5-slender-tree")
SET_B = ("6,5-fat-tree", "8:4,4-thin-tree", "9:3,4-thin-tree", "8:4,8-slender-tree", "9:3,6-slender-tree")


def published(item: str, row: str) -> dict[str, float]:
    """A row of a table of the paper, by network."""
    with PUBLISHED.open(newline="") as file:
        return {
            each["column"]: float(each["value"])
            for each in csv.DictReader(file)
            if (each["item"], each["row"]) == (item, row)
        }


# --- parts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("item", "suffix", "names"), [("2a", "", SET_A), ("2b", "-CN", SET_B)])
def test_the_parts_are_those_of_table_2(item, suffix, names):
    for name in names:
        parts = fabric.components(TREES[name], same_switches=True)
        [(ports, switches)] = parts.switches.items()
        assert ports == published(f"Table {item}", "Switch radix")[name]
        assert switches == published(f"Table {item}", f"Switches{suffix}")[name]
        assert sum(parts.cables.values()) == published(f"Table {item}", f"Links{suffix}")[name]
        assert parts.nodes == parts.adapters == published(f"Table {item}", f"Nodes{suffix}")[name]


# --- costs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("item", "suffix", "names"), [("3a", "", SET_A), ("3b", "-CN", SET_B)])
def test_the_costs_are_those_of_table_3(item, suffix, names):
    for name in names:
        parts = fabric.components(TREES[name], same_switches=True)
        bill = fabric.bill(parts, PAPER)
        assert round(bill.total) == pytest.approx(
            published(f"Table {item}", f"Total Cost{suffix}")[name], abs=1
        )
        assert bill.per_node == pytest.approx(published(f"Table {item}", f"Cost/Node{suffix}")[name], abs=0.5)
        assert fabric.cost_per_node(parts, PAPER) == bill.per_node


def test_a_bill_is_the_sum_of_its_lines():
    prices = fabric.PriceList({4: 10, 8: 100}, cable={"hosts": 1, "level 1 to level 2": 2}, adapter=50)
    bill = fabric.bill(fabric.make_topology("pgft:3,2;1,2;1,1"), prices)  # leaves of 5 ports, roots of 2
    assert [(line.part, line.kind, line.number, line.price) for line in bill.lines] == [
        ("switch", "2 ports", 2, 10),
        ("switch", "5 ports", 2, 100),
        ("cable", "hosts to level 1", 6, 1),
        ("cable", "level 1 to level 2", 4, 2),
        ("adapter", "", 6, 50),
    ]
    assert bill.total == 20 + 200 + 6 + 8 + 300
    assert bill.per_node == 534 / 6


def test_a_part_without_a_price_is_named():
    with pytest.raises(ArgumentError, match="no switch of 8 ports or more"):
        fabric.bill(fabric.k_ary_n_tree(4, 2), fabric.PriceList({4: 1}, cable={"any": 1}))
    with pytest.raises(ArgumentError, match="no cable 'level 1 to level 2'"):
        fabric.bill(fabric.k_ary_n_tree(4, 2), fabric.PriceList({8: 1}, cable={"hosts": 1}))


# --- files of prices --------------------------------------------------------------------------------------

YAML = """\
currency: USD
switch:
  16: 5625
  port squared: 21.97
cable: {hosts: 70, any: 350}
adapter: 500
"""
JSON = """{
\t"currency": "USD", "switch": {"16": 5625, "port squared": 21.97},
\t"cable": {"hosts": 70, "any": 350}, "adapter": 500
}
"""
CSV = """\
# of a vendor
part,kind,price
currency,,USD
switch,16,5625
switch,port squared,21.97
cable,hosts,70
cable,any,350
adapter,,500
"""


@pytest.mark.parametrize(("name", "text"), [("a.yaml", YAML), ("a.json", JSON), ("a.csv", CSV)])
def test_prices_are_read_in_each_form(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    found = fabric.price_list(path)
    assert found == fabric.PriceList({16: 5625}, 21.97, {"hosts": 70, "any": 350}, 500, "USD")
    assert (found.of_switch(16), found.of_switch(10)) == (5625, pytest.approx(2197))
    assert found.of_cable("hosts to level 1") == 70
    assert found.of_cable("level 1 to level 2") == 350


@pytest.mark.parametrize("text", ["\ufeff" + CSV, CSV.replace("\n", "\r\n"), CSV.replace("\n", "\r")])
def test_csv_of_spreadsheets_is_read(tmp_path, text):
    """With a byte order mark, and the line ends of other systems."""
    (tmp_path / "a.csv").write_bytes(CSV.encode())
    (tmp_path / "b.csv").write_bytes(text.encode())
    assert fabric.price_list(tmp_path / "b.csv") == fabric.price_list(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.yaml", "switch:\n  16: much\n", "a.yaml:2: switch 16: expected a price"),
        ("a.yaml", "switch:\n  16: 1\n  16: 2\n", "a.yaml:3: switch 16: expected one price"),
        ("a.yaml", "switch: {16: 1}\nswich: {2: 1}\n", "a.yaml:2: swich: expected switch, cable"),
        ("a.yaml", "switch: {big: 1}\n", "a.yaml:1: switch: expected a number of ports"),
        ("a.yaml", "switch: {16: 1}\ncable:\n  optical: 3\n", "a.yaml:3: cable: expected hosts, switches"),
        (
            "a.yaml",
            "switch: {16: 1}\ncable: {leaf to spine: 3}\n",
            "a.yaml:2: cable: expected hosts, switches, any, or a kind such as 'level 1 to level 2',"
            " found 'leaf to spine'",
        ),
        (
            "a.yaml",
            "switch: {16: 1}\ncable:\n  level 1 to level 2: 3\n  level 2 to level 1: 4\n",
            "a.yaml:4: cable level 2 to level 1: expected one price, found a second one of"
            " 'level 1 to level 2'",
        ),
        ("a.yaml", "switch: {16: [1, 2]}\n", "a.yaml:1: switch: expected 'KIND: PRICE'"),
        ("a.yaml", "cable: {any: 1}\n", "a.yaml:1: switch: expected the price of a switch"),
        ("a.yaml", "switch: {16: 1\n", "a.yaml:2: text: expected YAML"),
        ("a.yaml", "", "a.yaml:1: text: expected 'switch:'"),
        ("a.json", '{"switch":\n {"16": "x"}}', "a.json:2: switch 16: expected a price"),
        ("a.csv", "switch,16,5\n", "a.csv:1: heading: expected 'part,kind,price'"),
        ("a.csv", "part,kind,price\nswitch,16\n", "a.csv:2: switch: expected part,kind,price"),
        ("a.csv", f"part,kind,price\n{'x' * 200_000}\n", "a.csv:2: text: expected CSV, found field larger"),
    ],
)
def test_a_wrong_price_list_is_an_error_with_file_line_and_key(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ArgumentError) as refused:
        fabric.price_list(path)
    assert message in str(refused.value)


# --- indicators -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "time", "suffix", "names"),
    [
        ("4a", "Σ Relative time", "", SET_A),
        ("4b", "Σ Relative time", "-CN", SET_B),
        ("4b", "Σ Relative time", "-U", SET_B),
        ("5a", "Σ Weigh time", "", SET_A),
        ("5b", "Σ Weigh time", "-U", SET_B),
    ],
)
def test_the_indicators_are_those_of_tables_4_and_5(item, time, suffix, names):
    table = f"Table {item}"
    costs = published(table, f"Cost/Node{suffix}")
    times = {name: {"all": published(table, time)[name]} for name in names}
    for found in fabric.indicators(times, costs):
        name = found.network
        assert found.performance == pytest.approx(published(table, "Normalized φ")[name], abs=0.006)
        assert found.relative_cost == pytest.approx(
            published(table, f"Norm Cost/Node{suffix}")[name], abs=0.006
        )
        # Quotients of rounded numbers in print.
        assert found.performance_per_cost == pytest.approx(
            published(table, f"Perf./Cost{suffix}")[name], rel=0.01, abs=0.006
        )


def test_weights_of_names_multiply():
    times = {
        "a": {("BU", "1"): 2.0, ("BU", "9"): 4.0, ("WF", "1"): 1.0},
        "b": {("BU", "1"): 3.0, ("BU", "9"): 2.0, ("WF", "1"): 5.0},
    }
    costs = {"a": 10.0, "b": 5.0}
    first, second = fabric.indicators(times, costs, {"BU": 2, "9": 3, "WF": 0})
    assert (first.relative_time, first.performance, first.performance_per_cost) == (2 + 6, 1, 1)
    assert second.relative_time == pytest.approx(2 * 1.5 + 6 * 0.5)
    assert second.performance == pytest.approx(8 / 6)
    assert second.relative_cost == 0.5
    assert second.performance_per_cost == pytest.approx(16 / 6)


@pytest.mark.parametrize(
    ("times", "costs", "weights", "message"),
    [
        ({}, {}, None, "no network"),
        ({"a": {"x": 1}, "b": {"y": 1}}, {"a": 1, "b": 1}, None, "times of b: its workloads .*: x, y"),
        ({"a": {"x": 0}}, {"a": 1}, None, "times of a: x takes 0"),
        ({"a": {"x": 1}}, {}, None, "that of a is None"),
        ({"a": {"x": 1}}, {"a": 0}, None, "that of a is 0"),
        ({"a": {"x": 1}}, {"a": 1}, {"y": 1}, "weight of 'y': no workload"),
        ({"a": {"x": 1}}, {"a": 1}, {"x": -1}, "weight of 'x' is -1"),
        ({"a": {"x": 1}}, {"a": 1}, {"x": 0}, "weights of all workloads are 0"),
    ],
)
def test_indicators_refuse_what_cannot_be_compared(times, costs, weights, message):
    with pytest.raises(ArgumentError, match=message):
        fabric.indicators(times, costs, weights)


# --- the command ------------------------------------------------------------------------------------------

NETS = ("--net", "k-ary-n-tree:4,2", "--net", "thin-tree:4,2,2")


def plain(text):
    """Text without frames, on one line."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", text).split())


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text("currency: USD\nswitch: {port squared: 21.97265625}\ncable: {any: 150}\n")
    return path


@pytest.mark.parametrize("method", ["packet", "flow"])
def test_the_command_tells_what_python_finds(cli, tmp_path, prices, method):
    path, table = tmp_path / "cost.json", tmp_path / "cost.csv"
    options = (
        "--traffic",
        "BU@100,5K",
        "--traffic",
        "shift@64x64",
        "--weight",
        "BU=2",
        "--weight",
        "100=0.5",
    )
    status, out, err = cli(
        "fabric",
        "cost",
        *NETS,
        "--prices",
        prices,
        *options,
        "--method",
        method,
        "--json",
        path,
        "--csv",
        table,
    )
    assert (status, err) == (0, "")
    told = json.loads(path.read_text())
    nets = [fabric.k_ary_n_tree(4, 2), fabric.thin_tree(4, 2, 2)]
    times = {}
    for net in nets:
        where = {"placement": range(16)}
        run = simulate.packet if method == "packet" else simulate.flow
        times[net.name] = {
            ("BU", "100"): run(net, simulate.pattern("BU", 16, 100), **where).seconds,
            ("BU", "5K"): run(net, simulate.pattern("BU", 16, 5000), **where).seconds,
        }
        made = schedule.make("shift", p=16, n=64 * 64)
        frame = simulate.frame_traffic(made, rendezvous=method == "flow")
        at_once = {} if method == "packet" else {"sends_at_once": 0}
        times[net.name]["shift", "64x64"] = run(net, frame, **where, **at_once).seconds
    costs = {net.name: fabric.cost_per_node(net, PAPER) for net in nets}
    for row, found in zip(told, fabric.indicators(times, costs, {"BU": 2, "100": 0.5}), strict=True):
        assert row["fabric"] == found.network
        assert row["cost_per_node"] == pytest.approx(found.cost)
        assert row["relative_time"] == pytest.approx(found.relative_time)
        assert row["performance"] == pytest.approx(found.performance)
        assert row["performance_per_cost"] == pytest.approx(found.performance_per_cost)
        assert row["seconds"] == {"@".join(key): value for key, value in times[found.network].items()}
        assert f"{found.performance_per_cost:.2f}" in out
    assert told[0]["performance_per_cost"] == 1
    with table.open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [float(row["performance"]) for row in written] == [row["performance"] for row in told]
    assert [float(row["BU@5K"]) for row in written] == [row["seconds"]["BU@5K"] for row in told]


def test_a_file_has_the_tasks_that_it_says(cli, tmp_path, prices):
    """However many ranks patterns have, and as many as fit on the fabric."""
    path, traffic = tmp_path / "cost.json", tmp_path / "shift.goal"
    eight = simulate.shift(8, 1000, 1, 3)
    traffic.write_text(eight.to_goal())
    options = ("--net", "k-ary-n-tree:4,2", "--prices", prices, "--traffic", traffic, "--ranks", 4)
    assert cli("fabric", "cost", *options, "--json", path)[0] == 0
    tree = fabric.k_ary_n_tree(4, 2)
    expected = simulate.packet(tree, simulate.read(traffic), placement=range(8)).seconds
    assert json.loads(path.read_text())[0]["seconds"] == {str(traffic): expected}
    small = ("--net", "k-ary-n-tree:2,2", "--prices", prices, "--traffic", traffic)
    assert "8 tasks do not fit on 2-ary 2-tree, which has 4 compute hosts" in refused(
        cli("fabric", "cost", *small)
    )


def test_as_many_ranks_as_compute_hosts_are_taken(cli, tmp_path, prices):
    """An aggregation node is a host on which no task runs."""
    net, path = tmp_path / "net", tmp_path / "cost.json"
    names = ("a", "b", "Mellanox Technologies Aggregation Node")
    adapters = [f'Ca 1 "H-{k}" # "{name}"\n[1] "S-9"[{k}]' for k, name in enumerate(names, 1)]
    ports = "".join(f'[{k}] "H-{k}"[1]\n' for k in (1, 2, 3))
    net.write_text("\n".join([f'Switch 4 "S-9" # "s"\n{ports}', *adapters]))
    topology = fabric.read(net)
    assert (len(topology.hosts), len(fabric.compute_hosts(topology))) == (3, 2)
    options = ("--net", net, "--prices", prices, "--traffic", "BU@1000")
    assert cli("fabric", "cost", *options, "--json", path)[0] == 0
    expected = simulate.packet(topology, simulate.pattern("BU", 2, 1000)).seconds
    assert json.loads(path.read_text())[0]["seconds"] == {"BU@1000": expected}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--weight", "Bu=2"), "weight of 'Bu': no workload"),
        (("--weight", "BU=1", "--weight", "BU=2"), "the weight of BU is given twice"),
        (("--weight", "BU=0"), "weights of all workloads are 0"),
    ],
)
def test_weights_are_checked_before_anything_runs(cli, prices, monkeypatch, more, message):
    monkeypatch.setattr(simulate, "packet", lambda *args, **named: pytest.fail("it is simulated first"))
    status, _, err = cli("fabric", "cost", *NETS, "--prices", prices, "--traffic", "BU@100", *more)
    assert status == 2
    assert message in plain(err)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--weight", "BU=1"), "give --traffic too"),
        (("--traffic", "BU@100", "--weight", "BU"), "is not NAME=NUMBER"),
        (("--traffic", "BU@100", "--weight", "2M=1"), "no workload has this name"),
        (("--traffic", "BU"), "is no file, and has no size"),
        (("--traffic", "BU@100", "--traffic", "BU@100"), "a workload is given twice"),
        (("--traffic", "BU@much"), "are no bytes"),
        (("--traffic", "BU@100", "--ranks", "32"), "32 tasks do not fit"),
        (("--traffic", "BU@100", "--ranks", 3_000_000_000), "Input should be less than or equal to"),
        (("--net", "k-ary-n-tree:4,2"), "is given twice"),
    ],
)
def test_the_command_refuses_what_means_nothing(cli, prices, options, message):
    status, _, err = cli("fabric", "cost", *NETS, "--prices", prices, *options)
    assert status == 2
    assert message in plain(err)
