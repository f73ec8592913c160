"""The bar of long jobs: what it shows, where it shows nothing, and that there is no other one."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

from sortlast.cli import _progress

ROOT = Path(__file__).parents[2]
SHOWN_AGAIN = "\x1b[?25h"  # the cursor


@pytest.fixture
def terminal(monkeypatch):
    """Standard error that rich takes for a terminal of 100 columns, without colours."""
    for name, value in {"TTY_COMPATIBLE": "1", "COLUMNS": "100", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def pipe(monkeypatch):
    """Standard error that is none."""
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def told(capsys):
    """What went to standard error; standard output gets nothing."""
    out, error = capsys.readouterr()
    assert out == ""
    return error


@pytest.mark.parametrize("transient", [False, True])
def test_a_terminal_sees_all_of_it_and_gets_its_cursor_back(terminal, capsys, transient):
    with suppress(KeyError), _progress.bar("job [1]", transient=transient) as bar:
        bar.tell("part [2]", 1, 4)
        raise KeyError
    shown = told(capsys)
    line = re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", shown).replace("\r", "\n").strip().splitlines()[-1]
    assert re.fullmatch(r"job \[1\] ━+[╸╺ ━]* +25% \d:\d\d:\d\d (-:--:--|\d:\d\d:\d\d) part \[2\] *", line)
    assert shown.rfind(SHOWN_AGAIN) > shown.rfind("\x1b[?25l") >= 0
    cleared = shown.endswith("\x1b[1A\x1b[2K")
    assert cleared == transient


def test_a_pipe_gets_the_last_state_of_a_bar_that_stays(pipe, capsys):
    with _progress.bar("job") as bar:
        assert bar(1, 3)
        bar.tell("the end", 3, 3)
    (line,) = told(capsys).splitlines()
    assert re.fullmatch(r"job ━+ 100% 0:00:00 0:00:00 the end *", line)


def test_what_is_too_long_is_cut_at_its_end(pipe, capsys):
    with _progress.bar("a title of some length") as bar:
        bar.tell("word " * 20, 3, 4)
    (line,) = told(capsys).splitlines()
    assert len(line) == 100
    assert re.match(r"a title of some length ━{15}[╸╺ ━]{5}  75% \S+ \S+ (word )+", line)
    assert line.endswith("…")


def test_a_pipe_gets_nothing_of_a_bar_that_goes(pipe, capsys):
    with _progress.bar("job", transient=True) as bar:
        assert bar(0.5)
    with _progress.waiting("waiting"):
        pass
    assert told(capsys) == ""


def test_other_ranks_show_nothing(terminal, capsys):
    with _progress.bar("job", enabled=False) as bar:
        assert bar(0.5)
        bar.tell("part", 1)
    assert told(capsys) == ""


def test_there_is_one_bar():
    folders = (ROOT / "python/sortlast", ROOT / "studies/sortlast_studies")
    makers = [
        path.name for each in folders for path in each.rglob("*.py") if "rich.progress" in path.read_text()
    ]
    assert makers == ["_progress.py"]
