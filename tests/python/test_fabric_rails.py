"""Nodes with several adapters: rails, lists of nodes, several ranks a node, names by GUID."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from refusals import refused
from sortlast import ArgumentError, _fabric, fabric

DATA = Path(__file__).parents[1] / "fabric" / "data"
NET = DATA / "ibnetdiscover" / "rails.ibnetdiscover"
NAMES = DATA / "node_name_map" / "names.map"
TREE = ("--roots", "top", "--compute", "leaves")


@pytest.fixture(scope="module")
def net():
    """Four nodes of four adapters, a leaf a rail; aggregation nodes, a missing cable, one default name."""
    return fabric.read(NET)


def rail(net, number, nodes=(1, 2, 3)):
    """Hosts by name."""
    numbers = {host.name: host.number for host in net.hosts}
    return [numbers[f"gpu0{node} mlx5_{number}"] for node in nodes]


# --- nodes ------------------------------------------------------------------------------------------------


def test_nodes_hold_adapters(net):
    nodes = fabric.find_nodes(net)
    assert [node.name for node in nodes] == ["gpu01", "gpu02", "gpu03", "gpu04"]
    assert [adapter.rail for adapter in nodes[0].adapters] == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"]
    assert [adapter.rail for adapter in nodes[3].adapters] == ["mlx5_0", "mlx5_1", "mlx5_2"]
    assert _fabric.rails(nodes) == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"]
    assert sum(host.aggregates for host in net.hosts) == 6
    assert pickle.loads(pickle.dumps(nodes[0])) == nodes[0]


def test_a_table_or_names_say_whose_an_adapter_is(net):
    nodes = fabric.read_adapters(net, DATA / "adapters" / "table.txt")
    named = fabric.read(NET, NAMES)
    for topology, machines in ((net, nodes), (named, fabric.find_nodes(named))):
        last = next(node for node in machines if node.name == "gpu04")
        assert "mlx5_3" in [adapter.rail for adapter in last.adapters]
        hosts = fabric.placement(topology, "gpu[01-04]", rail="mlx5_3", adapters=machines)
        assert len(hosts) == 4
    assert {"core-1", "core 2", "rail-0"} <= {switch.name for switch in named.switches}


# --- placements -------------------------------------------------------------------------------------------


def test_ranks_take_one_rail_or_all_in_turn(net):
    assert fabric.placement(net, "gpu[01-03]", rail="mlx5_1") == rail(net, 1)
    every = fabric.placement(net, "gpu[01-02]", rail="all")
    assert every == [host for node in (1, 2) for k in range(4) for host in rail(net, k, [node])]
    assert every.nodes == [0, 0, 0, 0, 1, 1, 1, 1]
    two = fabric.placement(net, ["gpu01", "gpu02"], rail="mlx5_0", ranks_per_node=2)
    assert two == [host for host in rail(net, 0, [1, 2]) for _ in range(2)]
    assert two.shares_nodes
    assert sorted(fabric.placement(net, rail="mlx5_3")) == sorted(rail(net, 3))
    assert len(fabric.placement(net, rail="mlx5_0")) == 4


def test_a_placement_is_a_list_that_knows_its_nodes(net):
    routes = fabric.route(net, "minhop")
    assert fabric.Placement([3, 4]) == [3, 4]
    with pytest.raises(ArgumentError, match="1 nodes for 2 participants"):
        fabric.Placement([3, 4], [0])
    # Ranks on one host share its link, and do not use it among themselves.
    hosts = rail(net, 0, [1, 2])
    found = fabric.contention(routes, "all-to-all", fabric.Placement([hosts[0], hosts[0], hosts[1]]))
    assert (found.flows, found.max_flows) == (4, 2)
    # Nor do ranks of a node on several hosts.
    every = fabric.placement(net, "gpu[01-02]", rail="all")
    assert fabric.contention(routes, "all-to-all", every).flows == 2 * 4 * 4
    assert fabric.contention(routes, "all-to-all", list(every)).flows == 8 * 7


def test_nodes_with_several_ranks_are_ordered_as_wholes(net):
    job = fabric.placement(net, "gpu02,gpu03,gpu01", rail="all", ranks_per_node=4)
    placed = fabric.order_nodes(net, job, "natural")
    assert placed == fabric.placement(net, "gpu[01-03]", rail="all")
    assert [placed.nodes[k] for k in (0, 4, 8)] == [2, 0, 1]
    with pytest.raises(ArgumentError, match="equally many ranks"):
        fabric.order_nodes(net, fabric.placement(net, "gpu01:1,gpu02:2", rail="mlx5_0"), "routing-dummies")
    routes = fabric.route(net, "ftree", roots=["spine-1", "spine-2"], compute=fabric.compute_hosts(net))
    assert routes.engine == "ftree"
    best = fabric.best_node_order(routes, job, steps=50)
    assert sorted(best.placement) == sorted(job)
    assert best.contention.mean_share >= fabric.contention(routes, "shift", job).mean_share
    with pytest.raises(ArgumentError, match="best_node_order"):
        fabric.best_order(routes, job)


# --- commands ---------------------------------------------------------------------------------------------


def test_check_names_the_rails_and_takes_one(cli, tmp_path):
    told = refused(cli("fabric", "check", "--net", NET, "--nodes", "gpu[01-03]"))
    assert (
        "'gpu01' may be any of 4 hosts, its adapters on the rails mlx5_0, mlx5_1, mlx5_2 and mlx5_3" in told
    )
    assert "--rail mlx5_0" in told
    table = tmp_path / "table.json"
    options = ("--nodes", "gpu[01-03]", "--rail", "mlx5_0", *TREE, "--json", table)
    status, out, _ = cli("fabric", "check", "--net", NET, *options)
    assert status == 0
    assert "16 hosts, 6 aggregation nodes, 6 switches" in " ".join(out.split())
    told = json.loads(table.read_text())
    assert (told["engine"], told["participants"], told["max_flows"]) == ("ftree", 3, 1)
    told = refused(cli("fabric", "check", "--net", NET, "--nodes", "gpu[01-04]", "--rail", "mlx5_3"))
    assert "'gpu04' has no adapter on rail mlx5_3; it has mlx5_0, mlx5_1 and mlx5_2" in told
    assert cli("fabric", "check", "--net", NET, "--nodes", "gpu[01-04]", "--rail", "mlx5_3", *TREE,
               "--node-name-map", NAMES)[0] == 0  # fmt: skip
    assert cli("fabric", "check", "--net", NET, "--nodes", "gpu[01-04]", "--rail", "mlx5_3", *TREE,
               "--node-name-map", DATA / "adapters" / "table.txt")[0] == 0  # fmt: skip
    told = refused(cli("fabric", "check", "--net", "crossbar:4", "--node-name-map", NAMES))
    assert "crossbar:4 is a family" in told


def test_check_of_several_ranks_a_node(cli):
    options = ("--nodes", "gpu[01-03]", "--rail", "mlx5_0", "--ranks-per-node", 2, *TREE)
    status, out, _ = cli("fabric", "check", "--net", NET, *options)
    assert status == 0
    assert "shift: 6 participants on 3 nodes, 5 stages" in out
    assert "AT THE BOUND: up to 2 flows on a link, which the hosts' own links make" in " ".join(out.split())
    status, out, _ = cli("fabric", "check", "--net", NET, "--nodes", "gpu[01-04]", "--rail", "all", *TREE)
    assert status == 1
    assert "not known for ranks that share nodes" in " ".join(out.split())


def test_the_other_commands_take_a_rail_too(cli, tmp_path):
    job = ("--net", NET, "--nodes", "gpu[01-03]", "--rail", "mlx5_1", *TREE)
    hosts = tmp_path / "job.hosts"
    assert cli("fabric", "order", *job, "--hostfile", hosts)[0] == 0
    assert sorted(hosts.read_text().split()) == ["gpu01:1", "gpu02:1", "gpu03:1"]
    # Nodes are called what the table calls them.
    every = ("--nodes", "gpu[01-04]", "--rail", "mlx5_3", "--node-name-map", DATA / "adapters" / "table.txt")
    assert cli("fabric", "order", "--net", NET, *every, *TREE, "--hostfile", hosts)[0] == 0
    assert sorted(hosts.read_text().split()) == [f"gpu0{node}:1" for node in (1, 2, 3, 4)]
    assert cli("fabric", "check", *job, "--against", "minhop")[0] == 0
    assert cli("fabric", "draw", *job, "--output", tmp_path / "net.html")[0] == 0
    assert cli("fabric", "route", "--net", NET, "--node-name-map", NAMES)[0] == 0
    assert cli("fabric", "build", "--net", NET, "--without", "gpu04", "--node-name-map", NAMES)[0] == 0
    status, out, _ = cli("simulate", "shift", *job[:-2], "--method", "flow", "--bytes", 1000000)
    assert status == 0
    assert "50,000 MB/s" in out
    every = ("--rail", "all", "--ranks-per-node", 2)
    assert cli("fabric", "order", "--net", NET, "--nodes", "gpu[01-03]", *every, *TREE, "--steps", 0)[0] in (
        0,
        1,
    )


# --- counters ---------------------------------------------------------------------------------------------


def perfquery(found, topology, scale=1, extra=()):
    """Counters of every port as perfquery prints them, if the pattern had messages of 4 x ``scale`` bytes."""
    lines = []
    sent = fabric.channel_bytes(found.routes, found.pattern, found.placement)
    for channel, flows in enumerate(sent.tolist()):
        vertex, port = topology.source(channel)
        parts = [*topology.hosts, *topology.switches]
        words = flows * scale + dict(extra).get(channel, 0)
        lines.append(f"# Port extended counters: Lid {parts[vertex].lid} port {port} (CapMask: 0x5A00)")
        lines.append(f"PortXmitData:....................{words}")
    return "\n".join(lines) + "\n"


def test_counters_stand_beside_the_prediction(net, cli, tmp_path):
    routes = fabric.route(net, "ftree", roots=["spine-1", "spine-2"], compute=fabric.compute_hosts(net))
    found = fabric.contention(routes, "shift", rail(net, 0))
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text(perfquery(found, net))
    after.write_text(perfquery(found, net, 1001))
    loads = fabric.measured_loads(found, after, before)
    assert loads.correlation == pytest.approx(1)
    assert loads.unpredicted_share == 0
    assert (loads.measured == 4000 * loads.predicted).all()
    job = ("--net", NET, "--nodes", "gpu[01-03]", "--rail", "mlx5_0", *TREE)
    table = tmp_path / "table.json"
    files = ("--counters", before, "--counters", after, "--json", table)
    status, out, _ = cli("fabric", "check", *job, *files)
    assert status == 0
    assert "0.0% of it where the job sends nothing; correlation with the prediction 1.000" in out
    told = json.loads(table.read_text())["counters"]
    assert told["measured_bytes"] == 4000 * int(loads.predicted.sum())
    assert len(told["links"]) == 2 * len(net.links)
    assert {row["measured_share"] == row["predicted_share"] for row in told["links"]} == {True}


def test_wrong_counters_are_named(net, cli, tmp_path):
    routes = fabric.route(net, "minhop")
    found = fabric.contention(routes, "shift", rail(net, 0))
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text(perfquery(found, net, 2))
    after.write_text(perfquery(found, net))
    with pytest.raises(
        ArgumentError, match=r"gpu01 mlx5_0 port 1 is lower than in .*give the earlier one first"
    ):
        fabric.measured_loads(found, after, before)
    job = ("--net", NET, "--nodes", "gpu[01-03]", "--rail", "mlx5_0")
    assert "expected one, or two" in refused(cli("fabric", "check", *job, *(3 * ("--counters", after))))
    after.write_text("nothing\n")
    assert "after.txt:1: expected counters" in refused(cli("fabric", "check", *job, "--counters", after))


# --- Slurm ------------------------------------------------------------------------------------------------


def test_slurm_gets_machines_and_not_adapters(cli, tmp_path):
    path = tmp_path / "topology.conf"
    build = ("fabric", "build", "--net", NET, "--format", "slurm", "--output", path)
    told = refused(cli(*build))
    assert "names no machine, which Slurm would need" in told
    assert "--node-name-map" in told
    told = refused(cli(*build, "--node-name-map", NAMES))
    assert "node 'gpu01' hangs on 4 switches" in told
    assert "choose a rail (--rail mlx5_0)" in told
    assert cli(*build, "--node-name-map", NAMES, "--rail", "mlx5_1")[0] == 0
    lines = path.read_text().splitlines()
    assert lines[0] == "SwitchName=leaf-2 Nodes=gpu[01-04]"
    assert [line.partition(" ")[2] for line in lines[1:]] == ["Switches=leaf-2"] * 2


def test_a_topology_conf_says_how_many_cables_were_taken(cli, tmp_path):
    path, out = tmp_path / "topology.conf", tmp_path / "net.txt"
    path.write_text("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\nSwitchName=s Switches=a,b\n")
    assert "(taken: 1 cable a link)" in " ".join(cli("fabric", "build", "--net", path)[1].split())
    assert cli("fabric", "build", "--net", path, "--links", 2, "--output", out)[0] == 0
    assert len(fabric.read(out).links) == 4 + 4
    assert "--links is for Slurm's topology.conf" in refused(
        cli("fabric", "build", "--net", NET, "--links", 2)
    )
