"""What fabrics cost: Navaridas et al., files of prices, ``sortlast fabric check --prices``."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from refusals import refused
from sortlast import ArgumentError, fabric

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


def same_switches(net: fabric.Topology) -> fabric.Components:
    """The parts, if all switches have the ports of the largest, even the roots, as the paper counts."""
    parts = fabric.components(net)
    return replace(parts, switches={max(parts.switches): sum(parts.switches.values())})


# --- parts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("item", "suffix", "names"), [("2a", "", SET_A), ("2b", "-CN", SET_B)])
def test_the_parts_are_those_of_table_2(item, suffix, names):
    for name in names:
        parts = same_switches(TREES[name])
        [(ports, switches)] = parts.switches.items()
        assert ports == published(f"Table {item}", "Switch radix")[name]
        assert switches == published(f"Table {item}", f"Switches{suffix}")[name]
        assert sum(parts.cables.values()) == published(f"Table {item}", f"Links{suffix}")[name]
        assert parts.nodes == parts.adapters == published(f"Table {item}", f"Nodes{suffix}")[name]


# --- costs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("item", "suffix", "names"), [("3a", "", SET_A), ("3b", "-CN", SET_B)])
def test_the_costs_are_those_of_table_3(item, suffix, names):
    for name in names:
        bill = fabric.bill(same_switches(TREES[name]), PAPER)
        assert round(bill.total) == pytest.approx(
            published(f"Table {item}", f"Total Cost{suffix}")[name], abs=1
        )
        assert bill.per_node == pytest.approx(published(f"Table {item}", f"Cost/Node{suffix}")[name], abs=0.5)


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


# --- the command ------------------------------------------------------------------------------------------


def test_check_tells_what_fabrics_cost(cli, tmp_path):
    prices, path = tmp_path / "prices.yaml", tmp_path / "told.json"
    prices.write_text("currency: USD\nswitch: {port squared: 21.97265625}\ncable: {any: 150}\nadapter: 3\n")
    listed = fabric.price_list(prices)
    options = ("--prices", prices, "--against", "thin-tree:4,2,2", "--json", path)
    status, out, err = cli("fabric", "check", "--net", "k-ary-n-tree:4,2", *options)
    assert (status, err) == (0, "")
    told = json.loads(path.read_text())
    rows = [told, *told["against"][1:]]
    for row, net in zip(rows, (fabric.k_ary_n_tree(4, 2), fabric.thin_tree(4, 2, 2)), strict=True):
        bill = fabric.bill(net, listed)
        cost = row["cost"]
        assert (cost["total"], cost["per_node"], cost["nodes"]) == (bill.total, bill.per_node, 16)
        assert [*map(tuple, map(dict.values, cost["bill"]))] == [
            (line.part, line.kind, line.number, line.price) for line in bill.lines
        ]
        assert re.search(rf"{bill.per_node:,.2f} *$", out, re.MULTILINE)
    assert f"USD {told['cost']['total']:,.0f}; {told['cost']['per_node']:,.2f} per node" in out


def test_a_price_that_is_missing_ends_the_check(cli, tmp_path):
    prices = tmp_path / "prices.csv"
    prices.write_text("part,kind,price\nswitch,8,100\ncable,hosts,3\n")
    told = refused(cli("fabric", "check", "--net", "k-ary-n-tree:4,2", "--prices", prices))
    assert "the price list has no cable 'level 1 to level 2'" in told
