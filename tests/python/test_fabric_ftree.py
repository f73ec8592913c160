"""Our ftree beside the real OpenSM's: the same tables entry by entry, and the same refusals.

Tables are compared rather than walks: where they are equal, so is every walk, between hosts and to switches.
"""

from __future__ import annotations

import random
import re
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


INTACT: dict[str, Callable[[], fabric.Topology]] = {
    "12-ary 2-tree": lambda: fabric.k_ary_n_tree(12, 2),
    "4-ary 3-tree": lambda: fabric.k_ary_n_tree(4, 3),
    "PGFT(2; 8,4; 1,4; 1,2)": lambda: fabric.pgft([8, 4], [1, 4], [1, 2]),
    "8:4,3-thin-tree": lambda: fabric.thin_tree(8, 4, 3),
}


def tops(topology: fabric.Topology) -> list[int]:
    """GUIDs of the switches of the highest level."""
    return [s.guid for s in topology.switches if s.level == topology.levels]


def uplinks(topology: fabric.Topology) -> list[int]:
    """A channel of each link between switches."""
    hosts = len(topology.hosts)
    return [link.channel for link in topology.links if link.a >= hosts and link.b >= hosts]


@dataclass
class Compared:
    """A fabric as OpenSM routed it, and our routes of it."""

    run: opensm.Run
    ours: fabric.Routes

    @property
    def code(self) -> str:
        """Number of OpenSM's first error of ftree; empty: it had none."""
        found = [match for line in self.run.errors if (match := re.search(r"ERR (AB\w\w)", line))]
        return found[0].group(1) if found else ""


def compare(
    netlist: str, folder: Path, *, roots: list[int] | None = None, compute: list[int] | None = None
) -> Compared:
    """Route a fabric by both; `roots` are GUIDs of switches, `compute` of adapter ports."""
    roots, compute = roots or [], compute or []
    run = opensm.route(netlist, "ftree", folder, roots=roots, compute=compute)
    topology = fabric.read_topology(run.ibnetdiscover, "ibnetdiscover")
    theirs = fabric.read_routes(topology, run.lfts.read_text(), "opensm-lfts.dump").table()
    numbers = [s.number for s in topology.switches if s.guid in roots]
    hosts = [h.number for h in topology.hosts if h.port_guid in compute]
    assert (len(numbers), len(hosts)) == (len(roots), len(compute))

    ours = fabric.route(topology, "ftree", roots=numbers, compute=hosts)
    assert ours.engine == run.engine, (ours.fallback, run.errors)
    different = np.argwhere(ours.table() != theirs)
    assert not different.size, [
        f"{topology.switches[s].name} to {topology.vertex_name(v)}: {ours.port(s, v)}, OpenSM {theirs[s, v]}"
        for s, v in different[:5].tolist()
    ]
    return Compared(run, ours)


@pytest.mark.parametrize("name", INTACT)
def test_intact_trees(name: str, tmp_path: Path) -> None:
    topology = INTACT[name]()
    compared = compare(fabric.write_ibsim(topology), tmp_path)
    assert compared.ours.engine == "ftree"
    assert compared.ours.fallback == ""
    # What the formula gives: walks, because switches off the path are told differently.
    formula = fabric.route(topology, "d-mod-k")
    by_name = {h.name: h.number for h in compared.ours.topology.hosts}
    for source in range(0, len(topology.hosts), 7):
        for destination in range(len(topology.hosts)):
            a, b = (by_name[topology.hosts[h].name] for h in (source, destination))
            assert compared.ours.describe(a, b) == formula.describe(source, destination)


@pytest.mark.slow
def test_1728_hosts(tmp_path: Path) -> None:
    compared = compare(fabric.write_ibsim(fabric.k_ary_n_tree(12, 3)), tmp_path)
    assert compared.ours.engine == "ftree"


