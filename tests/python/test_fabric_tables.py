"""A fabric as a graph, and its loads as a table: every value is that of the fabric and of the report."""

from __future__ import annotations

import csv
import io
import json
import os

import networkx
import numpy as np
import pytest

import real_fabrics
from sortlast import ArgumentError, _fabric, fabric
from sortlast.fabric import tables

COLUMNS = ["from", "from_port", "to", "to_port", "stage", "flows"]


def contended():
    tree = fabric.pgft(m=[6, 4], w=[1, 3], p=[1, 2])
    return fabric.contention(fabric.route(tree, "ftree"), "shift", fabric.order_hosts(tree, "random"))


@pytest.mark.parametrize("family", ["pgft:6,4;1,3;1,2", "torus:3,4;2", "crossbar:1", "torus:2"])
def test_a_graph_has_every_vertex_and_every_cable(family):
    net = fabric.make_topology(family)
    graph = net.to_networkx()
    assert isinstance(graph, networkx.MultiGraph)
    assert graph.graph["name"] == net.name
    assert graph.number_of_nodes() == net.vertices
    assert graph.number_of_edges() == len(net.links)
    for host in net.hosts:
        assert graph.nodes[host.number] == {"kind": "host", "name": host.name, "guid": host.guid, "level": 0}
        assert [*graph.neighbors(host.number)] == [len(net.hosts) + host.switch]
    for switch in net.switches:
        told = graph.nodes[switch.vertex]
        assert (told["kind"], told["name"], told["guid"]) == ("switch", switch.name, switch.guid)
        assert told.get("level", 0) == switch.level
    for a, b, told in graph.edges(data=True):
        assert {a, b} == {told["a"], told["b"]}
        assert net.source(told["channel"]) == (told["a"], told["a_port"])
        assert net.target(told["channel"]) == (told["b"], told["b_port"])
        assert "gbps" not in told
    assert networkx.is_connected(graph)
    # What NetworkX writes it reads again.
    assert networkx.utils.graphs_equal(networkx.node_link_graph(networkx.node_link_data(graph)), graph)
    networkx.write_graphml(graph, io.BytesIO())


def test_a_graph_has_rates_and_cuts_as_the_fabric_has_them():
    if os.environ.get("SORTLAST_REAL_FABRICS"):
        net = fabric.read(real_fabrics.find("NDR"))
        rates = [told["gbps"] for *_, told in net.to_networkx().edges(data=True)]
        assert sorted(rates) == sorted(link.gbps for link in net.links)
    tree = fabric.k_ary_n_tree(4, 2)
    whole = tree.to_networkx()
    cut = tree.without_links([tree.links[-1].channel]).to_networkx()
    assert len(networkx.algorithms.minimum_edge_cut(networkx.Graph(whole), 16, 23)) == 4
    assert cut.number_of_edges() == whole.number_of_edges() - 1


def test_a_table_has_a_row_for_every_channel_that_carries_flows():
    found = contended()
    net = found.routes.topology
    table = found.loads_table()
    assert [*table.dtype.names] == COLUMNS
    assert len(table) == found.histogram[1:].sum()
    at = 0
    for stage in range(found.stages):
        loads = found.loads(stage)
        for channel in np.flatnonzero(loads):
            (a, a_port), (b, b_port) = net.source(channel), net.target(channel)
            row = (net.label(a), a_port, net.label(b), b_port, stage + 1, loads[channel])
            assert table[at].item() == row
            at += 1
    assert at == len(table)
    np.testing.assert_array_equal(found.loads_table([3]), table[table["stage"] == 4])
    assert len(found.loads_table([])) == 0
    assert table["flows"].max() == found.max_flows


def test_names_that_two_vertices_have_are_told_apart():
    text = fabric.write_ibnetdiscover(fabric.assign_lids(fabric.crossbar(3))).replace(
        "host00002", "host00001"
    )
    net = _fabric.read_topology(text, "net")
    table = fabric.contention(fabric.route(net, "minhop"), "shift").loads_table()
    names = {*table["from"].tolist()}
    assert names == {net.label(vertex) for vertex in range(net.vertices)}
    assert len(names) == 4


def test_a_table_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(tables, "MOST_ROWS", 100)
    found = contended()
    with pytest.raises(ArgumentError, match="more than the 100 of a table"):
        found.loads_table()
    with pytest.raises(ArgumentError, match="more than the 100 of a table"):
        found.loads_table(range(20))
    assert len(found.loads_table([0])) <= 100


def test_check_writes_what_it_reports(cli, tmp_path):
    table, report = tmp_path / "loads.csv", tmp_path / "report.json"
    options = ("--net", "k-ary-n-tree:12,2", "--nodes", "host[00000-00063]")
    status, out, _ = cli("fabric", "check", *options, "--csv", table, "--json", report)
    assert status == 1
    assert f"wrote {table}" in out
    with table.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [*rows[0]] == COLUMNS
    told = json.loads(report.read_text())
    # The most of every stage, and the histogram.
    most = np.zeros(told["stages"], int)
    for row in rows:
        most[int(row["stage"]) - 1] = max(most[int(row["stage"]) - 1], int(row["flows"]))
    assert most.tolist() == told["stage_max"]
    assert np.bincount([int(row["flows"]) for row in rows]).tolist() == [0, *told["histogram"][1:]]
    # The worst link that is printed is a row.
    worst = told["worst"]
    (row,) = (
        row
        for row in rows
        if all(row[name] == str(worst[name]) for name in ("from", "from_port", "to", "to_port", "stage"))
    )
    assert int(row["flows"]) == told["max_flows"] == len(worst["flows"])
    assert (
        f"worst link: {row['from']} port {row['from_port']} to {row['to']} port {row['to_port']}, 2 flows"
        in out
    )
