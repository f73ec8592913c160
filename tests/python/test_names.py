"""Names that a fabric's owner did not choose well: escape sequences, markup, and the same name twice."""

from __future__ import annotations

import json
import re

import pytest

from sortlast import fabric
from sortlast._shown import shown

ESCAPE = "\x1b]0;owned\x07\x1b[2J"
MARKUP = "a</script><b>&$\\frac{"
TURNED = "exe.\u202etxt"


@pytest.fixture
def net(tmp_path):
    """A fabric of four hosts: one with escapes, one with markup, and two of one name."""
    text = fabric.write_ibnetdiscover(fabric.assign_lids(fabric.k_ary_n_tree(2, 2)))
    for old, new in (
        ("host00000", ESCAPE),
        ("host00001", MARKUP + TURNED),
        ("host00002", "MT4119"),
        ("host00003", "MT4119"),
        ("sw-L2-0000", "Quantum"),
        ("sw-L2-0001", "Quantum"),
    ):
        text = text.replace(old, new)
    path = tmp_path / "net"
    path.write_text(text)
    return path


def assert_safe(text: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node 1", "node 1"),
        ("Zürich", "Zürich"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x9b2J", "\\x9b2J"),
        (TURNED, "exe.\\u202etxt"),
        ("\udc80", "\\udc80"),
    ],
)
def test_what_is_not_to_be_seen_is_escaped(text, expected):
    assert shown(text) == expected
    shown(text).encode()


def test_tables_show_names_escaped_and_tell_equal_ones_apart(net, cli):
    options = ("--net", net, "--engine", "minhop", "--schedule", "all-to-all")
    status, out, err = cli("fabric", "check", *options)
    assert status == 0
    assert_safe(out)
    assert not err
    named = re.findall(r"MT4119 HCA-1 \(0x[0-9a-f]{16}\)", out)
    assert len(set(named)) == 2
    status, out, _ = cli("fabric", "route", "--net", net, "--walk", "0x10000001,0x10000021")
    assert status == 0
    assert_safe(out)
    assert "\\x1b]0;owned\\x07" in out
    assert re.search(r"Quantum \(0x[0-9a-f]{16}\)", out)


@pytest.mark.parametrize("suffix", ["html", "svg"])
def test_pages_and_pictures_show_names_escaped(net, cli, tmp_path, suffix):
    path = tmp_path / f"fabric.{suffix}"
    assert cli("fabric", "draw", "--net", net, "--output", path)[0] == 0
    text = path.read_text()
    assert_safe(text)
    if suffix == "html":
        data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', text, re.DOTALL)[1])
        assert data["hosts"][0].startswith("\\x1b]0;owned\\x07")
        assert data["hosts"][1].startswith(MARKUP + "exe.\\u202etxt")
        assert len(set(data["hosts"])) == len(data["hosts"])
        assert len(set(data["switches"])) == len(data["switches"])
