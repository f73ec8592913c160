"""Readers of the files that fabric tools write. Errors name the file, the line and the expected text."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sortlast import _extras, _fabric, _memory
from sortlast._errors import ArgumentError, Error
from sortlast._fabric import Node, Pattern, Routes, SlurmLine, Topology
from sortlast.fabric import cable_files, gpu_adapters, node_labels, topology_yaml
from sortlast.fabric.nodes import Placement, place, unique
from sortlast.fabric.topology_yaml import Blocks

_TAKEN_BY_TEXT = 6  # bytes of memory per byte of text: raw, decoded and parsed
_PIECE = 1 << 20  # bytes per read
_MOST_INCLUDES = 1000  # in a topology.conf and the files that it includes
_DEEPEST_INCLUDE = 50  # files that include each other in a chain
_CA_ORDER = re.compile(r"^0x[0-9A-Fa-f]{1,8}\t", re.MULTILINE)

# Readers of the formats that name their cables, and of those that do not, by what _fabric.format_of() names.
_CABLES: dict[str, Callable[[str, str], Topology]] = {
    "UFM's list of links": cable_files.read_ufm_links,
    "NetQ's topology graph": cable_files.read_netq,
    "topology.dot": cable_files.read_dot,
}
_LABELS = ("labels of nodes", "NVIDIA topograph's model")


def is_file(text: str) -> bool:
    """Whether an option names a file, a pipe or standard input (``-``), and not a family or a list."""
    try:
        return text == "-" or (Path(text).exists() and not Path(text).is_dir())
    except OSError:  # a list longer than the longest path
        return False


def text_of(path: str | Path) -> str:
    """The text of a file, or of standard input if ``path`` is ``-``.

    The file may be compressed by gzip, xz or zstd (zstd needs the extra ``files``) and may start with the
    byte order mark of UTF-8 or UTF-16. Raises :class:`sortlast.Error` if the file cannot be read, is not
    text, or needs more than half of the available memory.
    """
    try:
        content = _standard_input() if str(path) == "-" else _content(path)
        return _decoded(path, content)
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror or error}") from error
    except MemoryError:
        raise Error(f"{path}: not enough memory to read it as text") from None


@cache
def _standard_input() -> bytes:
    """All of standard input, kept because several options may name it."""
    return _unpacked("-", _at_most("-", sys.stdin.buffer))


def _content(path: str | Path) -> bytes:
    with open(path, "rb") as file:
        return _unpacked(path, _at_most(path, file))


def _at_most(path: str | Path, file: IO[bytes]) -> bytes:
    """The whole content of a file or stream. Raises Error if it exceeds the memory limit."""
    most = _memory.limit()
    if most is not None and isinstance(file, io.BufferedReader):
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode):
            _check(path, status.st_size, most)
    pieces: list[bytes] = []
    total = 0
    while piece := file.read(_PIECE):
        total += len(piece)
        _check(path, total, most)
        pieces.append(piece)
    return b"".join(pieces)


def _check(path: str | Path, size: int, most: int | None) -> None:
    _memory.check(
        path,
        f"{size:,} bytes of text or more",
        _TAKEN_BY_TEXT * size,
        most,
        "read it where more memory is free",
    )


def _open_gzip(file: io.BytesIO, _: str) -> Any:
    return gzip.GzipFile(fileobj=file)


def _open_xz(file: io.BytesIO, what: str) -> Any:
    return _extras.lzma(what).LZMAFile(file)


def _open_zstd(file: io.BytesIO, what: str) -> Any:
    with _extras.needed(what):
        if sys.version_info >= (3, 14):
            import compression.zstd as zstd
        else:
            import backports.zstd as zstd
    return zstd.ZstdFile(file)


_PACKED: dict[bytes, tuple[str, Callable[[io.BytesIO, str], Any]]] = {
    b"\x1f\x8b": ("gzip", _open_gzip),
    b"\xfd7zXZ\0": ("xz", _open_xz),
    b"\x28\xb5\x2f\xfd": ("zstd", _open_zstd),
}


def _unpacked(path: str | Path, content: bytes) -> bytes:
    for magic, (kind, opened) in _PACKED.items():
        if not content.startswith(magic):
            continue
        try:
            with opened(io.BytesIO(content), f"{path} ({kind})") as file:
                return _at_most(path, file)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise Error(f"{path}: it is truncated or corrupt {kind} data ({error})") from None
        except Error:
            raise
        except Exception as error:  # by name, because their modules may be missing
            if type(error).__name__ not in ("LZMAError", "ZstdError"):
                raise
            raise Error(f"{path}: it is truncated or corrupt {kind} data ({error})") from None
    return content


def _decoded(path: str | Path, content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    if b"\0" in content[:_PIECE]:
        raise ArgumentError(f"{path}:1: expected text, found binary data")
    return content.decode("utf-8-sig", errors="replace")


def read(path: str | Path, node_name_map: str | Path | None = None, links: int | None = None) -> Topology:
    """Read a fabric.

    The content determines the format: output of ibnetdiscover (also ``-p``) and iblinkinfo, an ibsim netlist,
    a .lst or .db_csv of ibdiagnet, opensm-subnet.lst, UFM's links, NetQ's topology graph, a topology.dot,
    Slurm's topology, or labels of nodes as NVIDIA topograph writes them. If a topology.yaml has several
    trees, the cluster's default is read. Files that a topology.conf includes are read too. ``node_name_map``
    is a file of names by GUID, in the format of OpenSM's option of that name. ``links`` is the number of
    cables between two switches, which Slurm's files and labels do not state; the default is 1. Raises
    ArgumentError, with file and line, for any other format (the message names it, or lists the formats) and
    for a malformed line, and Error if a file cannot be read.
    """
    text, file = text_of(path), str(path)
    kind = _fabric.format_of(text)
    if kind == "topology.yaml":
        topology = _fabric.make_slurm_topology(topology_yaml.tree_lines(text, file), file, links or 1)
    elif kind in _LABELS:
        topology = node_labels.read_labels(text, file, links or 1)
    elif kind in _CABLES and links is None:
        topology = _CABLES[kind](text, file)
    elif kind == "topology.conf" or links is not None:
        topology = _fabric.make_slurm_topology(_slurm_lines(text, path), file, links or 1)
    else:
        topology = _fabric.read_topology(text, file)
    if node_name_map is None:
        return topology
    return topology.with_names(_fabric.read_node_name_map(text_of(node_name_map), str(node_name_map)))


def _slurm_lines(text: str, path: str | Path) -> list[SlurmLine]:
    """The lines of a topology.conf; the lines of an included file replace its Include."""
    left = _MOST_INCLUDES

    def lines_of(text: str, path: Path, above: tuple[Path, ...]) -> Iterator[SlurmLine]:
        nonlocal left
        for line in _fabric.read_slurm_lines(text, str(path)):
            key, name = line.settings[0]
            if key != "include":
                yield line
                continue
            included, where = path.parent / name, f"{line.file}:{line.line}"
            left -= 1
            if included in above:
                raise ArgumentError(f"{where}: expected Include of another file, found itself")
            if left < 0:
                raise ArgumentError(f"{where}: expected at most {_MOST_INCLUDES} Includes, found more")
            if len(above) > _DEEPEST_INCLUDE:
                raise ArgumentError(
                    f"{where}: expected at most {_DEEPEST_INCLUDE} nested Includes, found more"
                )
            try:
                content = text_of(included)
            except Error as error:
                raise Error(f"{where}: Include: {error}") from None
            yield from lines_of(content, included, (*above, included))

    return [*lines_of(text, Path(path), (Path(path),))]


def read_adapters(topology: Topology, path: str | Path) -> list[Node]:
    """Read which adapters each node has: lines "NODE RAIL GUID", or a host's name instead of its GUID.

    Hosts that the file omits belong to the nodes that :func:`find_nodes` returns. Raises like :func:`read`,
    and for hosts that the fabric does not have.
    """
    return list(_fabric.read_adapters(topology, text_of(path), str(path)))


def read_gpu_adapters(
    topology: Topology, path: str | Path, adapters: Sequence[Node] | None = None
) -> list[Node]:
    """Read which adapter each GPU of a node uses: NCCL_TOPO_DUMP_FILE, or output of ``nvidia-smi topo -m``.

    Returns the nodes with the adapters of their GPUs, in the order of the GPUs, for :func:`placement` with
    the rail "all": rank k of a node then uses the adapter of GPU k. The file describes one node, and all
    nodes are taken to be like it. ``adapters``: the nodes, from :func:`find_nodes` (the default) or
    :func:`read_adapters`. A GPU uses a nearest adapter that the fabric has; GPUs with the same nearest
    adapters share them out in order. Raises like :func:`read`, and if the fabric has none of the adapters.
    """
    machines = list(_fabric.find_nodes(topology)) if adapters is None else list(adapters)
    return gpu_adapters.gpu_nodes(topology, machines, text_of(path), str(path))


def read_counters(topology: Topology, path: str | Path) -> NDArray[np.int64]:
    """Read port counters: output of ``perfquery -x LID PORT`` or ``ibqueryerrors --counters``, or a .db_csv.

    Returns the bytes that each channel has carried, (channels,); -1 if its counter is unknown. Raises as
    :func:`read`, and for ports that the fabric does not have.
    """
    return _fabric.read_counters(topology, text_of(path), str(path))


def read_blocks(path: str | Path) -> Blocks:
    """Read the blocks of Slurm's topology.yaml, or of its topology.conf for the plugin topology/block.

    The accelerator domains in labels of nodes (see :func:`read`) are blocks too. Raises ArgumentError, with
    file and line, for other formats, a file without blocks, and a malformed line, and Error if the file
    cannot be read.
    """
    text, file = text_of(path), str(path)
    kind = _fabric.format_of(text)
    if kind == "topology.yaml":
        return topology_yaml.yaml_blocks(text, file)
    if kind in _LABELS:
        return node_labels.read_label_blocks(text, file)
    return topology_yaml.conf_blocks(_slurm_lines(text, path), file)


def read_routes(topology: Topology, path: str | Path) -> Routes:
    """Read forwarding tables: opensm-lfts.dump, .fdbs of OpenSM or ibdiagnet, output of dump_fts or ibroute.

    Raises like :func:`read`, and for switches that the fabric does not have.
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

    A name with blanks needs quotation marks, or a line of its own. Hostfiles have the format of Open MPI
    ("NODE slots=4"), MPICH ("NODE:4") or Slurm (one line per rank). "USER@" before a name and the domain
    after it are optional. A dummy in opensm-ftree-ca-order.dump becomes -1. The other arguments and the
    errors are the same as in :func:`placement`; errors name file and line.
    """
    text = text_of(path)
    if _CA_ORDER.search(text):
        return Placement(unique(topology, _fabric.read_ca_order(topology, text, str(path))))
    machines = _fabric.find_nodes(topology) if adapters is None else adapters
    entries = _fabric.read_hostfile(topology, text, str(path))
    return place(topology, machines, entries, rail, ranks_per_node, str(path))


def read_traffic(path: str | Path) -> Pattern:
    """Read traffic: one line "stage source destination [bytes]" per message, all numbered from 0.

    The highest number in the file determines how many participants there are. Raises like :func:`read`.
    """
    return _fabric.read_traffic(text_of(path), str(path))
