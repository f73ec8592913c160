"""The commands of ``sortlast fabric``: what they print, write and refuse, and how they end."""

from __future__ import annotations

import json
import re
import statistics

import pytest

from refusals import refused
from sortlast import fabric
from sortlast import schedule as schedules
from sortlast.cli.fabric import _advice

TREE = "k-ary-n-tree:12,2"
JOB = "host[00012-00071]"


def loaded(path):
    return json.loads(path.read_text())


def names(listed):
    """Hosts 12 to 71 of the tree in the order of Slurm's list, shuffled."""
    tree = fabric.make_topology(TREE)
    hosts = [host for host in fabric.order_hosts(tree, "random") if 12 <= host < 72]
    listed.write_text("\n".join(name.split()[0] for name in fabric.names(tree, hosts)) + "\n")
    return fabric.names(tree, hosts)


# --- build ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written_as", ["ibsim", "ibnetdiscover", "slurm"])
def test_build_writes_what_the_others_read(cli, tmp_path, written_as):
    path = tmp_path / "net.txt"
    status, out, _ = cli(
        "fabric", "build", "--net", "pgft:8,4;1,4;1,2", "--format", written_as, "--output", path
    )
    assert status == 0
    assert f"wrote {path}" in out
    read, made = fabric.read(path), fabric.pgft(m=[8, 4], w=[1, 4], p=[1, 2])
    assert len(read.hosts) == len(made.hosts)
    assert len(read.links) == (len(made.links) if written_as != "slurm" else 32 + 16)


def test_build_leaves_out_what_it_is_told_and_finds_it_missing(cli, tmp_path):
    path, table = tmp_path / "net.txt", tmp_path / "table.json"
    options = ("--without", "host[00002-00003]", "--without", "sw-L1-0001:9", "--without", "sw-L2-0003:1")
    status, out, _ = cli(
        "fabric", "build", "--net", "pgft:8,4;1,4;1,2", *options, "--output", path, "--json", table
    )
    assert status == 0
    told = loaded(table)
    assert (told["hosts"], told["links"], told["switches by level"]) == (30, 30 + 32 - 2, "4, 4")
    assert told["missing"] == [
        {"lower": "sw-L1-0000", "upper": "sw-L2-0003", "present": 1, "expected": 2},
        {"lower": "sw-L1-0001", "upper": "sw-L2-0000", "present": 1, "expected": 2},
    ]
    for row in told["missing"]:
        assert re.search(rf"{row['lower']} +{row['upper']} +1 +2", out)
    assert "host00002" not in path.read_text()


# --- route ------------------------------------------------------------------------------------------------


def test_route_says_what_opensm_would_really_use(cli, tmp_path):
    net, table = tmp_path / "net.txt", tmp_path / "table.json"
    cli("fabric", "build", "--net", TREE, "--without", "sw-L1-0000:13", "--output", net)
    status, out, _ = cli("fabric", "route", "--net", net, "--json", table)
    assert status == 0
    told = loaded(table)
    assert (told["asked for"], told["used"], told["credit loop"]) == ("ftree", "minhop", "none")
    assert "ftree refuses this fabric" in told["fallback"]
    assert "AB09" in out
    assert cli("fabric", "route", "--net", net, "--roots", "top", "--json", table)[0] == 0
    told = loaded(table)
    assert (told["used"], told["fallback"]) == ("ftree", "")


def test_route_writes_tables_and_walks(cli, tmp_path):
    lfts, table = tmp_path / "my.lfts", tmp_path / "table.json"
    options = ("--walk", "host00000,host00063", "--output", lfts, "--json", table)
    status, out, _ = cli("fabric", "route", "--net", "k-ary-n-tree:4,3", *options)
    assert status == 0
    hops = loaded(table)["walk"]
    assert [hops[0]["from"], hops[-1]["to"]] == ["host00000 HCA-1", "host00063 HCA-1"]
    assert len(hops) == 6
    assert all(hop["to"] in out for hop in hops)
    # The tables are those of the engine, as the reader understands them.
    tree = fabric.assign_lids(fabric.k_ary_n_tree(4, 3))
    assert lfts.read_text() == fabric.write_lfts(fabric.route(tree, "ftree"))


