"""Ranks that stay: a script of a test finds them started, with MPI up and everything imported.

To start MPI and Python on three ranks takes longer than most tests do. So a session of pytest keeps the ranks
of one mpiexec for each number of ranks that tests ask for, and hands them one script after the other, see
pool_rank.py. A script has a communicator of its own, a duplicate of that of all ranks.

Where a script ends with an exception, a rank ends, or the time is over, the whole pool is killed, and the
next test gets a new one. Nothing outlives the session: ranks end when their socket is closed, and what does
not end so is killed by what :mod:`sortlast._leftovers` starts.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from pool_rank import DONE
from sortlast import _leftovers, launch

KEPT = 16  # most ranks that wait at a time
_START = 120.0  # limit for all ranks to come [s]
_END = 10.0  # limit for them to go [s]
_RANK = Path(__file__).with_name("pool_rank.py")


class Pool:
    """The ranks of one mpiexec. ``script`` sees ``comm``, and runs as ``__main__``."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self._held = ExitStack()
        self._environ = dict(os.environ)
        try:
            self._folder = self._held.enter_context(_leftovers.folder())
            self._start()
        except BaseException:
            self._held.close()
            raise

    def _start(self) -> None:
        launcher = launch.find_mpiexec()
        settings = launch.environment(
            launcher.family, self.ranks, len(os.sched_getaffinity(0)), os.geteuid() == 0
        )
        server = self._held.enter_context(socket.socket(socket.AF_UNIX))
        server.bind(str(self._folder / "socket"))
        server.listen(self.ranks)
        server.settimeout(1.0)
        command = [str(launcher.path), "-n", str(self.ranks), sys.executable, "-m", "mpi4py", str(_RANK)]
        output = self._held.enter_context((self._folder / "mpiexec.txt").open("w"))
        kept = _leftovers.start(
            [*command, str(self._folder / "socket")],
            self._environ | settings,
            stdout=output,
            stderr=output,
        )
        self._process = self._held.enter_context(kept).process
        end = time.monotonic() + _START
        ranks: dict[int, socket.socket] = {}
        while len(ranks) < self.ranks:
            try:
                connection, _ = server.accept()
            except TimeoutError:
                if self._process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"{self.ranks} ranks did not start: {self._said()}") from None
                continue
            self._held.enter_context(connection)
            ranks[int(connection.makefile().readline())] = connection
        self._connections = [ranks[rank] for rank in range(self.ranks)]

    def run(self, script: Path, timeout: float) -> subprocess.CompletedProcess[str]:
        """Run a script on all ranks; it leaves what they print in files beside it.

        Raises TimeoutError as :func:`mpirun.run` does. After that, or a status that is not 0, it is closed.
        """
        changed = os.environ.items() - self._environ.items()
        names = [(f"{rank}.out", f"{rank}.err") for rank in range(self.ranks)]
        files = [list(map(script.with_name, pair)) for pair in names]
        for connection, (out, err) in zip(self._connections, files, strict=True):
            task = {
                "script": str(script),
                "folder": os.getcwd(),
                "set": dict(changed),
                "unset": list(self._environ.keys() - os.environ.keys()),
                "stdout": str(out),
                "stderr": str(err),
            }
            with suppress(BrokenPipeError):  # it ended while it waited, and is told below
                connection.sendall(json.dumps(task).encode() + b"\n")
        failure, late = self._wait(timeout)
        if failure or late:
            self.kill()
        stdout, stderr = ("".join(map(_text, each)) for each in zip(*files, strict=True))
        if late:
            raise TimeoutError(f"{self.ranks} ranks did not end within {timeout:g} s\n{stdout}{stderr}")
        return subprocess.CompletedProcess([str(script)], int(bool(failure)), stdout, stderr + failure)

    def _wait(self, timeout: float) -> tuple[str, bool]:
        """Wait for all ranks, or the first that fails; what is told of that, and whether time is over."""
        end = time.monotonic() + timeout
        waiting = dict(zip(self._connections, range(self.ranks), strict=True))
        while waiting:
            ready, _, _ = select.select(list(waiting), [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return "", True
            for connection in ready:
                rank = waiting.pop(connection)
                answer = connection.recv(1)
                if answer != DONE:
                    how = "raised an exception" if answer else f"ended\n{self._said()}"
                    return f"rank {rank} of the pool {how}\n", False
        return "", False

    def _said(self) -> str:
        return (self._folder / "mpiexec.txt").read_text(errors="replace")

    @property
    def usable(self) -> bool:
        """Whether it still waits for scripts."""
        # Who waits says nothing: what can be read is the end of a rank, which mpiexec may outlive a while.
        return self._process.poll() is None and not select.select(self._connections, [], [], 0.0)[0]

    def kill(self) -> None:
        """End all ranks at once."""
        self._held.close()

    def close(self) -> None:
        """Let all ranks end, and what does not end."""
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END)
        self.kill()


_pools: dict[int, Pool] = {}  # those used last are at the end


def of(ranks: int) -> Pool:
    """The pool of a number of ranks, started if there is none."""
    for number in [number for number, each in _pools.items() if not each.usable]:
        _pools.pop(number).close()
    found = _pools.pop(ranks, None)
    if found is None:
        while _pools and sum(_pools) + ranks > KEPT:
            _pools.pop(next(iter(_pools))).close()
        found = Pool(ranks)
    _pools[ranks] = found
    return found


def kept() -> list[int]:
    """Numbers of ranks of the pools that there are."""
    return list(_pools)


def close_all() -> None:
    """End all pools."""
    while _pools:
        _pools.popitem()[1].close()


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
