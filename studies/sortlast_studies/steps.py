"""Steps of a study: run on all cores, and kept in files, so that a study that was killed goes on.

A step is what is run and kept at once: a simulation, or a measurement. Simulations run in threads, not in
processes: the simulators run without the interpreter's lock, so that threads use all cores, share networks
and traffic, see how far each other's steps are, and end at once when the study is interrupted. A measurement
runs alone, after all simulations, so that nothing of the study disturbs it.

A step is kept under a hash of the model that it runs and of sortlast's compiled modules, a measurement under
the machine and its MPI library too: what was made by another model or build runs again, and what was measured
on another machine is never taken for this one's.
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

Json = Any  # what json.dumps takes
Results = Mapping[str, Json]  # of the steps, by name
_DIGITS = 12  # of a hash

Item = TypeVar("Item")

# Told the part of a step that is done, 0 to 1; False asks the step to end with an error.
PartDone = Callable[[float], bool]

# Told the part of a study that is done, 0 to 1, and the names of the steps that run.
Progress = Callable[[float, Sequence[str]], object]


@dataclass(frozen=True)
class Step:
    """What is run and kept at once.

    Attributes:
        name: its key among the results, and the path of its file without the suffix: ``ring/BU-10``.
        compute: gives the result, as JSON; called in a thread, or where ``alone`` in that of :func:`run`. A
            result under the key ``refused`` alone says why this machine cannot run it, and is not kept.
        work: the expected work, in any unit that the study's steps share.
        alone: nothing else may run at the same time, because time is measured.
        option: what has to ask for it, as it changes more of the machine than files: "testbed", "port".
    """

    name: str
    compute: Callable[[PartDone], Json]
    work: float = 1.0
    alone: bool = False
    option: str = ""


def on_ranks(
    name: str, module: str, asked: Json, ranks: int, timeout: float, *, work: float, option: str = ""
) -> Step:
    """The step that measures on ranks of this machine: what a module tells that each of them runs."""

    def compute(part_done: PartDone) -> Json:
        return launch.ranks(module, asked, ranks, timeout)

    return Step(name, compute, work, alone=True, option=option)


def in_turn(items: Collection[Item], part_done: PartDone) -> Iterator[tuple[Item, PartDone]]:
    """What a step does one after the other, each with the function that it tells its own part to."""

    def part_of(before: int) -> PartDone:
        return lambda part: part_done((before + part) / len(items))

    return ((item, part_of(k)) for k, item in enumerate(items))


class Kept:
    """Finished steps of one study in a folder, a JSON file each, and what made each of them.

    Args:
        folder: in which they lie.
        settings: what all steps share; a kept step of other settings is an error.
        sources: a hash of what the steps run, see :mod:`sortlast_studies.sources`.
        origin: of what is made now; its build, and for measurements its machine, tell steps apart.
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
        """The result of a step, or None if it is not there.

        Raises:
            Error: the file holds something else, or a step that ran with other settings.
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
        """Keep the result of a step, whole or not at all."""
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
    """Run the steps that are not kept, those with most work first, and return the results of all by name.

    Args:
        steps: what to run; their names differ.
        kept: where finished steps are looked for and saved.
        workers: steps at a time, but for those that run alone.
        progress: called now and then, in this thread or others; what is kept counts as done.

    Raises:
        Error: a kept step is of no use here, or a step failed. What is finished stays kept.
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
    # Here a signal reaches the ranks that a measurement has started.
    for step in missing:
        if step.alone:
            one(step)
    return {name: results[name] for name in wanted}


def is_refused(result: Json) -> bool:
    """Whether it says, under the key ``refused``, why a step has no result."""
    return isinstance(result, dict) and set(result) == {"refused"}


class _Done:
    """How much of the work is done; used by many threads."""

    def __init__(self, work: dict[str, float], finished: Iterable[str], progress: Progress) -> None:
        self._work = work
        self._total = sum(work.values())
        self._parts = dict.fromkeys(finished, 1.0)
        self._progress = progress
        self._lock = threading.Lock()

    def at(self, name: str, part: float) -> None:
        """Note the part of a step that is done."""
        with self._lock:
            self._parts[name] = part
            total = sum(self._work[each] * part for each, part in self._parts.items()) / self._total
            running = [each for each, part in self._parts.items() if part < 1]
            self._progress(total, running)


def _listed(settings: Mapping[str, Json]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