def test_a_credit_loop_is_shown(cli, tmp_path):
    status, out, _ = cli("fabric", "route", "--net", "torus:4,4", "--engine", "minhop")
    assert status == 0
    assert re.search(r"credit loop +sw-\S+ port \d+ -> ", out)


# --- check ------------------------------------------------------------------------------------------------


def test_check_of_a_free_job(cli, tmp_path):
    table = tmp_path / "table.json"
    status, out, err = cli("fabric", "check", "--net", TREE, "--schedule", "shift", "--json", table)
    assert (status, err) == (0, "")
    assert "CONTENTION-FREE" in out
    told = loaded(table)
    assert (told["contention_free"], told["max_flows"], told["mean_share"]) == (True, 1, 1.0)
    assert (told["participants"], told["stages"], told["flows"]) == (144, 143, 144 * 143)
    assert told["worst"] is None


def test_check_of_a_contended_job_names_who_shares_and_what_helps(cli, tmp_path):
    listed, table = tmp_path / "nodes.txt", tmp_path / "table.json"
    hosts = names(listed)
    status, out, _ = cli("fabric", "check", "--net", TREE, "--nodes", listed, "--json", table)
    assert status == 1
    told = loaded(table)
    assert told["order"] == "listed"
    assert told["max_flows"] == len(told["worst"]["flows"]) > 1
    for flow in told["worst"]["flows"]:
        assert flow["source_host"] == hosts[flow["source"]]
        assert flow["destination_host"] == hosts[flow["destination"]]
        assert (flow["destination"] - flow["source"]) % 60 == told["worst"]["stage"]
        assert flow["source_host"] in out
    assert f"worst link: {told['worst']['from']} port {told['worst']['from_port']} to" in out
    assert "the same nodes in another order (routing order)" in told["advice"]
    assert "the same nodes in another order (routing order)" in out
    assert "CONTENDED" in out
    # It is true.
    assert cli("fabric", "check", "--net", TREE, "--nodes", listed, "--order", "routing")[0] == 0


def test_no_order_is_tried_for_too_many_flows(cli, monkeypatch):
    monkeypatch.setattr(_advice, "_MOST_FLOWS", 60 * 59 - 1)
    out = cli("fabric", "check", "--net", TREE, "--nodes", JOB, "--order", "random")[1]
    assert "What would make it free: not tried for so many flows; `sortlast fabric order` searches" in out


def test_check_reports_the_flows_of_every_stage(cli, tmp_path):
    table = tmp_path / "table.json"
    stages = {
        "direct-send": [143],
        "radix-k:12,12": [11, 11],
        "binary-swap": [1, 1, 1, 2, 2, 2, 2],
        "2-3-swap": [2, 2, 2, 2, 1, 1, 1],
        "parallel-pipeline": [1] + 142 * [2],
    }
    for schedule, most in stages.items():
        options = ("--net", TREE, "--schedule", schedule, "--json", table)
        status, out, _ = cli("fabric", "check", *options)
        told = loaded(table)
        # In the others only the hosts' own links are shared, which no routing helps.
        at_bound = schedule not in ("binary-swap", "2-3-swap")
        assert (status, told["verdict"]) == ((0, "AT THE BOUND") if at_bound else (1, "CONTENDED"))
        assert told["stage_max"] == most
        assert len(told["histogram"]) == told["max_flows"] + 1
        if schedule == "binary-swap":
            assert "2 (by stage: 1, 1, 1, 2, 2, 2, 2)" in out
        if schedule == "parallel-pipeline":
            assert "2 (1 at 1 stage, 2 at 142 stages)" in out


