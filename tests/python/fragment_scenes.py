"""Scenes of fragments, drawn on every rank from a seed, and their NumPy oracle."""

from __future__ import annotations

from functools import partial

import mpirun

# Every rank makes the fragments of all from a seed.
SCENES = """
import numpy as np
import sortlast
from sortlast import Fragments

def scene(seed, ranks, most=4, empty=0.3, ties=False, opaque=0.0, apart=False, shape=(11, 17)):
    random = np.random.default_rng(seed)
    made = []
    for number in range(ranks):
        counts = random.integers(0, most + 1, shape).astype(np.int32)
        counts[random.random(counts.shape) < empty] = 0
        n = int(counts.sum())
        colour = random.random((n, 4), np.float32)
        colour[random.random(n) < opaque, 3] = 1
        colour[:, :3] *= colour[:, 3:]
        depth = random.integers(0, 3, n).astype(np.float32) if ties else random.random(n, np.float32)
        if ties and n > 9:
            depth[:6] = [np.nan, np.inf, -np.inf, -0.0, 0.0, np.nan]
        made.append(Fragments(shape, counts, colour, depth + np.float32(number) if apart else depth))
    return made

def over(front, back):
    return front + (np.float32(1) - front[3]) * back

def in_order(ranks):
    # Of each pixel [(rank, colour, depth), ...]; NaN behind all others, as the stable sort of NumPy has it.
    firsts = [np.concatenate([[0], np.cumsum(each.counts)]) for each in ranks]
    for pixel in range(ranks[0].counts.size):
        spans = [slice(first[pixel], first[pixel + 1]) for first in firsts]
        colour = np.concatenate([each.colour[span] for each, span in zip(ranks, spans)])
        depth = np.concatenate([each.depth[span] for each, span in zip(ranks, spans)])
        number = np.concatenate([np.full(span.stop - span.start, i) for i, span in enumerate(spans)])
        order = np.argsort(depth, kind="stable")
        yield list(zip(number[order], colour[order], depth[order]))

def flattened(ranks, background=None):
    pixels = []
    for listed in in_order(ranks):
        colour, run, last = np.zeros(4, np.float32), None, None
        for number, fragment, _ in listed:
            if run is not None and run[3] == 1:
                break
            if number == last:
                run = over(run, fragment)
                continue
            if run is not None:
                colour = over(colour, run)
            run, last = fragment, number
        colour = colour if run is None else over(colour, run)
        pixels.append(colour if background is None else over(colour, np.asarray(background, np.float32)))
    return np.array(pixels, np.float32).reshape(*ranks[0].shape, 4)

def check_lists(frame, ranks):
    found, listed = frame.fragments, list(in_order(ranks))
    assert frame.colour is None and frame.depth is None
    assert found.shape == ranks[0].shape
    assert found.counts.ravel().tolist() == [len(each) for each in listed]
    assert found.colour.tobytes() == b"".join(c.tobytes() for each in listed for _, c, _ in each)
    assert found.depth.tobytes() == b"".join(z.tobytes() for each in listed for _, _, z in each)

def check(comp, ranks, background=None, root=0, **options):
    expected = flattened(ranks, background)
    tile = comp.composite_fragments(ranks[comm.rank], background=background, **options)
    assert tile.pixels.tobytes() == expected.reshape(-1, 4)[tile.begin:tile.end].tobytes()
    frame = comp.gather(tile, root=root)
    assert (frame is None) == (comm.rank != root)
    assert frame is None or frame.colour.tobytes() == expected.tobytes()
    if options.get("keep_lists", True):
        lists = comp.gather(tile, root=root, fragments=True)
        assert (lists is None) == (comm.rank != root)
        if lists is not None:
            check_lists(lists, ranks)
"""


run = partial(mpirun.reports, head=SCENES)
