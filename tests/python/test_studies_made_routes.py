"""The study of tables made for schedules: its cells beside the analysis, and its report."""

from __future__ import annotations

import re

import pytest

from report_text import assert_whole
from sortlast import fabric, provenance
from sortlast_studies.made_routes import figures, frames, measured
from sortlast_studies.made_routes.frames import SWAP, Cell, Pairs
from sortlast_studies.made_routes.study import STUDY
from sortlast_studies.shift_based import cluster
from sortlast_studies.steps import Kept, run
from sortlast_studies.study import Reading, tabulate


def done(_: float) -> bool:
    return True


def test_binary_swap_of_128_nodes_gains_by_tables_of_its_own(monkeypatch):
    monkeypatch.setattr(frames, "schedules", lambda p: [SWAP, "radix-k:8,16"])
    found = Cell(128).simulate(done)
    assert found[SWAP]["free"]
    assert (found[SWAP]["usual flows"], found[SWAP]["made flows"]) == (2, 1)
    assert found[SWAP]["made"] > 1.1 * found[SWAP]["usual"]
    # Without contention a frame is what the links of hosts and the stages take.
    constants = cluster.by_bandwidths()
    sent = 127 / 128 * frames.IMAGE[0] * frames.IMAGE[1] * cluster.PIXEL_BYTES
    assert 1 / found[SWAP]["made"] == pytest.approx(
        sent / constants.link + 7 * constants.stage_seconds, rel=0.01
    )
    assert found["radix-k:8,16"]["nothing lost"]
    assert not found["radix-k:8,16"]["free"]


def test_binary_swap_and_radix_k_share_a_table(monkeypatch):
    monkeypatch.setattr(frames, "schedules", lambda p: [SWAP, "radix-k:8,16"])
    found = Pairs(128).simulate(done)
    assert list(found) == [f"{SWAP} with radix-k:8,16", f"radix-k:8,16 with {SWAP}"]
    assert all(each["nothing lost"] for each in found.values())
    made = frames.made_for(128, (SWAP, "radix-k:8,16"))
    assert fabric.contention(made.routes, "binary-swap", range(128)).contention_free
    assert [part.stop for part in frames.parts(made)] == [7, 9]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The quick study with fewer schedules, computed; nothing is measured."""
    patch = pytest.MonkeyPatch()
    whole = frames.schedules
    patch.setattr(frames, "schedules", lambda p: [name for name in whole(p) if "4,4" not in name])
    patch.setattr(frames, "_MOVES", {1: 300, 2: 300})
    frames.made_for.cache_clear()
    patch.setattr(measured, "on_hosts", lambda *_: {"refused": "no namespaces here"})
    try:
        kept = Kept(tmp_path_factory.mktemp("made"), STUDY.settings, "model", provenance.here())
        yield Reading(STUDY, tabulate(STUDY, run(STUDY.steps(True), kept, workers=2), True))
    finally:
        patch.undo()
        frames.made_for.cache_clear()


def test_the_report_takes_the_results_of_all_steps(found):
    text = found.markdown
    assert_whole(text)
    verdicts = {check.claim: check.verdict for check in found.checks}
    assert verdicts["Tables can be computed under which binary swap is free of contention."] == "confirmed"
    assert verdicts["Shift shares one with them."] == "refuted"
    assert "undecided" in verdicts["Binary swap is faster on real packets under tables made for it."]
    assert "no namespaces here" in text
    assert set(re.findall(r"\]\((\S*)\.png\)", text)) == set(figures.draw(found.table)) == {"rates"}


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.references("namespaces")
def test_frames_on_namespaces(monkeypatch):
    """Two frames on eight hosts on leaves of three, where binary swap contends under ftree alone."""
    monkeypatch.setattr(measured, "NET", "k-ary-n-tree:3,2")
    monkeypatch.setattr(measured, "HOSTS", 8)
    rates = measured.on_hosts("binary-swap", 2, 1)
    # Which is higher, only a quiet machine tells; the study's own run does.
    assert {*rates} == {measured.USUAL, measured.MADE}
    assert all(rate > 0 for (rate,) in rates.values())
