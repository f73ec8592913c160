"""Text files from standard input, pipes, and compressed; completion; tables that break no word."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys

import pytest

import commands
from sortlast import ArgumentError, Error, _memory, fabric
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


def zstd(content):
    if sys.version_info >= (3, 14):
        from compression import zstd as package
    else:
        from backports import zstd as package
    return package.compress(content)


PACKED = {"gzip": gzip.compress, "xz": lzma.compress, "zstd": zstd}


@pytest.mark.parametrize("kind", PACKED)
def test_text_may_be_compressed(kind, tmp_path, monkeypatch):
    path = tmp_path / "net"  # known by its content, not by its name
    text = "".join(f"line {i}\n" for i in range(1000))
    path.write_bytes(PACKED[kind](text.encode()))
    assert fabric.text_of(path) == text
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(Error, match=f"net: it is truncated or corrupt {kind} data"):
        fabric.text_of(path)
    path.write_bytes(PACKED[kind](bytes(10_000_000)))
    monkeypatch.setattr(_memory, "limit", lambda: 6_000_000)
    with pytest.raises(Error, match=r"net: 1,048,576 bytes of text or more need 6.0 MiB") as error:
        fabric.text_of(path)
    assert "--memory" not in str(error.value)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="zstd is in the standard library")
def test_zstd_may_be_missing_among_other_backports(tmp_path, monkeypatch):
    (tmp_path / "net").write_bytes(zstd(b"text"))
    (tmp_path / "backports").mkdir()
    (tmp_path / "backports" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    for name in [each for each in sys.modules if each.partition(".")[0] == "backports"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(Error, match=r"net \(zstd\) needs the package backports.zstd: pip install"):
        fabric.text_of(tmp_path / "net")


def test_a_python_without_lzma_lacks_xz_alone(tmp_path):
    (tmp_path / "net").write_bytes(lzma.compress(b"text"))
    code = (
        "import sys; sys.modules['lzma'] = sys.modules['_lzma'] = None\n"
        "from sortlast import Error, fabric, image_files\n"
        "try: fabric.text_of('net')\n"
        "except Error as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.startswith("net (xz) needs Python's module lzma, and this Python was built without it")


def test_plain_text_has_a_limit_before_any_of_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "net"
    with path.open("wb") as file:
        file.truncate(1 << 43)
    with pytest.raises(Error, match=r"net: 8,796,093,022,208 bytes of text or more need .* of memory"):
        fabric.text_of(path)
    monkeypatch.setattr(_memory, "limit", lambda: 6_000_000)
    with pytest.raises(Error, match="zero: 1,048,576 bytes of text or more"):
        fabric.text_of("/dev/zero")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_may_have_a_byte_order_mark(encoding, netlist, tmp_path):
    path = tmp_path / "net"
    path.write_text(netlist.replace("host00001", "h\u00e9"), encoding=encoding)
    assert fabric.read(path).hosts[1].name.startswith("h\u00e9 ")


def test_binary_data_are_not_text(tmp_path):
    path = tmp_path / "net"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    with pytest.raises(Error, match="net:1: expected text, found binary data"):
        fabric.read(path)


def test_errors_cut_long_names(tmp_path):
    path = tmp_path / "net"
    for text in (f"{'x' * 2**20}\n", f"- topology: t\n  tree: {{switches: [{{{'x y' * 2**18}: n}}]}}\n"):
        path.write_text(text)
        with pytest.raises(Error) as error:
            fabric.read(path)
        assert len(str(error.value)) < 1000
    long = "n" * 2**20
    assert str(ArgumentError(f"no host '{long}' here")) == f"no host '{'n' * 119}...{'n' * 39}' here"
    assert len(str(Error(f"{long} 'it's {long}'"))) < 1000


def test_what_names_a_file(tmp_path):
    assert reading.is_file("-")
    assert reading.is_file("/dev/null")
    assert not reading.is_file(str(tmp_path))
    assert not reading.is_file("host[" + "0," * 5000 + "]")


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
