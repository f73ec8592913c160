"""``sortlast study``: what it prints, and what it refuses."""

from __future__ import annotations

import pytest

import invented_study
from sortlast_studies import command


@pytest.fixture
def invented(tmp_path):
    with invented_study.made(tmp_path) as study:
        yield study


def printed(capsys, study, folder, **options):
    command.run(study, folder, quick=False, workers=1, **options)
    return capsys.readouterr().out.splitlines()


def test_a_study_prints_title_summary_verdicts_and_files(invented, tmp_path, capsys):
    out = tmp_path / "out"
    assert [line.strip() for line in printed(capsys, invented, out)] == [
        "A <study>",
        "",
        "• Asked. Are names short?",
        "• Came out. 2 names.",
        "• Did not. 2 claims.",
        "",
        "claims: 1 refuted, 1 undecided",
        f"wrote {out}: report.md, report.html, invented.json, invented.csv; "
        "pictures (png, svg, pdf): figure-1",
    ]
    assert all((out / f"figure-1.{suffix}").exists() for suffix in ("png", "svg", "pdf"))


def test_the_whole_report_is_printed_if_asked_for(invented, tmp_path, capsys):
    lines = printed(capsys, invented, tmp_path / "out", full=True)
    assert any("Names are short." in line and "refuted" in line for line in lines)
    assert len(lines) > len(printed(capsys, invented, tmp_path / "out"))
