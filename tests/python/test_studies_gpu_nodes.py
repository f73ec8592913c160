"""The study of nodes of eight GPUs: where adapters are, frames beside formulas, and its report."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from report_text import assert_whole
from sortlast import provenance
from sortlast_studies.gpu_nodes import figures, frames, networks
from sortlast_studies.gpu_nodes.frames import Cell
from sortlast_studies.gpu_nodes.networks import BY_NODE, BY_RAIL, CABLINGS, CROSSBAR, FAT, GPUS, NETWORKS
from sortlast_studies.gpu_nodes.study import STUDY
from sortlast_studies.steps import Kept, run
from sortlast_studies.study import Reading, tabulate


@pytest.mark.parametrize("cabling", CABLINGS)
@pytest.mark.parametrize("name", NETWORKS)
def test_adapters_have_places_of_their_own(name, cabling):
    places = [networks.host(name, cabling, node, gpu) for node in range(256) for gpu in range(GPUS)]
    topology = networks.routes(name).topology
    assert sorted(places) == [*range(2048)]
    assert len(topology.hosts) == 2048
    if name == CROSSBAR:
        return
    near = networks.adapters_of_a_switch(name)
    ends = [(topology.source(channel), topology.target(channel)) for channel in range(topology.channels)]
    switch = {a[0]: b[0] for a, b in ends if a and b and a[0] < len(topology.hosts)}
    for gpu in range(GPUS):
        rail = {switch[networks.host(name, cabling, node, gpu)] for node in range(near)}
        assert len(rail) == (1 if cabling == BY_RAIL else GPUS)


def test_a_frame_of_two_nodes_is_a_message_and_a_blend():
    """Half of an eighth goes each way, then is blended: on any network, as nobody else is there."""
    half = frames.PIXELS // GPUS // 2 * frames.PIXEL_BYTES
    for cabling in CABLINGS:
        found = Cell(2, FAT, cabling, "binary-swap").simulate(lambda part: True)
        assert found["name"].startswith("binary-swap")
        moved = frames.MESSAGE + half / networks.LINK
        assert found["seconds"] == pytest.approx(moved + half / frames.BLENDING, abs=1.01 * frames.MESSAGE)


def test_all_shifts_of_one_switch_take_the_bytes_of_an_adapter():
    nodes = 8
    found = Cell(nodes, CROSSBAR, BY_NODE, "shift").simulate(lambda part: True)
    piece = frames.PIXELS // GPUS // nodes * frames.PIXEL_BYTES
    least = (nodes - 1) * piece / networks.LINK
    each = frames.MESSAGE + piece / frames.BLENDING
    last = piece / networks.LINK  # from the switch to the adapter
    assert least < found["seconds"] < least + last + (nodes - 1) * each + 1e-6


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The study of up to 8 nodes."""
    patch = pytest.MonkeyPatch()
    patch.setattr(frames, "NODES", (2, 4, 8))
    try:
        kept = Kept(tmp_path_factory.mktemp("gpu-nodes"), STUDY.settings, "model", provenance.here())
        yield Reading(STUDY, tabulate(STUDY, run(STUDY.steps(True), kept, workers=2), True))
    finally:
        patch.undo()


def test_the_report_takes_the_results_of_all_steps(found):
    text = found.markdown
    assert_whole(text)
    assert set(re.findall(r"\]\((\S*)\.png\)", text)) == set(figures.draw(found.table)) == {"gpu-nodes"}
    terms = STUDY.terms(found.table)
    assert terms.nodes == [2, 4, 8]
    assert len(terms.places) == 2 * (len(NETWORKS) - 1)
    for network, cabling in terms.places:
        ratios = [terms.over(network, cabling, nodes) for nodes in terms.nodes]
        assert min(ratios) >= 1 - 1e-9  # nothing is faster than one switch
        first = terms.matters_from(network, cabling)
        assert first is None or terms.over(network, cabling, first) >= terms.matters
    assert len(terms.slower("radix-k")) == 3 * (1 + len(terms.places))  # one switch too
    assert f"\n- **Result.** Of {3 * len(terms.places)} frames over a fabric " in text
    assert terms.where_it_matters() in text
    best = [terms.best(CROSSBAR, BY_NODE, nodes)[0] for nodes in terms.nodes]
    assert all(a < b for a, b in pairwise(best))
