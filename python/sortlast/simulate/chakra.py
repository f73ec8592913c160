"""Writes traffic as Chakra execution traces, the input of ASTRA-sim: one file per rank.

A file is a series of protocol-buffer messages, each behind its length: one ``GlobalMetadata`` and then a
``Node`` per operation. A message of the traffic is a node COMM_SEND_NODE of its source and COMM_RECV_NODE of
its destination, and a computation a COMP_NODE. Their wire format is written here, so that no package is
needed. Field numbers: MLCommons Chakra, schema/protobuf/et_def.proto, version 0.0.4; attributes: as its
feeder reads them (src/feeder/et_feeder_node.cpp).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from sortlast import _simulate
from sortlast._errors import ArgumentError
from sortlast.files import replacing

_COMP, _SEND, _RECV = 4, 5, 6  # NodeType
_VERSION = "0.0.4"
_MOST_NODES = 2**31 - 1  # tags are int32


def write_chakra(traffic: _simulate.Traffic, prefix: str | Path) -> list[Path]:
    """Write traffic as the Chakra traces ``PREFIX.0.et``, ``PREFIX.1.et``, ...: one per task.

    Node 2 m of a file sends or computes message m of the traffic, and node 2 m + 1 receives it. A node waits
    (``data_deps``) for the receives, sends and computations that the message waits for, and in traffic whose
    tasks send in order also (``ctrl_deps``) for the one before it. Chakra counts in microseconds:
    computations are rounded up. Repetitions are written out. ASTRA-sim refuses messages of 0 bytes and tasks
    without operations: the former are written with 1 byte, the latter compute for 0 us.

    Returns the files. Raises ArgumentError for more than 2^31 - 1 nodes, and Error if a file cannot be
    written.
    """
    messages = len(traffic.size)
    if 2 * messages * traffic.repeats > _MOST_NODES:
        raise ArgumentError(
            f"{traffic.name}: {2 * messages * traffic.repeats:,} nodes of a trace; expected at most"
            f" {_MOST_NODES:,}: take fewer messages or repetitions"
        )
    received: list[list[int]] = [[] for _ in range(traffic.tasks)]
    sent: list[list[int]] = [[] for _ in range(traffic.tasks)]
    source, destination = traffic.source.tolist(), traffic.destination.tolist()
    for message, (a, b) in enumerate(zip(source, destination, strict=True)):
        sent[a].append(message)
        if a != b:
            received[b].append(message)
    paths = []
    for task in range(traffic.tasks):
        path = Path(f"{prefix}.{task}.et")
        with replacing(path) as temporary, open(temporary, "wb") as file:
            file.write(_delimited(_text(1, _VERSION)))
            for node in _nodes(traffic, task, sent[task], received[task]):
                file.write(_delimited(node))
            if not sent[task] and not received[task]:  # ASTRA-sim refuses a file without nodes
                file.write(_delimited(_node(2 * messages * traffic.repeats, "idle", _COMP)))
        paths.append(path)
    return paths


def _nodes(traffic: _simulate.Traffic, task: int, sent: list[int], received: list[int]) -> Iterator[bytes]:
    """The nodes of a task, as messages ``Node``; receives first, because nothing keeps them waiting."""
    source, destination = traffic.source, traffic.destination
    size, first, causes = traffic.size, traffic.first_cause, traffic.causes
    per_round = len(size)
    before = None
    for repetition in range(traffic.repeats):
        base = repetition * per_round
        for message in received:
            number = base + message
            yield _node(
                2 * number + 1,
                f"receive {number} from {source[message]}",
                _RECV,
                attributes=_communication(int(source[message]), task, int(size[message]), number),
            )
        for message in sent:
            number = base + message
            waits = []
            for cause in causes[first[message] : first[message + 1]].tolist():
                arrives = destination[cause] == task and source[cause] != task
                waits.append(2 * (base + cause) + arrives)
            computes = destination[message] == task
            yield _node(
                2 * number,
                f"compute {number}" if computes else f"send {number} to {destination[message]}",
                _COMP if computes else _SEND,
                after=[before] if before is not None and traffic.in_order else [],
                waits=dict.fromkeys(waits),  # Chakra's feeder never frees a node with a repeated one
                micros=-(-int(size[message]) // 1000) if computes else 0,
                attributes=b""
                if computes
                else _communication(task, int(destination[message]), int(size[message]), number),
            )
            before = 2 * number


def _node(
    number: int,
    name: str,
    kind: int,
    after: Iterable[int] = (),
    waits: Iterable[int] = (),
    micros: int = 0,
    attributes: bytes = b"",
) -> bytes:
    parts = [_number(1, number), _text(2, name), _number(3, kind), _packed(4, after), _packed(5, waits)]
    parts += [_number(7, micros), _bytes(10, _attribute("is_cpu_op", 27, 0)), attributes]
    return b"".join(parts)


def _communication(source: int, destination: int, size: int, tag: int) -> bytes:
    """The attributes of a send or receive."""
    return b"".join(
        _bytes(10, _attribute(name, field, value))
        for name, field, value in (
            ("comm_src", 7, source),  # int32_val
            ("comm_dst", 7, destination),
            ("comm_size", 9, max(size, 1)),  # int64_val; ASTRA-sim refuses messages of 0 bytes
            ("comm_tag", 7, tag),
        )
    )


# --- wire format of protocol buffers ----------------------------------------------------------------------


def _attribute(name: str, field: int, value: int) -> bytes:
    """An ``AttributeProto``; a value that is 0 is written, because it shows which kind is meant."""
    return _text(1, name) + _varint(field << 3) + _varint(value)


def _number(field: int, value: int) -> bytes:
    """A number that is not negative; 0 is the default and left out."""
    return _varint(field << 3) + _varint(value) if value else b""


def _packed(field: int, values: Iterable[int]) -> bytes:
    content = b"".join(_varint(value) for value in values)
    return _bytes(field, content) if content else b""


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _delimited(value)


def _delimited(value: bytes) -> bytes:
    return _varint(len(value)) + value


def _varint(value: int) -> bytes:
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
