"""A wall of four tiles, each shown by a rank: with ours as with IceT."""

from __future__ import annotations

import select
import socket
import subprocess
import time
from contextlib import ExitStack

import numpy as np
import pytest

import jobs

LIMIT = 300  # seconds until the wall shows the scene


@pytest.fixture(scope="module")
def walls(tmp_path_factory, display):
    """What the tiles show, with IceT and with ours: {ours: four arrays of shape (height, width, 4)}."""
    found = {}
    for ours in (False, True):
        folder = tmp_path_factory.mktemp("wall")
        told = show(ours, str(folder), display)
        assert (jobs.TIMING in told) == ("4 tile(s)" in told) == ours
        found[ours] = [jobs.pixels(folder / f"tile{rank}.png") for rank in range(4)]
    return found


def show(ours: bool, folder: str, display: str) -> str:
    """Have a client show the scene on the tiles of a server; what the server printed."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    wall = [jobs.program("pvserver"), "--tdx=2", "--tdy=2", f"--server-port={port}"]
    environment = jobs.variables(display)
    with ExitStack() as held:
        server = held.enter_context(
            subprocess.Popen(
                jobs.command(ours, 4, wall),
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        held.callback(server.terminate)  # does nothing once it has ended
        told = wait_for(server, "Accepting connection")
        client = subprocess.run(
            [
                "env",
                "-u",
                "PYTHONPATH",
                jobs.program("pvpython"),
                str(jobs.FOLDER / "tiles.py"),
                str(port),
                folder,
            ],
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert client.returncode == 0, client.stdout + client.stderr
        return told + server.communicate(timeout=LIMIT)[0]


def wait_for(process: subprocess.Popen, text: str) -> str:
    """Read what a process prints up to a line with a text."""
    told = ""
    end = time.monotonic() + LIMIT
    while text not in told:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))
        line = process.stdout.readline() if ready and process.stdout else ""
        assert line, f"{process.args} did not print {text!r}:\n{told}"
        told += line
    return told


def test_every_tile_shows_a_part_of_its_own(walls):
    for tile in walls[True]:
        assert len(np.unique(tile.reshape(-1, 4), axis=0)) > 10
    assert len({tile.tobytes() for tile in walls[True]}) == 4


def test_tiles_are_those_of_icet(walls):
    for ours, icet in zip(walls[True], walls[False], strict=True):
        assert np.array_equal(ours, icet)