def test_check_takes_tables_from_a_file(cli, tmp_path):
    tree = fabric.assign_lids(fabric.k_ary_n_tree(4, 2))
    (tmp_path / "net.txt").write_text(fabric.write_ibnetdiscover(tree))
    routes = fabric.route(tree, "minhop")
    lines = []
    for switch in tree.switches:
        lines.append(
            f"Unicast lids [0-24] of switch Lid {switch.lid} guid {switch.guid:#018x} ('{switch.name}'):"
        )
        for host in tree.hosts:
            port = routes.port(switch.number, host.number)
            lines.append(
                f"{host.lid:#06x} {port:03d} # Channel Adapter portguid {host.guid + 1:#018x}: '{host.name}'"
            )
        lines.append("25 lids dumped")
    (tmp_path / "opensm-lfts.dump").write_text("\n".join(lines) + "\n")
    options = ("--net", tmp_path / "net.txt", "--lft", tmp_path / "opensm-lfts.dump")
    status, out, _ = cli("fabric", "check", *options)
    assert status == 0
    assert "opensm-lfts.dump" in out


def test_check_of_traffic_uses_as_many_nodes_as_it_names(cli, tmp_path):
    traffic, table = tmp_path / "traffic.txt", tmp_path / "table.json"
    traffic.write_text("# stage source destination\n0 0 2\n0 1 3 500\n1 2 0\n")
    options = ("--net", "k-ary-n-tree:2,2", "--schedule", traffic, "--json", table)
    assert cli("fabric", "check", *options)[0] == 0
    told = loaded(table)
    assert (told["participants"], told["stages"], told["flows"]) == (4, 2, 3)
    refusal = refused(cli("fabric", "check", "--nodes", "host[00000-00002]", *options))
    assert "4 participants, and the job 3 nodes" in refusal


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--net", "nowhere.txt"), "there is no such file, nor a family of this name"),
        (("--net", "k-ary-n-tree:12"), "expected k-ary-n-tree:K,N"),
        (("--net", TREE, "--nodes", "host[00001-00003],host00200"), "host00200"),
        (("--net", TREE, "--nodes", "host[00001-"), ":1"),
        (("--net", TREE, "--nodes", ""), "no node is named there"),
        (("--net", ""), "there is no such file"),
        (("--net", TREE, "--engine", "best"), "best"),
        (("--net", TREE, "--lft", "nowhere.dump"), "cannot read nowhere.dump"),
        (("--net", TREE, "--schedule", "radix-k:7"), "radix-k"),
        (("--net", TREE, "--roots", "sw-nowhere"), "there is no switch 'sw-nowhere'"),
        (("--net", "torus:3,3", "--roots", "top"), "name the root switches"),
        (("--net", TREE, "--json", "/dev/null/x.json"), "choose another place"),
    ],
)
def test_check_ends_with_2_on_wrong_input(cli, options, message):
    assert message in refused(cli("fabric", "check", *options))


# --- order ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("launcher", ["mpich", "openmpi", "slurm"])
def test_order_writes_a_free_order_for_each_launcher(cli, tmp_path, launcher):
    listed, table, path = tmp_path / "nodes.txt", tmp_path / "table.json", tmp_path / "job.hosts"
    names(listed)
    options = ("--nodes", listed, "--launcher", launcher, "--hostfile", path, "--json", table)
    status, out, _ = cli("fabric", "order", "--net", TREE, *options)
    assert status == 0
    assert "routing order" in out
    told = loaded(table)
    assert (told["after"]["max_flows"], told["after"]["mean_share"]) == (1, 1.0)
    assert told["before"]["max_flows"] > 1
    ordered = [name.split()[0] for name in told["nodes"]]
    assert ordered == [f"host{k:05d}" for k in range(12, 72)]
    assert re.findall(r"host\d{5}", path.read_text()) == ordered
    # And it is free.
    assert cli("fabric", "check", "--net", TREE, "--nodes", path)[0] == 0


