"""The overview of all studies: summaries and pictures, and what did not agree, worst first."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import invented_study
from sortlast_studies import report
from sortlast_studies.overview import Overview, worst_first
from sortlast_studies.study import Reading, tabulate
from sortlast_studies.table import Row, Table


@pytest.fixture
def invented(tmp_path):
    with invented_study.made(tmp_path) as study:
        yield study


@pytest.fixture
def reading(invented, tmp_path):
    """Of a study that was written."""
    made = Reading(invented, tabulate(invented, {"a": {"length": 1}, "bb": {"length": 2}}, False))
    (tmp_path / "out").mkdir()
    made.write(tmp_path / "out/invented")
    return made


def compared(reading, *values):
    """The same study with a table of pairs: item, unit, published, ours."""
    table = Table(row for row in reading.table if row.item in ("run", "Table 1"))
    for item, unit, published, ours, kind in values:
        for k, (theirs, mine) in enumerate(zip(published, ours, strict=True)):
            table.append(Row(item, str(k), "x", unit, "published", theirs))
            table.append(Row(item, str(k), "x", unit, kind, mine))
    return replace(reading, table=table)


def test_the_overview_counts_what_is_reproduced(reading, tmp_path):
    overview = Overview([reading], tmp_path / "out")
    text = overview.text
    assert "| invented | 1 | 2 | 1 computed, 1 measured, 1 simulated | 1 |" in text
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith(("| Table", "| Figure"))]
    assert rows == ["| Table 1", "| Figure 2", "| Figure 3"]
    assert "it is a photograph" in overview.page
    assert "Nothing." in text


def test_the_overview_shows_summary_picture_and_link_of_every_study(reading, tmp_path):
    overview = Overview([reading], tmp_path / "out")
    assert "[A <study>](invented/report.html)" in overview.text
    assert reading.summary in overview.text
    assert "![Picture figure-1.](invented/figure-1.png)\n\n*Picture figure-1.*" in overview.text
    assert overview.page.count("data:image/svg+xml;base64,") == 1
    assert '<a href="invented/report.html">A &lt;study&gt;</a>' in overview.page
    assert "Claims: 1 refuted, 1 undecided." in overview.text


def test_values_that_differ_are_told_the_furthest_first(reading, tmp_path):
    """Of every table and figure the worst; not those that were measured on another machine."""
    made = compared(
        reading,
        ("Figure 2", "s", [1.0, 2.0, 4.0], [1.0, 1.0, 8.0], "simulated"),
        ("Figure 2, axis", "", [0.33, 1.0], [0.12, 1.0], "computed"),
        ("Figure 3", "s", [100.0], [1.0], "measured"),
        ("Table 4", "", [20.0], [19.5], "computed"),
        ("Table 5", "", [34816.0], [30000.0], "computed"),
    )
    found = worst_first([made])
    assert [(each.ours.item, each.ours.row, round(each.off, 2)) for each in found] == [
        ("Figure 2, axis", "0", 0.64),
        ("Figure 2", "1", 0.5),
        ("Table 5", "0", 0.14),
        ("Table 4", "0", 0.0),
    ]
    assert [each.why for each in found] == ["another machine", "another machine", "", ""]
    text = Overview([made], tmp_path / "out").disagreements
    assert "3 tables and figures have a value that differs" in text
    assert "| Table 5 | 0, x | 34,816 | 30,000 |  | computed | 14 % |  |" in text
    assert "| Figure 2, axis | 0, x | 0.33 | 0.12 |  | computed | 64 % | another machine |" in text


@pytest.mark.parametrize(
    ("published", "ours", "off"),
    [
        ([0.0, 0.01], [0.004, 0.01], 0.0),  # is printed as 0.00
        ([0.0, 0.01], [0.006, 0.01], 1.0),
        ([6.0, 18.0], [5.6, 18.0], 0.0),  # is printed as 6
        ([6.0, 0.18], [5.6, 0.18], pytest.approx(0.4 / 6)),
        ([2.0], [-2.0], 1.0),
    ],
)
def test_what_the_papers_rounding_hides_agrees(reading, published, ours, off):
    made = compared(reading, ("Table 4", "GB", published, ours, "computed"))
    (found,) = worst_first([made])
    assert found.off == off


def test_claims_that_are_not_confirmed_are_told_whatever_their_verdict(reading, tmp_path):
    confirmed, other = (replace(reading.checks[0], verdict=each) for each in ("confirmed", "not reproduced"))
    reading.__dict__["checks"] = [confirmed, *reading.checks[1:], other]
    overview = Overview([reading], tmp_path / "out")
    lines = [line for line in overview.text.splitlines() if line.startswith("| invented |")]
    assert [line.split(" | ")[3] for line in lines if "Names are" in line] == ["not reproduced", "undecided"]
    assert "Claims: 1 confirmed, 1 undecided, 1 not reproduced." in overview.text


def test_links_from_one_report_to_another_lead_there_from_above(reading, tmp_path):
    check = replace(reading.checks[0], figure="see [taper](../taper/report.html)")
    reading.__dict__["checks"] = [check]
    overview = Overview([reading], tmp_path / "out")
    assert "see [taper](taper/report.html)" in overview.disagreements
    assert "see [taper](taper/report.html)" in overview.text
    assert '<a href="taper/report.html">taper</a>' in overview.page


def test_studies_without_a_paper_are_what_sortlast_adds(reading, tmp_path):
    alone = replace(reading, table=Table(row for row in reading.table if row.kind != "published"))
    text = Overview([alone], tmp_path / "out").text
    added = text.partition("## What sortlast adds to its papers\n")[2]
    assert "[A <study>](invented/report.html)" in added
    assert "What sortlast adds" not in Overview([reading], tmp_path / "out").text


def test_quick_runs_are_named(invented, reading, tmp_path):
    quick = Reading(invented, tabulate(invented, {"a": {"length": 1}}, True))
    assert "Quick runs: invented." in Overview([quick], tmp_path / "out").disagreements
    assert "Quick runs" not in Overview([reading], tmp_path / "out").disagreements


def test_parameters_beyond_the_papers_are_what_sortlast_adds(reading, tmp_path, monkeypatch):
    monkeypatch.setattr(reading.study.module, "PARAMETERS", ("ranks", "sizes"), raising=False)
    added = Overview([reading], tmp_path / "out").text.partition("## What sortlast adds to its papers\n")[2]
    assert "- `invented`: `--ranks` and `--sizes`\n" in added


def test_a_package_names_its_main_picture(reading, tmp_path, monkeypatch):
    text = "![First.](first.png)\n\n*First.*\n\n![Second.](second.png)\n\n*Second.*\n"
    assert report.pictures(text) == [("first", "First."), ("second", "Second.")]
    reading.__dict__["markdown"] = f"# A\n\n{text}"
    assert re.findall(r"\]\((\S*)\.png", Overview([reading], tmp_path).text) == ["invented/first"]
    monkeypatch.setattr(reading.study.module, "PICTURE", "second", raising=False)
    assert re.findall(r"\]\((\S*)\.png", Overview([reading], tmp_path).text) == ["invented/second"]
