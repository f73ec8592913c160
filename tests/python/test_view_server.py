"""The viewer's server without a browser: who is let in, what is refused, and who waits for whom."""

from __future__ import annotations

import re
import socket
import time
import urllib.error
import urllib.request
from contextlib import ExitStack

import aiohttp
import pytest

import viewing
from sortlast.view import Served
from sortlast.view.hub import UNSEEN
from sortlast.view.server import MOST_STRANGERS
from view_client import connected, receive, until
from view_messages import EYE, WRONG


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    data = viewing.write_data(tmp_path_factory.mktemp("data"))
    with viewing.served("--ranks", "2", data=data) as viewer:
        yield viewer


def status_of(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            assert "default-src 'none'" in answer.read().decode()
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.mpi
def test_who_has_not_the_token_gets_nothing(served):
    base, token = served.address.split("/?token=")
    assert base.startswith("http://127.0.0.1:")
    assert status_of(served.address) == 200
    for wrong in ("", "?token=", "?token=wrong", f"?token={token}x", f"?other={token}", "?token=%00%ff"):
        assert status_of(f"{base}/{wrong}") == 403, wrong
        assert status_of(f"{base}/pictures{wrong}") == 403, wrong
    assert status_of(f"{base}/page.js") == 404
    assert status_of(f"{base}/../etc/passwd?token={token}") == 404


@pytest.mark.mpi
def test_it_listens_where_it_was_told_and_prints_the_way_there(served):
    port = int(re.search(r"127\.0\.0\.1:(\d+)/", served.address)[1])
    assert f"ssh -L {port}:127.0.0.1:{port} " in served.printed
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=2)


@pytest.mark.mpi
def test_connections_without_the_token_keep_no_viewer_out(served):
    """They end after a while, and the oldest of too many at once."""
    port = int(re.search(r":(\d+)/", served.address)[1])
    with ExitStack() as held:
        idle = [
            held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            for _ in range(2 * MOST_STRANGERS)
        ]
        for each in idle[:MOST_STRANGERS]:
            assert each.recv(1) == b""
        assert status_of(served.address) == 200
        for each in idle[MOST_STRANGERS:]:
            assert each.recv(1) == b""


def test_an_address_of_ipv6_stands_in_brackets():
    served = Served("::1", 8080, "secret")
    assert (served.place, served.address) == ("[::1]:8080", "http://[::1]:8080/?token=secret")


@pytest.mark.mpi
def test_bad_messages_are_refused_and_the_server_goes_on(served):
    async def visit() -> None:
        async with connected(served.address) as line:
            await until(line, lambda found: isinstance(found, int))
            for message, told in WRONG[4:8] + WRONG[-5:]:
                await line.send_json(message)
                found = await until(line, lambda found: isinstance(found, dict) and "refused" in found)
                assert re.search(told, found["refused"])
            for text in ("", "{", "[" * 5000, '"x"', "NaN"):
                await line.send_str(text)
                await until(line, lambda found: isinstance(found, dict) and "refused" in found)
            await line.send_bytes(b"\0" * 100)
            await until(line, lambda found: isinstance(found, dict) and "refused" in found)
            await line.send_json({"eye": EYE, "seen": 1})
            await until(line, lambda found: isinstance(found, int))
        # Who sends too much is shown the door.
        async with connected(served.address) as line:
            await line.send_str(" " * (1 << 15))
            while (message := await line.receive(10)).type in (
                aiohttp.WSMsgType.TEXT,
                aiohttp.WSMsgType.BINARY,
            ):
                pass
            assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
        assert status_of(served.address) == 200

    viewing.visit(visit())


@pytest.mark.mpi
def test_a_viewer_that_does_not_read_holds_nobody_up(served):
    """It gets two pictures and no more, while another goes on; then the latest."""

    async def visit() -> None:
        async with connected(served.address) as stuck, connected(served.address) as quick:
            serials = []
            for k in range(12):
                await quick.send_json({"eye": {**EYE, "azimuth": 20 + k}, "seen": k})
                serials.append(await until(quick, lambda found: isinstance(found, int)))
            assert serials == sorted(set(serials))
            got = []
            while len(got) < UNSEEN:
                found = await receive(stuck)
                got += [found] if isinstance(found, int) else []
            with pytest.raises(TimeoutError):
                await until(_limited(stuck), lambda found: isinstance(found, int))
            await stuck.send_json({"seen": UNSEEN})
            latest = await until(stuck, lambda found: isinstance(found, int))
            assert latest >= serials[-1]

    viewing.visit(visit())


class _limited:  # noqa: N801
    """A line on which a message must come within half a second."""

    def __init__(self, line) -> None:
        self._line = line

    async def receive(self, limit: float):
        return await self._line.receive(0.5)


@pytest.mark.mpi
def test_who_goes_is_forgotten(served):
    (rank,) = (pid for rank, pid in served.ranks().items() if rank == 0)

    async def visit() -> None:
        async with connected(served.address) as line:
            await until(line, lambda found: isinstance(found, int))

    async def count() -> int:
        async with connected(served.address) as line:
            found = await until(line, lambda found: isinstance(found, dict) and "viewers" in found)
            return found["viewers"]["all"]

    def growth() -> int:
        before = viewing.resident(rank)
        for _ in range(40):
            viewing.visit(visit())
        end = time.monotonic() + 10
        while viewing.visit(count()) > 1:
            assert time.monotonic() < end
            time.sleep(0.1)
        return viewing.resident(rank) - before

    # A frame being made holds memory too, once; what is kept of each visitor would be there every time.
    assert min(growth() for _ in range(3)) < 1e6
