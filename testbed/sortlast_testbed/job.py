"""Commands under MPI on the hosts of a testbed, in a given order, with one or several ranks per host."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import _leftovers, launch
from sortlast._errors import ArgumentError, Error
from sortlast_testbed import names, namespaces

if TYPE_CHECKING:
    from sortlast_testbed.testbed import Testbed


def run(
    testbed: Testbed,
    hosts: Sequence[int],
    command: Sequence[str],
    timeout: float | None = None,
    variables: Mapping[str, str] | None = None,
    ranks_per_host: int = 1,
) -> int:
    """Run a command under mpiexec, rank i on ``hosts[i // ranks_per_host]``; returns mpiexec's exit status.

    Ranks of a host share memory; ranks of different hosts communicate only by TCP. All see the machine's
    files. The ranks inherit this process's output and have no standard input. mpiexec itself runs on the
    first host. However it ends, no process is left on any host.

    Args:
        testbed: one that is up.
        hosts: numbers of hosts, each once.
        command: with its arguments.
        timeout: limit in seconds; None: none.
        variables: added to the ranks' environment; this process's variables take precedence.
        ranks_per_host: 1 or more; consecutive ranks share a host, like the ranks of a node.

    Raises:
        ArgumentError: no host, one that does not exist, or one twice; no rank on a host; or no command.
        TimeoutError: the ranks did not end in time.
        Error: another job runs on the testbed, or there is no mpiexec.
    """
    from sortlast.fabric.nodes import unique

    if not hosts:
        raise ArgumentError("no hosts to run on; name one or more")
    if min(hosts) < 0:
        raise ArgumentError(f"host {min(hosts)} to run on; hosts are numbered from 0")
    unique(testbed.topology, hosts)
    if ranks_per_host < 1:
        raise ArgumentError(f"ranks_per_host is {ranks_per_host}; expected 1 or more")
    if not command:
        raise ArgumentError("no command to run; name one")
    if busy := [space for space in testbed.spaces if namespaces.processes(space)]:
        raise Error(
            f"something runs on {busy[0]} already; wait for it, or run python -m sortlast_testbed down and up"
        )
    launcher = launch.find_mpiexec()
    count = len(hosts) * ranks_per_host
    settings = launch.environment(launcher.family, count, len(os.sched_getaffinity(0)), True)
    with _entrance() as enter:
        options, more = _options(
            launcher.family, enter, [testbed.hosts[host] for host in hosts], ranks_per_host
        )
        argv = ["ip", "netns", "exec", testbed.spaces[hosts[0]], str(launcher.path), *options]
        env = (
            settings
            | more
            | dict(variables or {})
            | dict(os.environ)
            | {"SORTLAST_TESTBED_PREFIX": testbed.prefix, names.SCOPE: names.scope()}
        )
        try:
            ranks = [*argv, "-n", str(count), *command]
            return launch.wait_for(ranks, env, timeout, f"{command[-1]} on the testbed")
        finally:
            namespaces.kill(testbed.spaces)


def answer(
    testbed: Testbed,
    hosts: Sequence[int],
    module: str,
    settings: Mapping[str, Any],
    timeout: float | None = None,
    ranks_per_host: int = 1,
) -> Any:
    """Run ``python -m module`` on hosts like :func:`sortlast.launch.ranks`, and return its report.

    Raises like :func:`run`, and RanksError if the ranks failed.
    """
    return launch.ranks(
        module,
        settings,
        len(hosts) * ranks_per_host,
        start=lambda command: run(testbed, hosts, command, timeout, ranks_per_host=ranks_per_host),
    )


@contextmanager
def _entrance() -> Iterator[Path]:
    """An executable file that launchers call to start a process on a host."""
    with _leftovers.folder() as folder:
        enter = folder / "enter.sh"
        shutil.copyfile(Path(__file__).with_name("enter.sh"), enter)
        enter.chmod(0o700)
        yield enter


def _options(
    family: str, enter: Path, hosts: Sequence[str], ranks_per_host: int
) -> tuple[list[str], dict[str, str]]:
    """Options of mpiexec, and environment variables for it and the ranks."""
    listed = ",".join(f"{host}:{ranks_per_host}" for host in hosts)
    if family == "mpich":
        return ["-launcher", "ssh", "-launcher-exec", str(enter), "-iface", "eth0", "-hosts", listed], {}
    # Each host assumes that the cores are its own: do not bind its ranks to the first ones, and do not poll.
    return ["--map-by", f"ppr:{ranks_per_host}:node", "--bind-to", "none", "--host", listed], {
        "PRTE_MCA_plm_ssh_agent": str(enter),
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }
