"""One rank of a pool, see pool.py: ``python -m mpi4py pool_rank.py SOCKET``.

It reads tasks from the socket, a line of JSON each, and answers with one byte. While it waits for the next it
lies in a read and takes no time of a core. When the other end of the socket is closed, or gone, it ends.

The interpreter stays, so all that a script may change of it is put back: what it has imported of sortlast is
imported anew by the next one, since scripts replace functions there.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import numpy as np  # noqa: F401 - imported once for all scripts
from mpi4py import MPI

import sortlast  # noqa: F401 - as above

DONE, FAILED = b"1", b"0"


def main(address: str) -> None:
    """Run scripts until the other end is closed."""
    with socket.socket(socket.AF_UNIX) as tests:
        tests.connect(address)
        tests.sendall(b"%d\n" % MPI.COMM_WORLD.rank)
        for line in tests.makefile():
            task = json.loads(line)
            with put_back(), output_to(task["stdout"], task["stderr"]):
                fine = perform(task)
            tests.sendall(DONE if fine else FAILED)


def perform(task: dict) -> bool:
    """Run one script as a program of its own; whether it ended well."""
    os.chdir(task["folder"])
    os.environ.update(task["set"])
    for name in task["unset"]:
        os.environ.pop(name, None)
    sys.argv[:] = [task["script"]]
    comm = MPI.COMM_WORLD.Dup()
    try:
        runpy.run_path(task["script"], {"comm": comm}, "__main__")
    except BaseException:
        traceback.print_exc()
        return False
    gc.collect()  # compositors that refer to themselves
    # As MPI_Finalize does, help the others until all have come to their end.
    MPI.COMM_WORLD.Barrier()
    if comm != MPI.COMM_NULL:
        comm.Free()
    return True


@contextmanager
def put_back() -> Iterator[None]:
    """Put back at the end what a script may change of its process."""
    folder, variables, paths = os.getcwd(), dict(os.environ), sys.path[:]
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    modules = {name: dict(vars(module)) for name, module in ours().items()}
    with warnings.catch_warnings():
        yield
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.path[:] = paths
    for number, handler in handlers.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)
    for name in ours().keys() - modules.keys():
        del sys.modules[name]
    for name, before in modules.items():
        now = vars(sys.modules[name])
        for added in now.keys() - before.keys():
            del now[added]
        now.update(before)


def ours() -> dict[str, ModuleType]:
    """Modules of sortlast that are written in Python: an extension can be imported but once."""
    return {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "sortlast" and str(module.__file__).endswith(".py")
    }


@contextmanager
def output_to(stdout: str, stderr: str) -> Iterator[None]:
    """Send all output to files, that of C and of processes that are started too."""
    kept = [os.dup(1), os.dup(2)]
    for number, path in ((1, stdout), (2, stderr)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, number)
        os.close(file)
    yield
    sys.stdout.flush()
    sys.stderr.flush()
    for number, before in zip((1, 2), kept, strict=True):
        os.dup2(before, number)
        os.close(before)


if __name__ == "__main__":
    main(sys.argv[1])
