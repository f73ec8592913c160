"""Writes the summaries of studies into docs/explanation/studies.md, from the tables of whole runs.

    sortlast study all --output studies
    python tests/python/summaries.py studies

Below the name of each study stands a hash of the model whose numbers its summary tells, and of the
template of the summary: test_studies_summaries.py finds those that have changed since. The text of a study
whose table is not in the folder stays.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from sortlast_studies import NAMES, package, sources
from sortlast_studies.study import Reading, load

PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/studies.md"
_REGION = re.compile(r"(?<=FOLDER_OF_STUDY_ALL -->\n).*(?=<!-- end of the summaries -->)", re.DOTALL)
_SUMMARY = re.compile(r"### (\S+)\n\n<!-- model: (\S+) -->\n\n(.*?)\n+(?=### |\Z)", re.DOTALL)
_DIGITS = 12


def told(page: str) -> dict[str, tuple[str, str]]:
    """Of each study on the page: the hash of what its summary was made by, and the summary."""
    region = _REGION.search(page)
    assert region, "the page has no summaries"
    return {name: (made_by, text) for name, made_by, text in _SUMMARY.findall(region.group())}


def made_by(name: str, model: str) -> str:
    """The hash of a model and of the template of the study's summary."""
    template = files(package(name).__name__).joinpath("summary.md").read_bytes()
    return hashlib.sha256(model.encode() + template).hexdigest()[:_DIGITS]


def current(name: str) -> str:
    """The same of the model as it is now."""
    return made_by(name, sources.digest(f"{package(name).__name__}.steps"))


def renewed(page: str, readings: Mapping[str, Reading]) -> str:
    """The page with the summaries of these whole runs, by the names of the studies."""
    summaries = told(page)
    for name, reading in readings.items():
        if reading.table.value("run", "quick"):
            sys.exit(f"{name}: the table is of a quick run, and the page tells whole ones")
        summaries[name] = (made_by(name, reading.table.note("run", "model")), reading.summary)
    parts = [f"### {name}\n\n<!-- model: {by} -->\n\n{text}\n\n" for name, (by, text) in summaries.items()]
    return _REGION.sub(lambda _: "".join(parts), page)


def main(folder: Path) -> None:
    """Write the summaries of all tables in a folder of ``sortlast study all``."""
    tables = {name: folder / name / f"{name}.csv" for name in NAMES}
    readings = {name: Reading.of_file(load(name), path) for name, path in tables.items() if path.exists()}
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), readings), encoding="utf-8")
    for name in NAMES:
        print(f"{name}: {'written' if name in readings else 'left as it is'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
