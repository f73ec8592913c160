#!/usr/bin/env python3
"""Composite images with several layers per pixel: sortlast, Layered-IceT, and the straightforward method.

    mpiexec -n 4 python bench/layers/fragments.py --gather-all BUILD --layered-icet FOLDER --json rows.json

Every rank draws up to L fragments per pixel, and no order of the ranks is correct for all pixels. The
complete frame has to arrive at rank 0. Each answer is compared with the fragments sorted by NumPy and blended
in float64 before it is timed; peers alternate. Peers:

sortlast             composite_fragments(), lists not kept, and gather(): through the memory of the node
sortlast-messages    the same with every rank on a separate node; both with float32 and with uint8 colours
layered-icet         icetCompositeImageLayered() of github.com/plhempel/layered-icet, with float32 colours
                     like the others, and with uint8 as in its own benchmark. It receives the input it
                     expects: a buffer with all L fragments of each pixel, the last of them empty
gather all and sort  MPI_Gatherv of all fragments to rank 0, which sorts and blends in C++

In addition to times, prints the bytes that all ranks send for a frame, as counted by each peer, relative to
the floor: the fragments (20 bytes each) that are not on the rank that owns their pixel, and the finished
pixels (16 bytes each) sent to rank 0. Memory is measured as in sortlast.bench.memory.
"""

from __future__ import annotations

import argparse
import gc
import itertools
from functools import partial
from pathlib import Path

import numpy as np
from layer_peers import ICET_STRATEGIES, Compact, GatherAll, LayeredIceT, Padded, Sortlast
from layer_scenes import CONTENTS, Scene, composite, draw, floor_bytes
from layer_turns import measure, table, write
from mpi4py import MPI

_BOUND = 2e-6  # for a frame of float32


def main() -> None:
    """Measure all cells."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gather-all", metavar="FOLDER", help="where sortlast_gather_all was built")
    parser.add_argument("--layered-icet", metavar="FOLDER", help="where Layered-IceT was built")
    parser.add_argument("--layers", default="1,2,4,8,16", help="default: %(default)s")
    parser.add_argument("--sizes", default="1280x720,1920x1080", help="default: %(default)s")
    parser.add_argument(
        "--contents", default="volume", help=f"of {', '.join(CONTENTS)}; default: %(default)s"
    )
    parser.add_argument("--frames", type=int, default=15, help="default: %(default)s")
    parser.add_argument("--json", type=Path, help="file to which the rows are added")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        for name in ("gather_all", "layered_icet"):
            if getattr(options, name) is None:
                print(f"{name} is left out: no folder is given (--{name.replace('_', '-')})", flush=True)
    cells = itertools.product(
        options.contents.split(","), options.sizes.split(","), map(int, options.layers.split(","))
    )
    for content, size, layers in cells:
        width, height = map(int, size.split("x"))
        rows = run_cell(comm, Scene(width, height, layers, content), options)
        if comm.rank == 0:
            print(
                f"\n{comm.size} ranks, {size}, {layers} layers, {content}", table(rows), sep="\n", flush=True
            )
            write(rows, options.json)
        gc.collect()


def run_cell(comm: MPI.Intracomm, scene: Scene, options: argparse.Namespace) -> list[dict]:
    """The rows of one cell."""
    # Draw, in the form that each peer expects.
    ranks = comm.size
    drawn = draw(scene, ranks, comm.rank, 0, scene.n)
    compact = Compact.of(scene, drawn)
    of_bytes = Compact.of(scene, drawn, np.uint8)
    makers = [
        partial(Sortlast, comm, scene, given, node_ranks)
        for given in (compact, of_bytes)
        for node_ranks in (None, 1)
    ]
    if options.layered_icet is not None:
        for dtype in (np.float32, np.uint8):
            padded = Padded.of(scene, drawn, dtype)
            layers = ranks * scene.layers
            makers += [
                partial(LayeredIceT, comm, scene, padded, layers, options.layered_icet, strategy)
                for strategy in ICET_STRATEGIES
                if strategy != "binary-swap-folding" or ranks & (ranks - 1)  # else it is binary swap
            ]
    if options.gather_all is not None:
        makers.append(partial(GatherAll, comm, scene, compact, options.gather_all))

    # Composite a part of the correct result on each rank.
    begin, end = scene.n * comm.rank // ranks, scene.n * (comm.rank + 1) // ranks
    parts = comm.gather(composite(scene, ranks, begin, end).astype(np.float32))
    answer = np.concatenate(parts) if comm.rank == 0 else np.empty(0)
    del drawn, parts

    # Measure.
    floor = comm.allreduce(floor_bytes(compact.counts, ranks, comm.rank))
    fragments = comm.allreduce(len(compact.depth))
    rows = measure(comm, makers, answer, _BOUND, options.frames)
    cell = {
        "task": "fragments",
        "ranks": ranks,
        "width": scene.width,
        "height": scene.height,
        "layers": scene.layers,
        "content": scene.content,
        "fragments": fragments,
        "floor_bytes": floor,
    }
    return [cell | row for row in rows]


if __name__ == "__main__":
    main()
