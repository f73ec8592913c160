"""Which adapter each GPU of a node uses: NCCL's topology (XML), and the matrix of ``nvidia-smi topo -m``.

``NCCL_TOPO_DUMP_FILE=topo.xml`` makes NCCL write the tree of a node's PCI devices::

    <system version="1">
      <cpu host_hash="0x8393fb66b8b750c5" numaid="3" ...>
        <pci busid="0000:01:00.0" class="0x060400" ...>
          <pci busid="0000:07:00.0" class="0x030200" ...>
            <gpu dev="0" sm="80" rank="0" gdr="1">...</gpu>
          </pci>
          <pci busid="0000:0c:00.0" class="0x020700" ...>
            <nic>
              <net name="mlx5_0" dev="0" speed="200000" port="1" guid="0xa262550003a1420c" .../>

``guid`` is the GUID of the adapter's system image, in network byte order: read on a little-endian machine,
its bytes are reversed. ``nvidia-smi topo -m`` prints how far apart each pair is::

            GPU0    GPU1    NIC0    NIC1    CPU Affinity    NUMA Affinity
    GPU0     X      NV18    PIX     SYS     0-31            0
    NIC0    PIX     SYS      X      SYS

    NIC Legend:

      NIC0: mlx5_0

A GPU uses a nearest adapter. PIX: one PCI bridge lies between them; PXB: several do; PHB: a root of the same
CPU; NODE: two roots of it; SYS: another CPU. GPUs with the same nearest adapters share them out in order, as
in NCCL's first channel. Sources: NCCL, src/graph/topo.cc, xml.cc and paths.cc; nvidia-smi(1).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from xml.parsers import expat

from sortlast import _memory
from sortlast._errors import ArgumentError
from sortlast._fabric import Adapter, Node, Topology
from sortlast._shown import shown

_TAKEN_BY_XML = 100  # max bytes of memory per byte of text
_STEPS = ("PIX", "PXB", "PHB", "NODE", "SYS")  # from near to far
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_SHOWN = 4  # names in a message


@dataclass(frozen=True)
class Net:
    """A port of an adapter of one node: its name on that node, its GUID (0: unknown), and its port."""

    name: str
    guid: int = 0
    port: int = 0


@dataclass(frozen=True)
class GpuNets:
    """The GPUs of a node and its adapters.

    ``closeness[g][n]`` is greater the nearer adapter n is to GPU g; only values of one GPU are compared.
    """

    nets: list[Net]
    closeness: list[list[int]]

    def nets_of(self, present: Collection[int]) -> list[int]:
        """The adapter that each GPU uses if only the adapters ``present`` (at least one) exist."""
        nearest = []
        for row in self.closeness:
            best = max(row[net] for net in present)
            nearest.append(tuple(net for net in sorted(present) if row[net] == best))
        chosen = []
        for gpu, nets in enumerate(nearest):
            sharing = [other for other, its in enumerate(nearest) if its == nets]
            step = max(1, len(nets) // len(sharing))
            chosen.append(nets[sharing.index(gpu) * step % len(nets)])
        return chosen


def gpu_nodes(topology: Topology, machines: Sequence[Node], text: str, file: str) -> list[Node]:
    """The nodes whose adapters are those of their GPUs, in the order of the GPUs.

    The file describes one node, and all nodes are taken to be alike: rails have the same names on each. A
    node without some of the rails uses the nearest of the others; nodes without any are left out. Raises
    ArgumentError, with file and line, for a malformed file, and if the fabric has none of its adapters.
    """
    found = read_gpu_nets(text, file)
    rails = _rails(topology, machines, found.nets)
    if not rails:
        some = ", ".join(net.name for net in found.nets[:_SHOWN])
        known = sorted({adapter.rail for node in machines for adapter in node.adapters} - {""})
        raise ArgumentError(
            f"{file}:1: the fabric has none of the adapters of this file ({shown(some)}, ..): its rails are"
            f" {shown(', '.join(known[:_SHOWN])) or 'not named'}; name them by a node name map or a table of"
            " adapters"
        )
    nodes = []
    for node in machines:
        of_rail = {adapter.rail: adapter.host for adapter in node.adapters}
        present = [net for net, rail in rails.items() if rail in of_rail]
        if present:
            used = [rails[net] for net in found.nets_of(present)]
            nodes.append(Node(node.name, [Adapter(rail, of_rail[rail]) for rail in used]))
    return nodes


def _rails(topology: Topology, machines: Sequence[Node], nets: Sequence[Net]) -> dict[int, str]:
    """The rail of each adapter in the fabric, found by GUID or else by name; without those it lacks."""
    by_guid: dict[int, list[tuple[int, str]]] = {}
    for node in machines:
        for adapter in node.adapters:
            host = topology.hosts[adapter.host]
            for guid in {host.guid, host.port_guid} - {0}:
                by_guid.setdefault(guid, []).append((host.port, adapter.rail))
    found = {}
    for number, net in enumerate(nets):
        reversed_guid = int.from_bytes(net.guid.to_bytes(8, "little"), "big")
        hosts = by_guid.get(reversed_guid) or by_guid.get(net.guid) or []
        rails = [rail for port, rail in hosts if len(hosts) == 1 or port == net.port]
        if rails:
            found[number] = rails[0]
    if found:
        return found
    known = {adapter.rail for node in machines for adapter in node.adapters}
    for number, net in enumerate(nets):
        names = [name for name in (net.name, f"{net.name}:{net.port}") if name in known]
        if names:
            found[number] = names[0]
    return found


def read_gpu_nets(text: str, file: str) -> GpuNets:
    """The GPUs and adapters in either format. Raises ArgumentError with file and line."""
    if text.lstrip().startswith("<"):
        return _read_xml(text, file)
    return _read_matrix(text, file)


# --- XML --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """A GPU or an adapter: its number, its CPU, and the PCI bridges above it, the outermost first."""

    number: int
    cpu: int
    bridges: tuple[int, ...]
    net: Net


class _Collector:
    """Collects the parts of the first machine of the file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.open: list[str] = []  # tags
        self.elements = self.cpu = 0
        self.devices: list[int] = []  # open elements <pci>
        self.machine: str | None = None
        self.ours = True
        self.parts: dict[str, list[_Part]] = {"gpu": [], "net": []}

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self.open and tag != "system":
            raise _malformed(self.file, self.line, "<system ..> (NCCL_TOPO_DUMP_FILE)", f"<{tag}>")
        self.elements += 1
        if tag == "pci":
            self.devices.append(self.elements)
        elif tag == "cpu":
            self.cpu = self.elements
            machine = attributes.get("host_hash", "")
            self.machine = machine if self.machine is None else self.machine
            self.ours = machine == self.machine
        elif tag in self.parts and self.ours and "dev" in attributes:
            number, bridges = self.number(attributes, "dev"), tuple(self.devices[:-1])
            self.parts[tag].append(_Part(number, self.cpu, bridges, self.net(tag, attributes)))
        self.open.append(tag)

    def end(self, tag: str) -> None:
        self.open.pop()
        if tag == "pci":
            self.devices.pop()

    def net(self, tag: str, attributes: dict[str, str]) -> Net:
        if tag == "gpu":
            return Net("")
        if "name" not in attributes:
            raise _malformed(self.file, self.line, "<net name=..>", "an adapter without a name")
        return Net(attributes["name"], self.number(attributes, "guid"), self.number(attributes, "port"))

    def number(self, attributes: dict[str, str], name: str) -> int:
        text = attributes.get(name, "0")
        if not re.fullmatch(r"0[xX][0-9A-Fa-f]{1,16}|-?[0-9]{1,9}", text):
            raise _malformed(self.file, self.line, f"a number for {name}", repr(shown(text)))
        return int(text, 0) if text.lower().startswith("0x") else max(0, int(text))


