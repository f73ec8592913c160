"""Traffic and fabrics for other simulators: Chakra traces for ASTRA-sim, and the files of htsim."""

from __future__ import annotations

import itertools
import re

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from sortlast import ArgumentError, fabric, schedule, simulate

# Fields of MLCommons Chakra's schema/protobuf/et_def.proto: name, number, type; * repeated. The types that an
# attribute can have are those that its feeder reads here.
SCHEMA = {
    "AttributeProto": ["name 1 string", "int32_val 7 int32", "int64_val 9 int64", "bool_val 27 bool"],
    "GlobalMetadata": ["version 1 string", "attr 2 *AttributeProto"],
    "Node": [
        "id 1 uint64",
        "name 2 string",
        "type 3 int32",
        "ctrl_deps 4 *uint64",
        "data_deps 5 *uint64",
        "start_time_micros 6 uint64",
        "duration_micros 7 uint64",
        "attr 10 *AttributeProto",
    ],
}
COMP, SEND, RECV = 4, 5, 6


@pytest.fixture(scope="module")
def messages():
    """The message classes of the schema, made by the package protobuf."""
    file = descriptor_pb2.FileDescriptorProto(name="et.proto", package="chakra", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in SCHEMA.items():
        message = file.message_type.add(name=name)
        if name == "AttributeProto":
            message.oneof_decl.add(name="value")
        for field in fields:
            label, number, kind = field.split()
            repeated, kind = kind.startswith("*"), kind.lstrip("*")
            made = message.field.add(name=label, number=int(number), label=3 if repeated else 1)
            if kind in SCHEMA:
                made.type, made.type_name = kinds.TYPE_MESSAGE, f".chakra.{kind}"
            else:
                made.type = getattr(kinds, f"TYPE_{kind.upper()}")
            if label.endswith("_val"):
                made.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"chakra.{name}")) for name in SCHEMA
    }


