"""Pictures of fabrics: where things stand, what colour they have, and what the command writes."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from refusals import refused
from sortlast import _fabric, fabric, page, plot
from sortlast.fabric.layout import overlap
from sortlast.fabric.scene import scene
from sortlast.plot import fabric as picture

# Makers: what lives until the interpreter ends is reported as a leak.
FABRICS = {
    "tree": lambda: fabric.k_ary_n_tree(4, 2),
    "3 levels": lambda: fabric.k_ary_n_tree(3, 3),
    "parallel links": lambda: fabric.pgft(m=[6, 4], w=[1, 3], p=[1, 2]),
    "slender": lambda: fabric.slender_tree(4, 2, 3),
    "torus": lambda: fabric.torus([3, 4], hosts=5),
    "3-D torus": lambda: fabric.torus([4, 3, 5]),
    "4-D mesh": lambda: fabric.mesh([2, 3, 2, 2], hosts=2),
    "ring": lambda: fabric.torus([9]),
    "irregular": lambda: irregular(fabric.torus([3, 4], hosts=5)),
    "pods": lambda: fabric.k_ary_n_tree(14, 3),
    "blocks": lambda: fabric.torus([12, 12, 7]),
    "crossbar": lambda: fabric.crossbar(30),
    "one host": lambda: fabric.crossbar(1),
}


def irregular(topology):
    """The same with other names, and without what says that it is a grid."""
    text = fabric.write_ibsim(topology)
    return _fabric.read_topology(text.replace('"sw-', '"MF0;lab-').replace('" base', ':M/U1" base'), "net")


def scene_of(topology, engine="minhop", **made):
    neighbours = [(rank + 1) % len(topology.hosts) for rank in range(len(topology.hosts))]
    return scene(fabric.contention(fabric.route(topology, engine), neighbours), **made)


def shrunk(box, by=1e-6):
    x, y, width, height = box
    return (x + by, y + by, width - 2 * by, height - 2 * by)


def inside(one, other):
    return (
        one[0] >= other[0]
        and one[1] >= other[1]
        and one[0] + one[2] <= other[0] + other[2]
        and one[1] + one[3] <= other[1] + other[3]
    )


@pytest.mark.parametrize("name", FABRICS)
def test_nothing_lies_over_anything_or_outside(name):
    layout = scene_of(FABRICS[name]()).layout
    boxes = [*layout.hosts, *layout.switches]
    rooms = [slot.box for slot in layout.slots]
    for box in [*boxes, *rooms]:
        assert inside(box, (0, 0, layout.width, layout.height))
    for one, other in itertools.combinations(map(shrunk, boxes), 2):
        assert not overlap(one, other)
    # A text lies in one box, or on none.
    for room in rooms:
        met = [box for box in boxes if overlap(shrunk(room), box)]
        assert len(met) <= 1
        assert all(inside(room, box) for box in met)
    for one, other in itertools.combinations(map(shrunk, rooms), 2):
        assert not overlap(one, other)


# --- groups -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "boxes", "note"),
    [
        (lambda: fabric.pgft([30, 80], [1, 10], [1, 1]), 90, "leaves are aggregated: 30 hosts a glyph"),
        (lambda: fabric.rlft(36, 3), 36 + 18, "leaves are aggregated by pods: 324 hosts a glyph"),
        (lambda: fabric.pgft([9, 300], [1, 8], [1, 1]), 43 + 1, "in runs: up to 63 hosts a glyph"),
        (lambda: fabric.torus([32, 32]), 512, "in blocks of 2 x 1: 2 hosts a glyph"),
    ],
    ids=["leaves", "pods", "runs", "blocks"],
)
def test_a_large_fabric_is_drawn_by_groups(make, boxes, note):
    topology = make()
    drawn = scene_of(topology, "dor" if topology.shape and hasattr(topology.shape, "wraps") else "d-mod-k")
    assert note in drawn.note
    assert len(drawn.layout.switches) == boxes
    # Every channel is shown by one part, but for those within a box.
    loads = drawn.found.loads(0)
    shown = drawn.part >= 0
    cabled = drawn.target >= 0
    source = drawn.target[drawn.back]
    within = (
        cabled
        & (drawn.box[drawn.target] == drawn.box[source])
        & (np.minimum(drawn.target, source) >= len(topology.hosts))
    )
    np.testing.assert_array_equal(shown, cabled & ~within)
    parts, worst = drawn.worst_of_parts(loads), drawn.worst_of_boxes(loads)
    for part in range(0, drawn.parts, max(1, drawn.parts // 50)):
        assert parts[part] == loads[drawn.part == part].max()
    for box in range(0, boxes, 7):
        at_it = cabled & ((drawn.box[drawn.target] == box) | (drawn.box[source] == box))
        assert worst[box] == loads[at_it].max()
    # The picture says so, and how full each group is.
    axes = picture.draw(drawn, loads, "Stage 1 of 1").axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert any(drawn.note in text for text in texts)
    hosts = len(topology.hosts)
    counted = [re.match(r"([\d,]+) hosts?(?:, worst|:) (\d+)$", text) for text in texts]
    assert sum(int(found[1].replace(",", "")) for found in counted if found) == hosts
    assert max(int(found[2]) for found in counted if found) <= loads.max()


@pytest.mark.slow
def test_11664_hosts_are_a_picture_and_a_page_of_less_than_5_megabytes(tmp_path):
    tree = fabric.rlft(36, 3)
    found = fabric.contention(fabric.route(tree, "minhop"), "shift")
    drawn = scene(found)
    figure = picture.draw(drawn, found.loads(found.worst_stage), "the worst")
    for suffix in ("png", "svg"):
        plot.save(figure, tmp_path / f"fabric.{suffix}")
    (tmp_path / "fabric.html").write_text(page.render(drawn), encoding="utf-8")
    assert [each.name for each in tmp_path.iterdir() if each.stat().st_size > 5_000_000] == []


# --- what stands on a picture -------------------------------------------------------------------------------


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
    between = [link for link in topology.links if link.a >= len(topology.hosts)]
    channels = [link.channel for link in between]
    carried = loads[[*channels, *(drawn.back[channel] for channel in channels)]]
    expected = {
        "none": (carried == 0).sum(),
        "1": (carried == 1).sum(),
        "2": (carried == 2).sum(),
        "3 to 4": ((carried >= 3) & (carried <= 4)).sum(),
        "5 to 8": ((carried >= 5) & (carried <= 8)).sum(),
        "9 or more": (carried >= 9).sum(),
    }
    assert counts == expected
    assert sum(counts.values()) == 2 * len(between)
    (hosts,) = (item for item in axes.collections if item.get_gid() == "hosts")
    assert len(hosts.get_facecolors()) == 2 * len(topology.hosts)
    texts = " ".join(text.get_text() for text in axes.texts)
    assert drawn.verdict in texts
    assert drawn.title in texts


@pytest.mark.parametrize("name", FABRICS)
def test_a_scene_has_every_cable_in_both_directions(name):
    topology = FABRICS[name]()
    drawn = scene_of(topology)
    assert (drawn.target >= 0).sum() == 2 * len(topology.links)
    for link in topology.links:
        back = int(drawn.back[link.channel])
        assert drawn.back[back] == link.channel
        assert topology.target(link.channel) == topology.source(back)
        assert topology.target(back) == topology.source(link.channel)
        assert drawn.target[link.channel] == topology.target(link.channel)[0]


# --- the command ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "html"])
def test_draw_writes_the_format_of_the_suffix(cli, tmp_path, suffix):
    path = tmp_path / f"fabric.{suffix}"
    status, out, _ = cli("fabric", "draw", "--net", "k-ary-n-tree:4,2", "--output", path)
    assert status == 0
    assert "Contention-free" in out
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!doctype html>"}[suffix]
    assert path.read_bytes().startswith(start)


def test_a_page_of_a_job_without_stages_is_written(cli, tmp_path):
    page = tmp_path / "one.html"
    one = ("--net", "k-ary-n-tree:4,2", "--nodes", "host00000")
    assert cli("fabric", "draw", *one, "--output", page)[0] == 0
    assert "host00000 HCA-1" in page.read_text()


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
    ],
)
def test_draw_refuses(cli, options, message):
    assert message in refused(cli("fabric", "draw", "--net", "k-ary-n-tree:4,2", *options))