@pytest.mark.parametrize(("name", "missing"), [("12-ary 2-tree", 43), ("4-ary 3-tree", 19)])
def test_missing_hosts(name: str, missing: int, tmp_path: Path) -> None:
    topology = INTACT[name]()
    left = topology.without_hosts(random.Random(1).sample(range(len(topology.hosts)), missing))
    assert compare(fabric.write_ibsim(left), tmp_path).ours.engine == "ftree"


@pytest.mark.parametrize("name", ["12-ary 2-tree", "4-ary 3-tree"])
def test_a_cut_link_needs_roots(name: str, tmp_path: Path) -> None:
    topology = INTACT[name]()
    cut = topology.without_links([uplinks(topology)[37]])
    refused = compare(fabric.write_ibsim(cut), tmp_path / "alone")
    assert refused.ours.engine == "minhop"
    assert f"({refused.code})" in refused.ours.fallback
    assert compare(fabric.write_ibsim(cut), tmp_path / "roots", roots=tops(cut)).ours.engine == "ftree"


def test_adapters_on_spines(tmp_path: Path) -> None:
    """They are no compute nodes, and routed to after those."""
    net = Netlist(fabric.k_ary_n_tree(4, 2), random.Random(3))
    for spine in net.tops:
        net.add_host(spine)
    compute = net.compute()
    text, roots = net.write(), net.guids(net.tops)
    assert compare(text, tmp_path / "alone").code == "AB2B"
    assert compare(text, tmp_path / "roots", roots=roots).code == "AB26"
    assert compare(text, tmp_path / "both", roots=roots, compute=compute).ours.engine == "ftree"


REFUSED: dict[str, Callable[[], fabric.Topology]] = {
    "a torus": lambda: fabric.torus([4, 4], 2),
    "a crossbar": lambda: fabric.crossbar(6),
    "nine levels": lambda: fabric.pgft([2, *[1] * 7, 2], [1] * 9, [1] * 9),
    "one of two parallel links cut": lambda: one_cut(fabric.pgft([8, 4], [1, 4], [1, 2])),
    "a leaf without a spine": lambda: one_cut(fabric.k_ary_n_tree(4, 2)),
    "all hosts on one leaf": lambda: fabric.k_ary_n_tree(4, 2).without_hosts(list(range(4, 16))),
}


def one_cut(topology: fabric.Topology) -> fabric.Topology:
    return topology.without_links([uplinks(topology)[0]])


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what: str, tmp_path: Path) -> None:
    compared = compare(fabric.write_ibsim(REFUSED[what]()), tmp_path)
    assert compared.ours.engine == "minhop"
    assert compared.ours.asked == "ftree"
    assert compared.ours.fallback.startswith("ftree refuses this fabric: ")
    assert (f"({compared.code})" in compared.ours.fallback) == bool(compared.code)


