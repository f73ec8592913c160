"""Draw docs/images/frames-icet.png, the chart of the README, from the rows of docs/data/frames-icet.csv.

The rows are median times of a frame in milliseconds: 2048x1024 pixels of RGBA float32, all active, blended by
`over` and gathered. They were measured by `sortlast bench matrix` on 2026-11-27.
"""

from __future__ import annotations

import csv
from pathlib import Path

import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[2] / "docs"
COLOURS = {
    "MPI_Reduce": "#b8b8b8",
    "IceT 2.2": "#7d8a99",
    "sortlast, messages only": "#8fc3e8",
    "sortlast": "#2f7fc1",
    "sortlast, images from allocate()": "#123f6b",
}
MACHINE = "16-core Xeon (AVX-512), a core per rank, MPICH 5.0.2, 2026-11-27; IceT: best of all its strategies"


def draw(rows: list[dict[str, str]], output: Path) -> None:
    """Draw a group of bars per number of ranks."""
    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    width = 0.84 / len(COLOURS)
    for place, (name, colour) in enumerate(COLOURS.items()):
        times = [float(row[name]) for row in rows]
        left = [group + (place - (len(COLOURS) - 1) / 2) * width for group in range(len(rows))]
        bars = axes.bar(left, times, width, color=colour, label=name)
        axes.bar_label(bars, [f"{time:.3g}" for time in times], fontsize=7, padding=1)
    axes.set_xticks(range(len(rows)), [f"{row['ranks']} ranks" for row in rows])
    axes.set_ylabel("ms per frame")
    axes.set_title(
        "One frame of 2048x1024 RGBA float32: time until rank 0 has it (lower is better)", fontsize=10
    )
    axes.set_xlabel(MACHINE, fontsize=7.5)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, dpi=150)


if __name__ == "__main__":
    with (DOCS / "data" / "frames-icet.csv").open(newline="") as file:
        draw(list(csv.DictReader(file)), DOCS / "images" / "frames-icet.png")
