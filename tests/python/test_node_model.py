"""The protocol of a node, tests/model/node.pml, searched by Spin for lost wake-ups and others' frames."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import references

MODEL = Path(__file__).parents[1] / "model" / "node.pml"


@pytest.fixture
def search(tmp_path):
    """``search(ranks, frames, broken)``: what Spin says of the model after all of its states, as a text."""
    spin, compiler = references.find("spin"), references.find("cc")

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
        return done.stdout

    def searched(ranks: int, frames: int, broken: int = 0) -> str:
        run(spin, f"-DRANKS={ranks}", f"-DFRAMES={frames}", f"-DBROKEN={broken}", "-a", str(MODEL))
        run(compiler, "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c")
        return run("./pan", "-m2000000", "-w24")

    return searched


def mistakes() -> dict[str, int]:
    """The mistakes that the model can make on purpose, by name."""
    return {
        name: int(number) for name, number in re.findall(r"#define (\w+) +([1-9]) +/\*", MODEL.read_text())
    }


@pytest.mark.parametrize(("ranks", "frames"), [(2, 6), (3, 3), pytest.param(3, 5, marks=pytest.mark.slow)])
def test_no_ring_is_lost_and_nobody_sees_another_frame(search, ranks, frames):
    told = search(ranks, frames)
    assert "errors: 0" in told
    # The search came to its end, and through all of the model but what stands behind a mistake.
    assert "max search depth too small" not in told
    assert "Search not completed" not in told
    states = int(re.search(r"(\d+) states, stored", told)[1])
    assert states > 100_000


@pytest.mark.parametrize(("name", "broken"), mistakes().items())
def test_every_mistake_is_found(search, name, broken):
    told = search(2, 5, broken)
    found = "assertion violated" if name in {"RETURNS_UNREAD", "FORGETS_TILES"} else "invalid end state"
    assert found in told


def test_there_are_mistakes_to_be_found():
    assert len(mistakes()) == 5
