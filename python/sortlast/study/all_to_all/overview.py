"""What of the paper is reproduced, and how near: its tables and figures, and one that it only names."""

from __future__ import annotations

from sortlast.study.all_to_all import memory, tables, trends
from sortlast.study.all_to_all.design import GLOBAL_M, LOCAL_M, NODES, paper
from sortlast.study.all_to_all.found import Found, simulated_global, simulated_local
from sortlast.study.all_to_all.published import seconds
from sortlast.study.study import Reproduced

_PAGING = "from m = 800 N on a node's memory is nearly full, which the simulation does not know"
_MESSAGES = "the cost of short messages is simulated as the latency alone"


def reproduced(found: Found) -> list[Reproduced]:
    """Every numbered table and figure of the paper."""
    named = "section 4.2 names it, and the paper does not have it; Table 4.3 shows what it is named for"
    return [
        Reproduced("Table 3.1", "equations for memory", ["computed"], "Tables 4.1 and 4.3 follow from it"),
        _memory("4.1", "memory, constant global"),
        _constant_global(found),
        _memory("4.3", "memory, constant local"),
        _constant_local(found),
        _commands(found),
        Reproduced("Figure 2.1", "pairs of an all-to-all", ["drawn"], "drawn from its definition"),
        Reproduced("Figure 3.1", "a leaf module", ["drawn"], "drawn from its description"),
        Reproduced("Figure 4.1", "memory of m = 512 N", ["not reproduced"], "", named),
    ]


def _memory(which: str, about: str) -> Reproduced:
    values = [
        pair for _, ours, theirs in tables.memory_rows(which) for pair in zip(ours, theirs, strict=True)
    ]
    near = f"{sum(ours == theirs for ours, theirs in values)} of {len(values)} values equal"
    return Reproduced(f"Table {which}", about, ["computed"], near)


def _constant_global(found: Found) -> Reproduced:
    ratios = [
        ours / theirs
        for nodes, theirs in zip(NODES, seconds("4.2", str(GLOBAL_M)), strict=True)
        if theirs and (ours := found.simulated(simulated_global(nodes)))
    ]
    near = f"{min(ratios):.2f} to {max(ratios):.2f} of the published; {_signs(found, '4.2')}"
    return Reproduced("Table 4.2", "times, constant global", ["simulated", "measured"], near, _MESSAGES)


def _constant_local(found: Found) -> Reproduced:
    shown = []
    for m in LOCAL_M:
        ratios = [
            ours / theirs
            for nodes, theirs in zip(NODES, seconds("4.4", str(m)), strict=True)
            if nodes >= trends.FIRST
            and theirs
            and not memory.paper_refusal(paper(nodes, m * nodes))
            and (ours := found.simulated(simulated_local(m, nodes)))
        ]
        if ratios:
            shown.append(f"m = {m} N {min(ratios):.2f} to {max(ratios):.2f}")
    near = f"{', '.join(shown)} of the published; {_foreseen()}; {_signs(found, '4.4')}"
    return Reproduced(
        "Table 4.4", "times, constant local", ["computed", "simulated", "measured"], near, _PAGING
    )


def _commands(found: Found) -> Reproduced:
    quick = [(found.simulated(simulated_global(nodes, "count")) or 1) < 0.01 for nodes in NODES]
    near = (
        f"A: {sum(quick)} of {len(NODES)} below 0.01 s; B: connections of "
        f"{trends.connection_seconds() * 1e3:.1f} ms each give "
        f"{', '.join(f'{trends.connecting(nodes):.2f}' for nodes in NODES[2:])} s; C: as Table 4.2"
    )
    why = "what B pays is no traffic but the set-up of connections, of which one time is taken as calibration"
    return Reproduced("Table 4.5", "three exchanges", ["computed", "simulated", "measured"], near, why)


def _foreseen() -> str:
    cells = [
        (memory.paper_refusal(paper(nodes, m * nodes)) is not None, time is None)
        for m in LOCAL_M
        for nodes, time in zip(NODES, seconds("4.4", str(m)), strict=True)
    ]
    errors = [refused for refused, error in cells if error]
    return f"{sum(errors)} of {len(errors)} memory errors foreseen"


def _signs(found: Found, which: str) -> str:
    """How many trends have the published sign."""
    told = []
    for name, made in (
        ("simulated", trends.simulated(found)),
        ("measured on hosts", trends.on_hosts(found)),
        ("on cores", trends.on_cores(found)),
    ):
        of = [trend for trend in made if trend.table == which]
        if of:
            told.append(f"{sum(trend.agree for trend in of)} of {len(of)} {name}")
    return f"trends of the published sign: {', '.join(told)}"
