"""From the table to all that is written: report, page, pictures, tables; and what is printed."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from importlib.resources import files

import pytest

import browser
import invented_study
from invented_study import HERE
from sortlast import Error
from sortlast_studies import NAMES, checks
from sortlast_studies.study import Reading, compute, load, tabulate
from sortlast_studies.table import Row


@pytest.fixture
def invented(tmp_path):
    with invented_study.made(tmp_path) as study:
        yield study


@pytest.mark.parametrize("quick", [False, True])
def test_a_study_writes_table_and_report(invented, tmp_path, quick):
    reading = Reading(invented, compute(invented, tmp_path / "out", quick=quick, workers=1))
    paths = reading.write(tmp_path / "out")
    assert sorted(path.name for path in paths) == [
        "figure-1.pdf",
        "figure-1.png",
        "figure-1.svg",
        "invented.csv",
        "invented.json",
        "report.html",
        "report.md",
    ]
    assert all(path.exists() for path in paths)
    text = (tmp_path / "out/report.md").read_text()
    assert text.startswith("# A <study>\n\n- **Question.** Are names short?\n")
    assert ("| bb | 2 |" in text, "quick" in text) == (not quick, quick)
    assert "![Picture figure-1.](figure-1.png)" in text
    found = json.loads((tmp_path / "out/invented.json").read_text())
    assert [Row(*(tuple(x) if isinstance(x, list) else x for x in row)) for row in found["rows"]] == list(
        reading.table
    )
    verdicts = [(check["claim"], check["verdict"], check["figure"]) for check in found["checks"]]
    assert verdicts == [
        ("Names are short.", "undecided", "up to 1; the rest did not run")
        if quick
        else ("Names are short.", "refuted", "up to 2"),
        ("Names are long.", "undecided", "needs everything, which did not run"),
    ]
    assert [item["near"] for item in found["items"]] == ["equal", "ratio 1.0", ""]


@pytest.mark.parametrize(("holds", "verdict"), [("value < 2", "undecided"), ("value > 2", "refuted")])
def test_a_claim_that_rests_on_a_calibrated_value_is_never_confirmed(invented, holds, verdict):
    templates = Reading(invented, tabulate(invented, {"a": {"length": 1}}, True)).templates
    claim = {"where": "1", "claim": "-", "value": "1", "holds": holds, "shown": "it is {{ value }}"}
    [check] = checks.judge(checks.Declared({}, [claim | {"calibrated_by": "Figure 4"}], []), templates)
    assert check.verdict == verdict
    assert check.figure.startswith("it is 1")
    assert check.figure.endswith("; no test, as Figure 4 is given") is (verdict == "undecided")


def test_a_report_that_is_drawn_again_from_the_table_is_equal(invented, tmp_path):
    reading = Reading(invented, compute(invented, tmp_path, workers=1))
    first = {path.name: path.read_bytes() for path in reading.write(tmp_path)}
    again = Reading.of_file(invented, tmp_path / "invented.csv")
    second = {path.name: path.read_bytes() for path in again.write(tmp_path / "again")}
    assert len(first) == 7
    assert first == second


def test_steps_of_two_machines_stand_in_two_rows_of_the_provenance(invented):
    results = {"a": {"length": 1}, "bb": {"length": 2}}
    there = replace(HERE, host="there", date="2026-03-03T00:00:00Z")
    later = replace(HERE, date="2026-02-02T00:00:00Z")
    reading = Reading(invented, tabulate(invented, results, False, [HERE, there, later]))
    assert reading.table.note("provenance", 1, "host") == "here"
    assert reading.table.note("provenance", 1, "date") == "2026-01-01T00:00:00Z to 2026-02-02T00:00:00Z"
    assert reading.table.note("provenance", 1, "steps") == "2"
    assert reading.table.note("provenance", 2, "host") == "there"
    assert "2 machines or builds" in reading.markdown


@pytest.mark.references("chromium")
def test_the_page_shows_the_report_in_a_browser(invented, tmp_path):
    Reading(invented, compute(invented, tmp_path, workers=1)).write(tmp_path)
    with browser.page(tmp_path / "report.html") as shown:
        assert shown.run("document.title") == "A <study>"
        assert shown.run("document.querySelector('h1').textContent") == "A <study>"
        assert shown.run("document.querySelector('h1 + section').textContent").split()[0] == "Question."
        assert shown.run("document.body.textContent.split('Question.').length") == 2
        assert shown.run("document.querySelectorAll('table').length") == 3
        assert shown.run("document.querySelector('.refuted').textContent") == "refuted"
        assert shown.run("getComputedStyle(document.querySelector('tbody td + td')).textAlign") == "right"
        widths = shown.run("[...document.images].map((image) => image.naturalWidth > 100)")
        assert widths == [True]
        assert shown.errors == []
        assert [url for url in shown.requests if not url.startswith(("file:", "data:"))] == []


def test_a_study_without_a_summary_is_refused(invented, tmp_path):
    files(invented.package).joinpath("summary.md").unlink()
    reading = Reading(invented, tabulate(invented, {"a": {"length": 1}}, True))
    with pytest.raises(Error, match=r"the study invented has no summary\.md"):
        _ = reading.summary


def test_a_pdf_has_whole_fonts_and_no_date(invented, tmp_path):
    """Type 42 is TrueType; type 3, which journals refuse, draws every letter by a program."""
    Reading(invented, compute(invented, tmp_path, workers=1)).write(tmp_path)
    pdf = (tmp_path / "figure-1.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"CreationDate" not in pdf


@pytest.mark.parametrize("name", NAMES)
def test_every_study_has_its_name_and_steps_of_one_name_each(name):
    study = load(name)
    assert study.name == name
    assert import_module(study.package).SUMMARY
    for quick in (False, True):
        names = [step.name for step in study.steps(quick)]
        assert names
        assert len(set(names)) == len(names)
