"""A compositing algorithm written in Python: verified, priced, simulated, and executed on MPI ranks.

    mpiexec -n 6 python own_algorithm.py

Neighbouring pairs of ranks swap halves of their images first, and then send to the owners of the pieces: half
as many messages per rank as direct-send, for one more stage.
"""

import numpy as np
from mpi4py import MPI

import sortlast
from sortlast import schedule


def at(b: schedule.Builder, part: schedule.Part, rank: int) -> schedule.Part:
    """Return the part on a rank, sent there unless it has it."""
    return part if part.rank == rank else b.send(part, rank)


@schedule.register("paired-direct-send", summary="Pairs of neighbours swap halves, then direct-send.")
def paired_direct_send(b: schedule.Builder) -> None:
    """Describe what all ranks send and merge."""
    # Stage 1: the first rank of a pair gets the first half of both images, the second rank the other half.
    halves: list[list[schedule.Part]] = [[], []]
    for place in range(0, b.p, 2):
        pair = b.order[place : place + 2]  # in depth order; a last rank without a neighbour keeps both halves
        for half in range(2):
            owner = pair[min(half, len(pair) - 1)]
            parts = [b.cut(b.image(rank), b.piece(half, 2)) for rank in pair]
            halves[half].append(b.merge([at(b, part, owner) for part in parts]))
    # Stage 2: every rank owns a piece, and receives it from all ranks that hold a part of it.
    for place, owner in enumerate(b.order):
        half, pieces = (0, (b.p + 1) // 2) if place % 2 == 0 else (1, b.p // 2)
        if b.p == 1:
            b.finish(b.image(owner))
            return
        begin, end = b.piece(half, 2)
        first, last = (begin + (end - begin) * j // pieces for j in (place // 2, place // 2 + 1))
        parts = [b.cut(part, (first, last)) for part in halves[half]]
        b.finish(b.merge([at(b, part, owner) for part in parts]))


def main() -> None:
    """Make, price, simulate and execute it."""
    comm = MPI.COMM_WORLD
    height, width = 512, 1024
    made = schedule.make("paired-direct-send", p=comm.size, n=height * width)  # raises if it is not complete
    if comm.rank == 0:
        network = sortlast.fabric.k_ary_n_tree(4, 2)
        for name in (made.name, "direct-send", "2-3-swap"):
            other = schedule.make(name, p=made.p, n=made.n)
            messages = max(len(other.program(rank).sends) for rank in range(other.p))
            price = schedule.price(other, alpha=5e-6, beta=16 / 1.25e9, gamma=1e-9).total
            seconds = sortlast.simulate.frame(network, other, message_seconds=5e-6).seconds
            print(f"{name}: {messages} messages per rank, price {1e3 * price:.2f} ms,", end=" ")
            print(f"simulated {1e3 * seconds:.2f} ms")
    rng = np.random.default_rng(comm.rank)
    image = (rng.random((height, width, 4)) * rng.random((height, width, 1))).astype(np.float32)
    image[..., :3] *= image[..., 3:]  # premultiplied
    with sortlast.Compositor(comm, algorithm="paired-direct-send") as compositor:
        picture = compositor.gather(compositor.composite(image), root=0)
    images = comm.gather(image, root=0)
    if picture is not None and images is not None:
        error = np.abs(np.asarray(picture) - np.asarray(sortlast.composite_serial(images))).max()
        print(f"farthest from the serial compositor: {error:.1e}")
        assert error < 1e-5


if __name__ == "__main__":
    main()
