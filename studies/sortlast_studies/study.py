"""A study as a value, its table from the results of its steps, and the files written from the table."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType

from jinja2 import Environment, TemplateNotFound

from sortlast import ArgumentError, Error, provenance
from sortlast.files import check_place, make_folder, replacing, write_text
from sortlast.provenance import Provenance
from sortlast_studies import NAMES, checks, package, report, sources
from sortlast_studies.checks import Check, Item
from sortlast_studies.steps import Json, Kept, Progress, Results, Step, run
from sortlast_studies.table import COLUMNS, Table, read_csv, write_csv

_RUN, _PROVENANCE = "run", "provenance"  # items of the table


@dataclass(frozen=True)
class Study:
    """The tables and figures of one paper.

    Besides the model, its package has the module ``steps`` and the files listed in :mod:`sortlast_studies`.

    Attributes:
        package: ``sortlast_studies.shift_based``.
        steps: Returns the steps of a quick (True) or whole run; names and settings of these must differ.
        tabulate: Returns the table from the results of all steps (True: of the quick ones), with all
            published values.
        settings: Shared by all steps, such as a seed.
        terms: Returns an object for a table; report and checks may use its public attributes.
    """

    package: str
    steps: Callable[[bool], Sequence[Step]]
    tabulate: Callable[[Results, bool], Table]
    settings: Mapping[str, Json] = field(default_factory=dict)
    terms: Callable[[Table], object] = lambda table: None

    @property
    def name(self) -> str:
        """The name on the command line."""
        return self.package.rpartition(".")[2].replace("_", "-")

    @property
    def module(self) -> ModuleType:
        """The package itself, with its ``SUMMARY`` and optional attributes."""
        return import_module(self.package)

    @property
    def summary(self) -> str:
        """One sentence that names the paper."""
        found: str = self.module.SUMMARY
        return found


def load(name: str, **parameters: Sequence[int]) -> Study:
    """Load the study of this name, one of :data:`sortlast_studies.NAMES`.

    Args:
        name: Name of the study.
        parameters: Values in addition to the paper's, by the names in ``PARAMETERS`` of its package.

    Raises:
        ArgumentError: The study does not have a parameter, or rejects a value.
    """
    about = package(name)
    for each in parameters:
        if each not in getattr(about, "PARAMETERS", ()):
            able = [other for other in NAMES if each in getattr(package(other), "PARAMETERS", ())]
            which = f"studies that take it: {', '.join(able)}" if able else "no study takes it"
            raise ArgumentError(f"the study {name} has the {each} of its paper alone; {which}")
    module = import_module(f"{about.__name__}.study")
    found: Study = module.make(**parameters) if parameters else module.STUDY
    return found


# --- from steps to the table --------------------------------------------------------------------------


def compute(
    study: Study,
    folder: Path,
    *,
    quick: bool = False,
    workers: int | None = None,
    options: Collection[str] = (),
    progress: Progress = lambda part, running: None,
) -> Table:
    """Run the steps that ``folder`` does not hold, keep them there, and return the table of all results.

    Args:
        study: The study.
        folder: Steps are kept in its subfolder ``steps``.
        quick: Run only the quick steps.
        workers: Number of concurrent steps; one per core by default.
        options: Also run steps that need one of these; other steps that need an option are refused with a
            note.
        progress: See :func:`sortlast_studies.steps.run`.

    Raises:
        Error: See :func:`sortlast_studies.steps.run`.
    """
    made_by = sources.digest(f"{study.package}.steps")
    kept = Kept(folder / "steps", study.settings, made_by, provenance.here())
    results = run(
        [step if step.option in ("", *options) else _refusing(step) for step in study.steps(quick)],
        kept,
        workers=workers or len(os.sched_getaffinity(0)),
        progress=progress,
    )
    table = tabulate(study, results, quick, list(kept.origins.values()))
    table.add(_RUN, "model", "", kind="", note=made_by)
    return table


def tabulate(study: Study, results: Results, quick: bool, origins: Sequence[Provenance] = ()) -> Table:
    """The table of a study's results and their provenance: one row for each machine and build."""
    table = study.tabulate(results, quick)
    table.add(_RUN, "quick", "", int(quick), kind="")
    for name, value in study.settings.items():
        table.add(_RUN, name, "", kind="", note=json.dumps(value))
    dates: dict[Provenance, list[str]] = {}
    for origin in origins:
        dates.setdefault(replace(origin, date=""), []).append(origin.date)
    for k, (origin, when) in enumerate(dates.items(), 1):
        first, last = min(when), max(when)
        told = asdict(origin) | {"date": first if first == last else f"{first} to {last}", "steps": len(when)}
        for column, value in told.items():
            table.add(_PROVENANCE, k, column, kind="", note=str(value))
    return table


