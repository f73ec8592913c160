"""200 dense frames have the bits that were recorded, by messages and in shared memory.

After an intended change of bits, record them again: ``python tests/python/test_recorded_frames.py``.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]

RECORD = Path(__file__).with_name("recorded_frames.json")
RANKS = (2, 3, 5, 8)
ALGORITHMS = (
    "shift",
    "direct-send",
    "binary-swap",
    "2-3-swap",
    "radix-k",
    "multi-step",
    "parallel-pipeline",
    "two-level",
    "tree",
)
HEIGHT, WIDTH = 37, 53


def cases(ranks: int) -> list[list]:
    """50 draws of algorithm, operator, scalar, channels, depth, order, share of empty blocks, node_ranks."""
    draw = random.Random(ranks)
    found = []
    while len(found) < 50:
        op = draw.choice(("over", "closest", "add", "max", "min"))
        channels = 4 if op == "over" else draw.choice((3, 4))
        order = draw.sample(range(ranks), ranks) if op == "over" else None
        name = ALGORITHMS[len(found) % len(ALGORITHMS)]
        if name == "binary-swap" and ranks & (ranks - 1):
            name = "radix-k"
        scalar = draw.choice(("float32", "float16", "uint8"))
        empty, node_ranks = draw.choice((0, 40, 90)), draw.choice((None, 1))
        found.append([name, op, scalar, channels, op == "closest", order, empty, node_ranks])
    return found


SNIPPET = """
import hashlib
import numpy as np
import sortlast

def numbers(seed, count):
    # Integers alone, so that all machines and versions of NumPy draw the same.
    at = np.arange(count, dtype=np.uint64) * np.uint64(2654435761) + np.uint64(seed * 40503 + 12345)
    at ^= at >> np.uint64(15)
    at = (at * np.uint64(2246822519)) & np.uint64(0xFFFFFFFF)
    at ^= at >> np.uint64(13)
    return (at * np.uint64(3266489917) & np.uint64(0xFFFFFFFF)) >> np.uint64(8)  # 24 bits

def image(seed, scalar, channels, empty, op):
    values = numbers(seed, {height} * {width} * channels).reshape({height}, {width}, channels)
    blocks = numbers(seed + 7, ({height} // 8 + 1) * ({width} // 8 + 1)).reshape({height} // 8 + 1, -1) % 100
    gone = np.kron(blocks < empty, np.ones((8, 8), bool))[:{height}, :{width}]
    if scalar == "uint8":
        made = (values >> np.uint64(16)).astype(np.uint8)
        if op == "over":
            made[..., :3] = (made[..., :3].astype(np.uint16) * made[..., 3:] // 255).astype(np.uint8)
    else:
        made = values.astype(np.float32) / np.float32(1 << 24)
        if op == "over":
            made[..., :3] *= made[..., 3:]
        made = made.astype(scalar)
    made[gone] = 0
    depth = numbers(seed + 3, {height} * {width}).astype(np.float32).reshape({height}, {width})
    depth[gone] = np.inf
    return made, depth

found = []
for k, (name, op, scalar, channels, with_depth, order, empty, nodes) in enumerate({cases}):
    comp = sortlast.Compositor(comm, algorithm=name, node_ranks=nodes)
    made, depth = image(1000 * k + rank, scalar, channels, empty, op)
    tile = comp.composite(made, depth if with_depth else None, op=op, order=order)
    frame = comp.gather(tile, depth=with_depth)
    if rank == 0:
        planes = (frame.colour, frame.depth) if with_depth else (frame.colour,)
        found.append(hashlib.sha256(b"".join(plane.tobytes() for plane in planes)).hexdigest()[:16])
    comp.close()
report(found)
"""


def frames(ranks: int) -> list[str]:
    """Hashes of the frames of all cases."""
    snippet = SNIPPET
    for name, value in (("{height}", HEIGHT), ("{width}", WIDTH), ("{cases}", cases(ranks))):
        snippet = snippet.replace(name, repr(value))
    return mpirun.reports(ranks, snippet, timeout=300)[0]


@pytest.mark.parametrize("ranks", RANKS)
def test_frames_have_the_recorded_bits(ranks):
    recorded = json.loads(RECORD.read_text())[str(ranks)]
    differ = [
        case for case, one, other in zip(cases(ranks), frames(ranks), recorded, strict=True) if one != other
    ]
    assert differ == []


if __name__ == "__main__":
    RECORD.write_text(json.dumps({str(p): frames(p) for p in RANKS}, indent=1) + "\n")
