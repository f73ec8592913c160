"""Files of the fabric's tools, by path. Errors have file, line and what was expected."""

from __future__ import annotations

import re
from pathlib import Path

from sortlast import _fabric
from sortlast._errors import Error
from sortlast._fabric import Pattern, Routes, Topology
from sortlast.fabric.nodes import placement, unique

_ONE_RANK = re.compile(r"(?<=\S)(:1|[ \t]+slots=1)(?=\s|$)")  # behind each host of a hostfile


def text_of(path: str | Path) -> str:
    """The text of a file. Raises :class:`sortlast.Error` if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror}") from error


def read(path: str | Path) -> Topology:
    """Read a fabric: ibnetdiscover output, an ibsim netlist, opensm-subnet.lst, or Slurm's topology.conf.

    The format is recognised by the content. Raises ArgumentError, with file and line, if it is none of these
    or a line is malformed, and Error if the file cannot be read.
    """
    return _fabric.read_topology(text_of(path), str(path))


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
