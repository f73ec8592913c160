"""Pictures of ParaView with ours in IceT's place, beside those with IceT, and those of one rank.

What is opaque must be the same to the last bit. Where ranks are blended, IceT cuts the bytes of every blend
off and leaves colours out whose alpha is 0, and ours does neither: there a picture may differ by one unit a
blend, or must be nearer to the picture of one rank, which nobody has composited, than IceT's is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import jobs

RANKS = (1, *jobs.RANKS)
BLENDED = ("volume", "translucent", "transparent_translucent")
OPAQUE = (
    *("contour", "glyphs", "few", "two_views_first", "two_views_second", "annotated", "transparent"),
    *("interaction", *(f"batch_{step:02d}" for step in range(9, 50, 10))),
)


@dataclass(frozen=True)
class Drawn:
    """All scenes, drawn on some ranks with IceT and with ours, and what ours printed."""

    icet: Path
    ours: Path
    told: str


@pytest.fixture(scope="module")
def drawn(tmp_path_factory, display):
    """drawn(ranks): the scenes, drawn when they are first asked for."""
    kept: dict[int, Drawn] = {}

    def draw(ranks: int) -> Drawn:
        if ranks not in kept:
            folder = tmp_path_factory.mktemp(f"ranks{ranks}")
            by_icet = jobs.draw(False, ranks, folder / "icet", display)
            assert jobs.TIMING not in by_icet.stderr
            told = jobs.draw(True, ranks, folder / "ours", display).stderr
            kept[ranks] = Drawn(folder / "icet", folder / "ours", told)
        return kept[ranks]

    return draw


@pytest.mark.parametrize("ranks", RANKS)
def test_every_frame_of_several_ranks_is_ours(drawn, ranks):
    found = drawn(ranks)
    frames = found.told.count(jobs.TIMING)
    assert frames == 0 if ranks == 1 else frames > 50  # one rank alone composites nothing
    assert "ICET" not in found.told  # no error, no warning
    pictures = {path.stem for path in found.ours.iterdir()}
    assert pictures == {*OPAQUE, *BLENDED}


@pytest.mark.parametrize("name", OPAQUE)
@pytest.mark.parametrize("ranks", RANKS)
def test_opaque_pictures_are_those_of_icet(drawn, ranks, name):
    found = drawn(ranks)
    picture = jobs.pixels(found.ours / f"{name}.png")
    assert len(np.unique(picture.reshape(-1, 4), axis=0)) > 10  # there is something to be seen
    assert np.array_equal(picture, jobs.pixels(found.icet / f"{name}.png"))


@pytest.mark.parametrize("name", BLENDED)
@pytest.mark.parametrize("ranks", RANKS)
def test_blended_pictures_are_as_near_to_what_one_rank_draws(drawn, ranks, name):
    ours, icet = (jobs.pixels(folder / f"{name}.png") for folder in (drawn(ranks).ours, drawn(ranks).icet))
    one = jobs.pixels(drawn(1).icet / f"{name}.png")
    blends = ranks - 1 + 1  # of ranks, and of the background behind them
    nearer = np.abs(ours - one).sum() < np.abs(icet - one).sum()
    assert nearer or np.abs(ours - icet).max() <= blends
