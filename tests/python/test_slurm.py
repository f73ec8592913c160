"""Slurm's topology.conf and topology.yaml: read, written, refused, and shown to Slurm itself."""

from __future__ import annotations

import json
import re

import pytest
import yaml

import damage
import real_fabrics
import slurmctld
from sortlast import ArgumentError, Error, fabric
from sortlast.fabric import topology_yaml

YAML = """\
# Two networks of one cluster.
- topology: flat
  flat: true
- topology: other
  tree:
    switches: [{switch: s, nodes: "x[1-2]"}]
- topology: racks
  cluster_default: true
  tree:
    switches:
    - switch: spine
      children: leaf[1-2]
    - switch: leaf1
      nodes: node[01-03]
    - switch: leaf2
      nodes: node[04-06]
- topology: domains
  block:
    block_sizes: [3, 6]
    blocks:
    - block: b1
      nodes: node[01-03]
    - {block: b2, nodes: "node[04-06]"}
"""
CONF = """\
SwitchName=spine Switches=leaf[1-2]
SwitchName=leaf1 Nodes=node[01-03]
SwitchName=leaf2 Nodes=node[04-06]
"""
BLOCKS_CONF = "# NVLink\nBlockName=b1 Nodes=node[01-03]\nblockname=b2 nodes=node[04-06]\nBlockSizes=3,6\n"


def topology_of(text, tmp_path):
    path = tmp_path / "topology"
    path.write_text(text)
    return fabric.read(path)


def blocks_of(text, tmp_path):
    path = tmp_path / "topology"
    path.write_text(text)
    return fabric.read_blocks(path)


# --- topology.yaml ----------------------------------------------------------------------------------------


def test_the_default_tree_of_a_yaml_is_that_of_the_conf(tmp_path):
    as_yaml, as_conf = topology_of(YAML, tmp_path), topology_of(CONF, tmp_path)
    assert fabric.write_slurm_topology(as_yaml) == fabric.write_slurm_topology(as_conf) == CONF
    assert [host.name for host in as_yaml.hosts] == [f"node{n:02}" for n in range(1, 7)]


FLOW = """\
[{topology: racks, cluster_default: true, tree: {switches: [{switch: spine, children: "leaf[1-2]"},
  {"switch": "leaf1", "nodes": "node[01-03]"}, {switch: leaf2, nodes: "node[04-06]"}]}}]
"""


@pytest.mark.parametrize("text", [FLOW, FLOW.replace("\n", " "), json.dumps(yaml.safe_load(FLOW), indent=1)])
def test_switches_in_flow_style_are_all_there(text, tmp_path):
    found = topology_of("$ cat topology.yaml\n" + text, tmp_path)
    assert fabric.write_slurm_topology(found) == CONF


@pytest.mark.parametrize(
    ("prompt", "is_skipped"),
    [
        ("\n[root@head ~]# cat topology.yaml\n", True),
        ("bash-5.1# cat topology.yaml\n", True),
        ("# of the cluster\n", True),
        (3000 * "@" + "\n", False),
    ],
)
def test_a_prompt_above_a_yaml_is_skipped(prompt, is_skipped, tmp_path):
    if is_skipped:
        assert fabric.write_slurm_topology(topology_of(prompt + FLOW, tmp_path)) == CONF
        (tmp_path / "topology").write_text(prompt + "- topology: a\n")
        with pytest.raises(ArgumentError, match=r"topology:1: expected a topology with 'tree:'"):
            fabric.read(tmp_path / "topology")
        return
    with pytest.raises(ArgumentError, match=r"topology:1: expected YAML: found character '@' that"):
        topology_of(prompt + YAML, tmp_path)


def test_includes_have_a_depth_limit(tmp_path):
    spine, leaves = CONF.split("\n", 1)
    for number in range(1200):
        (tmp_path / f"{number}.conf").write_text(f"Include {number + 1}.conf\n")
    (tmp_path / "40.conf").write_text(leaves)
    assert fabric.write_slurm_topology(topology_of(f"{spine}\nInclude 0.conf\n", tmp_path)) == CONF
    with pytest.raises(ArgumentError, match=r"\.conf:1: expected at most 50 nested Includes, found more"):
        topology_of("Include 41.conf\n", tmp_path)


def test_a_conf_includes_files(tmp_path):
    spine, leaves = CONF.split("\n", 1)
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "1.conf").write_text(leaves)
    found = topology_of(f"{spine}\ninclude rows/1.conf  # the leaves\n", tmp_path)
    assert fabric.write_slurm_topology(found) == CONF
    (tmp_path / "rows" / "1.conf").write_text("\nSwitchName=leaf1 Hosts=n1\n")
    with pytest.raises(ArgumentError, match=r"rows/1.conf:2: expected SwitchName=, .*, found 'hosts='"):
        topology_of(f"{spine}\nInclude {tmp_path}/rows/1.conf\n", tmp_path)
    with pytest.raises(ArgumentError, match=r"topology:2: expected Include of another file, found itself"):
        topology_of(f"{spine}\nInclude topology\n", tmp_path)
    with pytest.raises(Error, match=r"topology:1: Include: cannot read .*/none: No such file"):
        topology_of("Include none\n", tmp_path)