def read_trace(messages, path):
    """The nodes of a trace."""
    content, at, kinds = path.read_bytes(), 0, ["GlobalMetadata"]
    found = []
    while at < len(content):
        size, shift = 0, 0
        while True:
            byte = content[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        kind = kinds.pop() if kinds else "Node"
        found.append(messages[kind].FromString(content[at : at + size]))
        at += size
    return found[1:]


def value(node, name):
    attribute = next(each for each in node.attr if each.name == name)
    return getattr(attribute, attribute.WhichOneof("value"))


def run_traces(traces):
    """Run the nodes in rounds, each when everything that it waits for has ended; the sends in order."""
    ended, sent, order = [set() for _ in traces], set(), []
    left = [list(nodes) for nodes in traces]
    progress = True
    while progress:
        progress = False
        for rank, nodes in enumerate(left):
            for node in list(nodes):
                if not {*node.ctrl_deps, *node.data_deps} <= ended[rank]:
                    continue
                if node.type == RECV:
                    key = (value(node, "comm_src"), rank, value(node, "comm_tag"), value(node, "comm_size"))
                    if key not in sent:
                        continue
                if node.type == SEND:
                    assert value(node, "comm_src") == rank
                    size = value(node, "comm_size")
                    sent.add((rank, value(node, "comm_dst"), value(node, "comm_tag"), size))
                    order.append((rank, value(node, "comm_dst"), size))
                ended[rank].add(node.id)
                nodes.remove(node)
                progress = True
    assert not any(left)
    return order


@pytest.mark.parametrize("name", ["ring", "double-tree:2", "bruck", "rail:4", "binomial-broadcast"])
def test_chakra_traces_hold_every_message_once(messages, name, tmp_path):
    traffic = simulate.from_pattern(fabric.pattern(name, 8, rank_bytes=8000))
    files = simulate.write_chakra(traffic, tmp_path / "job")
    assert [file.name for file in files] == [f"job.{rank}.et" for rank in range(8)]
    traces = [read_trace(messages, file) for file in files]
    expected = zip(traffic.source.tolist(), traffic.destination.tolist(), traffic.size.tolist(), strict=True)
    assert sorted(run_traces(traces)) == sorted(expected)


def test_chakra_nodes_wait_for_what_the_message_waits_for(messages, tmp_path):
    traffic = simulate.from_pattern(fabric.pattern("ring", 4, rank_bytes=400))
    nodes = {
        node.id: node for node in read_trace(messages, simulate.write_chakra(traffic, tmp_path / "a")[2])
    }
    first, causes = traffic.first_cause, traffic.causes
    for message in range(traffic.messages):
        if traffic.source[message] == 2:
            waited = {
                2 * c + 1 for c in causes[first[message] : first[message + 1]] if traffic.destination[c] == 2
            }
            assert waited <= {*nodes[2 * message].data_deps}
    sends = [node for node in nodes.values() if node.type == SEND]
    assert [list(node.ctrl_deps) for node in sends] == [[], *([node.id] for node in sends[:-1])]


def test_chakra_computes_in_microseconds_and_repeats(messages, tmp_path):
    goal = tmp_path / "a.goal"
    goal.write_text(
        "num_ranks 2\nrank 0 {\na: calc 1500\nb: send 10b to 1 tag 1\nb requires a\n}\n"
        "rank 1 {\nr: recv 10b from 0 tag 1\n}\n"
    )
    files = simulate.write_chakra(simulate.read(goal), tmp_path / "goal")
    nodes = read_trace(messages, files[0])
    assert [(node.type, node.duration_micros) for node in nodes] == [(COMP, 2), (SEND, 0)]
    assert list(nodes[1].data_deps) == [nodes[0].id]
    assert not nodes[1].ctrl_deps  # the ranks of GOAL are not in order
    often = simulate.pattern("WF", 4, 1000)
    assert (often.repeats, often.messages) == (16, 64)
    traces = [read_trace(messages, file) for file in simulate.write_chakra(often, tmp_path / "waterfall")]
    assert len(run_traces(traces)) == often.messages
    assert len({node.id for trace in traces for node in trace}) == 2 * often.messages
    assert len(run_matrix(simulate.write_htsim(often))) == often.messages


def test_chakra_traces_suit_the_readers(messages, tmp_path):
    """Its feeder frees no node that waits twice for another; ASTRA-sim refuses 0 bytes and empty files."""
    frame = simulate.frame_traffic(schedule.make("binary-swap", p=8, n=4096))
    sizes = frame.size[frame.source != frame.destination]
    assert not sizes.all()
    causes = [frame.causes[a:b].tolist() for a, b in itertools.pairwise(frame.first_cause)]
    assert any(len({*each}) < len(each) for each in causes)
    traces = [read_trace(messages, file) for file in simulate.write_chakra(frame, tmp_path / "frame")]
    for node in (node for trace in traces for node in trace):
        assert len({*node.data_deps}) == len(node.data_deps)
        assert node.type == COMP or value(node, "comm_size") > 0
    assert len(run_traces(traces)) == len(sizes)
    goal = tmp_path / "idle.goal"
    goal.write_text("num_ranks 2\nrank 0 {\na: calc 1500\n}\nrank 1 {\n}\n")
    files = simulate.write_chakra(simulate.read(goal), tmp_path / "idle")
    assert [[(node.type, node.duration_micros) for node in read_trace(messages, file)] for file in files] == [
        [(COMP, 2)],
        [(COMP, 0)],
    ]


# --- htsim ------------------------------------------------------------------------------------------------


def run_matrix(text):
    """The flows of a matrix in the order in which they may begin: source, destination, size."""
    lines = text.splitlines()
    header = dict(line.split() for line in lines[:3])
    flows, triggers = {}, {}
    for line in lines[3:]:
        if line.startswith("trigger"):
            words = line.split()
            triggers[int(words[2])] = 1 if words[3] == "oneshot" else int(words[5])
            continue
        ends, *words = line.split()
        fields = dict(zip(words[::2], map(int, words[1::2]), strict=True))
        flows[fields["id"]] = (*map(int, ends.split("->")), fields)
    assert (len(flows), len(triggers)) == (int(header["Connections"]), int(header["Triggers"]))
    begun = [number for number, flow in flows.items() if "start" in flow[2]]
    for number in begun:
        trigger = flows[number][2].get("send_done_trigger")
        if trigger is None:
            continue
        triggers[trigger] -= 1
        if triggers[trigger] == 0:
            begun += [other for other, flow in flows.items() if flow[2].get("trigger") == trigger]
    assert all(left == 0 for left in triggers.values())
    return [(*flows[number][:2], flows[number][2]["size"]) for number in begun]


@pytest.mark.parametrize(
    "name", ["ring", "recursive-halving", "bruck", "rail:4", "pairwise", "double-tree:2"]
)
def test_htsim_begins_every_flow_once(name):
    traffic = simulate.from_pattern(fabric.pattern(name, 8, rank_bytes=8000))
    expected = zip(traffic.source.tolist(), traffic.destination.tolist(), traffic.size.tolist(), strict=True)
    assert sorted(run_matrix(simulate.write_htsim(traffic))) == sorted(expected)


def test_htsim_takes_schedules_and_hosts():
    traffic = simulate.from_schedule(schedule.make("radix-k:2,4", 8, 1000))
    flows = run_matrix(simulate.write_htsim(traffic, [9, 8, 7, 6, 5, 4, 3, 2], nodes=16))
    assert len(flows) == traffic.messages
    assert {source for source, _, _ in flows} == {*range(2, 10)}
    assert simulate.write_htsim(traffic, nodes=16).startswith("Nodes 16\nConnections 32\n")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: simulate.write_htsim(t, [0, 1]), "2 hosts for 4 tasks"),
        (lambda t: simulate.write_htsim(t, nodes=3), "a matrix of 3 nodes for hosts up to 3"),
        (lambda t: simulate.write_htsim(simulate.all_to_all(4, 2**31)), "has more than 2,147,483,647 bytes"),
    ],
)
def test_htsim_refuses_what_it_cannot_hold(call, message):
    with pytest.raises(ArgumentError, match=message):
        call(simulate.from_pattern(fabric.pattern("ring", 4, rank_bytes=400)))


