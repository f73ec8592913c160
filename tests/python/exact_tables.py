"""An oracle for tables made for schedules: CP-SAT of OR-Tools, on the problem of a table search.

Every entry of the tables holds one of its ports. A class, all flows from one switch to one host, enters its
first entry, and leaves each entry by the port that it holds. L is the number of flows on the fullest link of
a stage; the solver minimises the sum over stages of L times the stage's bytes, or gives a lower bound.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from sortlast._fabric import TableSearch


def improve(search: TableSearch, seconds: float, seed: int = 1) -> int:
    """Give the search the best tables of shortest paths. Returns their bytes on fullest links, summed.

    Fails if the solver needs more than ``seconds`` for its proof.
    """
    model = _Model(search, cp_model.CpModel())
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.random_seed = seed
    solver.parameters.num_workers = len(os.sched_getaffinity(0))
    assert solver.solve(model.model) == cp_model.OPTIMAL
    search.choices = model.choices(solver)
    return round(solver.best_objective_bound) * model.unit


@dataclass
class _Model:
    """The constraints, and a variable for each choice of an entry that has several."""

    search: TableSearch
    model: Any
    unit: int = 1  # bytes per unit of the objective
    holds: dict[tuple[int, int], Any] = field(default_factory=dict)  # by entry and choice

    def __post_init__(self) -> None:
        self.ports = _ports_of_entries(self.search)
        self.now = list(self.search.choices)
        used = self._classes_on_channels()
        stage_bytes = self.search.bytes
        self.unit = int(np.gcd.reduce(stage_bytes)) or 1
        most = self.search.stage_max
        levels = []
        for stage, bound in enumerate(self.search.bound.tolist()):
            level = self.model.new_int_var(bound, int(most[stage]), f"stage {stage}")
            self.model.add_hint(level, int(most[stage]))
            levels.append(level)
        for (stage, _), terms in used.items():
            self.model.add(sum(terms) <= levels[stage])
        self.model.minimize(
            sum(
                int(size) // self.unit * level
                for size, level in zip(stage_bytes.tolist(), levels, strict=True)
            )
        )

    def choices(self, solver: Any) -> list[int]:
        """The ports that entries hold in the solution."""
        found = self.now.copy()
        for (entry, choice), holds in self.holds.items():
            if solver.boolean_value(holds):
                found[entry] = choice
        return found

    def _classes_on_channels(self) -> dict[tuple[int, int], list[Any]]:
        """By stage and channel: flows times the variable for whether they use it."""
        used: dict[tuple[int, int], list[Any]] = {}
        demands: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for number, entry, stage, flows in self.search.demands.tolist():
            demands.setdefault((number, entry), []).append((stage, flows))
        for (_, entry), stages in demands.items():
            for channel, on_it in self._ways(entry, 1):
                for stage, flows in stages:
                    used.setdefault((stage, channel), []).append(flows * on_it)
        return used

    def _ways(self, entry: int, enters: Any) -> Iterator[tuple[int, Any]]:
        """The channels that a class may use from an entry on, each with the variable for its use."""
        arrivals: dict[int, list[Any]] = {}
        for choice, (_, channel, following) in enumerate(self.ports[entry]):
            on_it = self._leaves(entry, choice, enters)
            yield channel, on_it
            if following >= 0:
                arrivals.setdefault(following, []).append(on_it)
        for following, ways in arrivals.items():
            yield from self._ways(following, ways[0] if len(ways) == 1 else sum(ways))

    def _leaves(self, entry: int, choice: int, enters: Any) -> Any:
        """Whether a class that may enter an entry leaves by one of its ports."""
        if len(self.ports[entry]) == 1:
            return enters
        if (entry, 0) not in self.holds:
            self._add_entry(entry)
        holds = self.holds[entry, choice]
        if isinstance(enters, int):
            return holds
        leaves = self.model.new_bool_var("")
        self.model.add(leaves <= holds)
        self.model.add(leaves >= enters + holds - 1)
        return leaves

    def _add_entry(self, entry: int) -> None:
        now = self.now[entry]
        for choice in range(len(self.ports[entry])):
            self.holds[entry, choice] = self.model.new_bool_var(f"{entry} {choice}")
            self.model.add_hint(self.holds[entry, choice], choice == now)
        self.model.add_exactly_one(self.holds[entry, choice] for choice in range(len(self.ports[entry])))


def _ports_of_entries(search: TableSearch) -> list[list[tuple[int, int, int]]]:
    """By entry: port, channel and the entry at the other end."""
    rows: list[list[tuple[int, int, int]]] = [[] for _ in search.choices]
    for entry, port, channel, following in search.ports.tolist():
        rows[entry].append((port, channel, following))
    return rows
