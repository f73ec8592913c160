"""Pictures of fabrics: where things stand, what colour they have, and what the command writes."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusals import refused
from sortlast import fabric
from sortlast.fabric.layout import Plan, arrange
from sortlast.fabric.scene import scene
from sortlast.plot import fabric as picture

# Makers: what lives until the interpreter ends is reported as a leak.
FABRICS = {
    "tree": lambda: fabric.k_ary_n_tree(4, 2),
    "3 levels": lambda: fabric.k_ary_n_tree(3, 3),
    "parallel links": lambda: fabric.pgft(m=[6, 4], w=[1, 3], p=[1, 2]),
    "slender": lambda: fabric.slender_tree(4, 2, 3),
    "torus": lambda: fabric.torus([3, 4], hosts=5),
    "crossbar": lambda: fabric.crossbar(30),
    "one host": lambda: fabric.crossbar(1),
}


def scene_of(topology, engine="minhop"):
    return scene(fabric.contention(fabric.route(topology, engine), "shift"))


def apart(one, other):
    """Whether two boxes (x, y, width, height) do not overlap."""
    return any(
        one[axis] + one[axis + 2] <= other[axis] + 1e-6 or other[axis] + other[axis + 2] <= one[axis] + 1e-6
        for axis in (0, 1)
    )


@pytest.mark.parametrize("name", FABRICS)
def test_nothing_lies_over_anything_or_outside(name):
    layout = scene_of(FABRICS[name]()).layout
    squares = [(x, y, layout.cell, layout.cell) for x, y in layout.hosts]
    for x, y, width, height in [*squares, *layout.switches]:
        assert min(x, y) >= 0
        assert x + width <= layout.width
        assert y + height <= layout.height
    for one, other in itertools.combinations([*squares, *layout.switches], 2):
        assert apart(one, other)


@pytest.mark.parametrize("name", [name for name in FABRICS if name != "torus"])
def test_levels_lie_above_each_other_and_hosts_below_their_switch(name):
    topology = FABRICS[name]()
    layout = scene_of(topology).layout
    heights = {}
    for switch in topology.switches:
        heights.setdefault(switch.level, set()).add(layout.switches[switch.number][1])
    assert all(len(each) == 1 for each in heights.values())
    tops = [each.pop() for _, each in sorted(heights.items())]
    assert tops == sorted(tops, reverse=True)
    pitch = layout.width / max(sum(s.level == 1 for s in topology.switches), 1)
    for host in topology.hosts:
        x, y, width, height = layout.switches[host.switch]
        assert layout.hosts[host.number][1] >= y + height
        assert abs(layout.hosts[host.number][0] - (x + width / 2)) <= pitch / 2


@given(data=st.data(), leaves=st.integers(1, 40), spines=st.integers(1, 12))
def test_leaves_stand_in_the_order_that_is_asked_for(data, leaves, spines):
    order = data.draw(st.permutations(range(leaves)))
    pairs = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines)]
    layout = arrange(Plan(list(range(leaves)), [1] * leaves + [2] * spines, order, pairs))
    places = [layout.switches[leaf][0] for leaf in order]
    assert places == sorted(places)
    # Every line ends on the facing edges of its two boxes.
    for (leaf, spine), (x1, y1, x2, y2) in zip(pairs, layout.links, strict=True):
        for (x, y), s, edge in (((x1, y1), leaf, 0), ((x2, y2), spine, 1)):
            left, top, width, height = layout.switches[s]
            assert left <= x <= left + width
            assert y == pytest.approx(top + edge * height)


def test_hosts_on_a_spine_stand_above_it():
    layout = arrange(Plan([0, 0, 2], [1, 1, 2], [0, 1], [(0, 2), (1, 2)]))
    assert layout.hosts[2][1] + layout.cell <= layout.switches[2][1]
    assert layout.hosts[0][1] >= layout.switches[0][1] + layout.switches[0][3]


def test_every_direction_of_every_link_has_the_colour_of_its_flows():
    topology = FABRICS["3 levels"]()
    found = fabric.contention(
        fabric.route(topology, "minhop"), "shift", fabric.order_hosts(topology, "random")
    )
    drawn = scene(found)
    loads = found.loads(found.worst_stage)
    axes = picture.draw(drawn, loads, "worst").axes[0]
    counts = {
        item.get_gid().removeprefix("links "): len(item.get_segments())
        for item in axes.collections
        if (item.get_gid() or "").startswith("links ")
    }
    carried = loads[np.array(drawn.links).ravel()]
    expected = {
        "none": (carried == 0).sum(),
        "1": (carried == 1).sum(),
        "2": (carried == 2).sum(),
        "3 to 4": ((carried >= 3) & (carried <= 4)).sum(),
        "5 to 8": ((carried >= 5) & (carried <= 8)).sum(),
        "9 or more": (carried >= 9).sum(),
    }
    assert counts == expected
    assert sum(counts.values()) == 2 * len(drawn.links)
    (hosts,) = (item for item in axes.collections if item.get_gid() == "hosts")
    assert len(hosts.get_facecolors()) == 2 * len(drawn.hosts)
    texts = " ".join(text.get_text() for text in axes.texts)
    assert drawn.verdict in texts
    assert drawn.title in texts


@pytest.mark.parametrize("name", FABRICS)
def test_a_scene_has_every_cable_once_in_both_directions(name):
    topology = FABRICS[name]()
    drawn = scene_of(topology)
    assert len(drawn.cables) == len(topology.links)
    channels = [channel for pair in drawn.cables for channel in pair]
    assert len(set(channels)) == len(channels)
    for forth, back in drawn.cables:
        assert topology.target(forth) == topology.source(back)
        assert topology.target(back) == topology.source(forth)
        assert drawn.target[forth] == topology.target(forth)[0]
    assert len(drawn.links) == len(drawn.layout.links)


# --- the command ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "html"])
def test_draw_writes_the_format_of_the_suffix(cli, tmp_path, suffix):
    path = tmp_path / f"fabric.{suffix}"
    status, out, _ = cli("fabric", "draw", "--net", "k-ary-n-tree:4,2", "--output", path)
    assert status == 0
    assert "Contention-free" in out
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!doctype html>"}[suffix]
    assert path.read_bytes().startswith(start)


def test_draw_writes_what_it_drew_as_json(cli, tmp_path):
    table = tmp_path / "table.json"
    options = ("--net", "k-ary-n-tree:4,2", "--nodes", "host[00000-00005]", "--json", table)
    tree = fabric.k_ary_n_tree(4, 2)
    loads = fabric.contention(fabric.route(tree, "ftree"), "shift", "host[00000-00005]").loads(1)
    for name, stage in (("fabric.html", ("--stage", 2)), ("fabric.svg", ("--stage", 2))):
        assert cli("fabric", "draw", *options, *stage, "--output", tmp_path / name)[0] == 0
        told = json.loads(table.read_text())
        assert (told["stages"], told["stage"]) == (5, 2)
        assert sum(link["flows"] for link in told["links"]) == loads.sum()
        first = told["links"][0]
        assert (first["from"], first["to"], first["flows"]) == ("host00000 HCA-1", "sw-L1-0000", 1)
    one = ("--net", "k-ary-n-tree:4,2", "--nodes", "host00000", "--json", table)
    assert cli("fabric", "draw", *one, "--output", tmp_path / "one.html")[0] == 0
    assert json.loads(table.read_text())["links"] == []


def test_draw_takes_the_stage_that_it_is_told(cli, tmp_path):
    options = ("--net", "k-ary-n-tree:4,2", "--order", "random")
    texts = []
    for stage in ((), ("--stage", 2), ("--stage", 15)):
        path = tmp_path / "fabric.svg"
        assert cli("fabric", "draw", *options, *stage, "--output", path)[0] == 0
        texts.append(path.read_text())
    assert len({text.partition("<defs>")[2] for text in texts}) == 3
    status, _, err = cli("fabric", "draw", *options, "--stage", "16", "--output", tmp_path / "x.png")
    assert status == 2
    assert "there are 15 stages" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--output", "picture.jpg"), "the suffix must be one of png, svg, pdf, html"),
        (("--output", "/dev/null/x.html"), "choose another place"),
        (("--output", "x.png", "--nodes", "host00000"), "no stage to draw"),
        (
            ("--output", "x.png", "--net", "rlft:36,3"),
            "in 3 levels has 34,992 links, more than the 20,000 of a picture; write a page",
        ),
    ],
)
def test_draw_refuses(cli, options, message):
    assert message in refused(cli("fabric", "draw", "--net", "k-ary-n-tree:4,2", *options))
