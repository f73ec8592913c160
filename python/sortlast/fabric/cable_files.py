"""Lists of cables in JSON and DOT: UFM's links, NetQ's topology graph, and topology.dot of Cumulus Linux.

UFM (``/ufmRest/resources/links``)::

    [{"source_guid": "0c42a103001b7ab6", "source_port": "1", "source_port_dname": "HCA-2/1",
      "source_port_node_description": "n0395 mlx5_10", "destination_guid": "0c42a103009d7af6",
      "destination_port": "19", "destination_port_dname": "19",
      "destination_port_node_description": "leaf-10:19", "width": "4x", ...}, ...]

NetQ (``/netq/telemetry/v1/object/topologygraph``)::

    [{"nodes": [{"compounded_nodes": [{"id": "node0", "name": "leaf1", "device_type": "switch"}, ...]}, ...],
      "links": [{"compounded_links": [{"id": "node0:swp1-*-node2:ens4f0np0", "interfaces": [
          {"node": "node0", "interface": "swp1"}, {"node": "node2", "interface": "ens4f0np0"}]}]}, ...]}]

topology.dot (the file of ptmd, and what scripts write from the neighbours that LLDP finds)::

    graph dc1 {
      "leaf01" [function="leaf"]
      "server01":"eth1" -- "leaf01":"swp1"
      "leaf01":"swp51" -- "spine01":"swp1"
    }

The last two name ports. A port of a switch has the number at the end of its name ("swp51": 51) if all names
of the switch have different ones, and else its position among them. A port of any other node is a host of
its own, with the port as its rail. Cables of the management network are left out: nodes whose function or
name begins with "oob", and the ports eth0 and mgmt of switches. Sources: NVIDIA UFM Enterprise REST API,
Links; NVIDIA/topograph, pkg/providers/netq; Cumulus Linux, Prescriptive Topology Manager.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sortlast import _fabric, _memory
from sortlast._errors import ArgumentError
from sortlast._fabric import CableRecord, NodeRecord, Topology
from sortlast._shown import shown

_TAKEN_BY_JSON = 30  # max bytes of memory per byte of text
_WIDEST = 4096  # highest number of a port that is taken from its name


# --- JSON -------------------------------------------------------------------------------------------------


def json_of(text: str, file: str) -> Any:
    """The value of a JSON text. Raises ArgumentError, with file and line, if it is malformed."""
    _memory.check(file, f"{len(text):,} bytes of JSON", _TAKEN_BY_JSON * len(text), _memory.limit())
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ArgumentError(f"{file}:{error.lineno}: expected JSON: {error.msg}") from None
    except (RecursionError, ValueError):  # a number of too many digits
        raise malformed(file, 1, "JSON", "lists or numbers without an end") from None


def records_of(text: str, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON list, each with its line."""
    values = json_of(text, file)
    if not isinstance(values, list):
        raise malformed(file, 1, "a list of links", f"a {type(values).__name__}")
    # Whatever lies before it is well-formed, so the decoder of single values finds every object again.
    decoder = json.JSONDecoder()
    at, line, counted = text.index("[") + 1, 1, 0
    for value in values:
        at = _skip(text, at)
        line += text.count("\n", counted, at)
        counted = at
        if not isinstance(value, dict):
            raise malformed(file, line, "an object ({..})", f"a {type(value).__name__}")
        yield line, value
        at = decoder.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n,":
        at += 1
    return at


def line_of(text: str, what: str) -> int:
    """The line of the first occurrence of ``what``; 1 if it does not occur."""
    return text.count("\n", 0, max(0, text.find(what))) + 1


def malformed(file: str, line: int, expected: str, found: str) -> ArgumentError:
    """The error for a malformed file."""
    return ArgumentError(f"{file}:{line}: expected {expected}, found {shown(found)}")


# --- UFM --------------------------------------------------------------------------------------------------


