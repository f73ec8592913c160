"""The protocols of a node, tests/model, searched by Spin for lost wake-ups and others' frames."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import references

MODELS = Path(__file__).parents[1] / "model"


@pytest.fixture
def search(tmp_path):
    """``search(model, ranks, frames, broken)``: what Spin says of it after all of its states, as a text."""
    spin = references.find("spin")

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=True)
        return done.stdout

    def searched(model: str, ranks: int, frames: int, broken: int = 0) -> str:
        run(spin, f"-DRANKS={ranks}", f"-DFRAMES={frames}", f"-DBROKEN={broken}", "-a", str(MODELS / model))
        # A mistake is found in a moment, in which a compiler that improves the code has not even begun.
        improved = "-O0" if broken else "-O2"
        run("cc", improved, "-w", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c")
        return run("./pan", "-m2000000", "-w24")

    return searched


def mistakes(model: str) -> dict[str, int]:
    """The mistakes that a model can make on purpose, by name."""
    text = (MODELS / model).read_text()
    return {name: int(number) for name, number in re.findall(r"#define (\w+) +([1-9]) +/\*", text)}


SEARCHES = [
    ("node.pml", 2, 6),
    ("node.pml", 3, 3),
    pytest.param("node.pml", 3, 4, marks=pytest.mark.slow),
    ("roll.pml", 3, 3),
    pytest.param("roll.pml", 3, 5, marks=pytest.mark.slow),
]


@pytest.mark.references("spin")
@pytest.mark.parametrize(("model", "ranks", "frames"), SEARCHES)
def test_no_ring_is_lost_and_nobody_sees_another_frame(search, model, ranks, frames):
    told = search(model, ranks, frames)
    assert "errors: 0" in told
    # The search came to its end, and through all of the model but what stands behind a mistake.
    assert "max search depth too small" not in told
    assert "Search not completed" not in told
    states = float(re.search(r"([\d.e+]+) states, stored", told)[1])
    assert states > 100_000


@pytest.mark.references("spin")
@pytest.mark.parametrize(("name", "broken"), mistakes("node.pml").items())
def test_every_mistake_is_found(search, name, broken):
    told = search("node.pml", 2, 5, broken)
    deadlock = name in {"LOOKS_BEFORE_RINGING", "SLEEPS_UNSEEN", "LOOKS_AFTER_ARRIVING"}
    found = "invalid end state" if deadlock else "assertion violated"
    assert found in told


@pytest.mark.references("spin")
@pytest.mark.parametrize(("name", "broken"), mistakes("roll.pml").items())
def test_every_mistake_of_the_roll_is_found(search, name, broken):
    told = search("roll.pml", 3, 3, broken)
    deadlock = name in {"LATE_RANKS_SET_THE_END", "OFFERS_BEFORE_CLOSING"}
    assert ("invalid end state (at" if deadlock else "assertion violated (") in told


def test_there_are_mistakes_to_be_found():
    assert len(mistakes("node.pml")) == 5
    assert len(mistakes("roll.pml")) == 5
