"""What the steps found, by cell: seconds measured here and simulated, and why a run was refused."""

from __future__ import annotations

from dataclasses import dataclass

from sortlast.study.all_to_all import cluster, hosts, measured
from sortlast.study.all_to_all.design import GLOBAL_M, LOCAL_M, NODES, Design
from sortlast.study.all_to_all.simulated import Simulation
from sortlast.study.steps import Json
from sortlast.study.study import Results


@dataclass(frozen=True)
class Measured:
    """One exchange on this machine: seconds of the first run and of later ones, ranks and cores."""

    first: float
    seconds: float
    ranks: int
    cores: int

    @property
    def core_seconds(self) -> float:
        """Seconds of a core for each rank: what a rank would take if it had not to share one."""
        return self.seconds * min(self.cores, self.ranks) / self.ranks


@dataclass(frozen=True)
class Found:
    """The results of the steps, of the quick ones or of all."""

    results: Results
    quick: bool

    def simulated(self, wanted: Simulation) -> float | None:
        """Seconds; None if it is not among the steps."""
        result = self.results.get(wanted.name)
        return None if result is None else float(result["seconds"])

    def constant_global(self, nodes: int, way: str) -> Measured | None:
        """Measured with constant global memory; None if it was refused or is not among the steps."""
        return self._measured(_on(measured.constant_global(self.quick), nodes), way)

    def constant_local(self, m: int, nodes: int) -> Measured | None:
        """Measured with constant local memory, m/N as given; None as above."""
        return self._measured(_on(measured.constant_local(self.quick)[m], nodes), "C")

    def refused(self, m: int, nodes: int) -> str | None:
        """Why a run with constant local memory was refused; None if it was not."""
        run = _on(measured.constant_local(self.quick)[m], nodes)
        return None if run is None else self.results[run.name].get("refused")

    def on_hosts(
        self, cell: Design, way: str = "posted", placement: str = "packed", tree: str = "full"
    ) -> float | None:
        """Seconds measured on hosts; None if there are none, or the cell did not run there."""
        runs = self.results.get(hosts.name(tree), {}).get(placement)
        cells = hosts.cells(tree, placement)
        if runs is None or cell not in cells:
            return None
        return float(runs[cells.index(cell)][hosts.WAYS[way]]["seconds"])

    @property
    def no_hosts(self) -> str | None:
        """Why nothing was measured on hosts; None if it was."""
        if self.quick:
            return "the quick study makes none"
        refused: str | None = self.results[hosts.name(next(iter(cluster.TREES)))].get("refused")
        return refused

    @property
    def measured_nodes(self) -> tuple[int, ...]:
        """The columns that were measured."""
        return measured.QUICK_NODES if self.quick else NODES

    @property
    def refusals(self) -> list[str]:
        """All reasons."""
        found = [self.refused(m, nodes) for m in LOCAL_M for nodes in self.measured_nodes]
        return [reason for reason in found if reason]

    def _measured(self, run: measured.Run | None, way: str) -> Measured | None:
        result: Json = None if run is None else self.results[run.name]
        if run is None or "refused" in result:
            return None
        told = result["ways"][way]
        return Measured(told["first"], told["seconds"], run.design.p, result["cores"])


def simulated_local(m: int, nodes: int) -> Simulation:
    """The simulation of a cell of Table 4.4."""
    return Simulation(nodes, m * nodes)


def simulated_global(nodes: int, what: str = "vectors") -> Simulation:
    """The simulation of a cell of Tables 4.2 and 4.5."""
    return Simulation(nodes, GLOBAL_M, what=what)


def _on(runs: list[measured.Run], nodes: int) -> measured.Run | None:
    return next((run for run in runs if run.design.nodes == nodes), None)
