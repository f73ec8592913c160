"""Files of the fabric's tools, from and for the tools themselves: ibsim, OpenSM, ibnetdiscover, mpiexec."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import mpirun
import opensm
import real_fabrics
import references
from sortlast import ArgumentError, _fabric, launch

DATA = Path(__file__).parents[1] / "fabric" / "data"


def links(fabric: _fabric.Topology) -> set[tuple[tuple[int, int], ...]]:
    """Every link as its two ends, by GUID and port."""
    parts = [*fabric.hosts, *fabric.switches]

    def end(vertex: int, port: int) -> tuple[int, int]:
        return parts[vertex].guid, port

    return {tuple(sorted([end(link.a, link.a_port), end(link.b, link.b_port)])) for link in fabric.links}


def lids(fabric: _fabric.Topology) -> dict[str, int]:
    return {part.name: part.lid for part in [*fabric.hosts, *fabric.switches]}


def equal_tables(a: _fabric.Routes, b: _fabric.Routes) -> bool:
    return a.planes == b.planes and all(np.array_equal(a.table(p), b.table(p)) for p in range(a.planes))


def read(run: opensm.Run) -> _fabric.Topology:
    return _fabric.read_topology(run.ibnetdiscover, "net.ibnetdiscover")


FAMILIES = ["k-ary-n-tree:4,3", "pgft:8,4;1,4;1,2", "slender-tree:4,2,3", "torus:3,3,3"]


@references.OPENSM
@pytest.mark.parametrize("family", FAMILIES)
def test_ibsim_discovers_the_fabric_that_was_written(family, tmp_path):
    built = _fabric.make_topology(family)
    run = opensm.route(_fabric.write_ibsim(built), "minhop", tmp_path)
    found = read(run)
    assert links(found) == links(built)
    assert {h.name: h.guid for h in found.hosts} == {h.name: h.guid for h in built.hosts}
    assert {s.name: (s.guid, s.ports) for s in found.switches} == {
        s.name: (s.guid, s.ports) for s in built.switches
    }
    assert min(lids(found).values()) > 0

    subnet = _fabric.read_topology(run.subnet.read_text(), run.subnet.name)
    assert links(subnet) == links(built)
    assert lids(subnet) == lids(found)
    assert {link.gbps for link in subnet.links} == {link.gbps for link in found.links} == {10.0}  # 4xSDR


@references.OPENSM
def test_ibsim_takes_the_lids_that_were_written(tmp_path):
    named = _fabric.assign_lids(_fabric.make_topology("k-ary-n-tree:3,2"))
    run = opensm.route(_fabric.write_ibnetdiscover(named), "ftree", tmp_path)
    assert lids(read(run)) == lids(named)


@references.OPENSM
@pytest.mark.parametrize("engine", ["ftree", "minhop", "updn"])
def test_all_dumps_of_a_run_hold_the_same_tables(engine, tmp_path):
    run = opensm.route(_fabric.write_ibsim(_fabric.make_topology("k-ary-n-tree:4,3")), engine, tmp_path)
    assert run.engine == engine, run.errors
    assert run.check.clean, run.check.output
    fabric = read(run)
    lfts = _fabric.read_routes(fabric, run.lfts.read_text(), run.lfts.name)
    assert lfts.engine == "opensm-lfts.dump"
    hosts = len(fabric.hosts)
    assert (lfts.table()[:, :hosts] >= 0).all()
    assert equal_tables(_fabric.read_routes(fabric, run.dump_fts, "dump_fts"), lfts)
    assert equal_tables(_fabric.read_routes(fabric, run.fdbs.read_text(), run.fdbs.name), lfts)
    # A netlist has no LIDs: they are learnt from the dump.
    netlist = _fabric.read_topology((run.folder / "net").read_text(), "net")
    learnt = _fabric.read_routes(netlist, run.lfts.read_text(), "lfts")
    for source, destination in [(0, 63), (63, 0), (5, 6), (17, 40)]:
        assert len(learnt.walk(source, destination)) in (2, 4, 6)


@references.OPENSM
def test_ibroute_prints_a_table_that_is_read(tmp_path):
    named = _fabric.assign_lids(_fabric.make_topology("k-ary-n-tree:3,2"))
    netlist = _fabric.write_ibnetdiscover(named)
    run = opensm.route(netlist, "minhop", tmp_path / "run")
    with opensm.simulate(netlist, tmp_path / "again") as fabric:
        # A fresh simulation has empty tables: load them by OpenSM first.
        fabric.run("opensm", "-F", "/dev/null", "-o", "-R", "minhop", "-f", "osm.log")
        printed = fabric.run("ibroute", str(named.switches[0].lid))
    table = _fabric.read_routes(named, printed, "ibroute").table()
    lfts = _fabric.read_routes(named, run.lfts.read_text(), "lfts").table()
    assert np.array_equal(table[0], lfts[0])
    assert (table[1:] == -1).all()


@references.OPENSM
def test_several_lids_a_host_are_planes(tmp_path):
    built = _fabric.make_topology("k-ary-n-tree:3,2")
    run = opensm.route(_fabric.write_ibsim(built), "minhop", tmp_path, lmc=2)
    fabric = read(run)
    assert {h.lmc for h in fabric.hosts} == {2}
    lfts = _fabric.read_routes(fabric, run.lfts.read_text(), "lfts")
    assert lfts.planes == 4
    assert any(not np.array_equal(lfts.table(0), lfts.table(p)) for p in range(1, 4))
    assert equal_tables(_fabric.read_routes(fabric, run.dump_fts, "fts"), lfts)
    netlist = _fabric.read_topology((run.folder / "net").read_text(), "net")
    assert _fabric.read_routes(netlist, run.lfts.read_text(), "lfts").planes == 4


@references.OPENSM
def test_opensm_loads_our_tables(tmp_path):
    built = _fabric.assign_lids(_fabric.make_topology("k-ary-n-tree:4,3"))
    ours = _fabric.route(built, "d-mod-k")
    tables = _fabric.write_lfts(ours)
    kept = opensm.route(_fabric.write_ibnetdiscover(built), "file", tmp_path / "kept", tables=tables)
    assert kept.engine == "file"
    assert kept.check.paths == 64 * 63
    assert kept.check.clean, kept.check.output
    assert equal_tables(_fabric.read_routes(built, kept.lfts.read_text(), "lfts"), ours)

    # OpenSM gives other LIDs: it finds ports by their GUIDs.
    fresh = opensm.route(_fabric.write_ibsim(built), "file", tmp_path / "fresh", tables=tables)
    assert fresh.check.clean, fresh.check.output
    found = read(fresh)
    assert lids(found) != lids(built)
    dumped = _fabric.read_routes(found, fresh.lfts.read_text(), "lfts")
    number = {h.name: i for i, h in enumerate(found.hosts)}
    for source in range(0, 64, 7):
        for destination in range(64):
            walk = dumped.walk(*(number[built.hosts[h].name] for h in (source, destination)))
            assert [found.source(c)[1] for c in walk] == [
                built.source(c)[1] for c in ours.walk(source, destination)
            ]


@references.OPENSM
def test_ca_order_has_dummies_where_hosts_are_missing(tmp_path):
    whole = _fabric.make_topology("k-ary-n-tree:4,2")
    part = _fabric.assign_lids(whole.without_hosts([1, 6, 7]))
    run = opensm.route(_fabric.write_ibnetdiscover(part), "ftree", tmp_path)
    assert run.engine == "ftree", run.errors
    fabric = read(run)
    order = _fabric.read_ca_order(fabric, run.ca_order.read_text(), run.ca_order.name)
    assert sorted(h for h in order if h >= 0) == list(range(13))
    assert len(order) == 16
    leaves = [{fabric.target(h)[0] for h in order[i : i + 4] if h >= 0} for i in range(0, 16, 4)]
    assert all(len(leaf) == 1 for leaf in leaves)


@references.OPENSM
def test_opensm_falls_back_silently_and_the_harness_says_so(tmp_path):
    ring = _fabric.write_ibsim(_fabric.make_topology("torus:5"))
    run = opensm.route(ring, "ftree", tmp_path)
    assert run.engine == "minhop"
    assert any("AB2B" in error for error in run.errors)
    assert run.check.credit_loops
    assert run.check.paths_ok


@references.OPENSM
def test_a_simulation_ends_with_its_context(tmp_path):
    netlist = _fabric.write_ibsim(_fabric.make_topology("crossbar:3"))
    with opensm.simulate(netlist, tmp_path) as fabric:
        socket = fabric.socket
        assert socket in Path("/proc/net/unix").read_text()
        with pytest.raises(RuntimeError, match="ended with status"):
            fabric.run("ibroute", "12345")
    assert socket not in Path("/proc/net/unix").read_text()


PYTHON_READS = ("cables", "gpu_adapters", "labels")  # see test_fabric_cluster_files.py


@pytest.mark.parametrize(
    "sample",
    [path for path in sorted(DATA.glob("*/*"), key=str) if path.parent.name not in PYTHON_READS],
    ids=lambda path: path.name,
)
def test_samples_are_read(sample):
    text = sample.read_text()
    fabric = _fabric.read_topology(
        (DATA / "ibnetdiscover" / "leaf-spine.ibnetdiscover").read_text(), "leaf-spine"
    )
    rails = _fabric.read_topology((DATA / "ibnetdiscover" / "rails.ibnetdiscover").read_text(), "rails")
    match sample.parent.name:
        case "ibnetdiscover" | "subnet_list" | "slurm_topology" | "link_info" | "db_csv":
            hosts = 22 if sample.name.startswith("rails") else 4
            assert len(_fabric.read_topology(text, sample.name).hosts) == hosts
        case "adapters":
            assert len(_fabric.read_adapters(rails, text, sample.name)) == 4
        case "counters":
            assert (_fabric.read_counters(rails, text, sample.name) >= 0).sum() >= 3
        case "hostfile":
            assert len(_fabric.read_hostfile(rails, text, sample.name)) >= 3
        case "node_name_map":
            assert len(_fabric.read_node_name_map(text, sample.name)) == 4
        case "routes":
            assert (_fabric.read_routes(fabric, text, sample.name).table()[:, :4] >= 0).all()
        case "ca_order":
            assert sorted(_fabric.read_ca_order(fabric, text, sample.name))[-4:] == [0, 1, 2, 3]
        case "node_list":
            assert len(_fabric.read_node_list(text, sample.name)) > 4
        case "traffic":
            assert _fabric.read_traffic(text, sample.name).participants == 4
        case other:
            pytest.fail(f"no test knows samples of {other}")


def test_errors_name_the_file_and_the_line():
    with pytest.raises(ArgumentError, match=r"^net\.txt:2: expected the number of ports \(1 to 254\), found"):
        _fabric.read_topology('\nSwitch 2000000000 "S-1"\n', "net.txt")


@references.OPENSM
def test_the_real_fabric_is_read_and_simulated(tmp_path):
    """NDR, 40 switches, 582 adapters: 532 of 558 links between switches; NVIDIA/topograph, Apache-2.0."""
    fabric = _fabric.read_topology(real_fabrics.text("NDR"), "ndr")
    assert (len(fabric.switches), len(fabric.hosts), len(fabric.links)) == (40, 582, 582 + 532)
    assert {link.gbps for link in fabric.links} == {400.0}
    assert len({part.lid for part in [*fabric.hosts, *fabric.switches]}) == 622
    assert sum(h.name.endswith("Aggregation Node") for h in fabric.hosts) == 40

    # Written and discovered again it is the same, and its tables are read.
    run = opensm.route(_fabric.write_ibnetdiscover(fabric), "minhop", tmp_path)
    found = read(run)
    by_guid = {h.guid: h.name for h in fabric.hosts}
    assert {h.guid: h.name for h in found.hosts} == by_guid
    assert links(found) == links(fabric)
    assert {h.guid: h.lid for h in found.hosts} == {h.guid: h.lid for h in fabric.hosts}
    assert (_fabric.read_routes(found, run.lfts.read_text(), "lfts").table()[:, :582] > 0).all()


@pytest.mark.references
@pytest.mark.parametrize(("name", "sizes"), [("EDR", (1644, 174)), ("HDR", (1336, 206)), ("NDR", (582, 40))])
def test_real_fabrics_have_an_aggregation_node_per_switch(name, sizes):
    fabric = _fabric.read_topology(real_fabrics.text(name), name)
    assert (len(fabric.hosts), len(fabric.switches)) == sizes
    assert sum(host.name.endswith("Aggregation Node") for host in fabric.hosts) == len(fabric.switches)


# What MPICH's mpiexec calls to start a process on another host; this one starts it here and tells the name.
SSH_TO_HERE = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec env STARTED_ON="$host" sh -c "$*"
"""


