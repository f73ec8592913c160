"""Files of the fabric's tools, by path. Errors have file, line and what was expected."""

from __future__ import annotations

import gzip
import io
import re
import sys
import zlib
from functools import cache
from pathlib import Path

from sortlast import _fabric, _memory
from sortlast._errors import Error
from sortlast._fabric import Pattern, Routes, Topology
from sortlast.fabric import topology_yaml
from sortlast.fabric.nodes import placement, unique
from sortlast.fabric.topology_yaml import Blocks

_GZIP = b"\x1f\x8b"
_TAKEN_BY_TEXT = 6  # bytes that a byte of text takes: as bytes, as text, and as what it says
_ONE_RANK = re.compile(r"(?<=\S)(:1|[ \t]+slots=1)(?=\s|$)")  # behind each host of a hostfile


def is_file(text: str) -> bool:
    """Whether an option names a file, a pipe or standard input (``-``), and not a family or a list."""
    try:
        return text == "-" or (Path(text).exists() and not Path(text).is_dir())
    except OSError:  # a list that is longer than a path may be
        return False


def text_of(path: str | Path) -> str:
    """The text of a file, unpacked if it is gzip's, or of standard input if ``path`` is ``-``.

    Raises :class:`sortlast.Error` if it cannot be read, or would take more than half of the available memory.
    """
    try:
        content = _standard_input() if str(path) == "-" else Path(path).read_bytes()
        if content.startswith(_GZIP):
            content = _unpacked(path, content)
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror or error}") from error
    return content.decode("utf-8", errors="replace")


@cache
def _standard_input() -> bytes:
    """All of standard input, which several options may name."""
    return sys.stdin.buffer.read()


def _unpacked(path: str | Path, content: bytes) -> bytes:
    most = _memory.limit()
    try:
        with gzip.open(io.BytesIO(content)) as file:
            found = file.read(-1 if most is None else most // _TAKEN_BY_TEXT)
            if most is not None and file.read(1):
                _memory.check(path, f"its more than {len(found):,} bytes of text", most + 1, most)
    except (EOFError, zlib.error) as error:
        raise Error(f"{path}: it is cut off or damaged ({error}); get it anew") from None
    return found


def read(path: str | Path) -> Topology:
    """Read a fabric: ibnetdiscover output, an ibsim netlist, opensm-subnet.lst, or Slurm's topology.

    The format is recognised by the content. Slurm's topology.conf and topology.yaml have one cable a link; of
    a topology.yaml with several trees the cluster's default is read. Raises ArgumentError, with file and
    line, if it is none of these or a line is malformed, and Error if the file cannot be read.
    """
    text = text_of(path)
    if topology_yaml.is_topology_yaml(text):
        return _fabric.read_slurm_topology(topology_yaml.as_topology_conf(text, str(path)), str(path))
    return _fabric.read_topology(text, str(path))


def read_blocks(path: str | Path) -> Blocks:
    """Read the blocks of Slurm's topology.yaml, or of its topology.conf for the plugin topology/block.

    Raises ArgumentError, with file and line, if it is neither, has no blocks, or a line is malformed, and
    Error if the file cannot be read.
    """
    return topology_yaml.blocks_of(text_of(path), str(path))


def read_routes(topology: Topology, path: str | Path) -> Routes:
    """Read forwarding tables: opensm-lfts.dump, opensm.fdbs, or what dump_fts or ibroute print.

    Raises as :func:`read`, and for switches that the fabric does not have.
    """
    return _fabric.read_routes(topology, text_of(path), str(path))


def read_nodes(topology: Topology, path: str | Path) -> list[int]:
    """Read a list of hosts: names or bracket lists over any lines, a hostfile, or opensm-ftree-ca-order.dump.

    A name with blanks stands in quotation marks. A hostfile ("HOST:1", "HOST slots=1") has one rank a host.
    Of OpenSM's dump the dummies are -1. Raises as :func:`read`, and for hosts that the fabric does not have.
    """
    text = text_of(path)
    if text.lstrip().startswith("0x") and "\t" in text.lstrip().partition("\n")[0]:
        return unique(topology, _fabric.read_ca_order(topology, text, str(path)))
    return placement(topology, _fabric.read_node_list(_ONE_RANK.sub("", text), str(path)))


def read_traffic(path: str | Path) -> Pattern:
    """Read traffic: a line "stage source destination [bytes]" a message, all numbered from 0.

    Its participants are those up to the highest that it names. Raises as :func:`read`.
    """
    return _fabric.read_traffic(text_of(path), str(path))
