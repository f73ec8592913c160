"""The pictures: rates over the views, the effect of k-d tree orders, orbit, sphere, and tapers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sortlast.plot.figure import BLACK, BLUE, GREEN, ORANGE, SKY, VERMILION
from sortlast.plot.panels import legend_below, lines_behind, panels
from sortlast_studies.camera.frames import DIRECT, FIXED, SHIFT, SWAP, SWAP_23
from sortlast_studies.camera.terms import Terms, case, rates, views_of
from sortlast_studies.camera.views import LOWEST, SORTINGS, TREE
from sortlast_studies.table import Table

_STYLES = {SHIFT: (BLUE, "o"), DIRECT: (SKY, "s"), SWAP: (ORANGE, "D"), SWAP_23: (BLACK, "v")}
_RADIX = ((VERMILION, "^"), (GREEN, "P"))
_LINES = {LOWEST: "-", TREE: "--"}


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name; views and worst views for each number of ranks."""
    terms = Terms(table)
    first = terms.ranks[0]
    drawn = {
        "orbit": on_orbit(terms, first),
        "sphere": on_sphere(table, terms, first),
        "taper": by_taper(terms, first),
    }
    for p in terms.ranks:
        drawn[f"views-{p}"] = over_views(table, terms, p)
        drawn[f"worst-{p}"] = worst_views(terms, p)
    return drawn


def over_views(table: Table, terms: Terms, p: int) -> Figure:
    """One panel per fabric: the range from worst to best view for each placement and algorithm."""
    figure, grid = panels(8.6, 8.4, len(terms.fabrics), 1, sharex=True, sharey=True)
    called = terms.algorithms(p)
    for fabric, axes in zip(terms.fabrics, grid[:, 0], strict=True):
        for number, algorithm in enumerate(called):
            colour, marker = _style(algorithm, called)
            at = np.arange(len(terms.placements)) + (number - (len(called) - 1) / 2) * 0.8 / len(called)
            rows = [case(fabric, where, algorithm, LOWEST) for where in terms.placements]
            found = {
                column: [table.value(rates(p, terms.way(p)), row, column) for row in rows]
                for column in ("best", "median", "5 %", "worst")
            }
            axes.vlines(at, found["worst"], found["best"], color=colour, linewidth=1)
            axes.vlines(at, found["5 %"], found["best"], color=colour, linewidth=3, alpha=0.5)
            axes.plot(at, found["median"], marker, color=colour, markersize=5, label=algorithm)
        axes.set_title(fabric, fontsize="medium")
        axes.set_ylabel("frames a second")
        lines_behind(axes, "y")
    grid[0][0].set_ylim(bottom=0)
    _name_placements(grid[-1][0], terms)
    legend_below(figure, grid[0][0], len(called))
    return figure


def worst_views(terms: Terms, p: int) -> Figure:
    """One panel per fabric: worst views by both sortings, joined by a line per algorithm; shift as a bar."""
    figure, grid = panels(8.6, 8.4, len(terms.fabrics), 1, sharex=True, sharey=True)
    called = terms.following(p)
    for fabric, axes in zip(terms.fabrics, grid[:, 0], strict=True):
        middle = np.arange(len(terms.placements), dtype=float)
        shift = [terms.at(p, fabric, where, SHIFT, LOWEST, "worst") for where in terms.placements]
        axes.hlines(shift, middle - 0.42, middle + 0.42, color=_STYLES[SHIFT][0], linewidth=2, label=SHIFT)
        for number, algorithm in enumerate(called):
            colour, marker = _style(algorithm, called)
            at = middle + (number - (len(called) - 1) / 2) * 0.7 / len(called)
            low, tree = (
                [terms.at(p, fabric, where, algorithm, sorting, "worst") for where in terms.placements]
                for sorting in SORTINGS
            )
            axes.vlines(at, low, tree, color=colour, linewidth=1)
            axes.plot(
                at,
                low,
                marker,
                color=colour,
                markerfacecolor="white",
                markersize=6,
                label=f"{algorithm}, {LOWEST}",
            )
            axes.plot(at, tree, marker, color=colour, markersize=6, label=f"{algorithm}, {TREE}")
        axes.set_title(fabric, fontsize="medium")
        axes.set_ylabel("frames a second,\nworst view")
        lines_behind(axes, "y")
    grid[0][0].set_ylim(bottom=0)
    _name_placements(grid[-1][0], terms)
    legend_below(figure, grid[0][0], 3)
    return figure