def test_order_ends_with_1_only_where_time_is_lost(cli, tmp_path):
    table = tmp_path / "table.json"
    # Two leaves of four hosts with one link each: the taper makes some stage take twice as long.
    options = ("--net", "pgft:4,2;1,1;1,1", "--steps", 50, "--json", table)
    status, _, _ = cli("fabric", "order", *options)
    assert status == 0
    assert not loaded(table)["contention_free"]
    # A leaf of five and one of seven, with enough links: these orders lose time to the tables.
    job = ("--nodes", "host[00000-00004,00012-00018,00024]", "--steps", 0)
    assert cli("fabric", "order", "--net", TREE, *job)[0] == 1


def test_order_with_dummies_says_which_places_stay_empty(cli, tmp_path):
    table = tmp_path / "table.json"
    job = "host[00000-00004,00012-00018,00024]"
    options = ("--nodes", job, "--dummies", "--steps", 0, "--json", table)
    status, out, _ = cli("fabric", "order", "--net", TREE, *options)
    assert status == 0
    told = loaded(table)
    assert len(told["places"]) == 13
    assert told["places"] == sorted(told["places"])
    if told["of_places"] > 13:
        assert f"{told['of_places'] - 13} of the {told['of_places']} places stay empty" in out
    tree = fabric.make_topology(TREE)
    hosts = dict(zip(told["places"], fabric.placement(tree, told["nodes"]), strict=True))
    placement = [hosts.get(place, -1) for place in range(told["of_places"])]
    routes = fabric.route(tree, "ftree")
    assert fabric.contention(routes, "shift", placement).contention_free
    # The schedule of the algorithm it names has the same stages.
    made = schedules.make(told["algorithm"], p=13, n=1300)
    assert len(made.stages()) == told["of_places"] - 1
    assert fabric.contention(routes, made, told["nodes"]).contention_free


# --- check --against --------------------------------------------------------------------------------------


# Most flows on a link and mean share over all shifts, on tables of the real OpenSM 3.3.23.
MEASURED = {
    TREE: {"ftree": (1, 1.0), "minhop": (1, 1.0), "dor": (12, 0.16)},
    "k-ary-n-tree:4,3": {"ftree": (1, 1.0), "minhop": (4, 0.48), "dor": (16, 0.17)},
    "pgft:8,4;1,4;1,2": {"ftree": (1, 1.0), "minhop": (2, 0.68)},
    "thin-tree:8,4,3": {"ftree": (4, 0.31), "minhop": (16, 0.13), "dor": (64, 0.05)},
}


@pytest.mark.parametrize("net", MEASURED)
def test_engines_are_compared(cli, tmp_path, net):
    table = tmp_path / "table.json"
    options = [part for engine in MEASURED[net] for part in ("--against", engine)]
    status, out, _ = cli("fabric", "check", "--net", net, *options, "--json", table)
    assert status == 0  # a shift in routing order is at the bound that knows the taper
    checked, *others = loaded(table)["against"]
    assert checked == others[0]
    for row, (engine, (most, share)) in zip(others, MEASURED[net].items(), strict=True):
        assert (row["engine"], row["max_flows"]) == (engine, most)
        assert row["mean_share"] == pytest.approx(share, abs=0.006)
        assert re.search(rf"{engine} +{row['participants']} +{most} +{row['mean_share']:.3f}", out)


