"""The paper's tables as grids: published, simulated and measured here in columns of their own."""

from __future__ import annotations

from sortlast import fabric
from sortlast.study.all_to_all import cluster, hosts, memory, traffic, trends
from sortlast.study.all_to_all.design import GLOBAL_M, LOCAL_M, MEGA, NODES, paper, table
from sortlast.study.all_to_all.found import Found, Measured, simulated_global, simulated_local
from sortlast.study.all_to_all.published import seconds, words
from sortlast.study.all_to_all.simulated import CROWDED, SEED, Simulation
from sortlast.study.document import Grid

_HERE = ["measured on hosts [s]", "measured on cores [s]", "of a core for each rank [s]"]
_HEAD = ["N", "published [s]", "simulated [s]", "ratio", *_HERE]


def formulas() -> Grid:
    """Table 3.1."""
    rows = [
        ["n vectors of all", "n", "m n"],
        ["l_n vectors of a process", "n/p", "m n/p"],
        ["vectors of a block", "n/p²", "m n/p²"],
    ]
    return Grid("Table 3.1. Length and size, in doubles", ["", "length", "size"], rows)


def memory_rows(which: str) -> list[tuple[str, list[str], list[str]]]:
    """Rows of Table 4.1 or 4.3: name, computed, published."""
    cells = [paper(nodes, GLOBAL_M if which == "4.1" else GLOBAL_M * nodes) for nodes in NODES]
    return [(name, made, list(words(which, name))) for name, made in table(cells).items()]


def memory_table(which: str) -> Grid:
    """Table 4.1 or 4.3, computed beside published."""
    rows = []
    for name, made, theirs in memory_rows(which):
        rows += [[name, "computed", *made], ["", "published", *theirs]]
    title = f"Table {which}. Predicted memory of one array, m = 512{' N' if which == '4.3' else ''}"
    return Grid(title, ["", "", *(f"N = {nodes}" for nodes in NODES)], rows, first_number=2)


def constant_global(found: Found) -> Grid:
    """Table 4.2."""
    rows = [
        [
            str(nodes),
            *_beside(time, found.simulated(simulated_global(nodes))),
            _seconds(found.on_hosts(hosts.constant_global(nodes))),
            *_here(found, nodes),
        ]
        for nodes, time in zip(NODES, seconds("4.2", str(GLOBAL_M)), strict=True)
    ]
    return Grid("Table 4.2. Constant global memory, m = 512", _HEAD, rows)


def constant_local(found: Found) -> Grid:
    """Table 4.4, with what the paper's rule foresees."""
    rows = []
    for m in LOCAL_M:
        for nodes, time in zip(NODES, seconds("4.4", str(m)), strict=True):
            refused = memory.paper_refusal(paper(nodes, m * nodes))
            ours = _beside(time, None if refused else found.simulated(simulated_local(m, nodes)))
            if refused:
                ours[1] = "refused"
            here = found.constant_local(m, nodes) if nodes in found.measured_nodes else None
            cells = _measured(here)
            if nodes in found.measured_nodes and found.refused(m, nodes):
                cells[0] = "refused"
            on_hosts = found.on_hosts(hosts.constant_local(nodes)) if m == LOCAL_M[0] else None
            rows.append([f"{m} N", str(nodes), *ours, _seconds(on_hosts), *cells])
    return Grid("Table 4.4. Constant local memory", ["m", *_HEAD], rows, first_number=2)


def commands(found: Found) -> Grid:
    """Table 4.5."""
    names = {"A": "MPI_Alltoall(int)", "B": "MPI_Alltoallv(int)", "C": "MPI_Alltoallv(double)"}
    sends = {"A": "count", "B": "keys", "C": "vectors"}
    rows = []
    for way, name in names.items():
        for nodes, time in zip(NODES, seconds("4.5", way), strict=True):
            ours = found.simulated(simulated_global(nodes, sends[way]))
            published = "<0.01" if time == 0 else f"{time:.2f}"
            connected = f"{trends.connecting(nodes):.2f}" if way == "B" else ""
            here = found.constant_global(nodes, way) if nodes in found.measured_nodes else None
            cells = [_small(here.first), _small(here.seconds)] if here else ["", ""]
            rows.append([f"{way}. {name}", str(nodes), published, _small(ours), connected, *cells])
    head = ["", "N", "published [s]", "simulated [s]", "computed, to connect [s]"]
    head += ["measured on cores, first [s]", "later [s]"]
    return Grid("Table 4.5. The three exchanges, constant global memory", head, rows, first_number=2)


def foreseen() -> Grid:
    """What the memory predictions say of each cell of Table 4.4, beside its errors."""
    rows = []
    for m in LOCAL_M:
        cells = [paper(nodes, m * nodes) for nodes in NODES]
        array = cells[0].per_node * cells[0].local_bytes / 2**30
        verdicts = ["refused" if memory.paper_refusal(cell) else "fits" for cell in cells]
        rows += [
            [f"m = {m} N, {array:.2f} GB", "computed", *verdicts],
            ["", "published", *(_published(time) for time in seconds("4.4", str(m)))],
        ]
    head = ["array of a node", "", *(f"N = {nodes}" for nodes in NODES)]
    return Grid("Table 4.4 as foreseen by the rule of 10 GB an array", head, rows, first_number=2)