def on_orbit(terms: Terms, p: int) -> Figure:
    """One panel per fabric: frames per second by angle, ranks in leaf order, by both sortings."""
    figure, grid = panels(8.6, 8.0, len(terms.fabrics), 1, sharex=True, sharey=True)
    shown = [SWAP, terms.following(p)[1]]
    angle = np.arange(terms.turn + 1)
    for fabric, axes in zip(terms.fabrics, grid[:, 0], strict=True):
        shift = terms.at(p, fabric, terms.leaf_order, SHIFT, LOWEST, "median")
        axes.axhline(shift, color=_STYLES[SHIFT][0], linestyle=":", linewidth=2, label=SHIFT)
        for algorithm in shown:
            for sorting in SORTINGS:
                found = terms.over_orbit(p, case(fabric, terms.leaf_order, algorithm, sorting), sorting)
                axes.step(
                    angle,
                    [*found, found[0]],
                    where="post",
                    color=_style(algorithm, terms.following(p))[0],
                    linestyle=_LINES[sorting],
                    linewidth=2.4 if algorithm == SWAP else 1.2,
                    label=f"{algorithm}, {sorting}",
                )
        axes.set_title(fabric, fontsize="medium")
        axes.set_ylabel("frames a second")
        lines_behind(axes)
    grid[0][0].set_ylim(bottom=0)
    grid[-1][0].set_xlim(0, terms.turn)
    grid[-1][0].set_xticks(range(0, terms.turn + 1, 45))
    grid[-1][0].set_xlabel("angle of the camera around the volume, degrees")
    legend_below(figure, grid[0][0], 3)
    return figure


def on_sphere(table: Table, terms: Terms, p: int) -> Figure:
    """One map per fabric and sorting: every direction with the frame rate of binary swap."""
    figure, grid = panels(8.6, 8.2, len(terms.fabrics), len(SORTINGS), sharex=True, sharey=True)
    x, y, z = (np.array(list(table.column(views_of(p), axis).values())) for axis in "xyz")
    longitude, latitude = np.degrees(np.arctan2(y, x)), np.degrees(np.arcsin(z))
    for fabric, row in zip(terms.fabrics, grid, strict=True):
        found = {
            sorting: terms.over_views(p, case(fabric, terms.leaf_order, SWAP, sorting), sorting)
            for sorting in SORTINGS
        }
        top = max(map(max, found.values()))
        for sorting, axes in zip(SORTINGS, row, strict=True):
            marks = axes.scatter(
                longitude, latitude, c=found[sorting], s=9, vmin=0, vmax=top, cmap="cividis", rasterized=True
            )
            axes.set_title(f"{fabric}, {sorting}", fontsize="medium")
        figure.colorbar(marks, ax=list(row), label="frames a second")
        row[0].set_ylabel("latitude, degrees")
    grid[0][0].set_xticks(range(-180, 181, 90))
    grid[0][0].set_yticks(range(-90, 91, 45))
    for axes in grid[-1]:
        axes.set_xlabel("longitude, degrees")
    return figure


def by_taper(terms: Terms, p: int) -> Figure:
    """One panel per placement: the worst view on one switch and on tapers 1:1 to 8:1, by both sortings."""
    figure, grid = panels(8.6, 3.9, 1, len(terms.tried_on_tapers), sharey=True)
    for where, axes in zip(terms.tried_on_tapers, grid[0], strict=True):
        shift = terms.by_taper(p, SHIFT, LOWEST, where, "worst")
        at = range(len(shift))
        axes.plot(at, list(shift.values()), color=_STYLES[SHIFT][0], linestyle=":", linewidth=2, label=SHIFT)
        for algorithm in (SWAP, terms.following(p)[1]):
            colour, marker = _style(algorithm, terms.following(p))
            for sorting in SORTINGS:
                found = list(terms.by_taper(p, algorithm, sorting, where, "worst").values())
                axes.plot(
                    at,
                    found,
                    color=colour,
                    marker=marker,
                    markerfacecolor="white" if sorting == LOWEST else colour,
                    linestyle=_LINES[sorting],
                    label=f"{algorithm}, {sorting}",
                )
        axes.set_xticks(at, [name.replace(" ", "\n") for name in shift])
        axes.set_title(where, fontsize="medium")
        axes.set_xlabel("ports down to ports up of a leaf")
        lines_behind(axes)
    grid[0][0].set_ylim(bottom=0)
    grid[0][0].set_ylabel("frames a second,\nworst view, by stages")
    legend_below(figure, grid[0][0], 3)
    return figure


def _style(algorithm: str, called: Sequence[str]) -> Any:
    """Colour and marker."""
    if algorithm in _STYLES:
        return _STYLES[algorithm]
    radix = [each for each in called if each not in _STYLES and each not in FIXED]
    return _RADIX[radix.index(algorithm)]


def _name_placements(axes: Axes, terms: Terms) -> None:
    axes.set_xticks(range(len(terms.placements)), [each.replace(", ", ",\n") for each in terms.placements])
