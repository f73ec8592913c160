"""Trees of switches from labels of nodes: Kubernetes, NVIDIA topograph, and the layers of clouds.

topograph labels every node with the switches above it, the nearest first (``kubectl get nodes -o json`` or
``-o yaml``), and with its accelerator domain, such as an NVLink domain::

    metadata:
      name: node-101
      labels:
        fabric.topograph.run/tier-0: leaf-1
        fabric.topograph.run/tier-1: spine-1
        accelerator.topograph.run/domain: nvl-1

Older versions write ``network.topology.nvidia.com/leaf``, ``spine``, ``core`` and ``accelerator``. Its
engine ``graph`` writes the same as JSON, its models are YAML, and AWS's ``describe-instance-topology`` has
the switches from the top down::

    {"instances": [{"id": "i-1", "network_layers": ["leaf-1", "spine-1"], "labels": {..}}]}

    switches: {spine-1: {switches: [leaf-1]}}
    blocks: [{switch: leaf-1, nodes: ["node[101-118]"]}]

    {"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["nn-core", "nn-spine", "nn-leaf"], ..}]}

Like topology.conf, such files name switches but no cables. Source: NVIDIA/topograph,
docs/reference/node-labels.md, docs/engines/graph.md and docs/modeling.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from sortlast import _extras, _fabric, _memory
from sortlast._errors import ArgumentError
from sortlast._fabric import SlurmLine, Topology
from sortlast.fabric.cable_files import json_of, line_of, malformed
from sortlast.fabric.topology_yaml import TAKEN_BY_YAML, Blocks

_TIER = re.compile(r"fabric\.topograph\.run/tier-([0-9]{1,2})")
_OLD_TIERS = tuple(f"network.topology.nvidia.com/{tier}" for tier in ("leaf", "spine", "core"))
_DOMAINS = (
    "accelerator.topograph.run/domain",
    "accelerator.topology.test/domain",  # of models
    "network.topology.nvidia.com/accelerator",
    "nvidia.com/gpu.clique",
)
_NAME = re.compile(r"[^\s,\[\]\"'=#\\]+")  # that Slurm's lists can hold


@dataclass
class _Labelled:
    """Nodes with the switches above them, the nearest first, and their accelerator domains."""

    nodes: dict[str, list[str]] = field(default_factory=dict)
    parents: dict[str, set[str]] = field(default_factory=dict)  # of switches, beyond those of nodes
    domains: dict[str, list[str]] = field(default_factory=dict)
    bare: int = 0  # nodes without labels


def read_labels(text: str, file: str, links: int = 1) -> Topology:
    """The fabric of labels, with ``links`` cables between two switches.

    Raises ArgumentError, with file and line, for a malformed file, and one without switches.
    """
    found = _labelled(text, file)
    below: dict[str, tuple[list[str], dict[str, None]]] = {}
    for node, switches in found.nodes.items():
        if len({*switches}) < len(switches):
            raise malformed(file, line_of(text, node), f"different switches above {node!r}", str(switches))
        for lower, upper in pairwise(switches):
            below.setdefault(upper, ([], {}))[1][lower] = None
        if switches:
            below.setdefault(switches[0], ([], {}))[0].append(node)
    for switch, parents in found.parents.items():
        for parent in sorted(parents):
            below.setdefault(switch, ([], {}))
            below.setdefault(parent, ([], {}))[1][switch] = None
    if not below:
        raise malformed(file, 1, "nodes with the labels fabric.topograph.run/tier-0, ..", "none")
    lines = []
    line, at = 1, 0
    for switch, (nodes, lower_switches) in below.items():
        # Switches are in the order of the file, so a search that goes on is linear.
        found_at = max(text.find(switch, at), at)
        line, at = line + text.count("\n", at, found_at), found_at
        settings = [("switchname", switch)]
        settings += [("nodes", ",".join(nodes))] if nodes else []
        settings += [("switches", ",".join(lower_switches))] if lower_switches else []
        lines.append(SlurmLine(file, line, settings))
    left_out = f" (without {found.bare} nodes that have no labels)" if found.bare else ""
    return _fabric.make_slurm_topology(lines, file + left_out, links)


def read_label_blocks(text: str, file: str) -> Blocks:
    """The accelerator domains of labels, as blocks. Raises like :func:`read_labels`."""
    found = _labelled(text, file)
    if not found.domains:
        raise malformed(file, 1, f"nodes with a label {_DOMAINS[0]}", "none")
    nodes = {}
    for domain, names in found.domains.items():
        nodes[domain] = _fabric.read_node_list(",".join(names), file)
    return Blocks([], nodes)


def _labelled(text: str, file: str) -> _Labelled:
    found = _Labelled()
    for value in _documents(text, file):
        if isinstance(value, dict) and ("switches" in value or "blocks" in value):
            _add_model(found, value, text, file)
            continue
        for name, switches, domain in _nodes(value, text, file):
            if name in found.nodes:
                raise malformed(file, line_of(text, name), f"the node {name!r} once", "a second one")
            found.nodes[name] = switches
            found.bare += not switches
            if domain:
                found.domains.setdefault(domain, []).append(name)
    return found


def _documents(text: str, file: str) -> Iterator[Any]:
    """The values of JSON or of one or several documents of YAML, with texts for scalars."""
    if text.lstrip()[:1] in ("{", "["):
        yield json_of(text, file)
        return
    with _extras.needed(file):
        import yaml
    _memory.check(file, f"{len(text):,} bytes of YAML", TAKEN_BY_YAML * len(text), _memory.limit())
    try:
        yield from yaml.load_all(text, yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise ArgumentError(f"{file}:{line}: expected YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:  # a character that YAML does not allow
        raise ArgumentError(f"{file}:1: expected YAML: {str(error).splitlines()[0]}") from None
    except (RecursionError, TypeError):  # a list as a key
        raise malformed(file, 1, "nodes", "lists within lists") from None


def _nodes(value: Any, text: str, file: str) -> Iterator[tuple[str, list[str], str]]:
    """Each node with its switches, the nearest first, and its domain ("": none)."""
    if isinstance(value, list):
        items = value
    elif isinstance(value, dict):
        lists = [value[key] for key in ("items", "instances", "Instances") if key in value]
        items = lists[0] if lists else [value]
    else:
        items = None
    if not isinstance(items, list):
        raise malformed(file, 1, "a list of nodes", "something else")
    for item in items:
        if not isinstance(item, dict):
            raise malformed(file, 1, "nodes as objects with labels", f"a {type(item).__name__}")
        if item.get("kind", "Node") != "Node":
            continue
        metadata = item.get("metadata", item)
        if not isinstance(metadata, dict):
            raise malformed(file, line_of(text, "metadata"), "metadata with a name", "something else")
        keys = [key for key in ("name", "id", "InstanceId") if key in metadata]
        name = _name(metadata.get(keys[0]) if keys else None, text, file)
        labels = metadata.get("labels") or {}
        if not isinstance(labels, dict):
            raise malformed(file, line_of(text, name), f"labels of {name!r}", "something else")
        yield name, _switches(item, labels, name, text, file), _domain(item, labels)


def _switches(
    item: Mapping[str, Any], labels: Mapping[str, Any], name: str, text: str, file: str
) -> list[str]:
    if "network_layers" in item or "NetworkNodes" in item:
        layers = item.get("network_layers", item.get("NetworkNodes"))
        if not isinstance(layers, list):
            raise malformed(file, line_of(text, name), f"a list of switches above {name!r}", "something else")
        names = [_name(layer, text, file) for layer in layers]
        return names if "network_layers" in item else names[::-1]
    tiers = {int(match[1]): key for key in labels if (match := _TIER.fullmatch(str(key)))}
    if not tiers:
        tiers = {tier: key for tier, key in enumerate(_OLD_TIERS) if key in labels}
    for tier in range(len(tiers)):
        if tier not in tiers:
            found = f"tier {max(tiers)} without it"
            raise malformed(file, line_of(text, name), f"a label of tier {tier} of {name!r}", found)
    return [_name(labels[tiers[tier]], text, file) for tier in range(len(tiers))]


def _domain(item: Mapping[str, Any], labels: Mapping[str, Any]) -> str:
    found = [labels[key] for key in _DOMAINS if labels.get(key)]
    return str(found[0] if found else item.get("CapacityBlockId") or "")


def _name(value: Any, text: str, file: str) -> str:
    if not isinstance(value, str | int) or not _NAME.fullmatch(str(value)):
        raise malformed(file, line_of(text, str(value)), "a name without blanks", repr(value))
    return str(value)


def _add_model(found: _Labelled, model: Mapping[str, Any], text: str, file: str) -> None:
    switches, blocks = model.get("switches") or {}, model.get("blocks") or []
    if not isinstance(switches, dict) or not isinstance(blocks, list):
        raise malformed(file, 1, "'switches:' as a mapping and 'blocks:' as a list", "something else")
    for parent, entry in switches.items():
        children = (entry.get("switches") or []) if isinstance(entry, dict) else None
        if not isinstance(children, list):
            raise malformed(
                file, line_of(text, str(parent)), f"the switches below {parent!r}", "something else"
            )
        for child in children:
            found.parents.setdefault(_name(child, text, file), set()).add(_name(parent, text, file))
    for block in blocks:
        nodes = block.get("nodes") if isinstance(block, dict) else None
        if not isinstance(nodes, list):
            raise malformed(file, line_of(text, "blocks"), "blocks with 'nodes:' as a list", "something else")
        labels: dict[str, Any] = {}
        for key in ("labels", "annotations"):
            if not isinstance(block.get(key) or {}, dict):
                raise malformed(
                    file, line_of(text, key), f"'{key}:' of a block as a mapping", "something else"
                )
            labels |= block.get(key) or {}
        names = _fabric.read_node_list(",".join(str(node) for node in nodes), file)
        for name in names:
            if name in found.nodes:
                raise malformed(file, line_of(text, "blocks"), f"the node {name!r} once", "a second one")
            found.nodes[name] = [_name(block["switch"], text, file)] if "switch" in block else []
            found.bare += "switch" not in block
        if _domain({}, labels):
            found.domains.setdefault(_domain({}, labels), []).extend(names)
