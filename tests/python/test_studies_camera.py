"""The study of the camera: orders, placements and models against what is counted by hand; its report."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from report_text import assert_whole
from sortlast import ArgumentError, fabric, provenance
from sortlast_studies.camera import cells, fabrics, figures, frames, placement, terms, views
from sortlast_studies.camera.cells import Job, Sample, Taper
from sortlast_studies.camera.frames import DIRECT, FIXED, FLOWS, SHIFT, STAGES, SWAP, SWAP_23
from sortlast_studies.camera.study import STUDY, make
from sortlast_studies.camera.views import LOWEST, SORTINGS, TREE
from sortlast_studies.steps import Kept, run
from sortlast_studies.study import Reading, tabulate
from sortlast_studies.taper.frames import IMAGE, LINK, PIXEL_BYTES, STAGE


def done(part):
    return True


# --- views --------------------------------------------------------------------------------------------


def test_directions_are_uniform_and_always_the_same():
    found = views.directions(1000)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert np.abs(found.mean(axis=0)).max() < 0.05
    assert np.allclose((found**2).mean(axis=0), 1 / 3, atol=0.03)
    assert np.array_equal(views.directions(100), found[:100])


def test_the_orbit_is_an_inclined_circle():
    found = views.orbit()
    assert found.shape == (360, 3)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    steps = (found * np.roll(found, -1, axis=0)).sum(axis=1)
    assert np.allclose(np.degrees(np.arccos(steps)), 1)
    assert np.degrees(np.arcsin(found[:, 2].max())) == pytest.approx(views.INCLINATION, abs=0.01)


@pytest.mark.parametrize(
    ("p", "expected"), [(8, (2, 2, 2)), (12, (3, 2, 2)), (64, (4, 4, 4)), (144, (6, 6, 4)), (97, (97, 1, 1))]
)
def test_blocks_fill_the_cube(p, expected):
    assert views.grid(p) == expected
    boxes = np.array(views.boxes(p)).reshape(p, 3, 2)
    assert np.prod(boxes[:, :, 1] - boxes[:, :, 0], axis=1).sum() == pytest.approx(1)
    assert (boxes.min(), boxes.max()) == (-0.5, 0.5)
    assert len({tuple(map(float, box.ravel())) for box in boxes}) == p
    assert views.boxes(p)[1][:2] == pytest.approx([1 / expected[0] - 0.5, 2 / expected[0] - 0.5])


def hides(fronts, back, eye):
    """Whether rays from the eye to sampled points of a block go through one of some others first."""
    inside = [np.linspace(low, high, 7)[1:-1] for low, high in np.reshape(back, (3, 2))]
    rays = np.array(list(itertools.product(*inside))) - eye
    low, high = (np.reshape(fronts, (-1, 1, 3, 2))[..., end] for end in (0, 1))
    enters, leaves = np.sort([(low - eye) / rays, (high - eye) / rays], axis=0)
    enter, leave = enters.max(axis=2), leaves.min(axis=2)
    return bool(((enter < np.minimum(leave, 1) - 1e-9) & (leave > 0)).any())


@pytest.mark.parametrize("sorting", SORTINGS)
@pytest.mark.parametrize("p", [8, 12, 18])
def test_an_order_never_puts_a_block_before_one_that_hides_it(p, sorting):
    sort = {LOWEST: views.lowest_first, TREE: views.by_tree}[sorting]
    boxes = views.boxes(p)
    for direction in views.directions(8):
        eye = views.DISTANCE * direction
        order = sort(p, tuple(eye))
        assert sorted(order) == list(range(p))
        for place, rank in enumerate(order[:-1]):
            assert not hides([boxes[later] for later in order[place + 1 :]], boxes[rank], eye)
        assert hides([boxes[rank] for rank in order[:-1]], boxes[order[-1]], eye)


def test_the_lowest_rank_that_nothing_hides_goes_next():
    """Seen from outside a corner a grid is hidden along the three axes alone."""
    p, eye = 27, np.array([3.0, -2.5, 2.0])
    left, order = set(range(p)), []
    toward = np.sign(eye).astype(int)
    while left:
        for rank in sorted(left):
            at = np.array(views.cell(rank, p))
            nearer = [at + toward * np.eye(3, dtype=int)[axis] for axis in range(3)]
            numbers = {
                int(x + 3 * (y + 3 * z)) for x, y, z in nearer if min(x, y, z) >= 0 and max(x, y, z) < 3
            }
            if not numbers & left:
                order.append(rank)
                left.remove(rank)
                break
    assert views.lowest_first(p, tuple(eye)) == tuple(order)


def test_a_branch_of_the_tree_stays_together():
    """Halves of the ranks of 4x4x4 blocks are z < 2 and z >= 2, whichever comes first."""
    for direction in views.directions(50):
        order = views.by_tree(64, tuple(views.DISTANCE * direction))
        assert {rank // 32 for rank in order[:32]} in ({0}, {1})
        for pair in zip(order[::2], order[1::2], strict=True):
            assert max(pair) - min(pair) == 1  # neighbours along x


def test_orders_are_those_of_their_views():
    for sorting, sort in ((LOWEST, views.lowest_first), (TREE, views.by_tree)):
        found = views.orders(8, 40, sorting)
        assert len(set(found.different)) == len(found.different)
        for direction, number in zip(views.directions(40), found.of_view, strict=True):
            assert found.different[number] == sort(8, tuple(views.DISTANCE * direction))
        for direction, number in zip(views.orbit(), found.of_orbit, strict=True):
            assert found.different[number] == sort(8, tuple(views.DISTANCE * direction))


def test_from_afar_a_grid_has_an_order_for_each_octant():
    assert views.count_orders(27, 200, 1e6) == 8
    assert views.count_orders(27, 200, 2.0) > 8


# --- placement ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [8, 60, placement.MOST_RANKS])
@pytest.mark.parametrize("name", fabrics.FABRICS)
def test_every_placement_gives_every_rank_a_host_of_its_own(name, p):
    for where in placement.PLACEMENTS:
        net, hosts = placement.place(name, p, where)
        assert len(set(hosts)) == p == len(hosts)
        assert set(hosts) <= set(range(len(net.topology.hosts)))
        assert net.engine == ("dor" if name == fabrics.TORUS else "ftree")


def test_placements_are_what_they_are_called():
    found = {where: placement.place(fabrics.TAPERED, 64, where)[1] for where in placement.PLACEMENTS}
    assert found[placement.LEAF] == list(range(64))
    assert sorted(found[placement.RANDOM]) == list(range(64)) != found[placement.RANDOM]
    assert found[placement.ROUND_ROBIN][:6] == [0, 16, 32, 48, 1, 17]
    assert sorted(found[placement.ORDERED]) == sorted(found[placement.FRAGMENTED])
    # On the first leaf of 16 hosts are the blocks with x < 4, y < 2, z < 2 of the Morton curve.
    first = {rank for rank, host in enumerate(found[placement.MORTON]) if host < 8}
    assert {views.cell(rank, 64) for rank in first} == set(itertools.product(range(2), repeat=3))


def test_on_the_torus_neighbours_of_the_morton_curve_are_neighbours():
    """64 ranks of 4x4x4 blocks lie on 4x4x4 switches, each block where it lies in the volume."""
    _, hosts = placement.place(fabrics.TORUS, 64, placement.MORTON)
    assert [(host % 8, host // 8 % 8, host // 64) for host in hosts] == [views.cell(r, 64) for r in range(64)]


def test_a_job_that_does_not_fit_beside_others_has_a_larger_tree():
    assert len(placement.place(fabrics.TWO_LEVEL, 64, placement.FRAGMENTED)[0].topology.hosts) == 144
    assert len(placement.place(fabrics.TWO_LEVEL, 144, placement.LEAF)[0].topology.hosts) == 144
    assert len(placement.place(fabrics.TWO_LEVEL, 144, placement.FRAGMENTED)[0].topology.hosts) == 288


@pytest.mark.parametrize("up", fabrics.UPLINKS)
def test_only_leaves_are_narrowed(up):
    """Leaves have 16 ports down and some up; all switches above as many bytes up as down."""
    whole = fabrics.tapered(up).topology
    links = Counter(tuple(sorted((level(whole, link.a), level(whole, link.b)))) for link in whole.links)
    assert links == {(0, 1): 512, (1, 2): 32 * up, (2, 3): 32 * up}
    assert fabrics.taper(up) == f"{16 // up}:1"


def level(whole, vertex):
    hosts = len(whole.hosts)
    return 0 if vertex < hosts else whole.switches[vertex - hosts].level


# --- frames -------------------------------------------------------------------------------------------


def test_schedules_have_two_vectors_and_no_second_binary_swap():
    assert list(frames.algorithms(64)) == [SHIFT, DIRECT, SWAP, "radix-k:8,8", "radix-k:4,4,4"]
    assert list(frames.algorithms(144)) == [SHIFT, DIRECT, SWAP, "radix-k:12,12", "radix-k:4,6,6", SWAP_23]
    assert "radix-k:97" in frames.algorithms(97)


def test_a_stage_lasts_as_long_as_its_fullest_link():
    """Four ranks on two leaves of two hosts and one spine with one cable to each, counted by hand.

    In stage 1 of binary swap neighbours in depth exchange half an image. In the order 0, 1, 2, 3 they share
    a leaf; in 0, 2, 1, 3 both ranks of a leaf send over its cable. In stage 2, with a quarter, it is the
    reverse.
    """
    net = fabric.route(fabric.pgft([2, 2], [1, 1], [1, 1]), "ftree")
    frame = PIXEL_BYTES * IMAGE[0] * IMAGE[1] / LINK
    near, near_free = frames.stages(net, "binary-swap", (0, 1, 2, 3), range(4))
    far, far_free = frames.stages(net, "binary-swap", (0, 2, 1, 3), range(4))
    assert 1 / near == pytest.approx(2 * STAGE + (1 / 2 + 2 / 4) * frame)
    assert 1 / far == pytest.approx(2 * STAGE + (2 / 2 + 1 / 4) * frame)
    assert (near_free, far_free) == (False, False)
    fps, free = frames.stages(fabrics.one_switch(4), "binary-swap", (0, 2, 1, 3), range(4))
    assert 1 / fps == pytest.approx(2 * STAGE + 3 / 4 * frame)
    assert free


def test_flows_and_packets_agree_with_stages_where_nothing_is_shared():
    net, order = fabrics.one_switch(8), tuple(range(8))
    small = frames.flows(net, "binary-swap", order, range(8), small=True)
    pixels = 512 * 256
    assert small == pytest.approx(LINK / (PIXEL_BYTES * pixels * 7 / 8))
    assert frames.packets(net, "binary-swap", order, range(8)) == pytest.approx(small, rel=0.05)
    assert (
        frames.flows(net, "binary-swap", order, range(8))
        < frames.stages(net, "binary-swap", order, range(8))[0]
    )


@pytest.mark.parametrize("where", placement.PLACEMENTS)
@pytest.mark.parametrize("name", fabrics.FABRICS)
def test_shift_and_direct_send_are_the_same_from_every_view_to_the_bit(name, where):
    net, hosts = placement.place(name, 18, where)
    for algorithm in FIXED:
        orders = [*views.orders(18, 60, LOWEST).different, *views.orders(18, 60, TREE).different]
        assert len(set(orders)) > 20
        assert len({frames.stages(net, algorithm, order, hosts) for order in orders}) == 1
        ends = orders[0], orders[-1]
        assert len({frames.flows(net, algorithm, order, hosts, small=True) for order in ends}) == 1
        # The order decides what can be blended before the last piece is there, which takes next to no time.
        whole = [frames.flows(net, algorithm, order, hosts) for order in ends]
        assert whole[0] == pytest.approx(whole[1], rel=1e-3)


# --- cells --------------------------------------------------------------------------------------------


def test_a_job_has_the_frames_of_every_order_and_is_the_same_again():
    job = Job(8, fabrics.TORUS, placement.RANDOM, 20)
    found = job.compute(done)
    assert found == job.compute(done)
    net, hosts = placement.place(fabrics.TORUS, 8, placement.RANDOM)
    for sorting in SORTINGS:
        different = views.orders(8, 20, sorting).different
        made = found[SWAP][sorting]
        counted = [frames.stages(net, "binary-swap", order, hosts) for order in different]
        assert list(zip(made[STAGES], made["free"], strict=True)) == counted
        assert made[FLOWS] == [frames.flows(net, "binary-swap", order, hosts) for order in different]
    assert list(found[SHIFT]) == [LOWEST]
    assert len(found[SHIFT][LOWEST][STAGES]) == 2
    assert len(found[SHIFT][LOWEST][FLOWS]) == 2


def test_large_jobs_are_told_by_stages():
    found = Job(72, fabrics.TWO_LEVEL, placement.LEAF, 2).compute(done)
    assert all(FLOWS not in made for each in found.values() for made in each.values())


def test_on_one_switch_no_view_is_slower():
    found = Taper(8, 0, 20).compute(done)
    assert set(found) == set(cells.TAPERED)
    for by_algorithm in found.values():
        for by_sorting in by_algorithm.values():
            assert all(len(set(rates)) == 1 for rates in by_sorting.values())


def test_a_sample_has_the_extreme_orders_by_every_model():
    found = Sample(8, fabrics.TAPERED, placement.RANDOM, 20).compute(done)
    rates = Job(8, fabrics.TAPERED, placement.RANDOM, 20).compute(done)[SWAP][LOWEST][STAGES]
    assert found[SWAP][STAGES] == [max(rates), min(rates)]
    assert set(found[SWAP]) == {STAGES, FLOWS, "flows, small", "packets, small"}
    assert set(Sample(8, fabrics.TORUS, placement.LEAF, 20).compute(done)[SWAP]) == {STAGES, FLOWS}


def test_numbers_of_ranks_that_cannot_be_are_refused():
    for ranks in ([7], [placement.MOST_RANKS + 1], [64, 1000], []):
        with pytest.raises(ArgumentError, match="expected numbers from 8 to 173"):
            make(ranks)
    names = {step.name for step in make([16]).steps(False)}
    assert all("/16-1000" in name for name in names)
    assert {name.split("/")[1] for step in STUDY.steps(True) for name in [step.name]} == {"64-100"}


# --- report -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The quick study of 8 ranks, computed."""
    study = make([8, 12])
    folder = tmp_path_factory.mktemp("camera")
    results = run(study.steps(True), Kept(folder, study.settings, "model", provenance.here()), workers=2)
    return Reading(study, tabulate(study, results, True))


