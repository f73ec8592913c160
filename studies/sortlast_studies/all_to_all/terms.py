"""Items of the table and functions over them, for study, report, checks and figures."""

from __future__ import annotations

from math import floor

from sortlast_studies.all_to_all.cluster import CONNECTED, LINK_NODES, MESSAGE_NODES
from sortlast_studies.all_to_all.design import GLOBAL_M, LOCAL_M, NODES, at, m_of
from sortlast_studies.all_to_all.measured import HOSTS_LOCAL_M, RATE
from sortlast_studies.all_to_all.simulated import AT_ONCE
from sortlast_studies.table import Row, Table, Wanted

FIRST = 3  # the smallest number of nodes with a network between them

GLOBAL, LOCAL = "m = 512", {m: m_of(m) for m in LOCAL_M}  # rows of Tables 4.2 and 4.4
# Rows of these tables, with m or m/N.
TIMES = [("Table 4.2", GLOBAL, GLOBAL_M), *(("Table 4.4", row, m) for m, row in LOCAL.items())]
FORESEEN = "Table 4.4 as foreseen by the rule of 10 GB an array"
WAYS = "Measured on cores: the same vectors three ways"
AT_A_COST, ARITHMETIC = ", with a cost of a message", ", by arithmetic"  # suffixes of the name of a table
BEYOND = "Beyond the paper"
TRENDS = ("simulated", "measured on hosts", "measured on cores")


def by_nodes(table: Table, item: str, row: str, kind: Wanted = None) -> dict[int, float]:
    """The times of a row by number of nodes, without missing ones."""
    found = {nodes: table.get(item, row, at(nodes), kind) for nodes in NODES}
    return {nodes: time for nodes, time in found.items() if time is not None}


def no_hosts(table: Table) -> str:
    """Why nothing was measured on hosts; empty if something was."""
    return table.note("on hosts", "full", "refused")


