"""The study of scale: its fabrics, frames and formulas, and its report on invented frames."""

from __future__ import annotations

import re
from math import log2

import pytest

from sortlast_studies.scale import fat_tree, figures, k_computer, kendall, machine
from sortlast_studies.scale.fat_tree import DENSE, Cell
from sortlast_studies.scale.study import STUDY
from sortlast_studies.study import Reading, tabulate


def done(part):
    return True


def invented(quick):
    """Results of every step, none of which ran."""
    found = {}
    for step in STUDY.steps(quick):
        if step.name == "machine":
            found[step.name] = {name: [1e-9, 2e-9, 3e-9] for name in machine.FIGURES}
        elif step.name.startswith("k-computer"):
            pieces, messages = (128, 270) if "multi-step" in step.name else (32768, 15)
            found[step.name] = {"name": "x", "pixel_seconds": 1e-9, "messages": messages, "pieces": pieces}
        else:
            p = int(re.search(r"-(\d+)", step.name.removeprefix("fat-tree"))[1])
            found[step.name] = {"name": "x", "seconds": 1 + 1 / p, "messages": 10}
    return found


# --- the fat-tree -------------------------------------------------------------------------------------


def test_a_dense_frame_takes_what_a_link_and_the_blending_of_one_rank_need():
    """By hand: radix-k sends and blends (p-1)/p of the image; it hides one behind the other, or waits."""
    found = fat_tree._simulate(Cell(DENSE, 4096, "radix-k"), done)
    size = fat_tree.PIXELS * fat_tree.PIXEL_BYTES * 4095 / 4096
    network, blending = size / fat_tree.LINK, size / machine.blend_rate(machine.kept(), joined=7)
    assert max(network, blending) < found["seconds"] < 1.25 * (network + blending)


def test_fewer_passes_over_memory_take_less_time():
    costs = machine.kept()
    assert fat_tree.joined("radix-k:8,8,8,8") == 7
    assert fat_tree.joined("binary-swap:remainder") == 1
    alone, fused = (1 / machine.blend_rate(costs, each) for each in (1, 7))
    assert 7 * alone == pytest.approx(7 * (2 * costs.gamma_read + costs.gamma_write))
    assert 7 * fused == pytest.approx(8 * costs.gamma_read + costs.gamma_write)


# --- the papers ---------------------------------------------------------------------------------------


def test_the_frame_of_kendall_et_al_is_of_the_published_size():
    assert kendall.processes(False) == 32768
    assert kendall.PIXELS == 64 * 2**20
    assert kendall.bound(32768) == pytest.approx(2**30 / (6 * 425e6), rel=1e-3)


def test_a_gather_takes_a_message_from_every_rank_or_a_tree_of_them():
    found = {"pixel_seconds": 0.0, "messages": 15, "pieces": 32768}
    size = 512 * 512 * k_computer.PIXEL_BYTES / (4 * 5e9)
    linear, binomial = (k_computer.seconds(found, 512, each, message=1e-6) for each in k_computer.GATHERS)
    assert linear == pytest.approx(1e-6 * (15 + 32767) + size)
    assert binomial == pytest.approx(1e-6 * (15 + log2(32768)) + size)


def test_multi_step_leaves_few_pieces_and_takes_its_own_gathers():
    found = k_computer._stages("multi-step", 512, done)
    assert found["name"] == "multi-step:32"
    assert (found["pieces"], found["messages"]) == (16, 5 + 31 + 4)
    swap = k_computer._stages("binary-swap", 512, done)
    assert (swap["pieces"], swap["messages"]) == (512, 9)
    assert swap["pixel_seconds"] < found["pixel_seconds"]


# --- the report ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("quick", [True, False])
def test_the_report_is_made_of_the_table(quick):
    reading = Reading(STUDY, tabulate(STUDY, invented(quick), quick))
    assert reading.title.startswith("At scale")
    assert "None" not in reading.markdown
    verdicts = {check.claim: check.verdict for check in reading.checks}
    assert len(verdicts) == 5
    published = next(claim for claim in verdicts if "0.08 s" in claim)
    assert verdicts[published] == ("undecided" if quick else "refuted")  # invented: 1 s
    assert set(figures.draw(reading.table)) == {"scaling", "papers"}
    assert len(reading.summary.splitlines()) <= 10
