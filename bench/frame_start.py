"""Cost of starting a frame from Python: composite and gather of small images, compared with an MPI barrier.

``mpiexec -n P python bench/frame_start.py [FRAMES]`` prints, in shared memory and by messages, the minimum
and the median of nine turns, each of FRAMES frames (500). ``bench_frame_start`` does the same in C++.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import sortlast

TURNS = 9
comm = MPI.COMM_WORLD


def turn(action: Callable[[], object], count: int) -> float:
    """Mean microseconds of an action over several calls."""
    comm.Barrier()
    begin = time.perf_counter()
    for _ in range(count):
        action()
    return 1e6 * (time.perf_counter() - begin) / count


def measure(width: int, node_ranks: int, count: int) -> None:
    """Print a row, after checking the frame."""
    image = np.full((width, width, 4), 0.5, np.float32)
    with sortlast.Compositor(comm, "direct-send", node_ranks=node_ranks) as comp:
        frame = comp.gather(comp.composite(image))
        assert frame is None or np.allclose(frame.colour, 1 - 0.5**comm.size, atol=1e-6)
        actions = {
            "barrier": comm.Barrier,
            "composite": lambda: comp.composite(image),
            "composite + gather": lambda: comp.gather(comp.composite(image)),
        }
        found: dict[str, list[float]] = {name: [] for name in actions}
        for _ in range(TURNS):
            for name, action in actions.items():
                found[name].append(turn(action, count))
    if comm.rank == 0:
        shown = [
            f"{name} {min(times):.2f} {statistics.median(times):.2f} us" for name, times in found.items()
        ]
        print(f"p = {comm.size}, {width}x{width}, node_ranks {node_ranks}: {', '.join(shown)}")


if __name__ == "__main__":
    for nodes in 0, 1:
        for pixels in 16, 256:
            measure(pixels, nodes, int(sys.argv[1]) if len(sys.argv) > 1 else 500)
