"""Slurm's topology.yaml (Slurm 25.05 and later): its trees as fabrics, and its blocks.

The file is a list of topologies, each of one kind. If several fit, the one with ``cluster_default: true``
is taken, as in Slurm. Lists of names have the same syntax as in topology.conf::

    - topology: racks
      cluster_default: true
      tree:
        switches:
        - switch: spine
          children: leaf[1-2]
        - switch: leaf1
          nodes: node[01-24]
    - topology: domains
      block:
        block_sizes: [18, 36]
        blocks:
        - block: b1
          nodes: node[01-18]

Source: Slurm, topology.yaml(5) and topology.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sortlast import _extras, _fabric, _memory
from sortlast._errors import ArgumentError
from sortlast._fabric import Node, SlurmLine, Topology

TAKEN_BY_YAML = 500  # max bytes of memory that PyYAML takes per byte of text
_LONGEST_PROMPT = 300  # characters
_KINDS = ("tree", "block", "flat")
_WORDS = (("nodes", "Nodes"), ("children", "Switches"))  # of a switch, here and in topology.conf


@dataclass(frozen=True)
class Blocks:
    """Blocks of Slurm's plugin topology/block: nodes with their own network, such as NVLink.

    Attributes:
        sizes: of a block and of the aggregates that Slurm forms, in nodes; empty: not given.
        nodes: names of the nodes of each block, by its name.
    """

    sizes: list[int]
    nodes: dict[str, list[str]]


def tree_lines(text: str, file: str) -> list[SlurmLine]:
    """The switches of the tree of a topology.yaml, as the equivalent lines of a topology.conf.

    Raises ArgumentError, with file and line, for a malformed file and one without a tree.
    """
    lines = []
    for entry in _entries(_chosen(text, file, "tree"), "switches", file):
        fields = entry.fields("switch", {"nodes", "children"})
        settings = [("switchname", fields["switch"])]
        settings += [(word.lower(), fields[key]) for key, word in _WORDS if key in fields]
        lines.append(SlurmLine(file, entry.line, settings))
    return lines


def _collected(sizes: list[int], listed: _Listed, file: str) -> Blocks:
    nodes: dict[str, list[str]] = {}
    block_of: dict[str, str] = {}
    for where, line, name, names in listed:
        if name in nodes:
            raise _malformed(where, line, f"a block {name!r} that is named once", "a second one")
        nodes[name] = _fabric.read_node_list("\n" * (line - 1) + names, where)
        for node in nodes[name]:
            if node in block_of:
                found = f"{node!r} in {block_of[node]!r} and {name!r}"
                raise _malformed(where, line, "each node once", found)
            block_of[node] = name
    if not nodes:
        raise _malformed(file, 1, "blocks of nodes", "none")
    return Blocks(sizes, nodes)


def write_topology_yaml(
    topology: Topology, nodes: Sequence[Node] | None = None, rail: str = "", name: str = "default"
) -> str:
    """A fabric as Slurm's topology.yaml, with one tree of that name.

    The other arguments and the errors are the same as in :func:`sortlast.fabric.write_slurm_topology`.
    """
    switches = []
    for line in _fabric.write_slurm_topology(topology, nodes, rail).splitlines():
        fields = dict(word.split("=", 1) for word in line.split())
        switch = {"switch": fields["SwitchName"]}
        switch |= {key: fields[word] for key, word in _WORDS if word in fields}
        switches.append(switch)
    return _written([{"topology": name, "cluster_default": True, "tree": {"switches": switches}}])


def write_blocks(blocks: Blocks, name: str = "default") -> str:
    """Blocks as Slurm's topology.yaml, with one topology of that name."""
    content: dict[str, Any] = {"block_sizes": blocks.sizes} if blocks.sizes else {}
    content["blocks"] = [
        {"block": block, "nodes": _fabric.fold_node_list(nodes)} for block, nodes in blocks.nodes.items()
    ]
    return _written([{"topology": name, "cluster_default": True, "block": content}])


def _written(topologies: Sequence[Mapping[str, Any]]) -> str:
    with _extras.needed("topology.yaml"):
        import yaml
    return str(yaml.safe_dump(topologies, sort_keys=False, width=2**20))


# --- YAML, with lines -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    """A mapping of the file."""

    file: str
    line: int
    items: dict[str, Any]  # nodes of PyYAML

    def fields(self, name: str, known: set[str]) -> dict[str, str]:
        """The texts of the required field ``name`` and of the ``known`` optional fields."""
        for key in self.items.keys() - known - {name}:
            expected = ", ".join(sorted({name, *known}))
            raise _malformed(self.file, _line(self.items[key]), expected, repr(key))
        if name not in self.items:
            raise _malformed(self.file, self.line, f"'{name}: NAME'", "an entry without it")
        found = {key: _text(node, self.file) for key, node in self.items.items()}
        if not re.fullmatch(r"\S+", found[name]):
            raise _malformed(self.file, self.line, f"a name of a {name} without blanks", repr(found[name]))
        return found


def _chosen(text: str, file: str, kind: str) -> _Entry:
    """The value of ``kind`` in the chosen topology."""
    found = []
    for node in _sequence(_composed(text, file), "a list of topologies", file):
        entry = _mapping(node, "a topology", file)
        for key in entry.items.keys() - {"topology", "cluster_default", *_KINDS}:
            wanted = ", ".join(("topology", "cluster_default", *_KINDS))
            raise _malformed(file, _line(entry.items[key]), wanted, repr(key))
        if kind in entry.items:
            found.append(entry)
    if not found:
        raise _malformed(file, 1, f"a topology with '{kind}:'", "none")
    default = [entry for entry in found if _is_default(entry)]
    return _mapping((default or found)[0].items[kind], f"what '{kind}:' has", file)


