"""Hosts and switches of a fabric, made of network namespaces, and removed without leaving anything behind."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sortlast import _leftovers
from sortlast._errors import ArgumentError, Error
from sortlast.files import write_text
from sortlast.launch.mpiexec import rank_command
from sortlast_testbed import names, namespaces, plan

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

    from sortlast.fabric import PortCounters, Routes, Topology

NAME = "testbed"  # of the command line's testbed
STATES = Path("/run/sortlast")  # descriptions of the testbeds that are up, one file each

# Forward and return routes may differ, so source addresses are not checked. Idle connections do not return to
# slow start before the next stage. Queues lose nothing, but short packets overtake long ones: apparent gaps
# are not retransmitted.
_SETTINGS: dict[str, int | str] = {
    "net/ipv4/conf/all/rp_filter": 0,
    "net/ipv4/conf/default/rp_filter": 0,
    "net/ipv4/tcp_slow_start_after_idle": 0,
    "net/ipv4/tcp_no_metrics_save": 1,
    "net/ipv4/tcp_early_retrans": 0,
    "net/ipv4/tcp_recovery": 0,
    "net/ipv4/tcp_reordering": 127,
    "net/ipv4/tcp_congestion_control": "reno",
    "net/ipv6/conf/all/disable_ipv6": 1,
    "net/ipv6/conf/default/disable_ipv6": 1,
}


@dataclass(frozen=True)
class Settings:
    """Settings of a testbed.

    Attributes:
        net: a topology family such as "k-ary-n-tree:4,2", or a file that :func:`sortlast.fabric.read`
            accepts.
        engine: routing engine.
        seed: of the engine "random".
        rate_mbit: maximum rate of each end of a cable [Mbit/s].
        lft: a file with forwarding tables that replace an engine's, as for
            :func:`sortlast.fabric.read_routes`; None: the engine's tables.
    """

    net: str = "k-ary-n-tree:4,2"
    engine: str = "ftree"
    seed: int = 1
    rate_mbit: float = 50.0
    lft: str | None = None


class Testbed:
    """A fabric of network namespaces, used as a context or from :meth:`make` to :meth:`remove`.

    ::

        with Testbed(Settings("k-ary-n-tree:4,2", engine="d-mod-k")) as testbed:
            run(testbed, testbed.order("routing"), ["hostname"])

    Args:
        settings: of the testbed.
        name: lowercase letters and digits; identifies testbeds of one machine. None: a name of this process.

    Raises:
        ArgumentError: an invalid name or rate, or a fabric that cannot be made of namespaces.
        Error: the file of the fabric cannot be read.
    """

    __test__ = False  # prevents pytest from collecting it

    def __init__(self, settings: Settings | None = None, name: str | None = None) -> None:
        self.settings = settings or Settings()
        if name is not None:
            names.check(name)
        self.name = names.own() if name is None else name
        check_rate(self.settings.rate_mbit)
        self.routes: Routes = _routes(self.settings)
        self._plan = plan.make(self.routes)
        self._stays = name is not None
        self._cleaner: _leftovers.Kept | None = None

    @classmethod
    def found(cls, name: str = NAME) -> Testbed:
        """The running testbed of this name. Raises Error if there is none or it is incomplete."""
        names.check(name, own=True)
        try:
            settings = Settings(**json.loads(_state(name).read_text())["settings"])
        except FileNotFoundError:
            raise Error(f"no testbed {name!r} is up; make it with python -m sortlast_testbed up") from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise Error(f"cannot read {_state(name)}: {error}; run python -m sortlast_testbed down") from None
        testbed = cls(settings)
        testbed.name, testbed._stays = name, True
        if missing := set(testbed.spaces) - set(namespaces.listed()):
            raise Error(
                f"of testbed {name!r} {len(missing)} namespaces are gone, such as {min(missing)};"
                " run python -m sortlast_testbed down, then up"
            )
        return testbed

    @property
    def topology(self) -> Topology:
        """The fabric."""
        return self.routes.topology

    @property
    def prefix(self) -> str:
        """The prefix of its namespaces' names."""
        return names.prefix(self.name)

    @property
    def spaces(self) -> list[str]:
        """Its namespaces, first of the hosts, then of the switches."""
        return [self.prefix + name for name in self._plan.names]

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts, by number; a host's namespace has the prefix before it."""
        return self._plan.names[: self._plan.hosts]

    @property
    def link_bandwidth(self) -> float:
        """TCP throughput of a link [byte/s]: 1448 payload bytes per frame of 1514."""
        return self.settings.rate_mbit * 1e6 / 8 * 1448 / 1514

    def order(self, order: str = "routing", seed: int = 1) -> list[int]:
        """Hosts in an order of :func:`sortlast.fabric.host_orders`."""
        from sortlast import fabric

        return [host for host in fabric.order_hosts(self.topology, order, [], seed) if host >= 0]

    def make(self) -> None:
        """Create it, after removing remains of this name and of killed processes.

        A testbed with a given name outlives this process, unless it was entered as a context.

        Raises Error, with nothing left behind, if the machine lacks a requirement, or if a running process
        has a testbed of this name.
        """
        if reason := namespaces.why_not():
            raise Error(reason)
        remove_stale()
        self.remove()
        script = rank_command("sortlast_testbed._cleaner", [])[1:]
        self._cleaner = _leftovers.Kept(script, self.name)
        try:
            self._note(names.owner())
            self._make()
            if self._stays:
                self._note("")
        except BaseException:
            self.remove()
            raise
        if self._stays:
            self._give_up()

    def remove(self) -> None:
        """Remove everything with its prefix, and end the processes there."""
        _check_unused(self.name)
        remove_all(self.name)
        self._give_up()

    def __enter__(self) -> Testbed:
        self._stays = False
        self.make()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def sent(self) -> NDArray[np.int64]:
        """Bytes sent by each channel so far, with headers: int64 (channels,)."""
        read = [
            {
                device["ifname"]: device["stats64"]["tx"]["bytes"]
                for device in json.loads(namespaces.call("ip", "-n", space, "-j", "-s", "link"))
            }
            for space in self.spaces
        ]
        result = np.zeros(self.topology.channels, np.int64)
        for channel, (vertex, interface) in self._interfaces.items():
            result[channel] = read[vertex][interface]
        return result

    def counters(self) -> PortCounters:
        """Counters of all channels so far, as :func:`sortlast.fabric.read_port_counters` gives them.

        The receiving interface counts symbol errors. Queues are long, so that no port waits for another:
        ``waits`` are unknown.
        """
        from sortlast.fabric import PortCounters

        read = [
            {
                device["ifname"]: device["stats64"]
                for device in json.loads(namespaces.call("ip", "-n", space, "-j", "-s", "-s", "link"))
            }
            for space in self.spaces
        ]
        bytes_, waits, errors, downs = (np.full(self.topology.channels, -1, np.int64) for _ in range(4))
        for channel, (vertex, interface) in self._interfaces.items():
            sent = read[vertex][interface]["tx"]
            bytes_[channel] = sent["bytes"]
            downs[channel] = sent["carrier_changes"] // 2  # up and down
            end = self.topology.target(channel)
            if end is not None:
                there = read[end[0]][plan.interface(self.topology, *end)]
                errors[channel] = there["rx"]["errors"]
        return PortCounters(bytes_, waits, errors, downs)

    def set_rate(self, channel: int, rate_mbit: float) -> None:
        """Change the rate at which a channel sends [Mbit/s], as a cable with lost lanes does.

        Raises ArgumentError for a channel without a cable or a rate out of range.
        """
        self.check_rate(channel, rate_mbit)
        vertex, interface = self._interface(channel)
        namespaces.batch("tc", self.spaces[vertex], plan.rate_lines(interface, rate_mbit, "change"))

    def check_rate(self, channel: int, rate_mbit: float) -> None:
        """Raise the errors of :meth:`set_rate`."""
        check_rate(rate_mbit)
        self._interface(channel)

    def drop_packets(self, channel: int, loss_bits: int) -> None:
        """Make a channel drop one of ``2**loss_bits`` long packets, until the testbed is removed.

        A sender repeats each of them after 127 later segments, or after 10 s (``plan.PATIENCE``) near the end
        of a message. Raises ArgumentError for a channel without a cable.
        """
        vertex, interface = self._interface(channel)
        namespaces.batch("tc", self.spaces[vertex], plan.lossy_lines(interface, loss_bits))

    def dropped(self) -> int:
        """Packets dropped by queues since the testbed was made."""
        return sum(
            queue["drops"]
            for space in self.spaces
            for queue in json.loads(namespaces.call("tc", "-n", space, "-j", "-s", "qdisc"))
            if queue["kind"] == "bfifo"
        )

    def _interface(self, channel: int) -> tuple[int, str]:
        if channel not in self._interfaces:
            raise ArgumentError(f"channel {channel} has no cable")
        return self._interfaces[channel]

    @cached_property
    def _interfaces(self) -> dict[int, tuple[int, str]]:
        return plan.channel_interfaces(self.topology)

    def _note(self, owner: str) -> None:
        """Record the testbed and its owner for other processes; owner "": it stays until it is removed."""
        state = json.dumps({"settings": asdict(self.settings), "owner": owner})
        write_text(_state(self.name), state, folders=True)

    def _give_up(self) -> None:
        """Do not remove it when this process ends: it is gone, or should stay."""
        if self._cleaner is not None:
            self._cleaner.process.kill()
            self._cleaner.close()
            self._cleaner = None

    def _make(self) -> None:
        spaces = self.spaces
        for vertex, space in enumerate(spaces):
            namespaces.call("ip", "netns", "add", space)
            _set(space, _SETTINGS | {"net/ipv4/ip_forward": int(vertex >= self._plan.hosts)})
        for vertex, space in enumerate(spaces):
            cables = [cable for cable in self._plan.cables if cable.a[0] == vertex]
            namespaces.batch(
                "ip",
                space,
                [
                    f"link add {cable.a[1]} type veth peer name {cable.b[1]} netns {spaces[cable.b[0]]}"
                    for cable in cables
                ],
            )
        for vertex, space in enumerate(spaces):
            ends = self._plan.interfaces(vertex)
            lines = ["link set dev lo up", *plan.end_lines(ends), *self._plan.routes[vertex]]
            namespaces.batch("ip", space, lines)
            namespaces.batch("tc", space, plan.shaper_lines(ends, self.settings.rate_mbit))


