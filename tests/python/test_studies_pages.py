"""The studies as people run them: their quick subsets computed, drawn again, and every page in a browser."""

import csv
import io
import json
import re
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from rich.console import Console

import browser
import typed_numbers
from sortlast_studies import NAMES, package, report
from sortlast_studies.study import Reading, load
from sortlast_studies.table import published

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    command = [sys.executable, "-m", "sortlast", "study", "all", "--quick", "--output", str(folder)]
    subprocess.run(command, check=True, timeout=1500)
    return folder


@pytest.mark.parametrize("page", ["overview.html", *(f"{name}/report.html" for name in NAMES)])
def test_a_browser_shows_the_whole_page(folder, page):
    with browser.page(folder / page) as shown:
        assert shown.run("document.title")
        assert shown.run("document.querySelectorAll('table').length") >= 1
        images = shown.run("[...document.images].map(({ alt, naturalWidth }) => [alt, naturalWidth])")
        assert [alt for alt, width in images if width < 100] == []
        assert len(images) > 0
        for width in (1400, 400):  # tables that are wider scroll by themselves
            shown.resize(width, 900)
            assert shown.run("document.documentElement.scrollWidth") <= width
        assert not re.search(r"\b(nan|None|undefined)\b", shown.run("document.body.innerText"))
        links = shown.run("[...document.querySelectorAll('a[href]')].map((link) => link.href)")
        assert [link for link in links if link.startswith("file:") and not _there(link)] == []
        assert shown.errors == []
        assert [url for url in shown.requests if not url.startswith(("file:", "data:"))] == []


def _there(link):
    return Path(unquote(urlparse(link).path)).exists()


@pytest.mark.parametrize("name", NAMES)
def test_csv_and_json_have_the_values_of_the_report(folder, name, tmp_path):
    """The report that is drawn from the CSV alone is the same, and no other once a value is changed."""
    table = folder / name / f"{name}.csv"
    with table.open() as file:
        rows = list(csv.DictReader(file))
    found = json.loads((folder / name / f"{name}.json").read_text())
    assert len(found["rows"]) == len(rows) > 50
    for row, values in zip(rows, found["rows"], strict=True):
        for column, value in zip(found["columns"], values, strict=True):
            if isinstance(value, (int, float)):
                assert float(row[column]) == value
            elif isinstance(value, str):
                assert row[column] == value
    assert {row["kind"] for row in rows} >= {"", "computed", "simulated"} or name == "hardware-barrier"

    again = Reading.of_file(load(name), table)
    again.write(tmp_path)
    for file in ("report.md", f"{name}.csv", f"{name}.json"):
        assert (tmp_path / file).read_bytes() == (folder / name / file).read_bytes()
    pictures = sorted(
        path.name for path in (folder / name).glob("*.*") if path.suffix in (".png", ".svg", ".pdf")
    )
    assert pictures
    for picture in pictures:
        assert (tmp_path / picture).read_bytes() == (folder / name / picture).read_bytes()

    ours = next(row for row in reversed(rows) if row["kind"] in ("simulated", "measured") and row["value"])
    lines = table.read_text()
    assert lines.count(f"{ours['unit']},{ours['kind']},{ours['value']},")
    changed = tmp_path / "changed.csv"
    changed.write_text(
        lines.replace(f"{ours['kind']},{ours['value']},", f"{ours['kind']},{3 * float(ours['value']) + 1},")
    )
    assert Reading.of_file(load(name), changed).markdown != again.markdown


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_is_short_and_stands_first(folder, name):
    """At most ten lines of 110 columns; in the report below its title, on the page in a box."""
    reading = Reading.of_file(load(name), folder / name / f"{name}.csv")
    console = Console(width=110, file=io.StringIO())
    report.show(reading.summary, console)
    lines = [line for line in console.file.getvalue().splitlines() if line.strip()]
    assert 3 <= len(lines) <= 10
    title, _, rest = (folder / name / "report.md").read_text().partition("\n")
    assert title.startswith("# ")
    assert rest.strip().startswith(reading.summary)
    with browser.page(folder / name / "report.html") as shown:
        box = shown.run("document.querySelector('h1 + section').innerText")
    assert [part in box for part in ("Asked.", "Came out.", "Did not.")] == [True] * 3


@pytest.mark.parametrize("name", NAMES)
def test_what_is_quoted_as_published_is_published(folder, name):
    """Or the quotient of two published values of one kind, such as the frames a second of two figures."""
    kinds = {}
    for row in published(package(name).__name__):
        if row.value is not None:
            kinds.setdefault((row.row, row.column, row.unit), []).append(row.value)
    values = [value for kind in kinds.values() for value in kind]
    values += [a / b for kind in kinds.values() for a, b in permutations(kind, 2) if b]
    quoted = typed_numbers.quoted((folder / name / "report.md").read_text())
    assert [each for each in quoted if not typed_numbers.is_among(*each, values)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_is_there_in_three_formats(folder, name):
    """A PDF has TrueType fonts, of type 42, and no date."""
    pictures = sorted(path.stem for path in (folder / name).glob("*.png"))
    for suffix in ("svg", "pdf"):
        assert sorted(path.stem for path in (folder / name).glob(f"*.{suffix}")) == pictures
    for path in (folder / name).glob("*.pdf"):
        pdf = path.read_bytes()
        assert pdf.startswith(b"%PDF-")
        assert b"/FontFile2" in pdf
        assert b"/Type3" not in pdf
        assert b"CreationDate" not in pdf


@pytest.mark.parametrize("name", NAMES)
def test_what_made_the_values_is_told(folder, name):
    table = Reading.of_file(load(name), folder / name / f"{name}.csv").table
    assert table.rows("provenance") == ["1"]
    for column in ("version", "build", "host", "cpu", "cores", "mpi", "date", "steps"):
        assert table.note("provenance", 1, column)