def _read_xml(text: str, file: str) -> GpuNets:
    _memory.check(file, f"{len(text):,} bytes of XML", _TAKEN_BY_XML * len(text), _memory.limit())
    found = _Collector(file)
    try:
        found.parser.Parse(text.strip(), True)
    except expat.ExpatError as error:
        raise ArgumentError(
            f"{file}:{error.lineno}: expected XML: {expat.errors.messages[error.code]}"
        ) from None
    gpus = sorted(found.parts["gpu"], key=lambda part: part.number)
    nets = sorted(found.parts["net"], key=lambda part: part.number)
    for what, parts in (("GPUs (<gpu dev=..>)", gpus), ("adapters (<net name=.. dev=..>)", nets)):
        if not parts:
            raise _malformed(file, 1, f"{what}, as NCCL_TOPO_DUMP_FILE lists them", "none")
    return GpuNets([part.net for part in nets], [[_near(gpu, net) for net in nets] for gpu in gpus])


def _near(a: _Part, b: _Part) -> int:
    if a.bridges[:1] and a.bridges[:1] == b.bridges[:1]:
        step = "PIX" if a.bridges == b.bridges else "PXB"
    else:
        step = "PHB" if a.cpu == b.cpu else "SYS"
    return len(_STEPS) - _STEPS.index(step)


# --- nvidia-smi -------------------------------------------------------------------------------------------


def _read_matrix(text: str, file: str) -> GpuNets:
    lines = [_ESCAPE.sub("", line).split() for line in text.splitlines()]
    first = next((number for number, words in enumerate(lines) if words[:1] == ["GPU0"]), None)
    if first is None:
        expected = "NCCL's topology (<system ..>) or the matrix of nvidia-smi topo -m (GPU0 ..)"
        raise _malformed(file, 1, expected, "neither")
    heads = lines[first]
    ends = [number for number, word in enumerate(heads) if word in ("CPU", "NUMA")]
    labels = heads[: min(ends, default=len(heads))]
    columns = [number for number, label in enumerate(labels) if not re.fullmatch(r"GPU\d+", label)]
    if not columns:
        raise _malformed(file, first + 1, "columns of adapters (NIC0, mlx5_0)", "columns of GPUs only")
    rows = []
    for number, words in enumerate(lines[first + 1 :], first + 2):
        if words and re.fullmatch(r"GPU\d+", words[0]):
            rows.append([_closeness(words[1:], column, file, number) for column in columns])
    if not rows:
        raise _malformed(file, first + 1, "rows of GPUs (GPU0 ..) below this one", "none")
    names = {}
    for words in lines:
        if len(words) == 2 and re.fullmatch(r"NIC\d+:", words[0]):
            names[words[0].rstrip(":")] = words[1]
    return GpuNets([Net(names.get(labels[column], labels[column])) for column in columns], rows)


def _closeness(words: Sequence[str], column: int, file: str, line: int) -> int:
    found = words[column] if column < len(words) else "the end of the line"
    if found not in _STEPS:
        raise _malformed(file, line, f"one of {', '.join(_STEPS)}", repr(shown(found)))
    return len(_STEPS) - _STEPS.index(found)


def _malformed(file: str, line: int, expected: str, found: str) -> ArgumentError:
    return ArgumentError(f"{file}:{line}: expected {expected}, found {found}")