def test_the_table_sums_up_the_views(found):
    """Of a case the extremes, the median and the share of free views are those of the views one by one."""
    for p in (8, 12):
        for sorting in SORTINGS:
            net, hosts = placement.place(fabrics.TWO_LEVEL, p, placement.RANDOM)
            row = terms.case(fabrics.TWO_LEVEL, placement.RANDOM, SWAP, sorting)
            sort = {LOWEST: views.lowest_first, TREE: views.by_tree}[sorting]
            orders = [sort(p, tuple(views.DISTANCE * each)) for each in views.directions(cells.QUICK_VIEWS)]
            seen = [frames.stages(net, "binary-swap", order, hosts) for order in orders]
            rates = sorted(fps for fps, _ in seen)
            line = found.table.line(terms.rates(p, STAGES), row)
            assert (line["worst"], line["best"]) == (rates[0], rates[-1])
            assert line["5 %"] == rates[4]
            assert line["median"] == pytest.approx((rates[49] + rates[50]) / 2)
            assert line[terms.FREE] == pytest.approx(sum(free for _, free in seen) / 100)
    flows = found.table.line(terms.rates(8, FLOWS), terms.case(fabrics.TORUS, placement.LEAF, SHIFT, LOWEST))
    assert flows[terms.OVER_SHIFT] == flows[terms.RATIO] == 1