def check_rate(rate_mbit: float) -> None:
    """Raise ArgumentError for a rate that the shapers of cables do not have."""
    if not 0.1 <= rate_mbit <= 10_000:
        raise ArgumentError(f"rate_mbit is {rate_mbit:g}; expected 0.1 to 10000 Mbit/s")


def remove(name: str) -> list[str]:
    """Remove a testbed, or its remains; returns the names of its namespaces, empty if there were none.

    They are found by the names of namespaces, without any file. Raises ArgumentError for an invalid testbed
    name, and Error if a running process will remove the testbed itself.
    """
    names.check(name)
    _check_unused(name)
    return remove_all(name)


def remove_stale() -> None:
    """Remove testbeds named by processes that were killed before they could remove them."""
    for name in {name for space in namespaces.listed() if (name := names.testbed_of(space)) is not None}:
        if names.is_stale(name):
            remove_all(name)


def remove_all(name: str) -> list[str]:
    """Remove a testbed completely, even if another process made it; returns the names of its namespaces."""
    left = namespaces.remove(names.prefix(name))
    _state(name).unlink(missing_ok=True)
    return left


def _check_unused(name: str) -> None:
    """Raise Error if another running process has made it and will remove it."""
    try:
        owner = str(json.loads(_state(name).read_text())["owner"])
    except (OSError, ValueError, TypeError, KeyError):
        return
    if owner not in ("", names.owner()) and names.lives(owner):
        pid = owner.partition("t")[0]
        raise Error(f"testbed {name!r} is in use by process {pid}; end that, or choose another name")


def _state(name: str) -> Path:
    return STATES / f"{names.scope()}-{name}.json"


def _routes(settings: Settings) -> Routes:
    from sortlast import fabric

    net = settings.net
    topology = fabric.read(net) if Path(net).is_file() else fabric.make_topology(net)
    if settings.lft is not None:
        return fabric.read_routes(topology, settings.lft)
    return fabric.route(topology, settings.engine, seed=settings.seed)


def _set(space: str, settings: dict[str, int | str]) -> None:
    """Set kernel parameters of a namespace."""
    script = "".join(f"echo {value} >/proc/sys/{name}\n" for name, value in settings.items())
    namespaces.call("ip", "netns", "exec", space, "sh", "-e", stdin=script)
