"""``sortlast fabric route --for``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json

import pytest

from refusals import refused

ROUTE = ("fabric", "route", "--net", "k-ary-n-tree:12,2")
NODES = "host[00000-00127]"


def test_tables_that_check_finds_free(cli, tmp_path):
    tables, told = tmp_path / "t.lfts", tmp_path / "t.json"
    status, out, _ = cli(*ROUTE, "--for", "binary-swap", "--nodes", NODES, "--output", tables, "--json", told)
    assert status == 0
    assert f"wrote {tables}" in out
    report = json.loads(told.read_text())
    assert report["credit loop"] == "none"
    assert report["binary-swap"].startswith("CONTENTION-FREE")
    assert report["used"].startswith("made for binary-swap")
    check = ("fabric", "check", "--net", "k-ary-n-tree:12,2", "--nodes", NODES, "--schedule", "binary-swap")
    assert cli(*check, "--lft", tables)[0] == 0
    assert cli(*check, "--engine", "ftree")[0] == 1


def told(cli, schedules, nodes):
    status, out, _ = cli("fabric", "route", "--net", "pgft:3,4;1,3;1,1", "--for", schedules, "--nodes", nodes)
    assert status == 0
    return " ".join(out.split())


def test_several_schedules_and_what_is_known(cli):
    words = told(cli, "radix-k:2,5,shift", "host[00000-00009]")
    assert "radix-k:2,5 nothing is lost: 4 flows share the hosts' own links alone" in words
    assert "shift CONTENTION-FREE" in words
    assert "better tables none: only the hosts' own links make flows wait" in words
    words = told(cli, "shift", "host[00000-00010]")
    assert "shift CONTENDED: 2 flows on a link, at least 1; 8 of 10 stages at their bound" in words
    assert "better tables not known; none take less than" in words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--for", "binary-swap", "--lmc", "1"), "--lmc and --for"),
        (("--for", "binary-swap,,shift"), "a name missing"),
        (("--for", "quick-swap"), "quick-swap"),
        (("--for", "binary-swap", "--nodes", "nobody"), "nobody"),
        (("--for", "shift", "--compute", "leaves"), "--compute and --for"),
    ],
)
def test_what_is_refused(cli, arguments, message):
    assert message in refused(cli(*ROUTE, *arguments))