def started_by_mpich(file: Path, ranks: int, folder: Path) -> list[str]:
    """The host of each rank, as the ranks themselves say."""
    ssh = folder / "ssh"
    ssh.write_text(SSH_TO_HERE)
    ssh.chmod(0o755)
    options = ["-launcher", "ssh", "-launcher-exec", str(ssh), "-f", str(file)]
    job = mpirun.run_command(ranks, ["sh", "-c", "echo $PMI_RANK $STARTED_ON"], options=options)
    assert job.returncode == 0, job
    rows = [line.split() for line in job.stdout.splitlines() if line.strip()]
    return [name for _, name in sorted((int(rank), name) for rank, name in rows)]


def mapped_by_openmpi(options: list[str], ranks: int) -> list[str]:
    """The host of each rank, as mpiexec would start them on hosts that are there."""
    job = mpirun.run_command(ranks, ["true"], options=[*options, "--display", "map", "--rtos", "donotlaunch"])
    hosts: dict[int, str] = {}
    host = ""
    for node, rank in re.findall(
        r"Data for node: (\S+)|Data for proc: \[\S+,(\d+)\]", job.stdout + job.stderr
    ):
        host = node or host
        if rank:
            hosts[int(rank)] = host
    assert len(hosts) == ranks, job
    return [hosts[rank] for rank in range(ranks)]


