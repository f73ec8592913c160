"""A wall of four tiles, each shown by a rank on a display of its own: with ours as with IceT."""

from __future__ import annotations

import select
import socket
import subprocess
import time
from contextlib import ExitStack

import numpy as np
import pytest

import displays
import jobs

SIZE = (256, 256)
LIMIT = 300  # seconds until the wall shows the scene


@pytest.fixture(scope="module")
def walls():
    """What the four displays show: with IceT and with ours, of shape (4, height, width, 3)."""
    return {ours: wall(ours) for ours in (False, True)}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("localhost", 0))
        return int(one.getsockname()[1])


def wall(ours: bool) -> np.ndarray:
    port = free_port()
    with ExitStack() as held:
        tiles = held.enter_context(displays.started(4, SIZE))
        environment = jobs.variables(tiles[0].name)
        arguments = [
            *(jobs.program("pvserver"), "--displays=" + ",".join(tile.name for tile in tiles)),
            *("--tdx=2", "--tdy=2", f"--server-port={port}"),
        ]
        server = held.enter_context(
            subprocess.Popen(
                jobs.command(ours, 4, arguments),
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        held.callback(server.terminate)
        assert server.stdout is not None
        wait_for(server, "Accepting connection")
        client = held.enter_context(
            subprocess.Popen(
                [jobs.program("pvpython"), str(jobs.FOLDER / "tiles.py"), str(port)],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        held.callback(client.kill)
        wait_for(client, "shown")
        shown = np.stack([tile.picture() for tile in tiles])
        client.communicate("\n", timeout=LIMIT)
        told = server.communicate(timeout=LIMIT)[0]
        assert (jobs.TIMING in told) == ours
        assert ("4 tile(s)" in told) == ours
    return shown


def wait_for(process: subprocess.Popen, text: str) -> None:
    """Read what a process prints up to a line with a text."""
    told = ""
    end = time.monotonic() + LIMIT
    while text not in told:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))
        line = process.stdout.readline() if ready else ""
        assert line, f"{process.args} did not print {text!r}:\n{told}"
        told += line


def test_every_tile_shows_a_part_of_its_own(walls):
    for tile in walls[True]:
        assert len(np.unique(tile.reshape(-1, 3), axis=0)) > 10
    assert len({tile.tobytes() for tile in walls[True]}) == 4


def test_tiles_are_those_of_icet(walls):
    assert np.array_equal(walls[True], walls[False])
