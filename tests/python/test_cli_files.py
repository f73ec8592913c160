"""Text files from standard input, pipes and gzip; completion; tables that break no word."""

from __future__ import annotations

import gzip
import json

import pytest

import commands
from sortlast import Error, _memory, fabric
from sortlast.cli import _terminal
from sortlast.fabric import reading

TREE = "k-ary-n-tree:4,2"


def sortlast(*arguments, **options):
    return commands.run(*arguments, text=False, **options)


@pytest.fixture
def netlist():
    return fabric.write_ibsim(fabric.make_topology(TREE))


def test_a_fabric_comes_from_standard_input_or_gzip(netlist, tmp_path):
    (tmp_path / "net").write_text(netlist)
    (tmp_path / "net.gz").write_bytes(gzip.compress(netlist.encode()))
    told = []
    for net, given in (
        ("net", b""),
        ("net.gz", b""),
        ("-", netlist.encode()),
        ("/dev/stdin", netlist.encode()),
    ):
        done = sortlast("fabric", "check", "--net", net, "--json", "a.json", given=given, folder=tmp_path)
        assert done.returncode == 0, done
        told.append(json.loads((tmp_path / "a.json").read_text()) | {"fabric": ""})
    assert told == told[:1] * 4


def test_lists_of_nodes_and_traffic_do_too(tmp_path):
    nodes = b"host00003\nhost00001\n"
    done = sortlast(
        "fabric", "check", "--net", TREE, "--nodes", "-", "--json", "a.json", given=nodes, folder=tmp_path
    )
    assert done.returncode == 0, done
    assert json.loads((tmp_path / "a.json").read_text())["participants"] == 2
    goal = b"num_ranks 2\nrank 0 {\na: send 100b to 1\n}\nrank 1 {\nb: recv 100b from 0\n}\n"
    done = sortlast("simulate", "-", "--net", TREE, "--json", "a.json", given=goal, folder=tmp_path)
    assert done.returncode == 0, done
    assert json.loads((tmp_path / "a.json").read_text())["messages"] == 1


def test_damaged_gzip_and_gzip_that_grows_past_memory_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "net.gz"
    path.write_bytes(gzip.compress(b"x" * 1000)[:-12])
    with pytest.raises(Error, match=r"net.gz: it is cut off or damaged"):
        fabric.text_of(path)
    path.write_bytes(gzip.compress(bytes(10_000_000)))
    monkeypatch.setattr(_memory, "limit", lambda: 6_000_000)
    with pytest.raises(Error, match=r"net.gz: its more than 1,000,000 bytes of text need .* of memory"):
        fabric.text_of(path)


def test_what_names_a_file(tmp_path):
    assert reading.is_file("-")
    assert reading.is_file("/dev/null")
    assert not reading.is_file(str(tmp_path))
    assert not reading.is_file("host[" + "0," * 5000 + "]")


def test_a_fabric_to_build_is_named_as_for_other_commands(cli):
    assert cli("fabric", "build", TREE)[:2] == cli("fabric", "build", "--net", TREE)[:2]
    status, _, err = cli("fabric", "build")
    assert (status, "name one fabric" in " ".join(err.split())) == (2, True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_commands(shell):
    variables = {
        "_SORTLAST_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": "sortlast fab",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "sortlast fab",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = sortlast(variables=variables)
    assert b"fabric" in done.stdout, done


def test_no_word_of_a_table_is_broken(capsys):
    from sortlast.cli.fabric import _show

    words = [f"a-name-of-{k}-that-is-rather-long-for-a-column" for k in range(6)]
    _terminal.console().print(_show.table("", [(word[:3], "left") for word in words], [words]))
    out = capsys.readouterr().out
    assert all(word in out for word in words)
