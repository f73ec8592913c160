"""All engines but ftree beside the real OpenSM's: the same tables entry by entry, the same lanes.

Tables are compared rather than walks: where they are equal, so is every walk, between hosts and to switches.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import opensm
import real_fabrics
import references
from sortlast import _fabric as fabric

pytestmark = references.OPENSM


ENGINES = ["minhop", "updn", "dnup", "dor", "lash", "sssp", "dfsssp"]
LANED = ("lash", "dfsssp")


def missing_hosts() -> fabric.Topology:
    return fabric.k_ary_n_tree(12, 2).without_hosts(random.Random(1).sample(range(144), 43))


def cut_link(tree: fabric.Topology) -> fabric.Topology:
    hosts = len(tree.hosts)
    between = [link.channel for link in tree.links if link.a >= hosts and link.b >= hosts]
    return tree.without_links([between[37]])


FABRICS: dict[str, Callable[[], fabric.Topology]] = {
    "12-ary 2-tree": lambda: fabric.k_ary_n_tree(12, 2),
    "4-ary 3-tree": lambda: fabric.k_ary_n_tree(4, 3),
    "PGFT(2; 8,4; 1,4; 1,2)": lambda: fabric.pgft([8, 4], [1, 4], [1, 2]),
    "8:4,3-thin-tree": lambda: fabric.thin_tree(8, 4, 3),
    "43 hosts missing": missing_hosts,
    "12-ary 2-tree with a cut link": lambda: cut_link(fabric.k_ary_n_tree(12, 2)),
    "4-ary 3-tree with a cut link": lambda: cut_link(fabric.k_ary_n_tree(4, 3)),
    "4x4x4 mesh": lambda: fabric.mesh([4, 4, 4]),
    "4x4x4 torus": lambda: fabric.torus([4, 4, 4]),
    "crossbar": lambda: fabric.crossbar(6),
    "dragonfly of 5 groups": lambda: fabric.dragonfly(2, 4, 1, 5),
    "8:4,3-slender-tree": lambda: fabric.slender_tree(4, 2, 3),
}


@dataclass
class Compared:
    """A fabric as OpenSM routed it, and our routes of it."""

    run: opensm.Run
    ours: fabric.Routes

    def log(self) -> str:
        return (self.run.folder / "osm.log").read_text()

    def lanes(self) -> list[int]:
        """Pairs of switches (lash) or of LIDs (dfsssp) on each lane, before OpenSM evens them out."""
        if self.ours.engine == "lash":
            first = self.log().partition("Lanes needed")[0]
            return [int(pairs) for pairs in re.findall(r"Lanes in layer \d+: (\d+)", first)]
        before = self.log().partition("Paths per VL (before")[2].partition("Approx. #paths")[0]
        needed = int(re.findall(r"Virtual Lanes needed: (\d+)", self.log())[0])
        return [int(pairs) for pairs in re.findall(r"\d+\. lane: (\d+)", before)][:needed]

    def lane_of_lids(self) -> dict[tuple[int, int], int]:
        """Lanes of dfsssp by the LIDs of source and destination, from a log that has every route.

        OpenSM has moved them apart, to make room for those that it will spread, but not changed their order.
        """
        routes = re.findall(r"route from src_lid=(\d+) to dest_lid=(\d+) on vl=(\d+)", self.log())
        lanes = sorted({int(lane) for _, _, lane in routes})
        return {(int(a), int(b)): lanes.index(int(lane)) for a, b, lane in routes}


def compare(
    netlist: str,
    engine: str,
    folder: Path,
    *,
    roots: list[int] | None = None,
    lmc: int = 0,
    whole: bool = True,
    compute: list[int] | None = None,
    debug: bool = False,
) -> Compared:
    """Route a fabric by both.

    `roots` are GUIDs of switches, `compute` those of hosts' ports. `whole`: every host can be reached.
    `debug`: OpenSM's log has the lane of every pair of LIDs.
    """
    roots = roots or []
    options = ["-D", "0x4b"] if debug else []
    run = opensm.route(netlist, engine, folder, roots=roots, lmc=lmc, compute=compute or [], options=options)
    topology = fabric.read_topology(run.ibnetdiscover, "ibnetdiscover")
    theirs = fabric.read_routes(topology, run.lfts.read_text(), "opensm-lfts.dump")
    numbers = [s.number for s in topology.switches if s.guid in roots]
    assert len(numbers) == len(roots)

    chosen = [host.number for host in topology.hosts if host.port_guid in (compute or [])]
    assert len(chosen) == len(compute or [])

    ours = fabric.route(topology, engine, roots=numbers, compute=chosen, lmc=lmc)
    assert ours.engine == run.engine, (ours.fallback, run.errors)
    assert ours.planes == theirs.planes == 1 << lmc
    hosts = len(topology.hosts)
    for plane in range(1 << lmc):
        # A switch has one LID: no file says how its further planes are.
        vertices = slice(None) if plane == 0 else slice(hosts)
        a, b = ours.table(plane)[:, vertices], theirs.table(plane)[:, vertices]
        # Up-down routing may know no way from a switch that has lost a cable.
        assert (b[:, :hosts] >= 0).all() or roots or engine == "dnup" or not whole, "OpenSM knows no way"
        assert not (a != b).any(), [
            f"{topology.switches[s].name} to {topology.vertex_name(v)}: {a[s, v]}, OpenSM {b[s, v]}"
            for s, v in np.argwhere(a != b)[:5].tolist()
        ]
    return Compared(run, ours)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FABRICS)
def test_tables(name: str, engine: str, tmp_path: Path) -> None:
    compared = compare(fabric.write_ibsim(FABRICS[name]()), engine, tmp_path)
    no_tree = name in ("4x4x4 mesh", "4x4x4 torus", "dragonfly of 5 groups")
    assert compared.ours.engine == ("minhop" if engine == "updn" and no_tree else engine)
    if engine in LANED:  # ibdmchk is not told of lanes
        assert compared.ours.lanes == len(compared.lanes())
        assert not fabric.find_credit_loop(compared.ours)
    else:
        assert bool(fabric.find_credit_loop(compared.ours)) == compared.run.check.credit_loops


@pytest.mark.slow
@pytest.mark.parametrize("engine", [each for each in ENGINES if each != "lash"])  # OpenSM's takes minutes
def test_1728_hosts(engine: str, tmp_path: Path) -> None:
    assert compare(fabric.write_ibsim(fabric.k_ary_n_tree(12, 3)), engine, tmp_path).ours.engine == engine


@pytest.mark.parametrize("name", ["4x4x4 mesh", "4x4x4 torus"])
def test_lanes_of_lash(name: str, tmp_path: Path) -> None:
    """One host a switch, so pairs of hosts are pairs of switches."""
    compared = compare(fabric.write_ibsim(FABRICS[name]()), "lash", tmp_path)
    hosts = range(len(compared.ours.topology.hosts))
    pairs = Counter(compared.ours.lane(a, b) for a in hosts for b in hosts if a != b)
    assert [pairs[lane] for lane in range(compared.ours.lanes)] == compared.lanes()
    assert not fabric.find_credit_loop(compared.ours)


LANED_FABRICS: dict[str, Callable[[], fabric.Topology]] = {
    "4x4x4 torus": lambda: fabric.torus([4, 4, 4]),
    "5x4 torus, 3 hosts each": lambda: fabric.torus([5, 4], 3),
    "dragonfly of 5 groups": lambda: fabric.dragonfly(2, 4, 1, 5),
}
TOO_MANY_LANES = ("4x4x4 torus", 1)


@pytest.mark.parametrize(
    ("name", "lmc"),
    [(name, lmc) for name in LANED_FABRICS for lmc in (0, 1) if (name, lmc) != TOO_MANY_LANES],
)
def test_lanes_of_dfsssp(name: str, lmc: int, tmp_path: Path) -> None:
    """The same lane for every pair of LIDs of hosts; with an LMC, a flow uses LIDs of the same plane."""
    netlist = fabric.write_ibsim(LANED_FABRICS[name]())
    compared = compare(netlist, "dfsssp", tmp_path, lmc=lmc, debug=True)
    ours, theirs = compared.ours, compared.lane_of_lids()
    hosts = list(ours.topology.hosts)
    for a in hosts:
        for b in hosts:
            if a.number == b.number:
                continue
            plane = ours.plane(a.number, b.number)
            lanes = {theirs[source, b.lid + plane] for source in range(a.lid, a.lid + (1 << lmc))}
            assert lanes == {ours.lane(a.number, b.number)}
    assert ours.lanes == len(compared.lanes()) > 1
    assert not fabric.find_credit_loop(ours)


def test_dfsssp_refuses_what_needs_too_many_lanes(tmp_path: Path) -> None:
    """The entries are not compared: after dfsssp, OpenSM's minhop balances other planes than alone."""
    name, lmc = TOO_MANY_LANES
    topology = LANED_FABRICS[name]()
    run = opensm.route(fabric.write_ibsim(topology), "dfsssp", tmp_path, lmc=lmc)
    ours = fabric.route(topology, "dfsssp", lmc=lmc)
    assert ours.engine == run.engine == "minhop"
    assert "more than 8 virtual lanes" in ours.fallback
    assert any("Not enough VLs available (avail=8, needed=9)" in line for line in run.errors)


