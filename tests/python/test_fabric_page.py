"""The page of a fabric in a real browser: it computes what the core computes, and can be used."""

from __future__ import annotations

import json

import numpy as np
import pytest

import browser
import real_fabrics
from sortlast import fabric, page, schedule
from sortlast.fabric.scene import scene

pytestmark = pytest.mark.references("chromium")


READY = "globalThis.fabric !== undefined"
NAMES = "void Object.assign(globalThis, fabric, { at: (id) => document.getElementById(id) })"


def write(found, folder):
    path = folder / "fabric.html"
    path.write_text(page.render(scene(found)), encoding="utf-8")
    return path


def ready(shown):
    shown.wait(READY)
    shown.run(NAMES)


def shuffled(topology, seed=3):
    return fabric.order_hosts(topology, "random", [], seed)


def contended():
    """A shift on 144 hosts in random order."""
    tree = fabric.k_ary_n_tree(12, 2)
    return fabric.contention(fabric.route(tree, "ftree"), "shift", shuffled(tree))


def three_levels():
    tree = fabric.k_ary_n_tree(4, 3)
    return fabric.contention(fabric.route(tree, "minhop"), "shift", shuffled(tree))


def planes():
    tree = fabric.pgft(m=[6, 4], w=[1, 3], p=[1, 2])
    return fabric.contention(fabric.route(tree, "s-mod-k"), "shift", shuffled(tree))


def dummies():
    some = fabric.pgft(m=[6, 4], w=[1, 3], p=[1, 2]).without_hosts([2, 3, 11])
    return fabric.contention(
        fabric.route(some, "ftree"), "shift", fabric.order_hosts(some, "routing-dummies")
    )


def pods():
    """Neighbours in a row of 14 pods of 196 hosts."""
    tree = fabric.k_ary_n_tree(14, 3)
    order = shuffled(tree)
    return fabric.contention(fabric.route(tree, "d-mod-k"), [[(k, k + 1) for k in range(2743)]], order)


def torus():
    return fabric.contention(fabric.route(fabric.torus([3, 4]), "dor"), "shift")


def radix_k():
    routes = fabric.route(fabric.k_ary_n_tree(4, 3), "updn")
    return fabric.contention(routes, schedule.make("radix-k:8,8", p=64, n=6400))


def traffic():
    routes = fabric.route(fabric.torus([3, 4]), "minhop")
    return fabric.contention(routes, [[(0, 1), (0, 2)], [], [(3, 2, 9)]], [5, 4, 3, 2])


def real():
    net = fabric.read(real_fabrics.find("NDR"))
    routes = fabric.route(net, "ftree", roots=net.rank_switches().roots, compute=fabric.compute_hosts(net))
    return fabric.contention(routes, "shift")


@pytest.mark.parametrize(
    "make",
    [contended, three_levels, planes, dummies, torus, radix_k, traffic, pods, real],
    ids=lambda make: make.__name__,
)
def test_the_page_counts_the_flows_that_the_core_counts(make, tmp_path):
    found = make()
    with browser.page(write(found, tmp_path)) as shown:
        ready(shown)
        stages = sorted({*range(min(found.stages, 30)), found.worst_stage, found.stages - 1})
        told = shown.run(
            f"{json.dumps(stages)}.map((stage) => {{ const now = analyse(stage + 1);"
            " return { load: [...now.load], share: now.share }; })"
        )
        channel = found.worst_channel
        crossing = shown.run(f"analyse({found.worst_stage + 1}).crossing({channel})")
        assert shown.errors == []
    for stage, page_says in zip(stages, told, strict=True):
        np.testing.assert_array_equal(page_says["load"], found.loads(stage), err_msg=f"stage {stage}")
        assert page_says["share"] == pytest.approx(found.stage_share[stage])
    at = found.placement
    flows = [[at[source], at[to]] for source, to, _ in found.crossing(found.worst_stage, channel)]
    assert sorted(crossing) == sorted(flows)


@pytest.fixture(scope="module")
def contended_page(tmp_path_factory):
    return write(contended(), tmp_path_factory.mktemp("page"))


@pytest.fixture
def shown(contended_page):
    with browser.page(contended_page) as opened:
        ready(opened)
        yield opened
        assert opened.errors == []


def test_the_page_asks_no_network(shown, contended_page):
    assert [url.partition("?")[0] for url in shown.requests] == [contended_page.as_uri()]
    # It could not if it wanted to.
    assert shown.run("fetch('https://example.org/').then(() => 'fetched', () => 'refused')") == "refused"
    shown.errors.clear()  # the refusal is written to the console


