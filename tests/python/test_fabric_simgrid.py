"""SimGrid reads the platforms that are written, takes their routes, and its flows take as long as ours."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from refusals import refused
from sortlast import ArgumentError, _fabric, fabric, schedule, simulate

sys.path.insert(0, str(Path(__file__).parents[2] / "bench" / "fabric"))

import rail_orders
import simgrid

MIB = 2**20

# SimGrid's max-min solver alone, as in test_simulate_flow.py.
PLAIN = [
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/weight-S:0",
    "--cfg=network/TCP-gamma:0",
]


@pytest.fixture
def shifts(simgrid_program):
    """What counts the flows of all shifts on a platform."""
    return simgrid_program("fabric/simgrid_shifts.cpp")


@pytest.fixture
def exchange(simgrid_program):
    """What simulates an exchange on one."""
    return simgrid_program("simulate/simgrid_exchange.cpp")


def told(*command):
    return subprocess.run(
        [*map(str, command)], capture_output=True, check=True, timeout=120, text=True
    ).stdout


@pytest.mark.references("simgrid")
@pytest.mark.parametrize(
    ("family", "engine"),
    [
        ("k-ary-n-tree:4,2", "ftree"),
        ("k-ary-n-tree:4,2", "random"),
        ("pgft:6,4;1,3;1,2", "s-mod-k"),
        ("torus:4,3;2", "dor"),
        ("torus:2,2", "lash"),
    ],
)
def test_simgrid_takes_the_routes_of_the_tables(family, engine, shifts, tmp_path):
    """All shifts have the most flows and the mean share that the lab counts."""
    net = fabric.make_topology(family)
    routes = fabric.route(net, engine)
    path = tmp_path / "platform.xml"
    path.write_text(fabric.write_simgrid(routes))
    answer = simgrid.answer(told(shifts, path))
    found = fabric.contention(routes, "shift", range(len(net.hosts)))
    assert (answer.hosts, answer.max_flows) == (len(net.hosts), found.max_flows)
    assert answer.mean_share == pytest.approx(found.mean_share, abs=1e-6)


@pytest.mark.references("simgrid")
@pytest.mark.parametrize(("family", "engine"), [("k-ary-n-tree:4,2", "minhop"), ("torus:4,3", "dor")])
@pytest.mark.parametrize("what", ["shift", "direct-send"])
def test_flows_take_as_long_as_ours(family, engine, what, exchange, tmp_path):
    net = fabric.make_topology(family)
    routes = fabric.route(net, engine)
    path = tmp_path / "platform.xml"
    path.write_text(fabric.write_simgrid(routes, 2e9))
    order = [*range(len(net.hosts))]
    random.Random(5).shuffle(order)
    names = [net.hosts[host].name.removeprefix("host") for host in order]
    theirs = float(told(exchange, path, what, MIB, *names, *PLAIN))
    made = schedule.make(what, p=len(order), n=len(order) * MIB // 16)
    window = 1 if what == "shift" else 0
    ours = simulate.frame(routes, made, placement=order, window=window, link_bytes_per_second=2e9).seconds
    assert ours == pytest.approx(theirs, rel=1e-6)


@pytest.mark.references("simgrid")
@pytest.mark.parametrize("what", ["ring", "all-to-all"])
def test_an_order_of_machines_loses_as_much_as_ours(what, simgrid_program, tmp_path):
    """Sixteen machines with eight adapters: alphabetical order against the one that suits the routing."""
    net = rail_orders.topology(32, seed=4)
    routes = fabric.route(net, "ftree")
    (tmp_path / "platform.xml").write_text(fabric.write_simgrid(routes, 5e10))
    listed = rail_orders.job(net, 16)
    made = rail_orders.pattern(what, len(listed))
    program = simgrid_program("simulate/simgrid_pattern.cpp")
    ours, theirs = [], []
    for placed in (listed, fabric.order_nodes(net, listed, "routing")):
        found = fabric.contention(routes, made, placed)
        ours.append(fabric.pattern_time(routes, made, placed, link_bytes_per_second=5e10).free_running)
        (tmp_path / "flows").write_text(
            "".join(
                f"{stage} {found.pattern.repeats(stage)} {source} {destination} {size}\n"
                for stage in range(found.stages)
                for source, destination, size in found.pattern.flows(stage).tolist()
            )
        )
        (tmp_path / "hosts").write_text("".join(f"{name}\n" for name in fabric.names(net, placed)))
        files = (tmp_path / name for name in ("platform.xml", "flows", "hosts"))
        theirs.append(float(told(program, *files, *PLAIN)))
    assert ours[0] / ours[1] == pytest.approx(2 if what == "ring" else 1.12, abs=0.01)
    assert theirs[0] / theirs[1] == pytest.approx(ours[0] / ours[1], rel=0.1)
    if what == "ring":  # whose messages are all alike
        assert theirs == pytest.approx(ours, rel=1e-6)


def test_links_have_the_rate_that_the_fabric_tells():
    text = fabric.write_ibnetdiscover(fabric.assign_lids(fabric.crossbar(3)))
    marked = [line + " 4xHDR" if line.startswith("[1]") else line for line in text.splitlines()]
    net = _fabric.read_topology("\n".join(marked), "net")
    rates = [link.gbps for link in net.links]
    platform = fabric.write_simgrid(fabric.route(net, "minhop"))
    for rate in rates:
        expected = rate * 1e9 / 8 if rate else 1.25e9
        assert f'bandwidth="{expected:.17g}Bps"' in platform
    assert max(rates) > 0


@pytest.mark.parametrize(
    ("make", "numbers", "message"),
    [
        (lambda: fabric.pgft([26, 25], [1, 13], [1, 1]), (), "421850 pairs of hosts, and .* at most 400000"),
        (lambda: fabric.crossbar(2), (-1.0,), "link_bytes_per_second is -1"),
        (lambda: fabric.crossbar(2), (float("nan"),), "link_bytes_per_second is nan"),
        (lambda: fabric.crossbar(2), (1e9, float("inf")), "link_seconds is inf"),
    ],
)
def test_what_no_platform_can_be_is_refused(make, numbers, message):
    with pytest.raises(ArgumentError, match=message):
        fabric.write_simgrid(fabric.route(make(), "minhop"), *numbers)


def test_names_are_escaped_and_told_apart(tmp_path):
    text = fabric.write_ibsim(fabric.crossbar(3))
    odd = _fabric.read_topology(text.replace("host00002", "a<b> & 'c'"), "net")
    platform = fabric.write_simgrid(fabric.route(odd, "minhop"))
    assert "a&lt;b&gt; &amp; 'c' HCA-1" in platform
    same = _fabric.read_topology(text.replace("host00002", "host00001"), "net")
    with pytest.raises(ArgumentError, match="two vertices are called 'host00001 HCA-1"):
        fabric.write_simgrid(fabric.route(same, "minhop"))


@pytest.mark.references("simgrid")
def test_the_command_writes_a_platform(cli, tmp_path, shifts):
    path = tmp_path / "platform.xml"
    options = ("--format", "simgrid", "--engine", "minhop")
    status, out, _ = cli("fabric", "build", "--net", "k-ary-n-tree:4,2", *options, "--output", path)
    assert status == 0
    assert "minhop" in out
    text = path.read_text()
    assert text == fabric.write_simgrid(fabric.route(fabric.k_ary_n_tree(4, 2), "minhop"))
    assert int(told(shifts, path).split()[0]) == 16
    large = cli(
        "fabric", "build", "--net", "rlft:36,3", "--format", "simgrid", "--output", tmp_path / "x.xml"
    )
    assert "pairs of hosts" in refused(large)
    assert not (tmp_path / "x.xml").exists()
