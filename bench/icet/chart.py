"""Draw docs/images/frames-icet.png, the chart of the README, from rows of docs/explanation/performance/.

A frame has 2048x1024 pixels of RGBA float32, all active, blended by `over` and gathered.
"""

from __future__ import annotations

import csv
from pathlib import Path

import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[2] / "docs"
ROWS = DOCS / "explanation" / "performance" / "sixteen-cores.csv"
BARS = {  # column: name and colour
    "mpi_reduce_ms": ("MPI_Reduce", "#b8b8b8"),
    "icet_ms": ("IceT 2.2", "#7d8a99"),
    "messages_ms": ("sortlast, messages only", "#8fc3e8"),
    "sortlast_ms": ("sortlast", "#2f7fc1"),
    "allocated_ms": ("sortlast, images from allocate()", "#123f6b"),
}
TITLE = "One frame of 2048x1024 RGBA float32: time until rank 0 has it (lower is better)"
MACHINE = "16-core Xeon (AVX-512), a core per rank, MPICH 5.0.2, 2026-11-27; IceT: best of all its strategies"


def draw(rows: list[dict[str, str]], output: Path) -> None:
    """Draw a group of bars per number of ranks."""
    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    width = 0.84 / len(BARS)
    for place, (column, (name, colour)) in enumerate(BARS.items()):
        times = [float(row[column]) for row in rows]
        left = [group + (place - (len(BARS) - 1) / 2) * width for group in range(len(rows))]
        bars = axes.bar(left, times, width, color=colour, label=name)
        axes.bar_label(bars, [f"{time:.3g}" for time in times], fontsize=7, padding=1)
    axes.set_xticks(range(len(rows)), [f"{row['ranks']} ranks" for row in rows])
    axes.set_ylabel("ms per frame")
    axes.set_title(TITLE, fontsize=10)
    axes.set_xlabel(MACHINE, fontsize=7.5)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, dpi=150)


if __name__ == "__main__":
    with ROWS.open(newline="") as file:
        dense = [
            row for row in csv.DictReader(file) if (row["size"], row["active"]) == ("2048x1024", "dense")
        ]
    draw(dense, DOCS / "images" / "frames-icet.png")