def read_ufm_links(text: str, file: str) -> Topology:
    """The fabric of UFM's list of links. Raises ArgumentError with file and line."""
    nodes: dict[str, NodeRecord] = {}
    switches: dict[str, bool] = {}
    cables = []
    for line, link in records_of(text, file):
        ends: list[tuple[str, int]] = []
        for side in ("source", "destination"):
            guid, port = _guid(link, f"{side}_guid", file, line), _port(link, f"{side}_port", file, line)
            name, shown_port = (
                str(link.get(f"{side}_port_{what}", "")) for what in ("node_description", "dname")
            )
            adapter = shown_port.upper().startswith("HCA") or name.endswith("Aggregation Node")
            if not adapter:
                name = name.removesuffix(f":{shown_port}").removesuffix(f":{port}")
            if switches.setdefault(guid, not adapter) == adapter:
                found = "another kind of port than in an earlier link"
                raise malformed(file, line, f"a port of {'a switch' if adapter else 'an adapter'}", found)
            nodes.setdefault(guid, NodeRecord(guid, name, int(guid, 16), not adapter, line))
            ends.append((guid, port))
        (a, a_port), (b, b_port) = ends
        cables.append(CableRecord(a, a_port, b, b_port, 0.0, line))
    if not cables:
        raise malformed(file, 1, "links (source_guid, ..)", "none")
    return _fabric.make_net(list(nodes.values()), cables, file)


def _guid(link: dict[str, Any], key: str, file: str, line: int) -> str:
    text = str(link.get(key, "nothing")).lower().removeprefix("0x")
    if not re.fullmatch(r"[0-9a-f]{1,16}", text) or int(text, 16) == 0:
        raise malformed(file, line, f"a GUID in hex for {key}", repr(text))
    return f"{int(text, 16):016x}"


def _port(link: dict[str, Any], key: str, file: str, line: int) -> int:
    text = str(link.get(key, "nothing"))
    if not re.fullmatch(r"[0-9]{1,5}", text):
        raise malformed(file, line, f"the number of a port for {key}", repr(text))
    return int(text)


# --- ports with names -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cable:
    """A cable between two ports, each a node and the name of one of its ports."""

    ends: tuple[tuple[str, str], tuple[str, str]]
    line: int


def _net(cables: Sequence[_Cable], names: dict[str, str], switches: set[str], file: str) -> Topology:
    """The fabric of cables between named ports; ``names``: of nodes by id, if they differ."""
    ports: dict[str, dict[str, None]] = {}
    for cable in cables:
        for node, port in cable.ends:
            ports.setdefault(node, {})[port] = None
    numbers = {node: _numbers(list(of_node)) for node, of_node in ports.items()}
    line = {node: cable.line for cable in reversed(cables) for node, _ in cable.ends}
    records = {}
    for node, of_node in ports.items():
        name = names.get(node, node)
        if node in switches:
            records[node] = NodeRecord(node, name, 0, True, line[node])
            continue
        for port in of_node:
            host = f"{node} {port}"
            records[host] = NodeRecord(host, f"{name} {port}", 0, False, line[node])

    def end(node: str, port: str) -> tuple[str, int]:
        return (node, numbers[node][port]) if node in switches else (f"{node} {port}", 1)

    made = []
    for cable in cables:
        (a, a_port), (b, b_port) = (end(*each) for each in cable.ends)
        if a != b:  # a cable from a switch to itself
            made.append(CableRecord(a, a_port, b, b_port, 0.0, cable.line))
    if not made:
        raise malformed(file, 1, "cables between switches, or of hosts", "none")
    return _fabric.make_net(list(records.values()), made, file)


def _numbers(names: Sequence[str]) -> dict[str, int]:
    """Numbers of the ports of one node, from 1."""
    ends = [re.fullmatch(r"[A-Za-z_-]*([0-9]{1,4})", name) for name in names]
    numbers = [0 if end is None else int(end[1]) for end in ends]
    if len({*numbers}) == len(numbers) and min(numbers) >= 1 and max(numbers) <= _WIDEST:
        return dict(zip(names, numbers, strict=True))
    ordered = sorted(names, key=lambda name: [(len(part), part) for part in re.split(r"(\d+)", name)])
    return {name: number for number, name in enumerate(ordered, 1)}


# --- NetQ -------------------------------------------------------------------------------------------------


