"""The published values of Peterka et al. (2009): ``published.json``."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from sortlast.schedule import Schedule, make

MEGAPIXEL = 1 << 20  # as the paper counts: 1024 x 1024
PIXEL_BYTES = 16  # RGBA of float32


@lru_cache(maxsize=1)
def published() -> dict[str, Any]:
    """All published values, by figure."""
    text = files(__package__).joinpath("published.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def vectors() -> list[tuple[int, ...]]:
    """The k vectors of Figure 6 in the order of its axis; the one that it names twice once."""
    return list(dict.fromkeys(tuple(k) for k in published()["figure_6"]["vectors"]))


def text(k: tuple[int, ...]) -> str:
    """A k vector as algorithms take it: ``8,8,4``."""
    return ",".join(map(str, k))


def radix_k(p: int, n: int, k: tuple[int, ...] = ()) -> Schedule:
    """Radix-k of p ranks and n pixels; without a vector the paper's choice, 8 as often as p has it first."""
    return make("radix-k" + (f":{text(k)}" if k else ""), p=p, n=n)


def prime_factors(p: int) -> tuple[int, ...]:
    """The k vector of section 4.4: the prime factors of p >= 2, ascending."""
    factors, divisor = [], 2
    while p > 1:
        while p % divisor == 0:
            factors.append(divisor)
            p //= divisor
        divisor += 1
    return tuple(factors)