def _is_default(entry: _Entry) -> bool:
    node = entry.items.get("cluster_default")
    return node is not None and _text(node, entry.file).lower() == "true"


def _entries(entry: _Entry, key: str, file: str) -> Iterator[_Entry]:
    if key not in entry.items:
        raise _malformed(file, entry.line, f"'{key}:'", "a topology without it")
    nodes = _sequence(entry.items[key], f"a list of {key}", file)
    if not nodes:
        raise _malformed(file, entry.line, f"{key}", "none")
    for node in nodes:
        yield _mapping(node, f"one of the {key}", file)


def _composed(text: str, file: str) -> Any:
    with _extras.needed("topology.yaml"):
        import yaml
    _memory.check(
        file,
        f"{len(text):,} bytes of YAML",
        TAKEN_BY_YAML * len(text),
        _memory.limit(),
        "give it as a topology.conf",
    )
    try:
        return yaml.compose(_without_prompt(text), yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise ArgumentError(f"{file}:{line}: expected YAML: {error.problem}") from None
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise ArgumentError(f"{file}:1: expected YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise _malformed(file, 1, "topologies", "lists within lists without an end") from None


def _without_prompt(text: str) -> str:
    """The text without a leading shell prompt or comment; lines keep their numbers."""
    blank = len(text) - len(text.lstrip())
    end = text.find("\n", blank)
    try:  # the reader of topology.conf returns nothing for a prompt, and rejects the first line of YAML
        lines = _fabric.read_slurm_lines(text[blank : end if end >= 0 else None][:_LONGEST_PROMPT], "")
    except ArgumentError:
        return text
    return text if lines or end < 0 else "\n" * text.count("\n", 0, end) + text[end:]


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _text(node: Any, file: str) -> str:
    if not isinstance(node.value, str):
        raise _malformed(file, _line(node), "a text", "a list or a mapping")
    return node.value


def _sequence(node: Any, what: str, file: str) -> list[Any]:
    if node is None or node.id != "sequence":
        line = 1 if node is None else _line(node)
        raise _malformed(file, line, what, "nothing" if node is None else f"a {node.id}")
    return list(node.value)


def _mapping(node: Any, what: str, file: str) -> _Entry:
    if node.id != "mapping":
        raise _malformed(file, _line(node), f"{what} as 'key: value'", f"a {node.id}")
    items: dict[str, Any] = {}
    for key, value in node.value:
        name = _text(key, file)
        if name in items:
            raise _malformed(file, _line(key), f"'{name}:' once", "a second one")
        items[name] = value
    return _Entry(file, _line(node), items)


# --- blocks -----------------------------------------------------------------------------------------------

_Listed = list[tuple[str, int, str, str]]  # file, line, name of the block, list of nodes


def yaml_blocks(text: str, file: str) -> Blocks:
    """The blocks of a topology.yaml.

    Raises ArgumentError, with file and line, for a malformed file, one without blocks, a duplicate block
    name, and a node in two blocks.
    """
    block = _chosen(text, file, "block")
    sizes = []
    if "block_sizes" in block.items:
        sizes = [
            _size(_text(node, file), file, _line(node))
            for node in _sequence(block.items["block_sizes"], "a list of sizes", file)
        ]
    listed = []
    for entry in _entries(block, "blocks", file):
        fields = entry.fields("block", {"nodes"})
        if "nodes" not in fields:
            raise _malformed(file, entry.line, "'nodes: LIST'", "a block without it")
        listed.append((file, entry.line, fields["block"], fields["nodes"]))
    return _collected(sizes, listed, file)


def conf_blocks(lines: Sequence[SlurmLine], file: str) -> Blocks:
    """The blocks in lines of a topology.conf for the plugin topology/block. Raises like ``yaml_blocks``."""
    sizes: list[int] = []
    listed = []
    for line in lines:
        fields = dict(line.settings)
        for key in fields.keys() - {"blockname", "nodes", "blocksizes"}:
            raise _malformed(line.file, line.line, "BlockName=, Nodes= or BlockSizes=", repr(f"{key}="))
        if "blocksizes" in fields:
            sizes = [_size(each, line.file, line.line) for each in fields["blocksizes"].split(",")]
        elif fields.keys() != {"blockname", "nodes"}:
            raise _malformed(line.file, line.line, "'BlockName=NAME Nodes=LIST'", f"only {', '.join(fields)}")
        else:
            listed.append((line.file, line.line, fields["blockname"], fields["nodes"]))
    if not lines:
        raise _malformed(file, 1, "'BlockName=... Nodes=...' or a topology.yaml", "neither")
    return _collected(sizes, listed, file)


def _size(text: str, file: str, line: int) -> int:
    if not re.fullmatch("[1-9][0-9]{0,8}", text.strip()):
        raise _malformed(file, line, "a number of nodes", repr(text))
    return int(text)


def _malformed(file: str, line: int, expected: str, found: str) -> ArgumentError:
    return ArgumentError(f"{file}:{line}: expected {expected}, found {found}")
