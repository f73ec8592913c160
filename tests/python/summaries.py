"""Writes the summaries of studies into docs/explanation/studies.md, from the tables of whole runs.

    sortlast study all --output studies
    python tests/python/summaries.py studies

The text of a study whose table is not in the folder stays.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sortlast_studies import NAMES
from sortlast_studies.study import Reading, load

PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/studies.md"
_REGION = re.compile(r"(?<=FOLDER_OF_STUDY_ALL -->\n).*(?=<!-- end of the summaries -->)", re.DOTALL)
_SUMMARY = re.compile(r"### (\S+)\n\n(.*?)\n+(?=### |\Z)", re.DOTALL)


def main(folder: Path) -> None:
    """Write the summaries of all tables in a folder of ``sortlast study all``."""
    page = PAGE.read_text(encoding="utf-8")
    region = _REGION.search(page)
    assert region, "the page has no summaries"
    summaries = dict(_SUMMARY.findall(region.group()))
    for name in NAMES:
        table = folder / name / f"{name}.csv"
        if table.exists():
            reading = Reading.of_file(load(name), table)
            if reading.table.value("run", "quick"):
                sys.exit(f"{table} is the table of a quick run; expected a whole run")
            summaries[name] = reading.summary
        print(f"{name}: {'written' if table.exists() else 'unchanged'}")
    text = "".join(f"### {name}\n\n{summary}\n\n" for name, summary in summaries.items())
    PAGE.write_text(_REGION.sub(lambda _: text, page), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