def not_asked(option: str) -> str:
    """The reason for refusing a step that needs an option."""
    return f"not run, as it was not asked for; give --{option}"


def _refusing(step: Step) -> Step:
    """Replace a step whose option was not given; a kept result is still used."""
    return replace(step, compute=lambda part_done: {"refused": not_asked(step.option)})


# --- from the table to files --------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """A table together with its study; all files are written from the table alone."""

    study: Study
    table: Table

    @classmethod
    def of_file(cls, study: Study, path: Path) -> Reading:
        """Read a CSV file written earlier. Raises Error if it is not the table of a study."""
        return cls(study, read_csv(path))

    @cached_property
    def templates(self) -> Environment:
        """The environment that renders the study's templates."""
        declared = checks.declared(self.study.package)
        own = self.study.terms(self.table)
        terms = {name: getattr(own, name) for name in dir(own) if not name.startswith("_")}
        quick = bool(self.table.value(_RUN, "quick"))
        terms |= {"quick": quick, **declared.words}
        return report.environment(self.study.package, self.table, terms)

    @cached_property
    def checks(self) -> list[Check]:
        """The claims with their verdicts."""
        return checks.judge(checks.declared(self.study.package), self.templates)

    @cached_property
    def items(self) -> list[Item]:
        """Every numbered table and figure of the paper."""
        return checks.items(checks.declared(self.study.package), self.templates)

    @cached_property
    def markdown(self) -> str:
        """The report; its pictures are PNG files in the same folder."""
        text = self.templates.get_template("report.md").render(checks=self.checks)
        return text + self.templates.get_template("provenance.md").render()

    @property
    def title(self) -> str:
        """The title of the report."""
        return self.markdown.partition("\n")[0].removeprefix("# ")

    @cached_property
    def summary(self) -> str:
        """A few lines of Markdown: the question, the result, and what did not agree.

        Raises:
            Error: The study has no ``summary.md``.
        """
        try:
            template = self.templates.get_template("summary.md")
        except TemplateNotFound:
            raise Error(f"the study {self.study.name} has no summary.md; every study needs one") from None
        return template.render(checks=self.checks).strip()

    @property
    def verdicts(self) -> dict[str, int]:
        """The number of claims by verdict, the most frequent first."""
        return dict(Counter(check.verdict for check in self.checks).most_common())

    def write(self, folder: Path) -> list[Path]:
        """Write table, checks, pictures and report into a folder, and return the paths."""
        from sortlast.plot import FORMATS, save

        make_folder(folder)
        check_place(folder / "report.md")
        written: list[Path] = []
        pictures = {}
        for name, figure in import_module(f"{self.study.package}.figures").draw(self.table).items():
            paths = {suffix: folder / f"{name}.{suffix}" for suffix in FORMATS}
            for path in paths.values():
                save(figure, path)
            written += paths.values()
            pictures[name] = paths["svg"].read_text(encoding="utf-8")
        texts = {
            "report.md": self.markdown,
            "report.html": report.page(self.templates, self.markdown, pictures, self.summary),
            f"{self.study.name}.json": json.dumps(self._everything(), ensure_ascii=False) + "\n",
        }
        for name, text in texts.items():
            written.append(folder / name)
            write_text(written[-1], text)
        written.append(folder / f"{self.study.name}.csv")
        with replacing(written[-1]) as temporary, temporary.open("w", encoding="utf-8") as file:
            write_csv(self.table, file)
        return written

    def _everything(self) -> Json:
        return {
            "study": self.study.name,
            "columns": COLUMNS,
            "rows": [astuple(row) for row in self.table],
            "checks": [asdict(check) for check in self.checks],
            "items": [asdict(item) for item in self.items],
        }