@pytest.mark.mpi
@pytest.mark.parametrize("hosts", [[2, 0, 3, 1], [1, 1, 0, 0], [1, 0, 1], [0, 2, 2, 0]])
def test_mpiexec_starts_the_ranks_where_the_files_say(hosts, tmp_path):
    fabric = _fabric.make_topology("crossbar:4")
    family = launch.find_mpiexec().family
    expected = [f"host{h:05}" for h in hosts]
    hostfile, rankfile = tmp_path / "hostfile", tmp_path / "rankfile"
    rankfile.write_text(_fabric.write_rankfile(fabric, hosts, family))
    if family == "mpich":
        hostfile.write_text(_fabric.write_hostfile(fabric, hosts, family))
        for file in (hostfile, rankfile):
            assert started_by_mpich(file, len(hosts), tmp_path) == expected
        return
    if all(hosts[i] == hosts[i - 1] or hosts[i] not in hosts[:i] for i in range(1, len(hosts))):
        hostfile.write_text(_fabric.write_hostfile(fabric, hosts, family))
        assert mapped_by_openmpi(["--hostfile", str(hostfile), "--map-by", "slot"], len(hosts)) == expected
    else:
        with pytest.raises(ArgumentError, match="write a rankfile"):
            _fabric.write_hostfile(fabric, hosts, family)
    hostfile.write_text(_fabric.write_hostfile(fabric, sorted(hosts), family))
    by_rank = ["--hostfile", str(hostfile), "--map-by", f"rankfile:file={rankfile}"]
    assert mapped_by_openmpi(by_rank, len(hosts)) == expected


def test_ranks_of_one_host_are_folded_for_slurm_and_read_back():
    fabric = _fabric.make_topology("crossbar:12")
    names = _fabric.write_hostfile(fabric, list(range(12)), "slurm").split()
    assert _fabric.fold_node_list(names) == "host[00000-00011]"
    assert _fabric.read_node_list("host[00000-00011]", "list") == names