class Netlist:
    """A fabric with random GUIDs and ports, which can be damaged and added to."""

    def __init__(self, topology: fabric.Topology, rng: random.Random):
        self.rng = rng
        hosts = len(topology.hosts)
        guids = rng.sample(range(1 << 40, 1 << 44), topology.vertices)
        self.switches = [guid << 8 for guid in guids[hosts:]]
        self.levels = [s.level for s in topology.switches]
        self.tops = [s.number for s in topology.switches if s.level == topology.levels]
        self.hosts: dict[int, int] = {}  # GUID: switch
        self.links: list[tuple[int, int]] = []
        for link in topology.links:
            if link.a < hosts:
                self.hosts[guids[link.a] << 8] = link.b - hosts
            else:
                self.links.append((link.a - hosts, link.b - hosts))

    def add_host(self, switch: int) -> None:
        self.hosts[self.rng.randrange(1 << 44, 1 << 45) << 8] = switch

    def guids(self, switches: list[int]) -> list[int]:
        return [self.switches[s] for s in switches]

    def compute(self) -> list[int]:
        """GUIDs of the ports of hosts on level 1."""
        return [guid + 1 for guid, s in self.hosts.items() if self.levels[s] == 1]

    def write(self) -> str:
        # Deal out the ports.
        wanted = [s for link in self.links for s in link] + list(self.hosts.values())
        free = {s: self.rng.sample(range(1, n + 3), n) for s in set(wanted) if (n := wanted.count(s))}
        ends: dict[int, list[str]] = {s: [] for s in range(len(self.switches))}
        for a, b in self.links:
            ports = free[a].pop(), free[b].pop()
            ends[a].append(f'[{ports[0]}]\t"S-{self.switches[b]:016x}"[{ports[1]}]')
            ends[b].append(f'[{ports[1]}]\t"S-{self.switches[a]:016x}"[{ports[0]}]')
        records = []
        for i, (guid, s) in enumerate(self.hosts.items()):
            port = free[s].pop()
            ends[s].append(f'[{port}]\t"H-{guid:016x}"[1]')
            to = f'[1]\t"S-{self.switches[s]:016x}"[{port}]'
            records.append(f'caguid={guid:#x}\nCa\t1 "H-{guid:016x}"\t\t# "h{i} HCA-1"\n{to}\n')
        for s, lines in ends.items():
            guid = self.switches[s]
            head = f'Switch\t{len(lines) + 2} "S-{guid:016x}"\t\t# "s{s}" base port 0 lid 0 lmc 0'
            records.append("\n".join([f"switchguid={guid:#x}", head, *lines, ""]))
        return "\n".join(records)


def damage(net: Netlist) -> None:
    """Cut cables, take hosts out, and add some cables and hosts where they do not belong.

    No cables between leaves: there OpenSM depends on what its memory happens to hold (see ftree.cpp).
    """
    rng = net.rng
    for _ in range(rng.randrange(3)):
        net.links.pop(rng.randrange(len(net.links)))
    for guid in rng.sample(sorted(net.hosts), rng.randrange(5)):
        del net.hosts[guid]
    for _ in range(rng.randrange(4)):
        level = rng.choice([level for level in net.levels if level > 1])
        a, b = rng.sample([s for s, at in enumerate(net.levels) if at == level], 2)
        net.links.append((a, b))
    for _ in range(rng.randrange(3)):
        net.add_host(rng.randrange(len(net.switches)))


# Each of the shapes whole and damaged.
@pytest.mark.parametrize(
    "seed", [0, 1, 2, 5, 6, 7, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4, 8, 9, 10, 11))]
)
def test_random_fabrics(seed: int, tmp_path: Path) -> None:
    """GUIDs and ports at random; half of them damaged, then with the roots given."""
    shapes = [([4, 4], [1, 4], [1, 1]), ([3, 4], [1, 2], [1, 2]), ([2, 3, 4], [1, 2, 2], [1, 1, 2])]
    net = Netlist(fabric.pgft(*shapes[seed % 3]), random.Random(seed))
    if seed < 4:
        assert compare(net.write(), tmp_path).ours.engine == "ftree"
        return
    damage(net)
    compared = compare(net.write(), tmp_path, roots=net.guids(net.tops), compute=net.compute())
    assert compared.ours.engine == "ftree"


@pytest.mark.parametrize("name", real_fabrics.FILES)
def test_a_real_fabric(name: str, tmp_path: Path) -> None:
    """OpenSM refuses all of them unless it is given the roots and the compute nodes."""
    topology = fabric.read_topology(real_fabrics.text(name), name)
    roots = [topology.switches[s].guid for s in topology.rank_switches().roots]
    # The simulator gives a port the GUID of its adapter plus the port's number.
    hosts = [topology.hosts[h] for h in fabric.compute_hosts(topology)]
    compute = [host.guid + host.port for host in hosts]
    netlist = fabric.write_ibsim(topology)
    assert compare(netlist, tmp_path / "alone").code == "AB2B"
    assert compare(netlist, tmp_path / "both", roots=roots, compute=compute).ours.engine == "ftree"
