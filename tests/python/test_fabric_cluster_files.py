"""Files of clusters: iblinkinfo, ibdiagnet, UFM, NetQ, topology.dot, labels of nodes, GPUs of a node."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import damage
import opensm
import references
from refusals import refused
from sortlast import ArgumentError, Error, _fabric, fabric

DATA = Path(__file__).parents[1] / "fabric" / "data"
NET = DATA / "ibnetdiscover" / "rails.ibnetdiscover"


@pytest.fixture(scope="module")
def net():
    """Four nodes of four adapters, a leaf per rail, two spines, aggregation nodes."""
    return fabric.read(NET)


def links(topology):
    """Every cable as its two ends, by name and port."""
    names = [part.name for part in (*topology.hosts, *topology.switches)]
    return sorted(
        tuple(sorted([(names[link.a], link.a_port), (names[link.b], link.b_port)])) for link in topology.links
    )


# --- lists of links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    [
        "link_info/rails.iblinkinfo",
        "link_info/rails-line.iblinkinfo",
        "db_csv/rails.db_csv",
        "cables/ufm-links.json",
    ],
)
def test_all_tools_see_the_same_fabric(net, file):
    found = fabric.read(DATA / file)
    assert links(found) == links(net)
    assert {switch.name: switch.guid for switch in found.switches} == {
        switch.name: switch.guid for switch in net.switches
    }
    if file != "cables/ufm-links.json":  # which has no LIDs
        assert {switch.name: switch.lid for switch in found.switches} == {
            switch.name: switch.lid for switch in net.switches
        }
    if file == "db_csv/rails.db_csv":
        assert {link.gbps for link in found.links} == {400.0}
        lids = {host.guid: host.lid for host in fabric.assign_lids(net).hosts}
        assert {host.guid: host.lid for host in found.hosts} == lids


@references.OPENSM
@pytest.mark.references("iblinkinfo")
@pytest.mark.parametrize("options", [[], ["--line"], ["--switches-only"], ["-p"]])
def test_iblinkinfo_prints_a_fabric_that_is_read(options, tmp_path):
    built = fabric.make_topology("pgft:4,4;1,2;1,2")
    netlist = fabric.write_ibnetdiscover(fabric.assign_lids(built))
    with opensm.simulate(netlist, tmp_path) as simulated:
        simulated.run("opensm", "-F", "/dev/null", "-o", "-f", "osm.log")
        printed = simulated.run("iblinkinfo", *options)
    found = _fabric.read_topology(printed, "links")
    assert links(found) == links(built)
    assert {link.gbps for link in found.links} == {10.0}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("4X           2.5", "4X           fast", r"2: expected a rate per lane in Gbps, found 'fast'"),
        ("==>       4    9[", "==>       0    9[", r"2: the other end has no LID; run iblinkinfo --line"),
        ("CA: gpu03 mlx5_3", "Box: gpu03", r"5: expected a node \(Switch: 0x"),
        ('"leaf-4"', "leaf-4", r"2: expected '\"', found 'leaf-4"),
    ],
)
def test_wrong_lines_of_iblinkinfo_are_named(old, new, message, tmp_path):
    text = (DATA / "link_info" / "rails.iblinkinfo").read_text()
    assert old in text
    with pytest.raises(ArgumentError, match=f"^links:{message}"):
        _fabric.read_topology(text.replace(old, new, 1), "links")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("END_LINKS", "", r"expected END_LINKS after its rows"),
        ("START_LINKS", "START_CABLES", r"the file has no section START_LINKS; run ibdiagnet without --skip"),
        ("NodeType", "Kind", r"the section NODES has no column nodetype"),
        (",9,2,1,1,", ",999,2,1,1,", r"expected numports \(1 to 254\), found '999'"),
        ("NodeGuid1,PortNum1,", "NodeGuid1,", r"expected 3 columns of LINKS, found 4"),
    ],
)
def test_wrong_rows_of_ibdiagnet_are_named(old, new, message):
    text = (DATA / "db_csv" / "rails.db_csv").read_text()
    assert old in text
    with pytest.raises(ArgumentError, match=rf"^db:\d+: {message}"):
        _fabric.read_topology(text.replace(old, new, 1), "db")


def test_ibdiagnet_has_the_counters_of_ports(net):
    found = fabric.read_counters(net, DATA / "db_csv" / "rails.db_csv")
    hosts = list(net.hosts)
    database = fabric.read(DATA / "db_csv" / "rails.db_csv")
    for number, host in enumerate(list(database.hosts)[:4]):
        here = next(each.number for each in hosts if each.guid == host.guid)
        assert found[here] == 4 * (2**32 + number)
    leaf = net.switches[0]
    up = next(c for c in range(net.channels) if net.source(c) == (leaf.vertex, 5))
    assert found[up] == 4 * 0x40
    text = (DATA / "db_csv" / "rails.db_csv").read_text()
    with pytest.raises(ArgumentError, match=r"the counter has reached its end, at 32 bits"):
        _fabric.read_counters(net, text.replace(",17,N/A,4294967296,1", ",17,N/A,N/A,1"), "db")
    with pytest.raises(ArgumentError, match=r"the file has no section START_PM_INFO"):
        _fabric.read_counters(net, text.replace("PM_INFO", "OTHER"), "db")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source_guid": "leaf"}, r"2: expected a GUID in hex for source_guid, found 'leaf'"),
        ({"source_port": None}, r"2: expected the number of a port for source_port, found 'None'"),
        ({"destination_port": "0"}, r"2: expected a port \(1 to 65534\), found 0"),
        ({"source_port_dname": "9"}, None),
    ],
)
def test_wrong_links_of_ufm_are_named(change, message, tmp_path):
    records = json.loads((DATA / "cables" / "ufm-links.json").read_text())
    records[0] |= change
    file = tmp_path / "links.json"
    file.write_text(json.dumps(records, indent=1))
    if message is None:  # the description of an aggregation node is enough
        assert len(fabric.read(file).switches) == 6
    else:
        with pytest.raises(ArgumentError, match=f":{message}"):
            fabric.read(file)


# --- Ethernet ---------------------------------------------------------------------------------------------


def test_topology_dot_names_ports():
    found = fabric.read(DATA / "cables" / "topology.dot")
    assert sorted(switch.name for switch in found.switches) == ["leaf01", "leaf02", "spine01", "spine02"]
    assert sorted(host.name for host in found.hosts) == [
        "server01 eth1",
        "server01 eth2",
        "server02 eth1",
        "server02 eth2",
    ]
    assert (("leaf01", 51), ("spine01", 1)) in links(found)
    assert len(found.links) == 8  # without loopbacks and the management network
    nodes = fabric.find_nodes(found)
    assert [adapter.rail for adapter in nodes[0].adapters] == ["eth1", "eth2"]


def test_netq_has_names_of_nodes_and_broken_out_ports():
    found = fabric.read(DATA / "cables" / "netq.json")
    assert (len(found.hosts), len(found.switches), len(found.links)) == (2, 3, 5)
    leaf = next(switch for switch in found.switches if switch.name == "leaf01")
    assert leaf.ports == 3  # swp1s0, swp2s0, swp2s1
    assert {host.name for host in found.hosts} == {"dgx-01 ens4f0np0", "dgx-02 ens4f0np0"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('graph g {\n "a":"swp1" -- "b"\n}\n', r'2: expected "NODE":"PORT" -- "NODE":"PORT", found'),
        ('graph g {\n "a":"swp1" -- "b":"swp1"\n "a":"swp1" -- "c":"swp1"\n}\n', r"has a cable already"),
        ('graph g {\n "a":"eth1" -- "b":"eth1"\n}\n', r"adapters must hang on switches"),
        ("graph g {\n}\n", r"1: expected cables between switches, or of hosts, found none"),
        ('[{"compounded_links": [\n{"id": 3}', r"expected JSON"),
        (
            '{"nodes": [],\n "links": [{"compounded_links": [{"interfaces": [{"node": "a"}]}]}]}',
            r"2: expected a link with two interfaces, found 1",
        ),
        ('{"nodes": [],\n"compounded_nodes": []}', r"1: expected a list 'links'"),
    ],
)
def test_wrong_cables_are_named(text, message, tmp_path):
    file = tmp_path / "cables"
    file.write_text(text)
    with pytest.raises(ArgumentError, match=message):
        fabric.read(file)


# --- labels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["nodes.yaml", "nodes.json", "graph.json", "aws.json", "model.yaml"])
def test_labels_are_trees_and_blocks(file):
    found = fabric.read(DATA / "labels" / file)
    assert sorted(host.name for host in found.hosts) == ["node-101", "node-102", "node-201"]
    assert links(found) == [
        (("leaf-1", 1), ("node-101", 1)),
        (("leaf-1", 2), ("node-102", 1)),
        (("leaf-1", 3), ("spine", 1)),
        (("leaf-2", 1), ("node-201", 1)),
        (("leaf-2", 2), ("spine", 2)),
    ]
    assert ("without 1 nodes that have no labels" in found.name) == (file == "nodes.yaml")
    assert len(fabric.read(DATA / "labels" / file, links=3).links) == 3 + 2 * 3
    blocks = fabric.read_blocks(DATA / "labels" / file)
    assert blocks.nodes == {"nvl1": ["node-101", "node-102"], "nvl2": ["node-201"]}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tier-0: leaf-2", "tier-2: leaf-2", r"expected a label of tier 0 of 'node-201', found tier 2"),
        ("tier-1: spine", "tier-1: leaf-1", r"expected different switches above 'node-101'"),
        ("name: node-102", "name: node-101", r"expected the node 'node-101' once"),
        ("name: node-102", "name: [1]", r"expected a name without blanks"),
        ("tier-0: leaf-1", "tier-0: leaf 1", r"expected a name without blanks, found 'leaf 1'"),
        ("kind: List", "kind: [", r"expected YAML"),
    ],
)
def test_wrong_labels_are_named(old, new, message, tmp_path):
    file = tmp_path / "nodes.yaml"
    file.write_text((DATA / "labels" / "nodes.yaml").read_text().replace(old, new, 1))
    with pytest.raises(ArgumentError, match=rf"^{file}:\d+: {message}"):
        fabric.read(file)


def test_nodes_without_labels_are_no_fabric(tmp_path):
    file = tmp_path / "nodes.json"
    file.write_text('{"kind": "NodeList", "items": [{"metadata": {"name": "a", "labels": {"x": "y"}}}]}')
    with pytest.raises(ArgumentError, match=r":1: expected nodes with the labels fabric\.topograph"):
        fabric.read(file)
    with pytest.raises(ArgumentError, match=r":1: expected nodes with a label accelerator\.topograph"):
        fabric.read_blocks(file)


# --- GPUs and adapters ------------------------------------------------------------------------------------


def test_ranks_use_the_adapters_of_their_gpus(net):
    nodes = fabric.read_gpu_adapters(net, DATA / "gpu_adapters" / "nccl-topo.xml")
    assert [adapter.rail for adapter in nodes[0].adapters] == [f"mlx5_{k // 2}" for k in range(8)]
    job = fabric.placement(net, "gpu[01-02]", rail="all", adapters=nodes)
    assert [net.hosts[host].name for host in job[:8]] == [f"gpu01 mlx5_{k // 2}" for k in range(8)]
    assert job.nodes == [0] * 8 + [1] * 8
    # The fourth node lacks mlx5_3 in this fabric: its GPUs use the nearest of the others.
    assert [adapter.rail for adapter in nodes[3].adapters[6:]] == ["mlx5_2", "mlx5_2"]

    matrix = fabric.read_gpu_adapters(net, DATA / "gpu_adapters" / "nvidia-smi-topo.txt")
    assert [adapter.rail for adapter in matrix[0].adapters] == ["mlx5_3", "mlx5_2", "mlx5_1", "mlx5_0"]


def test_gpus_share_out_the_nearest_adapters(net, tmp_path):
    """As on DGX A100: two GPUs and two adapters under one bridge."""
    file = tmp_path / "topo.txt"
    rows = ["GPU0 GPU1 NIC0 NIC1 NIC2 NIC3", "GPU0 X NV12 PXB PXB SYS SYS", "GPU1 NV12 X PXB PXB SYS SYS"]
    names = [f"NIC{k}: mlx5_{k}" for k in range(4)]
    file.write_text("\n".join([*rows, *names]))
    nodes = fabric.read_gpu_adapters(net, file)
    assert [adapter.rail for adapter in nodes[0].adapters] == ["mlx5_0", "mlx5_1"]
    # One GPU near four adapters takes the first; two GPUs near four take the first and the third.
    file.write_text(
        "\n".join([rows[0], rows[1].replace("SYS", "PXB"), rows[2].replace("SYS", "PXB"), *names])
    )
    assert [adapter.rail for adapter in fabric.read_gpu_adapters(net, file)[0].adapters] == [
        "mlx5_0",
        "mlx5_2",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"1: expected NCCL's topology \(<system \.\.>\) or the matrix of nvidia-smi"),
        ("<graphs version='1'/>", r"1: expected <system \.\.> \(NCCL_TOPO_DUMP_FILE\), found <graphs>"),
        ("<system>\n<cpu>\n</system>", r"3: expected XML: mismatched tag"),
        ("<system><cpu><gpu dev='0'/></cpu></system>", r"1: expected adapters \(<net"),
        ("<system><cpu>\n<net dev='0'/></cpu></system>", r"2: expected <net name=\.\.>"),
        ("<system><gpu dev='x'/></system>", r"1: expected a number for dev, found 'x'"),
        ("GPU0 GPU1 CPU Affinity\nGPU0 X NV4 0-3\n", r"1: expected columns of adapters"),
        ("GPU0 NIC0\nGPU0 X NEAR\n", r"2: expected one of PIX, PXB, PHB, NODE, SYS, found 'NEAR'"),
        ("GPU0 NIC0\nGPU0 X\n", r"2: expected one of PIX, PXB, PHB, NODE, SYS, found 'the end of the line'"),
        (
            "GPU0 NIC0\nGPU0 X PIX\nNIC0: cxi0\n",
            r"1: the fabric has none of the adapters of this file \(cxi0",
        ),
    ],
)
def test_wrong_files_of_gpus_are_named(net, text, message, tmp_path):
    file = tmp_path / "topo"
    file.write_text(text)
    with pytest.raises(ArgumentError, match=f"^{file}:{message}"):
        fabric.read_gpu_adapters(net, file)


def test_rail_takes_a_file(cli):
    topo = DATA / "gpu_adapters" / "nccl-topo.xml"
    job = ("fabric", "check", "--net", NET, "--nodes", "gpu[01-03]", "--engine", "minhop")
    status, out, _ = cli(*job, "--rail", topo)
    assert status in (0, 1)
    assert "24 participants on 3 nodes" in out
    tree = ("fabric", "check", "--net", "k-ary-n-tree:4,2", "--rail", topo)
    assert "has none of the adapters of this file (mlx5_0, mlx5_1" in refused(cli(*tree))


# --- damage -----------------------------------------------------------------------------------------------

SAMPLES = sorted(
    path for folder in ("cables", "labels", "gpu_adapters") for path in (DATA / folder).iterdir()
)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_damaged_files_are_refused_in_one_line(net, sample, tmp_path):
    content = sample.read_bytes()
    copy = tmp_path / sample.name
    refusals, wrong = 0, []
    for seed in range(150):
        copy.write_bytes(damage.damaged(content, len(content), seed))
        for read in (
            [lambda: fabric.read_gpu_adapters(net, copy)]
            if sample.parent.name == "gpu_adapters"
            else [lambda: fabric.read(copy), lambda: fabric.read_blocks(copy)]
        ):
            try:
                read()
            except Error as error:
                refusals += 1
                wrong += [str(error)] if str(copy) not in str(error) or "\n" in str(error) else []
    assert refusals > 20
    assert wrong == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["nodes", "links", "compounded_links", "compounded_nodes", "interfaces", "node", "interface", "id",
         "name", "items", "instances", "Instances", "metadata", "labels", "network_layers", "NetworkNodes",
         "fabric.topograph.run/tier-0", "switches", "blocks", "switch", "source_guid", "source_port",
         "InstanceId", "kind"]
    ), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(JSON)
def test_any_json_is_read_or_refused(value):
    from sortlast.fabric import cable_files, node_labels

    text = json.dumps(value)
    for read in (
        cable_files.read_ufm_links,
        cable_files.read_netq,
        node_labels.read_labels,
        node_labels.read_label_blocks,
    ):
        try:
            read(text, "file")
        except Error as error:
            assert str(error).startswith("file:")  # noqa: PT017
