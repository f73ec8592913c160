"""``sortlast icet --check``: the functions of IceT that a program calls, and whether ours has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import commands
from icet_programs import FUNCTIONS, shared
from refusals import refused

pytestmark = pytest.mark.usefixtures("icet_surroundings")


@pytest.mark.parametrize("part", ["bin/pvbatch", "lib/libvtkRemotingViews-pv5.11.so.1"])
def test_check_lists_what_is_called_and_what_is_there(tmp_path, part, install):
    made = install(tmp_path)
    done = commands.run(
        "icet", "--check", made.prefix / part, "--library", made.ours, "--json", tmp_path / "a.json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "has 3 of 3 functions of IceT that are called" in done.stdout
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["missing"] == []
    by = [str(made.views.resolve())]
    shown = [
        {**each, "called_by": [str(Path(place).resolve()) for place in each["called_by"]]}
        for each in found["functions"]
    ]
    assert shown == [{"name": name, "called_by": by, "has": True} for name in sorted(FUNCTIONS)]


def test_check_finds_what_ours_lacks(tmp_path, install):
    made = install(tmp_path, names=FUNCTIONS[:2])
    done = commands.run("icet", "--check", made.pvbatch, "--library", made.ours)
    assert done.returncode == 1
    (row,) = [line for line in done.stdout.splitlines() if "missing" in line]
    assert FUNCTIONS[2] in row


def test_check_of_what_calls_no_icet_is_refused(cli, tmp_path):
    alone = shared(tmp_path / "alone.so", "int f(void) { return 0; }\n")
    assert "calls no function of IceT" in refused(cli("icet", "--check", alone))
