"""What of the paper is reproduced, and how near: its five tables and seven figures."""

from __future__ import annotations

from sortlast.study.narrowed_trees import tables
from sortlast.study.narrowed_trees.networks import NETWORKS, switches_by_level
from sortlast.study.narrowed_trees.performance import Times
from sortlast.study.narrowed_trees.tables import Table
from sortlast.study.study import Reproduced

_DIAGRAM = "a diagram without figures"
_DRAWN = {
    1: ("the topologies", f"{_DIAGRAM}; `sortlast fabric draw --net thin-tree:4,2,3` draws any of them"),
    2: ("the switch", f"{_DIAGRAM}; it is what the simulator does"),
    3: ("partly used networks", f"{_DIAGRAM}; Table 2 counts what is used"),
    4: ("the traffic patterns", f"{_DIAGRAM}; `sortlast simulate BU --trace` draws a run of them"),
    5: ("pseudo-code of WF", "a program text; the pattern is made from it, and its messages are tested"),
}


def reproduced(times: Times) -> list[Reproduced]:
    """Every numbered table and figure of the paper."""
    return [
        _formulas(),
        _exact("Table 2", "switches and links", [tables.characteristics(which) for which in "ab"]),
        _exact("Table 3", "costs", [tables.costs(which) for which in "ab"]),
        *_performance(times),
        *(
            Reproduced(f"Figure {number}", about, ["not reproduced"], "", why)
            for number, (about, why) in _DRAWN.items()
        ),
        *(
            Reproduced(
                f"Figure {number}",
                f"time of every pattern, networks of same {same}",
                ["simulated"],
                "drawn; the paper prints no numbers, their sums are those of Table 4",
            )
            for number, same in ((6, "size"), (7, "radix"))
        ),
    ]


def _formulas() -> Reproduced:
    counted = sum(
        switches_by_level(net) == [net.switches_of(level) for level in range(net.n)]
        for net in NETWORKS.values()
    )
    near = f"as many switches a level as the topologies of {counted} of {len(NETWORKS)} networks count"
    return Reproduced(
        "Table 1", "numbers of elements", ["computed"], near, "two formulas are garbled in print"
    )


def _exact(item: str, about: str, made: list[Table]) -> Reproduced:
    rows = [row for table in made for row in table.rows if not row.name.endswith("by count")]
    near = f"{sum(row.exact for row in rows)} of {len(rows)} rows equal"
    why = "used elements by the paper's symmetric window; a count of what is used is beside them"
    return Reproduced(item, about, ["computed"], near, why)


def _performance(times: Times) -> list[Reproduced]:
    made = {table.key: table for table in tables.performance_cost(times)}
    found = []
    for number, about in (
        (4, "performance and cost, equal weights"),
        (5, "performance and cost, two centres"),
    ):
        ratios = [ratio for which in "ab" for ratio in _ratios(made.get(f"{number}{which}"))]
        if not ratios:
            why = "its sums are of all sizes of messages, and some were not simulated"
            found.append(Reproduced(f"Table {number}", about, ["not reproduced"], "", why))
            continue
        ranks = [
            value
            for which in "ab"
            if (table := made.get(f"{number}{which}"))
            for value in table.rank_agreement().values()
        ]
        near = (
            f"sums {min(ratios):.2f} to {max(ratios):.2f} of the published, ranks {min(ranks):+.2f} or more"
        )
        why = "FSIN itself agrees with ours cell by cell; what else the paper had set is not known"
        found.append(Reproduced(f"Table {number}", about, ["simulated"], near, why))
    return found


def _ratios(table: Table | None) -> list[float]:
    """Our relative times over the published ones, of the networks that are not the reference."""
    return list((table.rows[0].ratios or [])[1:]) if table else []
