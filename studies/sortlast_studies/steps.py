"""Steps of a study: run on all cores, and kept in files, so that an interrupted study resumes.

A step is the unit that is run and kept: a simulation or a measurement. Simulations run in threads, not in
processes: the simulators release the interpreter's lock, so threads use all cores, share networks and
traffic, see each other's progress, and end at once when the study is interrupted. A measurement runs alone,
after all simulations, so that nothing in the study disturbs it.

A step is kept under a hash of its model and of sortlast's compiled modules, and a measurement also under
machine and MPI library. Steps made by another model or build run again, and a measurement from another
machine is never reused here.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from sortlast import Error, launch, provenance
from sortlast.files import write_text
from sortlast.provenance import Provenance

Json = Any  # accepted by json.dumps
Results = Mapping[str, Json]  # of the steps, by name
_DIGITS = 12  # of a hash

Item = TypeVar("Item")

# Called with the fraction of a step that is done, 0 to 1; if it returns False, the step must raise an error.
PartDone = Callable[[float], bool]

# Called with the fraction of a study that is done, 0 to 1, and the names of the running steps.
Progress = Callable[[float, Sequence[str]], object]


@dataclass(frozen=True)
class Step:
    """A simulation or measurement, run and kept as one unit.

    Attributes:
        name: Key of the result, and path of its file without the suffix: ``ring/BU-10``.
        compute: Returns the result as JSON. It is called in a pool thread, or in the thread of :func:`run` if
            ``alone``. A result with ``refused`` as its only key gives the reason why this machine cannot run
            the step, and is not kept.
        work: Expected work, in any unit that the study's steps share.
        alone: Nothing else may run at the same time, because the step measures time.
        option: The option that must request the step, because it changes the machine: "testbed", "port".
    """

    name: str
    compute: Callable[[PartDone], Json]
    work: float = 1.0
    alone: bool = False
    option: str = ""


def on_ranks(
    name: str, module: str, asked: Json, ranks: int, timeout: float, *, work: float, option: str = ""
) -> Step:
    """A measurement on ranks of this machine; its result is returned by ``module``, which each rank runs."""

    def compute(part_done: PartDone) -> Json:
        return launch.ranks(module, asked, ranks, timeout)

    return Step(name, compute, work, alone=True, option=option)


def in_turn(items: Collection[Item], part_done: PartDone) -> Iterator[tuple[Item, PartDone]]:
    """Iterate over the parts of a step, each with a function that reports its own progress."""

    def part_of(before: int) -> PartDone:
        return lambda part: part_done((before + part) / len(items))

    return ((item, part_of(k)) for k, item in enumerate(items))


class Kept:
    """Finished steps of one study in a folder, one JSON file each, with their provenance.

    Args:
        folder: Folder of the files.
        settings: Shared by all steps; a kept step with other settings is an error.
        sources: Hash of the steps' sources, see :mod:`sortlast_studies.sources`.
        origin: Provenance of new results. The build identifies a step, for measurements also the machine.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Json], sources: str, origin: Provenance) -> None:
        self.folder = folder
        self.settings = dict(settings)
        self.origins: dict[str, Provenance] = {}  # of the steps that were loaded or saved, by name
        self._origin = origin
        self._made_by = (sources, origin.build)

    def path(self, step: Step) -> Path:
        """The file of a step."""
        key = (*self._made_by, *(self._origin.machine if step.alone else ()))
        under = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:_DIGITS]
        return self.folder / under / f"{step.name.replace(':', '-')}.json"

    def load(self, step: Step) -> Json | None:
        """The result of a step, or None if it is not kept.

        Raises:
            Error: The file holds something else, or a step that ran with other settings.
        """
        path = self.path(step)
        try:
            found = json.loads(path.read_text())
            settings, result = dict(found["settings"]), found["result"]
            origin = Provenance(**found["provenance"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Error(f"cannot read {path}: {error}; delete the file to run its step again") from error
        if settings != self.settings:
            raise Error(
                f"{path} was made with {_listed(settings)}, now it is {_listed(self.settings)}; "
                "choose another folder or delete this one"
            )
        self.origins[step.name] = origin
        return result

    def save(self, step: Step, result: Json) -> None:
        """Write the result of a step atomically."""
        origin = self.origins[step.name] = replace(self._origin, date=provenance.now())
        kept = {"step": step.name, "settings": self.settings, "provenance": asdict(origin), "result": result}
        write_text(self.path(step), json.dumps(kept, indent=1) + "\n", folders=True)


def run(
    steps: Iterable[Step],
    kept: Kept,
    *,
    workers: int,
    progress: Progress = lambda part, running: None,
) -> dict[str, Json]:
    """Run the missing steps, largest work first, and return the results of all steps by name.

    Args:
        steps: Steps with distinct names.
        kept: Where finished steps are looked up and saved.
        workers: Number of concurrent steps; steps that run alone are excepted.
        progress: Called from this thread or others; kept steps count as done.

    Raises:
        Error: A kept step cannot be used, or a step failed. Finished steps stay kept.
    """
    wanted = {step.name: step for step in steps}
    results = {name: found for name, step in wanted.items() if (found := kept.load(step)) is not None}
    missing = sorted(
        (step for step in wanted.values() if step.name not in results),
        key=lambda step: step.work,
        reverse=True,
    )
    done = _Done({step.name: step.work for step in wanted.values()}, results, progress)
    stop = threading.Event()

    def one(step: Step) -> str:
        def part_done(part: float) -> bool:
            done.at(step.name, part)
            return not stop.is_set()

        done.at(step.name, 0.0)
        result = step.compute(part_done)
        if not is_refused(result):
            kept.save(step, result)
        results[step.name] = result
        done.at(step.name, 1.0)
        return step.name

    with ThreadPoolExecutor(workers) as pool:
        try:
            running = [pool.submit(one, step) for step in missing if not step.alone]
            for finished in as_completed(running):
                finished.result()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    # In this thread a signal reaches the ranks that a measurement has started.
    for step in missing:
        if step.alone:
            one(step)
    return {name: results[name] for name in wanted}


def is_refused(result: Json) -> bool:
    """Whether a result only gives, under the key ``refused``, the reason why a step has none."""
    return isinstance(result, dict) and set(result) == {"refused"}


class _Done:
    """The fraction of the work that is done; used by many threads."""

    def __init__(self, work: dict[str, float], finished: Iterable[str], progress: Progress) -> None:
        self._work = work
        self._total = sum(work.values())
        self._parts = dict.fromkeys(finished, 1.0)
        self._progress = progress
        self._lock = threading.Lock()

    def at(self, name: str, part: float) -> None:
        """Record the fraction of a step that is done."""
        with self._lock:
            self._parts[name] = part
            total = sum(self._work[each] * part for each, part in self._parts.items()) / self._total
            running = [each for each, part in self._parts.items() if part < 1]
            self._progress(total, running)


def _listed(settings: Mapping[str, Json]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
