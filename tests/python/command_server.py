"""Starts commands as copies of itself, see commands.py: ``python command_server.py FD``.

It has imported the command line and does nothing else. For each task that it reads from the socket FD it
forks, and the copy becomes the command: with the files, folder, variables and arguments of the task it runs
``python -m sortlast``, and ends as that does. Then it answers with the status.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import socket
import sys
from contextlib import suppress

from sortlast.cli._app import app

MESSAGE = 1 << 17  # most bytes of a task


def main(number: int) -> None:
    """Start commands until the other end is closed."""
    # Some of what commands need is imported when a command prints its help, which goes nowhere here.
    with suppress(SystemExit):
        app(["schedule", "--help"])
    gc.freeze()
    with socket.socket(fileno=number) as tests:
        while True:
            message, files, _, _ = socket.recv_fds(tests, MESSAGE, 3)
            if not message:
                return
            pid = os.fork()
            if pid == 0:
                break
            for file in files:
                os.close(file)
            tests.send(b"%d" % pid)
            _, status = os.waitpid(pid, 0)
            tests.send(b"%d" % os.waitstatus_to_exitcode(status))
    become(json.loads(message), files)


def become(task: dict, files: list[int]) -> None:
    """Run a command in this process."""
    atexit.register(gc.unfreeze)  # or what lies in cycles would never be released, which nanobind reports
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    for number in task["closed"]:
        os.close(number)
    os.chdir(task["folder"])
    os.environ.clear()
    os.environ.update(task["variables"])
    sys.argv[:] = ["sortlast", *task["arguments"]]
    runpy.run_module("sortlast", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