def test_htsim_topologies_have_the_links_of_the_tree():
    for family in ("k-ary-n-tree:4,2", "pgft:18,12;1,9;1,2", "k-ary-n-tree:4,3", "thin-tree:8,4,3"):
        made = fabric.make_topology(family)
        text = fabric.write_htsim_topology(made)
        head, *tiers = text.split("\n\n")
        fields = [dict(line.split() for line in tier.splitlines()) for tier in (head, *tiers)]
        tiers = [{key: int(number) for key, number in tier.items()} for tier in fields[1:]]
        nodes, pod = int(fields[0]["Nodes"]), int(fields[0]["Podsize"])
        assert nodes == len(made.hosts)
        assert len(tiers) == int(fields[0]["Tiers"]) == made.levels
        # As htsim counts: links below each tier, from the hosts up.
        below = [nodes]
        for tier in tiers[:-1]:
            below.append(below[-1] * tier["Radix_Up"] // tier["Radix_Down"])
        assert sum(below) == len(made.links)
        switches = [count // tier["Radix_Down"] for count, tier in zip(below, tiers, strict=True)]
        levels = [
            sum(switch.level == level for switch in made.switches) for level in range(1, made.levels + 1)
        ]
        assert switches == levels
        assert pod == nodes // (nodes // pod)


@pytest.mark.parametrize(
    ("family", "message"),
    [
        ("torus:3,3", "is not, or no longer, a fat-tree of two or three levels"),
        ("k-ary-n-tree:2,4", "is not, or no longer, a fat-tree of two or three levels"),
        ("pgft:4,4;1,3;1,1", r"switches of level 1 have 4 links down and 3 up"),
    ],
)
def test_htsim_builds_no_other_fabrics(family, message):
    with pytest.raises(ArgumentError, match=message):
        fabric.write_htsim_topology(fabric.make_topology(family))


def test_build_writes_for_htsim(cli, tmp_path):
    file = tmp_path / "net.topo"
    net = ("fabric", "build", "--net", "k-ary-n-tree:4,2")
    assert cli(*net, "--format", "htsim", "--output", file)[0] == 0
    assert re.match(r"Nodes 16\nTiers 2\nPodsize 16\n\nTier 0\n", file.read_text())