def test_the_slider_shows_another_stage(shown):
    found = contended()
    shown.run("go(1); at('stage').focus()")
    shown.press("ArrowRight", 4)
    summary = shown.run("at('summary').textContent")
    assert summary.startswith("Stage 5 of 143: rank i sends to rank (i + 5) mod 144. 144 flows, at most ")
    assert f"at most {found.stage_max[4]} on a link" in summary
    assert float(summary.partition("mean share ")[2].split(",")[0]) == pytest.approx(
        found.stage_share[4], abs=1e-3
    )
    assert shown.run("at('stage').getAttribute('aria-valuetext')") == summary
    # Every line has the colour of its load.
    classes = shown.run("[...partOf].flatMap((part, c) => part < 0 ? [] : [[c, [...drawn[part].classList]]])")
    least = {"f0": (0, 0), "f1": (1, 1), "f2": (2, 2), "f3": (3, 4), "f5": (5, 8), "f9": (9, 999)}
    loads = found.loads(4)
    assert len(classes) == 4 * 144
    for channel, names in classes:
        (kind,) = set(names) & least.keys()
        assert least[kind][0] <= loads[channel] <= least[kind][1]


def test_it_opens_at_the_worst_stage_and_its_fullest_link_is_one_click_away(shown):
    found = contended()
    assert shown.run("stage()") == found.worst_stage + 1
    shown.run("go(1); at('worst').click()")
    assert shown.run("stage()") == found.worst_stage + 1
    assert int(shown.run("document.querySelector('#fullest tbody td').textContent")) == found.max_flows
    shown.run("document.querySelector('#fullest tbody button').click()")
    details = shown.run("at('details').textContent")
    assert f": {found.max_flows} flows" in details
    topology = found.routes.topology
    for source, to, _ in found.crossing(found.worst_stage, found.worst_channel):
        names = [topology.hosts[found.placement[each]].name for each in (source, to)]
        assert " → ".join(names) in details


def test_all_can_be_reached_by_keyboard(shown):
    reached = []
    for _ in range(12):
        shown.press("Tab")
        reached.append(shown.run("document.activeElement.id"))
    assert (
        reached[:7]
        == ["previous", "stage", "next", "play", "worst", "contended", "scroll"][:6] + reached[6:7]
    )
    assert {"previous", "stage", "next", "play", "worst", "contended", "find"} <= set(reached)
    # Find a host by name, and let go of it.
    shown.run("at('find').focus()")
    for letter in "host00143":
        shown.press(letter)
    shown.press("Enter")
    assert "host00143 HCA-1 port 1" in shown.run("at('details').textContent")
    assert shown.run("glyphOf(143).classList.contains('chosen')")
    shown.press("Escape")
    assert shown.run("document.querySelector('.chosen')") is None
    shown.run("at('find').value = 'nobody'; at('search').requestSubmit()")
    assert "Nothing here is called “nobody”" in shown.run("at('details').textContent")


def test_a_page_without_room_for_the_flows_shows_one_stage(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "_MOST_PACKED", 100)
    found = contended()
    path = tmp_path / "one.html"
    path.write_text(page.render(scene(found), 5))
    with browser.page(path) as shown:
        ready(shown)
        assert shown.run("[...analyse(1).load]") == found.loads(4).tolist()
        assert shown.run("at('only').textContent").endswith("it shows stage 5 alone, and names no flows.")
        summary = shown.run("at('summary').textContent")
        assert summary.startswith(f"Stage 5 of 143. 144 flows, at most {found.stage_max[4]} on a link")
        shown.run("document.querySelector('#fullest tbody button').click()")
        assert " port " in shown.run("at('details').textContent")
        assert shown.errors == []


def test_names_cannot_break_out_of_the_page(tmp_path):
    evil = '</script><img src=x onerror="alert(1)">'
    text = fabric.write_ibsim(fabric.crossbar(4)).replace("host00002", evil.replace('"', ""))
    path = tmp_path / "evil.txt"
    path.write_text(text)
    topology = fabric.read(path)
    found = fabric.contention(fabric.route(topology, "minhop"), "shift")
    with browser.page(write(found, tmp_path)) as opened:
        ready(opened)
        assert opened.run("document.images.length") == 0
        assert any("<img" in name for name in opened.run("data.hosts"))
        assert opened.errors == []


def test_a_stage_that_repeats_is_shown_once_and_counted_as_often(tmp_path):
    tree = fabric.k_ary_n_tree(4, 2)
    found = fabric.contention(fabric.route(tree, "ftree"), fabric.pattern("ring", 16), shuffled(tree))
    with browser.page(write(found, tmp_path)) as shown:
        ready(shown)
        assert "30 of 30 stages contended" in shown.run("document.body.textContent")
        assert shown.run('at("summary").textContent').startswith("Stage 1 of 1, 30 times in a row. 16 flows")
        assert shown.errors == []
