"""The summaries in the documentation are those of the studies as they are now."""

from __future__ import annotations

import pytest

import invented_study
import summaries
from sortlast_studies import NAMES
from sortlast_studies.study import Reading, compute

PAGE = """# Page

<!-- summaries, written by: python tests/python/summaries.py FOLDER_OF_STUDY_ALL -->
### shift-based

<!-- model: 123 -->

- **Asked.** Old.
- **Came out.** Old.

### taper

<!-- model: 456 -->

Text.

<!-- end of the summaries -->
More.
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_page_tells_what_the_present_model_gives(name):
    made_by, _ = summaries.told(summaries.PAGE.read_text(encoding="utf-8")).get(name, ("nothing", ""))
    assert made_by == summaries.current(name), (
        f"docs/explanation/studies.md tells {name} of another model or template: run `sortlast study {name} "
        f"--output FOLDER/{name}`, then `python tests/python/summaries.py FOLDER`"
    )


def test_what_is_told_on_the_page_is_found():
    found = summaries.told(PAGE)
    assert found["taper"] == ("456", "Text.")
    assert found["shift-based"] == ("123", "- **Asked.** Old.\n- **Came out.** Old.")


def test_a_summary_is_renewed_and_others_stay(tmp_path, monkeypatch):
    with invented_study.made(tmp_path) as invented:
        monkeypatch.setattr(summaries, "package", lambda name: invented.module)
        whole = Reading(invented, compute(invented, tmp_path / "whole", workers=1))
        page = summaries.renewed(PAGE, {"taper": whole, "camera": whole})
        assert page.startswith("# Page\n")
        assert page.endswith("<!-- end of the summaries -->\nMore.\n")
        found = summaries.told(page)
        assert list(found) == ["shift-based", "taper", "camera"]
        assert found["shift-based"] == summaries.told(PAGE)["shift-based"]
        assert found["taper"] == found["camera"] == (summaries.current("invented"), whole.summary)
        quick = Reading(invented, compute(invented, tmp_path / "quick", quick=True, workers=1))
        with pytest.raises(SystemExit, match="of a quick run"):
            summaries.renewed(PAGE, {"taper": quick})


def test_another_model_is_noticed(tmp_path, monkeypatch):
    with invented_study.made(tmp_path) as invented:
        monkeypatch.setattr(summaries, "package", lambda name: invented.module)
        before = summaries.current("invented")
        assert before == summaries.current("invented")
        (tmp_path / "papers/invented/summary.md").write_text("Another text.")
        assert summaries.current("invented") != before
        assert summaries.made_by("invented", "1") != summaries.made_by("invented", "2")
