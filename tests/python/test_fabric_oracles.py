"""Contention beside programs of others: ibdmsh of ibutils, and SimGrid's fat-tree zone."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

import opensm
import references
from sortlast import _fabric as fabric

sys.path.insert(0, str(Path(__file__).parents[2] / "bench" / "fabric"))

import ibdmsh
import simgrid

TREES = {
    "12-ary 2-tree": lambda: fabric.k_ary_n_tree(12, 2),
    "4-ary 3-tree": lambda: fabric.k_ary_n_tree(4, 3),
    "thin 4:2": lambda: fabric.thin_tree(4, 2, 3),
}


def port_between_switches(topology: fabric.Topology, channel: int) -> str:
    """Name of the port that a channel leaves, as ibutils gives it; empty unless it joins two switches."""
    hosts = len(topology.hosts)
    (vertex, port), target = topology.source(channel), topology.target(channel)
    if target is None or vertex < hosts or target[0] < hosts:
        return ""
    return f"S{topology.switches[vertex - hosts].guid:016x}/U1/P{port}"


@references.OPENSM
@pytest.mark.references("ibdmsh")
@pytest.mark.parametrize(
    ("tree", "engine"),
    [
        ("12-ary 2-tree", "ftree"),
        ("4-ary 3-tree", "minhop"),
        ("4-ary 3-tree", "ftree"),
        ("thin 4:2", "minhop"),
    ],
)
def test_ibdmsh_finds_the_same_flows_on_every_port_between_switches(tree, engine, tmp_path):
    run = opensm.route(fabric.write_ibsim(TREES[tree]()), engine, tmp_path)
    assert run.engine == engine, run.errors
    topology = fabric.read_topology(run.ibnetdiscover, "ibnetdiscover")
    routes = fabric.read_routes(topology, run.lfts.read_text(), "opensm-lfts.dump")
    p = len(topology.hosts)
    ours = fabric.contention(routes, fabric.shift_pattern(p), list(range(p)))
    lids = [host.lid for host in topology.hosts]

    # Some stages, the worst among them.
    stages = sorted({0, p // 3, p // 2, p - 2, ours.worst_stage})
    traced = [[(lids[a], lids[b]) for a, b, _ in ours.pattern.flows(stage)] for stage in stages]
    ibdmsh.write_script(tmp_path / "trace.tcl", traced, "ibdmCongDump")
    dumped = subprocess.run(
        ["ibdmsh", "trace.tcl"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    theirs = ibdmsh.flows_by_port(dumped.stdout)
    assert len(theirs) == len(stages)

    compared = 0
    for stage, ports in zip(stages, theirs, strict=True):
        loads = ours.loads(stage)
        for channel in range(topology.channels):
            if not (port := port_between_switches(topology, channel)):
                continue
            flows = {(lids[a], lids[b]) for a, b, _ in ours.crossing(stage, channel)}
            assert len(flows) == loads[channel]
            assert ports[port] == flows
            compared += len(flows)
    assert compared > p


@pytest.mark.references("simgrid")
@pytest.mark.parametrize(
    ("m", "w", "p", "max_flows"),
    [
        ([12, 12], [1, 12], [1, 1], 1),
        ([4, 4, 4], [1, 4, 4], [1, 1, 1], 1),
        ([8, 8, 8], [1, 4, 4], [1, 1, 1], 4),  # the 8:4,3-thin-tree
        ([6, 4], [1, 3], [1, 1], 2),
    ],
)
def test_simgrid_finds_the_same_contention_of_all_shifts(m, w, p, max_flows, simgrid_program, tmp_path):
    program = simgrid_program("fabric/simgrid_shifts.cpp")
    platform = simgrid.platform(tmp_path, m, w, p)
    output = subprocess.run(
        [program, platform], capture_output=True, text=True, check=True, timeout=120
    ).stdout
    theirs = simgrid.answer(output)

    topology = fabric.pgft(m, w, p)
    hosts = len(topology.hosts)
    routes = fabric.route(topology, "d-mod-k")
    ours = fabric.contention(routes, fabric.shift_pattern(hosts), list(range(hosts)))
    assert (theirs.hosts, theirs.max_flows) == (hosts, ours.max_flows)
    assert ours.max_flows == max_flows
    assert theirs.mean_share == pytest.approx(ours.mean_share, abs=1e-6)


# Down over p parallel cables SimGrid 3.32 takes cable d mod p to destination d, as its routes show; Zahavi,
# and OpenSM's ftree, floor(d / w) mod p. The destinations below a root are equal mod w, so that SimGrid uses
# p / gcd(w, p) of its p cables to a leaf, and shifts contend where w and p share a factor.
@pytest.mark.references("simgrid")
@pytest.mark.parametrize(
    ("m", "w", "p"), [([8, 4], 4, 2), ([8, 4], 2, 4), ([18, 4], 6, 3), ([6, 6], 3, 2), ([15, 4], 5, 3)]
)
def test_simgrid_spreads_parallel_cables_worse_where_w_and_p_share_a_factor(
    m, w, p, simgrid_program, tmp_path
):
    program = simgrid_program("fabric/simgrid_shifts.cpp")
    platform = simgrid.platform(tmp_path, m, [1, w], [1, p])
    output = subprocess.run(
        [program, platform], capture_output=True, text=True, check=True, timeout=120
    ).stdout
    assert simgrid.answer(output).max_flows == math.gcd(w, p)
    routes = fabric.route(fabric.pgft(m, [1, w], [1, p]), "d-mod-k")
    hosts = m[0] * m[1]
    assert fabric.contention(routes, fabric.shift_pattern(hosts), list(range(hosts))).max_flows == 1
