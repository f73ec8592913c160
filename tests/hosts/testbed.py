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

import json
import os
import shutil
import subprocess
from pathlib import Path

import mpirun
import references
from sortlast import _leftovers, launch, testbed
from sortlast.testbed import names, namespaces, remove_stale

ENTER = Path(__file__).with_name("enter.sh")

_QUEUE = "64mb"  # longest queue of an interface
_BURST = "80kb"  # sent at once; the shaper cuts what is larger into packets, and the largest is 64 kB


def why_not() -> str:
    """What a testbed lacks here; empty if nothing, or if tests shall fail for missing programs."""
    lacking = any(shutil.which(command) is None for command in ("ip", "tc", "unshare"))
    return "" if lacking and os.geteuid() == 0 and references.required() else testbed.why_not()


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
        self._prefix = names.prefix(names.own())
        self.hosts = [f"{self._prefix}host{k}" for k in range(hosts)]
        self._switch = f"{self._prefix}switch"

    def __enter__(self) -> Testbed:
        remove_stale()
        self._watched = _leftovers.add("namespaces", self._prefix)
        try:
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
            namespaces.kill([*self.hosts, self._switch])

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
        namespaces.remove(self._prefix)
        _leftovers.done(self._watched)


def _ip(namespace: str, command: str) -> str:
    return _run(f"ip -n {namespace} {command}")


def _tc(namespace: str, *command: str) -> str:
    return _run(f"tc -n {namespace}", *command)


def _run(*command: str) -> str:
    """Run a command, given in pieces, and return its output."""
    argv = " ".join(command).split()
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run(argv, **pipes, text=True, check=False, env=os.environ | _leftovers.mark())
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)} failed: {done.stderr.strip()}")
    return done.stdout