def test_without_a_default_the_first_tree_is_taken(tmp_path):
    found = topology_of(YAML.replace("cluster_default: true", "cluster_default: false"), tmp_path)
    assert [host.name for host in found.hosts] == ["x1", "x2"]


@pytest.mark.parametrize("family", ["k-ary-n-tree:4,2", "pgft:4,4;1,2;1,2", "crossbar:3", "k-ary-n-tree:2,4"])
def test_a_written_yaml_is_read_back(family, tmp_path):
    made = fabric.make_topology(family)
    read = topology_of(fabric.write_topology_yaml(made, name="racks"), tmp_path)
    assert fabric.write_slurm_topology(read) == fabric.write_slurm_topology(made)


def test_the_command_writes_it(cli, tmp_path):
    path = tmp_path / "topology.yaml"
    assert (
        cli("fabric", "build", "--net", "k-ary-n-tree:4,2", "--format", "slurm-yaml", "--output", path)[0]
        == 0
    )
    assert path.read_text().startswith("- topology: default\n  cluster_default: true\n  tree:\n")
    status, out, _ = cli("fabric", "check", "--net", path, "--engine", "minhop")
    assert (status, "16 hosts" in out) == (0, True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- topology: a\n  flat: true\n", "topology:1: expected a topology with 'tree:', found none"),
        (
            "- topology: a\n  tree: 5\n",
            "topology:2: expected what 'tree:' has as 'key: value', found a scalar",
        ),
        ("- topology: a\n  tree: {}\n", "topology:2: expected 'switches:', found a topology without it"),
        ("- topology: a\n  tree: {switches: []}\n", "topology:2: expected switches, found none"),
        (
            "- topology: a\n  tree:\n    switches:\n    - nodes: n1\n",
            "topology:4: expected 'switch: NAME', found an entry without it",
        ),
        (
            "- topology: a\n  tree:\n    switches:\n    - switch: s\n      nodes: [n1]\n",
            "topology:5: expected a text, found a list or a mapping",
        ),
        (
            "- topology: a\n  tree:\n    switches:\n    - switch: s\n      hosts: n1\n",
            "topology:5: expected children, nodes, switch, found 'hosts'",
        ),
        (
            "- topology: a\n  tree:\n    switches:\n    - switch: s\n      children: t\n",
            "topology:4: switch 't' has no line of its own",
        ),
        (
            "- topology: a\n  trees: 1\n",
            "topology:2: expected topology, cluster_default, tree, block, flat, found",
        ),
        ("- topology: a\n  topology: b\n", "topology:2: expected 'topology:' once, found a second one"),
        ("- topology: a\n - tree: b\n", "topology:2: expected YAML: expected"),
        ("x:\n - topology: a\n", "topology:1: expected a list of topologies, found a mapping"),
        (
            "- topology: a\n  tree: " + 5000 * "[" + "\n",
            "topology:1: expected topologies, found lists within",
        ),
    ],
)
def test_what_is_no_tree_is_refused_with_its_line(text, why, tmp_path):
    with pytest.raises(ArgumentError, match=re.escape(why)):
        topology_of(text, tmp_path)


# --- blocks -----------------------------------------------------------------------------------------------


def test_blocks_of_both_formats(tmp_path):
    for text in (YAML, BLOCKS_CONF):
        found = blocks_of(text, tmp_path)
        assert found.sizes == [3, 6]
        assert found.nodes == {"b1": ["node01", "node02", "node03"], "b2": ["node04", "node05", "node06"]}
    assert blocks_of(topology_yaml.write_blocks(found, "x"), tmp_path) == found


