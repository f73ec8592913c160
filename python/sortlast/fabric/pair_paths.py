"""The paths between all hosts of a job, and the links that no measurement among them distinguishes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortlast._errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast._fabric import Routes

MAX_HOSTS = 2048  # a search takes some 30 bytes per pair and link


@dataclass(frozen=True)
class PairPaths:
    """The links between all ordered pairs of p hosts, in classes that exactly the same pairs cross.

    Attributes:
        routes: the fabric and its tables.
        hosts: the host of each rank.
        classes: the channels (directions of links) of each class, ascending.
        links: the classes on the path of each pair, each once, padded with ``len(classes)``: int32
            (p, p, depth).
        hops: the number of channels on each path: int32 (p, p).
        gbps: the minimum signalling rate on each path, 0 if unknown: float64 (p, p).
    """

    routes: Routes
    hosts: list[int]
    classes: list[list[int]]
    links: NDArray[np.int32]
    hops: NDArray[np.int32]
    gbps: NDArray[np.float64]

    @property
    def p(self) -> int:
        """Number of hosts."""
        return len(self.hosts)


def pair_paths(routes: Routes, hosts: Sequence[int]) -> PairPaths:
    """Follow the tables between all ordered pairs of a job's hosts.

    Raises:
        ArgumentError: fewer than 2 hosts or more than 2048, the same host twice, or a host that does
            not exist.
        Error: the tables lead nowhere or in a circle.
    """
    if not 2 <= len(hosts) <= MAX_HOSTS:
        raise ArgumentError(f"the number of hosts is {len(hosts)}; expected 2 to {MAX_HOSTS}")
    count = len(routes.topology.hosts)
    for host in hosts:
        if not 0 <= host < count:
            raise ArgumentError(f"{host} is no host of the fabric; expected 0 to {count - 1}")
    if len({*hosts}) < len(hosts):
        raise ArgumentError("a host is named twice; start one rank per host")
    channels = _channels(routes, np.array(hosts))
    classes, class_of = _classes(channels, routes.topology.channels)
    rates = np.append(np.nan_to_num(routes.topology.channel_gbps), np.inf)
    return PairPaths(
        routes=routes,
        hosts=list(hosts),
        classes=classes,
        links=_without_repeats(class_of[channels], len(classes)),
        hops=(channels < routes.topology.channels).sum(axis=2, dtype=np.int32),
        gbps=np.nan_to_num(rates[channels].min(axis=2), posinf=0),
    )


def _channels(routes: Routes, hosts: NDArray[np.int64]) -> NDArray[np.int32]:
    """The channels of each path, padded with the topology's number of channels: (p, p, depth)."""
    topology = routes.topology
    none, switches = topology.channels, len(topology.switches)
    ports = np.array([switch.ports for switch in topology.switches], np.int64)
    first = len(topology.hosts) + np.cumsum(ports) - ports  # the channel of port 1 of each switch
    targets = [topology.target(channel) for channel in range(none)]
    vertex = np.array([-1 if target is None else target[0] for target in targets] + [-1])
    tables = [routes.table(plane) for plane in range(routes.planes)]

    source, destination = np.meshgrid(hosts, hosts, indexing="ij")
    plane = _planes(routes, source, destination)
    channel = np.where(source == destination, none, source)
    steps = [channel.astype(np.int32)]
    while True:
        at = vertex[channel]
        going = (channel < none) & (at != destination)
        if not going.any():
            return np.stack(steps, axis=2)
        switch = np.where(going, at - len(topology.hosts), 0)
        port = np.select(
            [plane == number for number in range(len(tables))], [t[switch, destination] for t in tables]
        )
        lost = going & ((switch < 0) | (port < 1))
        if lost.any() or len(steps) > switches + 1:
            sender, receiver = np.argwhere(lost if lost.any() else going)[0]
            routes.walk(int(hosts[sender]), int(hosts[receiver]))  # raises the error that names the switch
        channel = np.where(going, first[switch] + port - 1, none)
        steps.append(channel.astype(np.int32))


def _planes(routes: Routes, source: NDArray[np.int64], destination: NDArray[np.int64]) -> NDArray[np.int64]:
    if routes.planes == 1:
        return np.zeros_like(source)
    pairs = zip(source.ravel().tolist(), destination.ravel().tolist(), strict=True)
    planes = [0 if pair[0] == pair[1] else routes.plane(*pair) for pair in pairs]
    return np.array(planes).reshape(source.shape)


def _classes(channels: NDArray[np.int32], none: int) -> tuple[list[list[int]], NDArray[np.int32]]:
    """Group channels by the set of pairs that cross them; also the class of each channel."""
    # A sum of random keys identifies the set of pairs.
    p = len(channels)
    keys = np.random.default_rng(1).integers(1, 2**63, (p, p), np.uint64)
    sums = np.zeros(none + 1, np.uint64)
    for step in range(channels.shape[2]):
        np.add.at(sums, channels[:, :, step], keys)
    sums[none] = 0

    used = np.unique(channels[channels < none])
    _, first, inverse = np.unique(sums[used], return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))[inverse]
    class_of = np.full(none + 1, len(first), np.int32)
    class_of[used] = number
    classes: list[list[int]] = [[] for _ in first]
    for channel, of in zip(used.tolist(), number.tolist(), strict=True):
        classes[of].append(channel)
    return classes, class_of


def _without_repeats(links: NDArray[np.int32], none: int) -> NDArray[np.int32]:
    ordered = np.sort(links, axis=2)
    ordered[:, :, 1:][ordered[:, :, 1:] == ordered[:, :, :-1]] = none
    return np.sort(ordered, axis=2)