def node_rates() -> Grid:
    """What the published times say of a node's link."""
    rows = []
    for which, m in [("4.2", GLOBAL_M), *(("4.4", m) for m in LOCAL_M[:3])]:
        cells = [
            "" if time is None or nodes == 1 else f"{trends.node_rate(_m(which, m, nodes), nodes, time):.2f}"
            for nodes, time in zip(NODES, seconds(which, str(m)), strict=True)
        ]
        rows.append([f"Table {which}, m = {m}{'' if which == '4.2' else ' N'}", *cells])
    head = ["computed from published times", *(f"N = {nodes}" for nodes in NODES)]
    return Grid("What leaves a node, GB/s", head, rows)


def trend_grid(made: list[trends.Trend], whose: str) -> Grid:
    """Trends, of ``whose`` times: "simulated", "measured on hosts" or "measured on cores"."""
    rows = []
    for trend in made:
        rows.append(
            [
                f"{trend.table}, m = {trend.row}{'' if trend.table == '4.2' else ' N'}",
                f"{trend.first} to {trend.last}",
                f"{trends.sign(trend.published)} x {trend.published:.2f}",
                f"{trends.sign(trend.ours)} x {trend.ours:.2f}",
                "same" if trend.agree else "different",
            ]
        )
    head = ["Table", "N", "published", whose, "sign"]
    return Grid(f"Trends, {whose}", head, rows, first_number=5)


def orders(found: Found, nodes: int) -> Grid:
    """Placements and orders on so many nodes, with the contention of a shift of the nodes."""
    rows = []
    for tree, names in CROWDED.items():
        for name in names:
            chosen = cluster.nodes_of(name, nodes, SEED)
            told = fabric.contention(cluster.routes(tree), "shift", chosen)
            cells = [
                _placed(found, nodes, way, name, tree, method)
                for method in ("flow", "packet")
                for way in traffic.WAYS
            ]
            live = [found.on_hosts(hosts.constant_local(nodes), way, name, tree) for way in traffic.WAYS]
            place = [tree, cluster.PLACEMENTS[name], str(told.max_flows), f"{told.mean_share:.2f}"]
            rows.append([*place, *cells, *map(_seconds, live)])
    head = ["tree", "nodes", "most flows on a link, computed", "mean share, computed"]
    for what in ("simulated as flows [s]", "as packets [s]", "measured on hosts [s]"):
        head += [f"{name}, {what}" for name in ("MPI_Alltoallv", "shift")]
    return Grid(f"{nodes} nodes, by where they are and in which order", head, rows, first_number=2)


def shifts_here(found: Found) -> Grid:
    """MPI_Alltoallv and our shift on this machine."""
    rows = []
    for nodes in found.measured_nodes:
        cells = [found.constant_global(nodes, way) for way in ("C", "shift", "shuffled")]
        known = [cell.seconds for cell in cells if cell]
        if len(known) == len(cells):
            rows.append([str(nodes), *(f"{time * 1e3:.2f}" for time in known), f"{known[1] / known[0]:.2f}"])
    head = [
        "p",
        "MPI_Alltoallv [ms]",
        "shift in order [ms]",
        "shift out of order [ms]",
        "shift / MPI_Alltoallv",
    ]
    return Grid("Measured on cores: the same vectors three ways", head, rows, first_number=1)


def sizes(found: Found) -> str:
    """What was measured here, in words."""
    from sortlast.study.all_to_all.measured import constant_global

    cell = constant_global(found.quick)[0].design
    return f"n = {cell.n:,}, {cell.global_bytes / MEGA:.1f} MB in all at m = 512"


def _placed(found: Found, nodes: int, way: str, placement: str, tree: str, method: str) -> str:
    m = GLOBAL_M if method == "packet" else GLOBAL_M * nodes
    time = found.simulated(Simulation(nodes, m, way, placement, tree, method))
    return _seconds(time)


def _m(which: str, m: int, nodes: int) -> int:
    return m if which == "4.2" else m * nodes


def _beside(theirs: float | None, ours: float | None) -> list[str]:
    """Published, simulated, ratio."""
    ratio = f"{ours / theirs:.2f}" if theirs and ours else ""
    return [_published(theirs), "" if ours is None else f"{ours:.3f}", ratio]


def _published(time: float | None) -> str:
    return "ERR" if time is None else f"{time:.2f}"


def _here(found: Found, nodes: int) -> list[str]:
    return _measured(found.constant_global(nodes, "C") if nodes in found.measured_nodes else None)


def _seconds(time: float | None) -> str:
    return "" if time is None else f"{time:.3f}"


def _measured(found: Measured | None) -> list[str]:
    return ["", ""] if found is None else [f"{found.seconds:.4f}", f"{found.core_seconds:.4f}"]


def _small(time: float | None) -> str:
    """With the paper's two digits where they show something."""
    if time is None:
        return ""
    return f"{time:.2f}" if time >= 0.01 else f"<0.01 ({time * 1e3:.2f} ms)"