def test_what_stays_in_a_block_does_not_cross_the_fabric(cli, tmp_path):
    blocks, job = tmp_path / "topology.yaml", tmp_path / "job.json"
    lists = [f"host[{first:05}-{first + 3:05}]" for first in range(0, 16, 4)]
    blocks.write_text(
        "- topology: nvl\n  block:\n    blocks:\n"
        + "".join(f"    - block: b{k}\n      nodes: {names}\n" for k, names in enumerate(lists))
    )
    options = ("--net", "k-ary-n-tree:4,2", "--schedule", "ring", "--json", job)
    for more, flows, nodes in (((), 16, 16), (("--blocks", blocks), 4, 4)):
        assert cli("fabric", "check", *options, *more)[0] == 0
        report = json.loads(job.read_text())
        assert (report["flows"], report["nodes"]) == (30 * flows, nodes)
    # In any order the ranks of a block stay together.
    cli("fabric", "check", *options, "--blocks", blocks, "--nodes", ",".join(lists), "--order", "random")
    assert json.loads(job.read_text())["flows"] == 30 * 4
    found = cli(
        "fabric", "check", *options, "--blocks", blocks, "--net", "crossbar:3", "--nodes", "host00000"
    )
    assert found[0] == 0
    net = fabric.crossbar(3)
    with pytest.raises(
        ArgumentError, match="no node of the job is in a block; the blocks have x1, x2 and others"
    ):
        fabric.join_blocks(net, fabric.placement(net), {"b": ["x1", "x2"]})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (CONF, "topology:1: expected BlockName=, Nodes= or BlockSizes=, found"),
        ("", "topology:1: expected 'BlockName=... Nodes=...' or a topology.yaml, found neither"),
        ("BlockName=a\n", "topology:1: expected 'BlockName=NAME Nodes=LIST', found only blockname"),
        (
            "BlockName=a Nodes=n1\nBlockName=b Nodes=n[1-2]\n",
            "topology:2: expected each node once, found 'n1' in",
        ),
        (
            "BlockName=a Nodes=n1\nBlockName=a Nodes=n2\n",
            "topology:2: expected a block 'a' that is named once",
        ),
        ("BlockName=a Nodes=n[1\n", "topology:1: expected ',', '-' or ']' in a bracket"),
        ("BlockSizes=0\n", "topology:1: expected a number of nodes, found '0'"),
        ("BlockSizes=4\n", "topology:1: expected blocks of nodes, found none"),
        (
            "- topology: a\n  block: {blocks: [{block: b}]}\n",
            "topology:2: expected 'nodes: LIST', found a block",
        ),
    ],
)
def test_what_has_no_blocks_is_refused_with_its_line(text, why, tmp_path):
    with pytest.raises(ArgumentError, match=re.escape(why)):
        blocks_of(text, tmp_path)


@pytest.mark.parametrize(("read", "text"), [(topology_of, YAML), (blocks_of, YAML), (blocks_of, BLOCKS_CONF)])
def test_damaged_files_are_read_or_refused_in_one_line(read, text, tmp_path):
    refusals = []
    for seed in range(300):
        broken = damage.damaged(text.encode(), len(text), seed).decode("utf-8", errors="replace")
        try:
            read(broken, tmp_path)
        except ArgumentError as error:
            refusals.append(str(error))
    assert 20 < len(refusals) < 300
    assert all(str(tmp_path) in each and "\n" not in each for each in refusals)


# --- Slurm itself -----------------------------------------------------------------------------------------


@pytest.mark.references("slurmctld", "scontrol", "slurm-plugins")
@pytest.mark.parametrize("family", ["k-ary-n-tree:4,2", "pgft:4,3,2;1,2,2;1,2,1", "crossbar:5"])
def test_slurm_takes_what_is_written_and_shows_it_back(family, tmp_path):
    made = fabric.make_topology(family)
    machines = [host.name.split()[0] for host in made.hosts]
    shown = slurmctld.shown(fabric.write_slurm_topology(made), machines, tmp_path)
    levels = made.rank_switches().level
    assert sorted(int(each["Level"]) + 1 for each in shown.values()) == sorted(levels)
    for number, switch in enumerate(made.switches):
        if levels[number] == 1:
            on = {
                machines[end]
                for link in made.links
                for end, other in ((link.a, link.b), (link.b, link.a))
                if other == switch.vertex
                if end < len(machines)
            }
            assert set(fabric.read_node_list(shown[switch.name]["Nodes"], "scontrol")) == on


@pytest.mark.references("slurmctld", "scontrol", "slurm-plugins")
@pytest.mark.parametrize(
    "spine",
    [
        "SwitchName = spine\tSwitches = leaf[1-2]",
        "switchname= spine SWITCHES= leaf[1-2]",
        "SwitchName=spine Switches=leaf1,\\\nleaf2",
        "SwitchName=spine \\  \n Switches=leaf[1-2],",
        'SwitchName="spine" Switches="leaf1,,leaf2" # above all',
    ],
)
def test_slurm_splits_lines_as_we_do(spine, tmp_path):
    conf = spine + "\n" + CONF.split("\n", 1)[1]
    shown = slurmctld.shown(conf, fabric.read_node_list("node[01-06]", "list"), tmp_path)
    assert shown.keys() == {"spine", "leaf1", "leaf2"}
    assert fabric.read_node_list(shown["spine"]["Switches"], "scontrol") == ["leaf1", "leaf2"]
    assert fabric.write_slurm_topology(topology_of(conf, tmp_path)) == CONF


@pytest.mark.references("slurmctld", "scontrol", "slurm-plugins")
def test_slurm_takes_a_real_fabric_by_one_rail(tmp_path):
    conf = fabric.write_slurm_topology(fabric.read(real_fabrics.find("NDR")), rail="HCA-6,mlx5_5")
    lines = [dict(word.split("=", 1) for word in line.split()) for line in conf.splitlines()]
    nodes = {
        line["SwitchName"]: fabric.read_node_list(line["Nodes"], "topology.conf")
        for line in lines
        if "Nodes" in line
    }
    every = [name for names in nodes.values() for name in names]
    assert len(every) == len({*every}) > 100
    shown = slurmctld.shown(conf, every, tmp_path)
    assert shown.keys() == {line["SwitchName"] for line in lines}
    for switch, names in nodes.items():
        assert {*fabric.read_node_list(shown[switch]["Nodes"], "scontrol")} == {*names}
