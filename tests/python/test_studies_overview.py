"""The overview of all studies: summaries and pictures, and what did not agree, worst first."""

from __future__ import annotations

from dataclasses import replace

import pytest

import invented_study
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