def test_fabrics_and_tables_are_compared_and_a_star_marks_what_fell_back(cli, tmp_path):
    net, tables, table = (tmp_path / name for name in ("cut.net", "my.lfts", "table.json"))
    cli("fabric", "build", "--net", "k-ary-n-tree:4,2", "--without", "sw-L1-0000:5", "--output", net)
    cli("fabric", "route", "--net", "k-ary-n-tree:4,2", "--engine", "dor", "--output", tables)
    options = ("--against", net, "--against", tables, "--against", "crossbar:16", "--bytes", "16M")
    status, out, _ = cli("fabric", "check", "--net", "k-ary-n-tree:4,2", *options, "--json", table)
    assert status == 0
    whole, cut, other, crossbar = loaded(table)["against"]
    assert (whole["engine"], whole["time"]["lost"]) == ("ftree", 0)
    assert whole["time"]["seconds"] == pytest.approx(15 * 10**6 / 12.5e9)
    assert (cut["asked"], cut["engine"]) == ("ftree", "minhop")
    assert re.search(r"minhop\* ", out)
    assert f"* {cut['fabric']}: ftree refuses this fabric" in out
    tree = fabric.k_ary_n_tree(4, 2)
    routed = {"cut": fabric.route(fabric.read(net), "ftree"), "other": fabric.route(tree, "dor")}
    for row, routes in ((cut, routed["cut"]), (other, routed["other"])):
        found = fabric.contention(routes, "shift")
        time = fabric.contended_time(
            fabric.contention(routes, fabric.pattern("shift", 16, rank_bytes=16 * 10**6)), 12.5e9
        )
        assert (row["max_flows"], row["mean_share"]) == (found.max_flows, found.mean_share)
        assert (row["time"]["seconds"], row["time"]["lost"]) == pytest.approx((time.seconds, time.lost))
    assert (crossbar["fabric"], crossbar["max_flows"]) == (fabric.crossbar(16).name, 1)


def test_the_bisection_is_that_of_python(cli, tmp_path):
    table, listed = tmp_path / "table.json", tmp_path / "nodes.txt"
    names(listed)
    options = ("--nodes", listed, "--bisection", "--against", "random", "--json", table)
    _, out, _ = cli("fabric", "check", "--net", TREE, *options)
    told = loaded(table)
    assert told["against"][0]["bisection"] == told["bisection"]
    tree = fabric.make_topology(TREE)
    hosts = fabric.read_nodes(tree, listed)
    for engine, found in zip(("ftree", "random"), told["against"], strict=True):
        halves = fabric.bisection(fabric.route(tree, engine), 1000, nodes=hosts)
        for kind in ("one_way", "both_ways"):
            mean, samples = getattr(halves, kind), getattr(halves, f"{kind}_samples")
            values = [mean, statistics.stdev(samples) / 1000**0.5, min(samples), max(samples)]
            assert [*found["bisection"][kind].values()] == pytest.approx(values)
            assert f"{mean:.3f}" in out or (engine, kind) == ("random", "both_ways")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("best", "--against best: there is no such engine, file or family"),
        ("k-ary-n-tree:12", "expected k-ary-n-tree:K,N"),
        ("hello.txt", "a file of neither a fabric (hello.txt:1: no known format"),
    ],
)
def test_what_cannot_be_compared_is_refused(cli, tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hello.txt").write_text("hello\n")
    assert message in refused(cli("fabric", "check", "--net", TREE, "--against", text))


@pytest.mark.parametrize(("name", "near"), [("Ring", "ring"), ("mpi_alltoall", "all-to-all")])
def test_an_unknown_schedule_names_the_collectives_and_a_near_one(cli, name, near):
    status, _, errors = cli("fabric", "check", "--net", "k-ary-n-tree:2,2", "--schedule", name)
    assert status == 2
    assert f"pattern '{name}' is not known (did you mean '{near}'?)" in errors
    assert "pairwise" in errors


def test_an_order_that_takes_more_time_is_shown_but_not_written(cli, tmp_path):
    job = ("--net", "thin-tree:4,2,3", "--nodes", "host[00000-00013]", "--steps", 0, "--dummies")
    status, out, _ = cli("fabric", "order", *job, "--hostfile", tmp_path / "job.hosts")
    assert status == 0
    assert "routing order with dummies" in out
    assert "takes no less time, so the given one is kept" in out
    assert "order in the host file: listed" in out
    assert "stay empty" not in out
    assert len((tmp_path / "job.hosts").read_text().splitlines()) == 14
