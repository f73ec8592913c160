"""The overview of all studies."""

from __future__ import annotations

import pytest

import invented_study
from sortlast_studies.study import Reading, overview, tabulate


@pytest.fixture
def invented(tmp_path):
    with invented_study.made(tmp_path) as study:
        yield study


def test_the_overview_counts_what_is_reproduced(invented):
    text, page = overview([Reading(invented, tabulate(invented, {"a": {"length": 1}}, True))])
    assert "| invented | 1 | 2 | 1 computed, 1 measured, 1 simulated | 1 |" in text
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith(("| Table", "| Figure"))]
    assert rows == ["| Table 1", "| Figure 2", "| Figure 3"]
    assert "it is a photograph" in page
    assert "Nothing." in text
