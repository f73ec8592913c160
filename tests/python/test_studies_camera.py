"""The study of the camera: orders, placements and models against what is counted by hand; its report."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from report_text import assert_whole
from sortlast import ArgumentError, fabric, provenance
from sortlast_studies.camera import cells, fabrics, frames, placement, terms, views
from sortlast_studies.camera.cells import Job
from sortlast_studies.camera.frames import FLOWS, SHIFT, STAGES, SWAP
from sortlast_studies.camera.study import STUDY, make
from sortlast_studies.camera.views import LOWEST, SORTINGS, TREE
from sortlast_studies.steps import Kept, run
from sortlast_studies.study import Reading, tabulate
from sortlast_studies.taper.frames import IMAGE, LINK, PIXEL_BYTES, STAGE


def done(part):
    return True


# --- views --------------------------------------------------------------------------------------------


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


# --- frames -------------------------------------------------------------------------------------------


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


def test_the_report_takes_the_results_of_all_steps(found):
    text = found.markdown
    assert_whole(text)
    assert [line[:13] for line in text.splitlines() if line.startswith("- **")] == [
        "- **Question.",
        "- **Result.**",
        "- **Limits.**",
    ]
    assert found.items == []
    verdicts = {check.claim: check.verdict for check in found.checks}
    assert (
        verdicts["The contention of shift and direct-send is the same from every view, to the bit."]
        == "confirmed"
    )
    assert len(found.checks) == len(verdicts) > 8