def read_netq(text: str, file: str) -> Topology:
    """The fabric of NetQ's topology graph. Raises ArgumentError with file and line."""
    graphs = json_of(text, file)
    names, switches = {}, set()
    cables = []
    for graph in graphs if isinstance(graphs, list) else [graphs]:
        for node in _parts(graph, "nodes", "compounded_nodes", text, file):
            key = _text(node, "id", text, file)
            names[key] = _text(node, "name", text, file)
            if node.get("device_type") == "switch":
                switches.add(key)
        for link in _parts(graph, "links", "compounded_links", text, file):
            ends = _list(link, "interfaces", text, file)
            where = line_of(text, f'"{link.get("id", "interfaces")}"')
            if len(ends) != 2:
                raise malformed(file, where, "a link with two interfaces", str(len(ends)))
            pairs = [(_text(end, "node", text, file), _text(end, "interface", text, file)) for end in ends]
            cables.append(_Cable((pairs[0], pairs[1]), where))
    for cable in cables:
        for key, _ in cable.ends:
            if key not in names:
                raise malformed(file, cable.line, "a node of the list 'nodes'", repr(key))
    return _net(cables, names, switches, file)


def _parts(graph: Any, key: str, inner: str, text: str, file: str) -> Iterator[dict[str, Any]]:
    """The objects of a list, or those of the lists inside them."""
    for each in _list(graph, key, text, file):
        yield from _list(each, inner, text, file) if isinstance(each, dict) and inner in each else [each]


def _list(value: Any, key: str, text: str, file: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, list):
        raise malformed(file, line_of(text, f'"{key}"'), f"a list {key!r}", "something else")
    return found


def _text(value: Any, key: str, text: str, file: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, str) or not found.strip() or '"' in found:
        raise malformed(file, line_of(text, f'"{key}"'), f"a text {key!r}", f"{found!r}")
    return found


# --- DOT --------------------------------------------------------------------------------------------------

_WORD = r'(?:"[^"\n]*"|[A-Za-z0-9_.-]+?)'
_EDGE = re.compile(
    rf"\s*({_WORD})\s*:\s*({_WORD})\s*(--|->)\s*({_WORD})\s*:\s*({_WORD})\s*(?:\[[^\]]*\])?\s*;?\s*"
)
_NODE = re.compile(rf"\s*({_WORD})\s*\[(.*)\]\s*;?\s*")
_FUNCTION = re.compile(r'function\s*=\s*"?([A-Za-z0-9_-]+)')
_SWITCH_PORT = re.compile(r"(swp|Ethernet|Eth|et-|xe-|ge-|fp-|HundredGig|FortyGig|TenGig)\d")
_MANAGEMENT = re.compile(r"(eth0|mgmt\w*|Management\d+|me0|fxp0)")


def read_dot(text: str, file: str) -> Topology:
    """The fabric of a topology.dot. Raises ArgumentError with file and line."""
    cables = []
    functions: dict[str, str] = {}
    for number, line in _statements(text):
        if edge := _EDGE.fullmatch(line):
            a, a_port, _, b, b_port = (word.strip('"').strip() for word in edge.groups())
            if not all((a, a_port, b, b_port)):
                raise malformed(file, number, '"NODE":"PORT" -- "NODE":"PORT"', repr(line.strip()))
            cables.append(_Cable(((a, a_port), (b, b_port)), number))
        elif node := _NODE.fullmatch(line):
            function = _FUNCTION.search(node[2])
            functions[node[1].strip('"').strip()] = "" if function is None else function[1].lower()
        elif "--" in line or "->" in line:
            raise malformed(file, number, '"NODE":"PORT" -- "NODE":"PORT"', repr(line.strip()))
    switches = {
        node
        for cable in cables
        for node, port in cable.ends
        if _SWITCH_PORT.match(port) and functions.get(node, "") not in ("host", "server")
    }

    def managed(node: str, port: str) -> bool:
        out_of_band = functions.get(node, "").startswith("oob") or node.lower().startswith("oob")
        return out_of_band or (node in switches and _MANAGEMENT.fullmatch(port) is not None)

    kept = [cable for cable in cables if not any(managed(*end) for end in cable.ends)]
    return _net(kept, {}, switches, file)


def _statements(text: str) -> Iterable[tuple[int, str]]:
    """The lines of the graph without comments, and without what opens and closes it."""
    for number, line in enumerate(text.splitlines(), 1):
        kept = re.sub(r"(^|\s)(#|//).*", "", line).strip()
        kept = re.sub(r"^(strict\s+)?graph\b[^{]*\{", "", kept).removesuffix("}")
        if kept.strip():
            yield number, kept
