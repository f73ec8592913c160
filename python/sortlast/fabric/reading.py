"""Files of the fabric's tools, by path. Errors have file, line and what was expected."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sortlast import _fabric, _memory
from sortlast._errors import Error
from sortlast._fabric import Node, Pattern, Routes, Topology
from sortlast.fabric import topology_yaml
from sortlast.fabric.nodes import Placement, place, unique
from sortlast.fabric.topology_yaml import Blocks

_GZIP = b"\x1f\x8b"
_TAKEN_BY_TEXT = 6  # bytes that a byte of text takes: as bytes, as text, and as what it says


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


def read(path: str | Path, node_name_map: str | Path | None = None, links: int | None = None) -> Topology:
    """Read a fabric: ibnetdiscover output, an ibsim netlist, opensm-subnet.lst, or Slurm's topology.

    The format is recognised by the content; of a topology.yaml with several trees the cluster's default is
    read. ``node_name_map``: a file with names by GUID, as OpenSM's option of that name takes it. ``links``:
    cables between two switches, which Slurm's files do not tell; without it 1. Raises ArgumentError, with
    file and line, if it is none of these or a line is malformed, and Error if a file cannot be read.
    """
    text, file = text_of(path), str(path)
    if topology_yaml.is_topology_yaml(text):
        topology = _fabric.read_slurm_topology(topology_yaml.as_topology_conf(text, file), file, links or 1)
    elif links is not None:
        topology = _fabric.read_slurm_topology(text, file, links)
    else:
        topology = _fabric.read_topology(text, file)
    if node_name_map is None:
        return topology
    return topology.with_names(_fabric.read_node_name_map(text_of(node_name_map), str(node_name_map)))


def read_adapters(topology: Topology, path: str | Path) -> list[Node]:
    """Read which adapters are in which node: lines "NODE RAIL GUID", or with a host's name for its GUID.

    Hosts that it leaves out are in the nodes that :func:`find_nodes` finds. Raises as :func:`read`, and for
    hosts that the fabric does not have.
    """
    return list(_fabric.read_adapters(topology, text_of(path), str(path)))


def read_counters(topology: Topology, path: str | Path) -> NDArray[np.int64]:
    """Read port counters: what ``perfquery -x LID PORT`` or ``ibqueryerrors --counters`` printed.

    Returns the bytes that each channel has carried, (channels,); -1 where no counter is known. Raises as
    :func:`read`, and for ports that the fabric does not have.
    """
    return _fabric.read_counters(topology, text_of(path), str(path))


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


def read_nodes(
    topology: Topology,
    path: str | Path,
    *,
    rail: str | None = None,
    ranks_per_node: int | None = None,
    adapters: Sequence[Node] | None = None,
) -> Placement:
    """Read the nodes of a job: names or bracket lists, a hostfile, or a routing order of OpenSM.

    A name with blanks stands in quotation marks, or alone on its line. Hostfiles are those of Open MPI
    ("NODE slots=4"), MPICH ("NODE:4") and Slurm (a line a rank, the same node on several). Of
    opensm-ftree-ca-order.dump the dummies are -1. The other arguments, and errors, as of :func:`placement`;
    they name file and line.
    """
    text = text_of(path)
    if text.lstrip().startswith("0x") and "\t" in text.lstrip().partition("\n")[0]:
        return Placement(unique(topology, _fabric.read_ca_order(topology, text, str(path))))
    machines = _fabric.find_nodes(topology) if adapters is None else adapters
    entries = _fabric.read_hostfile(topology, text, str(path))
    return place(topology, machines, entries, rail, ranks_per_node, str(path))


def read_traffic(path: str | Path) -> Pattern:
    """Read traffic: a line "stage source destination [bytes]" a message, all numbered from 0.

    Its participants are those up to the highest that it names. Raises as :func:`read`.
    """
    return _fabric.read_traffic(text_of(path), str(path))
