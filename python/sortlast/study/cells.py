"""Cells of a study: simulated on all cores, and kept in files, so that a study that was killed goes on.

A cell is one pattern with one size of messages on one network. Cells run in threads, not in processes: the
simulator runs without the interpreter's lock, so that threads use all cores, share the networks and the
traffic, see how far each other's cells are, and end at once when the study is interrupted.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from sortlast import Error
from sortlast.files import replacing


@dataclass(frozen=True)
class Cell:
    """A pattern with messages of ``size`` bytes on a network, by name."""

    network: str
    pattern: str
    size: int

    def __str__(self) -> str:
        return f"{self.pattern} {self.size} B on {self.network}"


@dataclass(frozen=True)
class Settings:
    """What all cells of a study share, and what makes a kept one worthless if it differs."""

    seed: int
    ties: str
    version: str


@dataclass(frozen=True)
class Result:
    """What the simulation of a cell gave; ``elapsed`` in seconds, memory in bytes."""

    cycles: int
    packets: int
    packet_hops: int
    mean_delay: float
    elapsed: float
    bytes_used: int


# Simulates a cell; calls its last argument with the part done, and ends with an error when that is False.
Simulate = Callable[[Cell, Settings, Callable[[float], bool]], Result]


class Kept:
    """Finished cells of one study in a folder, a JSON file each."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings

    def path(self, cell: Cell) -> Path:
        """The file of a cell."""
        return self.folder / cell.network.replace(":", "-") / f"{cell.pattern}-{cell.size}.json"

    def load(self, cell: Cell) -> Result | None:
        """The result of a cell, or None if it is not there.

        Raises:
            Error: the file holds something else, or a cell simulated with other settings.
        """
        path = self.path(cell)
        try:
            found = json.loads(path.read_text())
            settings, result = Settings(**found["settings"]), Result(**found["result"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Error(f"cannot read {path}: {error}; delete the file to simulate its cell again") from error
        if settings != self.settings:
            raise Error(
                f"{path} was simulated with {_listed(settings)}, now it is {_listed(self.settings)}; "
                "choose another folder or delete this one"
            )
        return result

    def save(self, cell: Cell, result: Result) -> None:
        """Keep the result of a cell, whole or not at all."""
        kept = {"cell": asdict(cell), "settings": asdict(self.settings), "result": asdict(result)}
        with replacing(self.path(cell)) as temporary:
            temporary.write_text(json.dumps(kept, indent=1) + "\n")


def run(
    cells: Iterable[Cell],
    simulate: Simulate,
    kept: Kept,
    *,
    work: Callable[[Cell], float],
    workers: int,
    progress: Callable[[float, Sequence[str]], object] = lambda part, running: None,
) -> dict[Cell, Result]:
    """Simulate the cells that are not kept, those with most ``work`` first, and return all.

    Args:
        cells: what to simulate.
        simulate: see :data:`Simulate`; called in threads.
        kept: where finished cells are looked for and saved.
        work: the expected work of a cell, in any unit; what is kept counts as done.
        workers: cells at a time.
        progress: called now and then, in this thread or others, with the part of the work done, 0 to 1,
            and the cells that are being simulated.

    Raises:
        Error: a kept cell is of no use here, or a simulation failed. What is finished stays kept.
    """
    wanted = list(cells)
    results = {cell: result for cell in wanted if (result := kept.load(cell)) is not None}
    missing = sorted((cell for cell in wanted if cell not in results), key=work, reverse=True)
    done = _Done({cell: work(cell) for cell in wanted}, results, progress)
    stop = threading.Event()

    def one(cell: Cell) -> tuple[Cell, Result]:
        def part_done(part: float) -> bool:
            done.at(cell, part)
            return not stop.is_set()

        result = simulate(cell, kept.settings, part_done)
        kept.save(cell, result)
        return cell, result

    with ThreadPoolExecutor(workers) as pool:
        try:
            for finished in as_completed([pool.submit(one, cell) for cell in missing]):
                cell, result = finished.result()
                results[cell] = result
                done.at(cell, 1.0)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return {cell: results[cell] for cell in wanted}


class _Done:
    """How much of the work is done; used by many threads."""

    def __init__(
        self,
        work: dict[Cell, float],
        finished: Iterable[Cell],
        progress: Callable[[float, Sequence[str]], object],
    ) -> None:
        self._work = work
        self._total = sum(work.values())
        self._parts = dict.fromkeys(finished, 1.0)
        self._progress = progress
        self._lock = threading.Lock()

    def at(self, cell: Cell, part: float) -> None:
        """Note the part of a cell that is done."""
        with self._lock:
            self._parts[cell] = part
            total = sum(self._work[each] * part for each, part in self._parts.items()) / self._total
            running = [str(each) for each, part in self._parts.items() if part < 1]
            self._progress(total, running)


def _listed(settings: Settings) -> str:
    return ", ".join(f"{name} {value}" for name, value in asdict(settings).items())
