"""The script that runs the shell blocks of the pages finds what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

import blocks
from processes import alive, wait_until


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A function that runs a page in a checkout of one file; whether it passes, and what is printed."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "kept.txt").write_text("kept\n")
    monkeypatch.setattr(blocks, "ROOT", root)
    monkeypatch.setattr(blocks, "UP", 1.0)

    def run_page(text: str, limit: float = 60.0, renew: bool = False) -> tuple[bool, str]:
        page = root / "page.md"
        page.write_text(text)
        good = blocks.run_page(page, tmp_path, tmp_path / "page", limit, renew)
        return good, capsys.readouterr().out

    return run_page


def fenced(text: str, language: str = "sh", comment: str = "") -> str:
    above = f"<!-- {comment} -->\n" if comment else ""
    return f"{above}```{language}\n{text}\n```\n\n"


def test_blocks_of_a_page_share_variables_folder_and_files(run):
    good, said = run(
        fenced("mkdir inner && cd inner\nexport COLOUR=teal")
        + fenced("colour is", "text", "write: words.txt")
        + fenced("$ cat words.txt ../kept.txt; echo $COLOUR\ncolour is\n...\nteal", "console")
        + fenced("test $(pwd) = $(cd ../inner && pwd)")
    )
    assert good, said
    assert [line.split()[:2] for line in said.splitlines()] == [
        [f"page.md:{line}", "ok"] for line in (1, 11, 18)
    ]


@pytest.mark.parametrize(
    "page",
    [
        fenced("false\ntrue"),
        fenced("false | true"),
        fenced("true", comment="exit status: 1"),
        fenced("$ echo two\none", "console"),
        fenced("echo up; python3 -c 'import time; time.sleep(60)'", comment="runs until interrupted"),
        fenced("echo ended", comment="runs until interrupted"),
    ],
)
def test_a_block_that_does_otherwise_than_the_page_says_fails(run, page):
    good, said = run(page)
    assert not good
    assert "failed" in said


def test_a_server_is_interrupted_and_a_block_with_a_reason_is_left_out(run):
    good, said = run(
        fenced("echo up; sleep 60 || exit 130", comment="runs until interrupted")
        + fenced("false", comment="not run: needs a cluster")
        + fenced("exit 3", comment="exit status: 3")
    )
    assert good, said
    assert "not run: needs a cluster" in said


def test_what_hangs_fails_and_nothing_is_left_of_it(run, tmp_path):
    place = tmp_path / "pid"
    good, said = run(fenced(f"setsid sleep 1000 &\necho $! > {place}\nwait"), limit=5.0)
    assert not good
    assert "still runs after 5 s" in said
    wait_until(
        lambda: not alive(int(place.read_text()))
    )  # it was killed, and ends when the kernel gets to it


def test_new_output_is_written_into_the_page(run, tmp_path):
    run(fenced("$ echo two\none\n$ echo three\n...", "console"), renew=True)
    text = Path(tmp_path, "root", "page.md").read_text()
    assert text == fenced("$ echo two\ntwo\n$ echo three\n...", "console")