class Terms:
    """Terms over a table."""

    nodes, local, trends = NODES, LOCAL, TRENDS
    foreseen_item, connected = FORESEEN, CONNECTED
    at_a_cost, arithmetic, beyond = AT_A_COST, ARITHMETIC, BEYOND
    link_nodes, message_nodes = LINK_NODES, MESSAGE_NODES
    rate_mbit, hosts_m = RATE, HOSTS_LOCAL_M
    more_nodes = tuple(nodes for nodes in NODES if nodes >= FIRST)
    at_once = AT_ONCE["posted"]
    at = staticmethod(at)

    def __init__(self, table: Table) -> None:
        self._table = table
        self.no_hosts = no_hosts(table)

    @staticmethod
    def printed(row: Row) -> str:
        """A length or size as the paper prints it, halves rounded up."""
        return f"{floor((row.value or 0.0) + 0.5):,} {row.unit}".strip()

    @staticmethod
    def small(time: float | None) -> str:
        """Seconds with the paper's two digits, or in milliseconds if these are zero."""
        if time is None:
            return ""
        return f"{time:.2f}" if time >= 0.01 else f"<0.01 ({time * 1e3:.2f} ms)"

    @staticmethod
    def printed_time(time: float | None) -> str:
        """Published seconds as the paper prints them."""
        return "ERR" if time is None else "<0.01" if time == 0 else f"{time:.2f}"

    # --- memory ---------------------------------------------------------------------------------------

    def equal(self, item: str) -> list[bool]:
        """For each value of Table 4.1 or 4.3, whether ours equals the published one in all printed digits."""
        ours = self._table.of(item, "computed")
        theirs = [self._table.find(item, row.row, row.column, "published") for row in ours]
        return [
            row is not None and self.printed(mine) == self.printed(row)
            for mine, row in zip(ours, theirs, strict=True)
        ]

    @property
    def errors(self) -> list[Row]:
        """The cells of Table 4.4 that are printed as ERR."""
        return [row for row in self._table.of("Table 4.4", "published") if row.value is None]

    @property
    def unforeseen(self) -> list[str]:
        """The ERR cells that the paper's rule does not refuse."""
        cells = [row for row in self.errors if not self._refused(row)]
        return [f"{cell.row} on {cell.column.removeprefix('N = ')} nodes" for cell in cells]

    @property
    def false_alarms(self) -> list[Row]:
        """Cells of Table 4.4 that the paper's rule refuses although they have a time."""
        rows = self._table.of("Table 4.4", "published")
        return [row for row in rows if row.value is not None and self._refused(row)]

    @property
    def alarms(self) -> str:
        """A summary of the rule's predictions and errors."""
        foreseen = len(self.errors) - len(self.unforeseen)
        false = [f"{row.row} at {row.column}" for row in self.false_alarms]
        return (
            f"{foreseen} of {len(self.errors)} memory errors foreseen, {len(self.unforeseen)} not "
            f"({', '.join(self.unforeseen)}), {len(false)} false alarms ({', '.join(false)})"
        )

    @property
    def on_disk(self) -> list[float]:
        """Published times of cells that the rule refuses, relative to m = 800 N."""
        below = self._table.line("Table 4.4", LOCAL[800], "published")
        return [(cell.value or 0) / below[cell.column] for cell in self.false_alarms]

    def _refused(self, cell: Row) -> str:
        return self._table.note(FORESEEN, cell.row, cell.column)

    # --- times ----------------------------------------------------------------------------------------

    @property
    def over_alltoall(self) -> dict[str, float]:
        """Measured ratio of the shift to MPI_Alltoallv, for ranks on which the paper has a network."""
        found = self._table.column(WAYS, "shift / MPI_Alltoallv")
        return {ranks: ratio for ranks, ratio in found.items() if int(ranks) >= FIRST}

    def ratios(self, item: str, row: str, first: int = 1) -> list[float]:
        """Simulated over published times, from ``first`` nodes on."""
        return [ratio for nodes, ratio in self.by_ratio(item, row).items() if nodes >= first]

    def by_ratio(self, item: str, row: str, cost: str = "") -> dict[int, float]:
        """Simulated over published times by nodes; ``cost``: AT_A_COST to include the cost of a message."""
        theirs = by_nodes(self._table, item, row, "published")
        ours = by_nodes(self._table, item + cost, row, "simulated")
        return {nodes: ours[nodes] / theirs[nodes] for nodes in theirs if nodes in ours}

    def given(self, item: str, row: str, nodes: int, cost: str = "") -> str:
        """The constant that a cell gives: "copy", "link" or "message"; empty if it is predicted."""
        cells = {("Table 4.2", GLOBAL, 1): "copy", ("Table 4.4", LOCAL[GLOBAL_M], LINK_NODES): "link"}
        if cost:
            cells["Table 4.2", GLOBAL, MESSAGE_NODES] = "message"
        return cells.get((item, row, nodes), "")

    def predicted(self, item: str, row: str, cost: str = "") -> dict[int, float]:
        """Ratios of the cells with a network that give no constant."""
        found = self.by_ratio(item, row, cost)
        return {n: ratio for n, ratio in found.items() if n >= FIRST and not self.given(item, row, n, cost)}

    def beyond_arithmetic(self, row: str) -> float:
        """The largest relative difference of simulated times of Table 4.4 from bytes over a link's rate."""
        ours = by_nodes(self._table, "Table 4.4", row, "simulated")
        plain = by_nodes(self._table, "Table 4.4" + ARITHMETIC, row)
        return max(abs(ours[nodes] / seconds - 1) for nodes, seconds in plain.items())

    def trend(self, row: str, kind: Wanted) -> float:
        """Ratio of the simulated (or published) times on the largest and smallest numbers of nodes."""
        return next(iter(self._table.line("Trends, simulated", row, kind).values()))

    def signs(self, which: str) -> str:
        """The number of trends of a table with the published sign."""
        told = []
        for whose in TRENDS:
            of = [row for row in self._table.of(f"Trends, {whose}", "ours") if row.row.startswith(which)]
            same = sum(self.same_sign(row) for row in of)
            if of:
                told.append(f"{same} of {len(of)} {whose.replace('measured on cores', 'on cores')}")
        return ", ".join(told)

    def same_sign(self, trend: Row) -> bool:
        """Whether a trend of ours has the published sign."""
        return trend.note == self._table.note(trend.item, trend.row, trend.column, "published")
