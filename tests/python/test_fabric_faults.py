"""Questions of a cluster engineer about faults: what is lost without a part, and which cables are slow."""

from __future__ import annotations

import json

import pytest

import aggregation
import real_fabrics
import sortlast
from sortlast import fabric

RATE = 12.5e9  # bytes per second of a link


def loaded(path):
    return json.loads(path.read_text())


# --- failures ---------------------------------------------------------------------------------------------


def test_parts_are_removed_by_name_with_what_they_strand(tmp_path):
    path = tmp_path / "net.txt"
    path.write_text(aggregation.tree())
    net = fabric.read(path)
    assert sum(host.aggregates for host in net.hosts) == 5
    less = fabric.without(net, ["sw-L2-0001"])
    assert (len(less.switches), len(less.hosts), len(less.links)) == (4, 16, 16 + 3)
    # All links of a spine strand it, with its aggregation node.
    cut = fabric.without(net, [f"sw-L2-0001:{port}" for port in (1, 2, 3)])
    assert (len(cut.switches), len(cut.hosts), len(cut.links)) == (4, 16, 16 + 3)
    assert not cut.rank_switches().why
    assert fabric.route(cut, "ftree", "top", "leaves").fallback == ""
    assert len(fabric.without(net, "host[00000-00001]").hosts) == len(net.hosts) - 2
    assert len(fabric.without(net, "sw-L1-0000:1").hosts) == len(net.hosts) - 1
    for wrong in ("sw-L1-0009", "sw-L2-0000:9", "nobody:1"):
        with pytest.raises(sortlast.ArgumentError):
            fabric.without(net, wrong)


def test_check_route_and_order_take_away_parts(cli, tmp_path):
    path, table = tmp_path / "net.txt", tmp_path / "table.json"
    path.write_text(aggregation.tree())
    for command in ("check", "order"):
        cli(
            "fabric", command, "--net", path, "--schedule", "ring", "--without", "sw-L2-0001", "--json", table
        )
        assert loaded(table)["contention_free"]
    cli("fabric", "route", "--net", path, "--without", "sw-L2-0001", "--json", table)
    assert loaded(table)["used"] == "ftree"
    status, _, error = cli("fabric", "check", "--net", path, "--without", "leaf9")
    assert status == 2
    assert "--without" in error
    assert "leaf9" in error
    job = ("--net", path, "--without", "sw-L1-0000", "--nodes", "host[00000-00007]")
    assert "name nodes that remain" in cli("fabric", "check", *job)[2]


def test_single_failures_are_those_of_each_part_routed_alone():
    net = fabric.pgft(m=[4, 4], w=[1, 3], p=[1, 1])
    job = [0, 4, 1, 5, 2, 8, 9, 12]
    told = fabric.single_failures(net, "minhop", "shift", job, link_bytes_per_second=RATE, rank_bytes=8000)
    assert len(told) == 4 * 3 + 4 + 3
    for failure in told:
        if failure.channel >= 0:
            rest = net.without_links([failure.channel])
        else:
            rest = net.without_switches([failure.failed_switch])
            lost = [h.number for h in net.hosts if h.switch == failure.failed_switch]
            assert failure.lost == len({*lost} & {*job})
            if failure.lost:
                continue
        names = [net.hosts[host].name for host in job]
        found = fabric.contention(
            fabric.route(rest, "minhop"), fabric.pattern("shift", len(job), rank_bytes=8000), names
        )
        assert failure.seconds == pytest.approx(fabric.contended_time(found, RATE).seconds)
        assert failure.max_flows == found.max_flows
    stops = [failure.lost > 0 for failure in told]
    assert stops == sorted(stops, reverse=True)
    times = [failure.seconds for failure in told if failure.lost == 0]
    assert times == sorted(times, reverse=True)
    assert (
        times[0]
        > fabric.contended_time(
            fabric.contention(fabric.route(net, "minhop"), fabric.pattern("shift", 8, rank_bytes=8000), job),
            RATE,
        ).seconds
    )


def test_check_ranks_failures(cli, tmp_path):
    table = tmp_path / "table.json"
    job = ("--net", "pgft:4,4;1,3;1,1", "--nodes", "host[00000-00007]", "--failures", "--json", table)
    _, out, _ = cli("fabric", "check", *job)
    told = loaded(table)
    assert len(told["failures"]) == 19
    assert [row["kind"] for row in told["failures"][:2]] == ["switch", "switch"]
    assert {row["part"] for row in told["failures"][:2]} == {"sw-L1-0000", "sw-L1-0001"}
    assert "of 19 cost the job time" in out


# --- slow cables ------------------------------------------------------------------------------------------


def with_slow_links(path, slow):
    """A 4-ary 2-tree at 4xEDR, in which these ports of the first leaf train at 1xEDR."""
    tree = fabric.assign_lids(fabric.k_ary_n_tree(4, 2))
    leaf, lines, record = f"S-{tree.switches[0].guid:016x}", [], ""
    for line in fabric.write_ibnetdiscover(tree).splitlines():
        record = line if line.startswith(("Switch", "Ca")) else record
        own = any(leaf in record and line.startswith(f"[{port}]") for port in slow)
        other = any(f'"{leaf}"[{port}]' in line for port in slow)
        rate = "1xEDR" if own or other else "4xEDR"
        lines.append(f"{line} {rate}" if line.startswith("[") else line)
    path.write_text("\n".join(lines) + "\n")
    return fabric.read(path)


def test_slow_links_are_found_and_become_the_worst(cli, tmp_path):
    path, table = tmp_path / "net.txt", tmp_path / "table.json"
    net = with_slow_links(path, {5, 6, 7, 8})
    slow = net.slow_links()
    assert [(each.gbps, each.expected) for each in slow] == [(25.0, 100.0)] * 4
    assert {net.source(each.channel)[1] for each in slow} == {5, 6, 7, 8}
    assert fabric.k_ary_n_tree(4, 2).slow_links() == []
    _, out, _ = cli("fabric", "build", "--net", path, "--json", table)
    assert "slow links" in out
    assert len(loaded(table)["slow"]) == 4
    # Every link has one flow, and the messages from and to the first leaf take four times as long.
    job = ("--net", path, "--schedule", "shift", "--bytes", "16M")
    status, out, _ = cli("fabric", "check", *job, "--json", table)
    told = loaded(table)
    assert (status, told["verdict"], told["max_flows"]) == (1, "SLOWED", 1)
    assert "sw-L1-0000" in (told["worst"]["from"], told["worst"]["to"])
    assert "sw-L1-0000" in (told["time"]["from"], told["time"]["to"])
    assert told["seconds"] == pytest.approx(15 * 4 * 1e6 / 12.5e9)
    assert told["lost"] == pytest.approx(0.75)
    assert "4: sw-L1-0000" in out


def test_a_lost_spine_of_a_real_fabric():
    net = fabric.read(real_fabrics.find("NDR"))
    spine = next(switch for switch in net.switches if "SPINE" in switch.name)
    rest = fabric.without(net, spine.name)
    assert len(rest.switches) == 39
    assert fabric.route(rest, "ftree", "top", "leaves").engine == "ftree"
    ports = [
        f"{spine.name}:{link.a_port if link.a == spine.vertex else link.b_port}"
        for link in net.links
        if spine.vertex in (link.a, link.b) and min(link.a, link.b) >= len(net.hosts)
    ]
    assert len(fabric.without(net, ports).switches) == 39
