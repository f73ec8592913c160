"""The published values used by the model: in seconds, pixels and nodes."""

from __future__ import annotations

from sortlast_studies.table import published

PACKAGE = "sortlast_studies.hardware_barrier"
PAPER = published(PACKAGE)

FAST, GIGABIT = KINDS = ("Fast Ethernet", "Gigabit Ethernet")
# The networks of Table 3, and the corresponding network of Table 4.
NETWORKS = {
    "Fast Ethernet, SH1516": FAST,
    "Gigabit Ethernet, GS104 + GS108": GIGABIT,
    "Gigabit Ethernet, SH43226": GIGABIT,
}
NODES = int(PAPER.value("The device", "nodes at a barrier"))
INPUTS = int(PAPER.value("The device", "inputs of a unit"))
MOST_NODES = int(PAPER.value("The device", "most nodes"))


def _width_height(size: str) -> tuple[int, int]:
    width, height = size.split("x")
    return int(width), int(height)


# The six sizes of an image, (width, height) in pixels, by name.
SIZES = {size: _width_height(size) for size in PAPER.rows("Table 6")}


def pixels(size: str) -> int:
    """The number of pixels of an image of a size."""
    width, height = SIZES[size]
    return width * height


def readback() -> dict[str, float]:
    """Table 2: seconds to read the framebuffer back, by size."""
    return {size: 1e-3 * value for size, value in PAPER.column("Table 2", "RGBA8").items()}


def software_barrier(kind: str, *, congested: bool = False) -> float:
    """Table 4: seconds of MPI_Barrier on nine nodes and a kind of network; a lower bound if congested."""
    return 1e-3 * PAPER.value("Table 4", kind, "mpi, congested" if congested else "mpi, alone")


def hardware_barrier() -> float:
    """Seconds of the hardware barrier: the slowest port of Table 5, and the wire."""
    slowest = max(PAPER.column("Table 5", "total").values())
    return 1e-6 * slowest + 1e-9 * PAPER.value("Figure 2", f"{NODES} nodes", "rising")