def test_curves_follow_the_orders(found):
    named = terms.Terms(found.table)
    row = terms.case(fabrics.TAPERED, placement.LEAF, SWAP, LOWEST)
    net, hosts = placement.place(fabrics.TAPERED, 8, placement.LEAF)
    order = views.lowest_first(8, tuple(views.DISTANCE * views.orbit()[123]))
    assert named.over_orbit(8, row, LOWEST)[123] == frames.flows(net, "binary-swap", order, hosts)
    assert len(named.over_views(8, row, LOWEST)) == cells.QUICK_VIEWS
    assert max(named.over_views(8, row, LOWEST)) == named.at(
        8, fabrics.TAPERED, placement.LEAF, SWAP, LOWEST, "best"
    )
    assert named.apart(STAGES) == 0


def test_the_report_takes_the_results_of_all_steps(found):
    text = found.markdown
    assert_whole(text)
    assert [line[:13] for line in text.splitlines() if line.startswith("- **")] == [
        "- **Asked.** ",
        "- **Came out.",
        "- **Did not.*",
    ]
    assert found.items == []
    verdicts = {check.claim: check.verdict for check in found.checks}
    assert (
        verdicts["The contention of shift and direct-send is the same from every view, to the bit."]
        == "confirmed"
    )
    assert len(found.checks) == len(verdicts) > 8


def test_the_pictures_of_the_report_are_drawn(found):
    """Their names are those of the report, and it names no other."""
    named = set(re.findall(r"\]\((\S*)\.png\)", found.markdown))
    assert named == set(figures.draw(found.table))
    assert named == {"views-8", "views-12", "worst-8", "worst-12", "orbit", "sphere", "taper"}


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "whole"])
def test_steps_have_names_of_their_own(quick):
    names = Counter(step.name for step in STUDY.steps(quick))
    assert set(names.values()) == {1}
    assert {name.partition("/")[0] for name in names} == {"frames", "taper", "sample", "distance"}
