"""Every study once, as people run it: its own checks against its paper, from the quick steps to the files."""

from __future__ import annotations

import json

import pytest

from report_text import assert_whole
from sortlast_studies import NAMES
from sortlast_studies.study import Reading, load

pytestmark = pytest.mark.slow

# How many claims a quick run confirms, and the beginnings of those that it contradicts.
KNOWN = {
    "narrowed-trees": (5, ["Thin-trees and slender-trees perform", "Thin-trees are slightly cheaper"]),
    "shift-based": (
        7,
        [
            "Predicted: mean bandwidths",
            "Shift performs at least twice better",
            "The mean bandwidth of Figure 7",
            "The smallest image is four times",
        ],
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_quick_run_says_of_the_paper_what_is_known(name, cli, tmp_path):
    status, out, _ = cli("study", name, "--quick", "--output", tmp_path)
    assert status == 0, out
    told = json.loads((tmp_path / f"{name}.json").read_text())
    assert len(told["rows"]) > 50
    if name in KNOWN:
        verdicts = [(check["claim"], check["verdict"]) for check in told["checks"]]
        against = [claim for claim, verdict in verdicts if verdict in ("refuted", "not reproduced")]
        confirmed, expected = KNOWN[name]
        assert len(against) == len(expected), against
        assert all(map(str.startswith, against, expected)), against
        assert [verdict for _, verdict in verdicts].count("confirmed") == confirmed, verdicts

    # The report is made of the table alone, and everything in it was found.
    again = Reading.of_file(load(name), tmp_path / f"{name}.csv")
    assert again.markdown == (tmp_path / "report.md").read_text()
    assert_whole(again.markdown)
