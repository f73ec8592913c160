"""Separate hosts on one machine: network namespaces behind a switch, every link shaped to one rate.

    with Testbed(hosts=8, rate_mbit=100) as testbed:
        job = testbed.run(16, "report(MPI.Get_processor_name())")

A host is a network namespace with one interface, `eth0`. A cable (a veth pair) joins it to a bridge in a
namespace of its own, the switch; both ends of every cable send at the given rate. Ranks on different hosts
share no memory, see no process of each other and have no loopback interface in common, so that MPI has
nothing but TCP between them, while ranks on one host share memory as always. Nothing leaves the namespaces:
the machine's own network has no part in it.

Queues are long enough for what hosts may send at once, so that no packet is lost and sent again, as on a
fabric with link-level flow control. Segmentation offload stays on: a packet of up to 64 kB counts its headers
once, so that interfaces show hardly more than the data, while the shapers charge for the frames of a wire.
Without it the packets are forty times as many, and the kernel of a busy machine drops some.

Needs Linux, root, iproute2 (ip, tc) and util-linux (unshare); see `why_not`.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import mpirun
import references
from sortlast import launch

ENTER = Path(__file__).with_name("enter.sh")

_QUEUE = "64mb"  # longest queue of an interface
_BURST = "80kb"  # sent at once; the shaper cuts what is larger into packets, and the largest is 64 kB

# Namespaces are called sortlast-PID-..., so that those of a process that was killed can be told.
_NAME = re.compile(r"^sortlast-(\d+)-")
_testbeds = itertools.count()


def why_not() -> str:
    """What this machine lacks for a testbed; empty if nothing."""
    if os.geteuid() != 0:
        return "hosts are network namespaces, which need root"
    lacking = [command for command in ("ip", "tc", "unshare") if shutil.which(command) is None]
    if lacking and not references.required():
        return f"hosts are network namespaces, which need {', '.join(lacking)} (iproute2, util-linux)"
    command = "unshare --net --uts --ipc --pid --fork --kill-child --mount-proc true"
    probe = subprocess.run(command.split(), capture_output=True, text=True, check=False)
    return f"this machine refuses namespaces: {probe.stderr.strip()}" if probe.returncode else ""


class Testbed:
    """Hosts and a switch, from entering the context to leaving it.

    Args:
        hosts: how many, 1 to 200.
        rate_mbit: what each end of a cable sends at most, in Mbit/s, 1 or more.

    Raises ValueError for other values; on entering, RuntimeError with the message of `ip` or `tc` if the
    kernel refuses.
    """

    __test__ = False  # no test, though pytest may think so

    def __init__(self, hosts: int = 8, rate_mbit: int = 100) -> None:
        if not 1 <= hosts <= 200 or rate_mbit < 1:
            raise ValueError(
                f"{hosts} hosts at {rate_mbit} Mbit/s; expected 1 to 200 hosts and at least 1 Mbit/s"
            )
        self.rate_mbit = rate_mbit
        prefix = f"sortlast-{os.getpid()}-{next(_testbeds)}"
        self.hosts = [f"{prefix}-host{k}" for k in range(hosts)]
        self._switch = f"{prefix}-switch"

    def __enter__(self) -> Testbed:
        _remove(_stale())
        try:
            with _uninterrupted():
                self._make_switch()
                for k in range(len(self.hosts)):
                    self._make_host(k)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def run(self, ranks: int, snippet: str, *, timeout: float = 60.0) -> mpirun.Job:
        """Run a Python snippet on `ranks` ranks, in equal blocks on the hosts; see `mpirun.run`."""
        per_host, rest = divmod(ranks, len(self.hosts))
        if rest or per_host < 1:
            raise ValueError(f"{ranks} ranks do not spread evenly over {len(self.hosts)} hosts")
        options, env = self._settings(launch.find_mpiexec().family, per_host)
        before = ["ip", "netns", "exec", self._switch]
        try:
            return mpirun.run(ranks, snippet, timeout=timeout, env=env, before=before, options=options)
        finally:
            # Hosts that lost their mpiexec may still have ranks.
            _kill([*self.hosts, self._switch])

    def dropped(self) -> int:
        """Packets that queues have dropped since the testbed was made."""
        ends = [(host, "eth0") for host in self.hosts]
        ends += [(self._switch, f"port{k}") for k in range(len(self.hosts))]
        queues = [json.loads(_tc(space, "-j -s qdisc show dev", device)) for space, device in ends]
        return sum(queue["drops"] for (queue,) in queues)

    def _settings(self, family: str, per_host: int) -> tuple[list[str], dict[str, str]]:
        """Options of mpiexec, and variables for it and the ranks."""
        hosts = ",".join(f"{host}:{per_host}" for host in self.hosts)
        if family == "mpich":
            return f"-launcher ssh -launcher-exec {ENTER} -iface bridge -hosts {hosts}".split(), {}
        # Each host believes that the cores are its own: neither bind its ranks to the first ones nor poll.
        return f"--map-by ppr:{per_host}:node --bind-to none --host {hosts}".split(), {
            "PRTE_MCA_plm_ssh_agent": str(ENTER),
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }

    def _make_switch(self) -> None:
        switch = self._switch
        _run("ip netns add", switch)
        _ip(switch, "link set lo up")
        _ip(switch, "link add bridge type bridge")
        _ip(switch, "link set bridge addrgenmode none up")
        # mpiexec runs beside the switch and talks to the hosts from here.
        _ip(switch, "address add 10.0.0.254/24 dev bridge")

    def _make_host(self, k: int) -> None:
        host, switch, port = self.hosts[k], self._switch, f"port{k}"
        _run("ip netns add", host)
        _ip(host, "link set lo up")
        _ip(host, f"link add eth0 type veth peer name {port} netns {switch}")
        _ip(host, f"address add 10.0.0.{k + 1}/24 dev eth0")
        for space, device, more in ((host, "eth0", ""), (switch, port, "master bridge")):
            shaper = f"rate {self.rate_mbit}mbit burst {_BURST} limit {_QUEUE}"
            _tc(space, f"qdisc add dev {device} root tbf {shaper}")
            _ip(space, f"link set {device} addrgenmode none up {more}")

    def _remove(self) -> None:
        made = set(_namespaces())
        _remove([name for name in [*self.hosts, self._switch] if name in made])


def _remove(namespaces: list[str]) -> None:
    """Remove namespaces, and with them their interfaces and processes."""
    with _uninterrupted():
        _kill(namespaces)
        for name in namespaces:
            _run("ip netns delete", name)


def _kill(namespaces: list[str]) -> None:
    for name in namespaces:
        for pid in _run("ip netns pids", name).split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                continue


def _namespaces() -> list[str]:
    return [line.split()[0] for line in _run("ip netns list").splitlines() if line]


def _stale() -> list[str]:
    """Namespaces whose makers were killed before they could remove them."""
    owned = [(name, _NAME.match(name)) for name in _namespaces()]
    return [name for name, match in owned if match and not Path("/proc", match[1]).exists()]


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put an interrupt off, so that what is half made is known, and what is half removed goes."""
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)


def _ip(namespace: str, command: str) -> str:
    return _run(f"ip -n {namespace} {command}")


def _tc(namespace: str, *command: str) -> str:
    return _run(f"tc -n {namespace}", *command)


def _run(*command: str) -> str:
    """Run a command, given in pieces, and return its output."""
    argv = " ".join(command).split()
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)} failed: {done.stderr.strip()}")
    return done.stdout