@pytest.mark.parametrize("engine", ["sssp", "dfsssp"])
def test_compute_nodes_come_first(engine: str, tmp_path: Path) -> None:
    topology = fabric.k_ary_n_tree(4, 3)
    netlist = fabric.write_ibsim(topology)
    compute = [topology.hosts[h].guid + 1 for h in random.Random(2).sample(range(64), 20)]
    some = compare(netlist, engine, tmp_path / "some", compute=compute).ours
    every = compare(netlist, engine, tmp_path / "all").ours
    assert (some.table() != every.table()).any()


def test_lash_refuses_what_needs_too_many_lanes(tmp_path: Path) -> None:
    """The simulator's ports have 8 lanes."""
    compared = compare(fabric.write_ibsim(fabric.torus([12, 12])), "lash", tmp_path)
    assert compared.ours.engine == "minhop"
    assert "more than 8 virtual lanes" in compared.ours.fallback
    assert any("Lane requirements (9) exceed available lanes (8)" in line for line in compared.run.errors)


# But for dfsssp on the torus, which both refuse.
WITH_PLANES = [
    (name, engine)
    for name in ("4-ary 3-tree", "PGFT(2; 8,4; 1,4; 1,2)", "4x4x4 torus")
    for engine in ENGINES
    if (name, engine) != (TOO_MANY_LANES[0], "dfsssp")
]


@pytest.mark.parametrize(("name", "engine"), WITH_PLANES)
@pytest.mark.parametrize("lmc", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_planes(name: str, engine: str, lmc: int, tmp_path: Path) -> None:
    compare(fabric.write_ibsim(FABRICS[name]()), engine, tmp_path, lmc=lmc)


@pytest.mark.parametrize("lmc", [1, 2])
def test_planes_and_chassis(lmc: int, tmp_path: Path) -> None:
    """Switches of the second level are two by two in a chassis: other tables than with each in its own."""
    netlist = fabric.write_ibsim(fabric.thin_tree(4, 4, 3))
    chassis = re.sub(
        r"^switchguid=0x202(\w+)$",
        lambda found: f"sysimgguid={0x700 + int(found[1], 16) // 2:#x}\n{found[0]}",
        netlist,
        flags=re.MULTILINE,
    )
    assert chassis != netlist
    with_chassis = compare(chassis, "minhop", tmp_path / "chassis", lmc=lmc).ours
    without = compare(netlist, "minhop", tmp_path / "alone", lmc=lmc).ours
    assert (with_chassis.table(1) != without.table(1)).any()


def random_netlist(rng: random.Random) -> tuple[str, list[int]]:
    """A connected network of switches with random GUIDs, cables and hosts, and up to two of its switches."""
    count = rng.randrange(2, 20)
    guids = rng.sample(range(1, 1 << rng.choice([6, 16, 40])), count)
    switches = [(1 << 44) + guid for guid in guids]
    free = [rng.sample(range(1, 37), 36) for _ in switches]
    lines: list[list[str]] = [[] for _ in switches]

    def lay(a: int, b: int) -> None:
        if a == b or not (free[a] and free[b]):
            return
        p, q = free[a].pop(), free[b].pop()
        lines[a].append(f'[{p}]\t"S-{switches[b]:016x}"[{q}]')
        lines[b].append(f'[{q}]\t"S-{switches[a]:016x}"[{p}]')

    for s in range(1, count):
        lay(s, rng.randrange(s))
    for _ in range(rng.randrange(2 * count)):
        lay(rng.randrange(count), rng.randrange(count))
    records = []
    for h in range(rng.randrange(2, 3 * count)):
        s = rng.randrange(count)
        if not free[s]:
            continue
        port, guid = free[s].pop(), (1 << 45) + 16 * h
        lines[s].append(f'[{port}]\t"H-{guid:016x}"[1]')
        to = f'[1]\t"S-{switches[s]:016x}"[{port}]'
        records.append(f'caguid={guid:#x}\nCa\t1 "H-{guid:016x}"\t\t# "h{h} HCA-1"\n{to}\n')
    for s, guid in enumerate(switches):
        head = f'Switch\t36 "S-{guid:016x}"\t\t# "s{s}" base port 0 lid 0 lmc 0'
        records.append("\n".join([f"switchguid={guid:#x}", head, *lines[s], ""]))
    return "\n".join(records), rng.sample(switches, rng.randrange(1, 3))


@pytest.mark.parametrize(
    "seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 8))]
)
def test_random_networks(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    netlist, roots = random_netlist(rng)
    for engine in ENGINES:
        lmc = rng.randrange(3)
        given = roots if engine == "updn" else None
        compared = compare(netlist, engine, tmp_path / engine, roots=given, lmc=lmc)
        assert compared.ours.engine == engine


def test_updn_may_leave_credit_loops(tmp_path: Path) -> None:
    """Two rings with a doubled cable in common: a flaw of OpenSM's, which we share (see updn.cpp)."""
    names = "ECFGDAB"
    ends: dict[str, list[str]] = {name: [] for name in names}
    used = dict.fromkeys(names, 1)
    guid = {name: i + 1 for i, name in enumerate(names)}
    for a, b in ["AB", "AC", "AC", "AF", "BD", "CE", "DE", "FG", "CG"]:
        used[a] += 1
        used[b] += 1
        ends[a].append(f'[{used[a]}]\t"S-{guid[b]:016x}"[{used[b]}]')
        ends[b].append(f'[{used[b]}]\t"S-{guid[a]:016x}"[{used[a]}]')
    records = []
    for name in names:
        host = 16 * guid[name] + (1 << 20)
        to_host, to_switch = f'[1]\t"H-{host:016x}"[1]', f'[1]\t"S-{guid[name]:016x}"[1]'
        records.append(f'caguid={host:#x}\nCa\t1 "H-{host:016x}"\t\t# "{name} HCA-1"\n{to_switch}\n')
        head = f'Switch\t8 "S-{guid[name]:016x}"\t\t# "{name}" base port 0 lid 0 lmc 0'
        records.append("\n".join([f"switchguid={guid[name]:#x}", head, to_host, *ends[name], ""]))
    compared = compare("\n".join(records), "updn", tmp_path, roots=[guid["D"]])
    assert compared.ours.engine == "updn"
    assert compared.run.check.credit_loops
    assert len(fabric.find_credit_loop(compared.ours)) == 5


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["4-ary 3-tree", "4x4x4 mesh"])
def test_opensm_loads_our_tables(name: str, engine: str, tmp_path: Path) -> None:
    topology = fabric.assign_lids(FABRICS[name]())
    routes = fabric.route(topology, engine)
    run = opensm.route(
        fabric.write_ibnetdiscover(topology), "file", tmp_path, tables=fabric.write_lfts(routes)
    )
    assert run.engine == "file", run.errors
    assert run.check.paths_ok, run.check.output
    if engine not in LANED:  # ibdmchk is not told of lanes
        assert run.check.credit_loops == bool(fabric.find_credit_loop(routes))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", real_fabrics.FILES)
def test_a_real_fabric(name: str, engine: str, tmp_path: Path) -> None:
    topology = fabric.read_topology(real_fabrics.text(name), name)
    # Without roots, up*/down* routing misses some pairs of the EDR fabric and fails on the HDR fabric.
    tops = topology.rank_switches().roots if (name, engine) == ("HDR", "updn") else []
    roots = [topology.switches[s].guid for s in tops]
    compared = compare(fabric.write_ibsim(topology), engine, tmp_path, roots=roots, whole=False)
    assert compared.ours.engine == engine
    if engine in LANED:
        assert compared.ours.lanes == len(compared.lanes())
