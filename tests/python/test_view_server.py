"""The viewer's server and hub without a browser: who is let in, what is taken, and who waits for whom."""

from __future__ import annotations

import json
import re
import socket
import time
import urllib.error
import urllib.request
from contextlib import asynccontextmanager

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import commands
import viewing
from sortlast import ArgumentError
from sortlast.view import controls
from sortlast.view.controls import Controls, Eye
from sortlast.view.hub import REST, UNSEEN, Hub, shown
from sortlast.view.pace import COARSEST, SOON, Pace
from sortlast.view.stage import Order

EYE = {"azimuth": 10.0, "elevation": 20.0, "zoom": 1.5, "pan": [0.1, -0.2]}

# What no viewer may ask for, and a word of what it is told.
WRONG = [
    (None, "object"),
    (3, "object"),
    ([], "object"),
    ({"camera": 1}, "object of"),
    ({"eye": 1}, "eye is 1"),
    ({"eye": {**EYE, "zoom": 1e9}}, "zoom is 1e\\+09"),
    ({"eye": {**EYE, "elevation": 90}}, "elevation is 90"),
    ({"eye": {**EYE, "pan": [0]}}, "pan is"),
    ({"eye": {**EYE, "azimuth": "3"}}, "azimuth is '3'"),
    ({"eye": {**EYE, "azimuth": True}}, "azimuth is True"),
    ({"eye": {**EYE, "roll": 1}}, "eye has 'roll'"),
    ({"eye": {"azimuth": 1}}, "eye has no 'elevation'"),
    ({"size": [1, 1]}, "size is 1 x 1"),
    ({"size": [4000, 4000]}, "size is 4000 x 4000"),
    ({"size": [300.5, 200]}, "size is 300.5"),
    ({"size": "300x200"}, "size is '300x200'"),
    ({"seen": 5}, "seen is 5"),
    ({"seen": -1}, "no count"),
    ({"stamp": "x"}, "no count"),
    ({"own": 1}, "own is 1"),
    ({"controls": None}, "controls is None"),
    ({"controls": {"colour": "red"}}, "controls has 'colour'"),
    ({"controls": {"mode": "unstructured"}}, "mode is 'unstructured'"),
    ({"controls": {"algorithm": "quick-sort"}}, "quick-sort"),
    ({"controls": {"algorithm": ["shift"]}}, "algorithm is"),
    ({"controls": {"picture": "png"}}, "picture is 'png'"),
    ({"controls": {"isovalue": float("nan")}}, "isovalue is nan"),
    ({"controls": {"opacity": [[0, 0]]}}, "opacity is"),
    ({"controls": {"opacity": [[0.5, 0], [0.5, 1]]}}, "ascend"),
    ({"controls": {"opacity": [[0, 0], [1, 2]]}}, "a point of opacity is 2"),
    ({"controls": {"clip": {"axis": "w", "at": 0.5}}}, "axis of clip"),
    ({"controls": {"clip": {"axis": "x"}}}, "at of clip"),
]


def hub() -> Hub:
    return Hub(Controls(), 4, 1e6)


class Client:
    """A viewer of a hub, as the server keeps one."""

    def __init__(self, of: Hub) -> None:
        self.hub, self.woken = of, 0
        self.viewer = of.join(self._wake)
        assert self.viewer is not None

    def _wake(self) -> None:
        self.woken += 1

    def say(self, **message: object) -> None:
        self.hub.hear(self.viewer, message)

    def receive(self) -> tuple[dict, list[int]]:
        """Notices, and the serial numbers of pictures."""
        notices, serials = {}, []
        for message in self.hub.to_send(self.viewer):
            if isinstance(message, str):
                notices |= json.loads(message)
            else:
                serials.append(json.loads(message[4 : 4 + int.from_bytes(message[:4], "little")])["serial"])
        return notices, serials


def make(of: Hub) -> Order | None:
    """Make the frame that is due, if one is."""
    job = of.take(0)
    if job is not None:
        of.put(job, 0.01, {}, b"picture")
    return job and job.order


# ---- the hub


@pytest.mark.parametrize(("message", "told"), WRONG)
def test_what_is_wrong_is_refused_and_changes_nothing(message, told):
    of = hub()
    one, two = Client(of), Client(of)
    two.receive()
    before = (of.controls, one.viewer.view.eye, one.viewer.view.size)
    of.hear(one.viewer, message)
    notices, _ = one.receive()
    assert re.search(told, notices["refused"]), notices
    assert notices["controls"] == json.loads(json.dumps(shown(before[0])))
    assert (of.controls, one.viewer.view.eye, one.viewer.view.size) == before
    assert two.receive() == ({}, [])
    one.say(eye=EYE)
    assert "refused" not in one.receive()[0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
named = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("eye", "size", "stamp", "seen", "own", "controls"), json_values)
)


@given(st.lists(json_values | named, max_size=4))
def test_no_message_ends_the_hub(messages):
    of = hub()
    one = Client(of)
    for message in messages:
        of.hear(one.viewer, message)
        one.receive()
    one.say(eye=EYE, size=[320, 200])
    assert make(of).eye == controls.eye(EYE)


@given(st.builds(dict, azimuth=st.floats(-1e6, 1e6), elevation=st.floats(-89, 89), zoom=st.floats(0.2, 50)))
def test_an_eye_that_is_taken_is_within_its_limits(asked):
    taken = controls.eye({**asked, "pan": [0, 3]})
    assert 0 <= taken.azimuth < 360
    assert (taken.elevation, taken.zoom, taken.pan) == (asked["elevation"], asked["zoom"], (0, 3))


def test_a_frame_shows_the_latest_and_a_slow_viewer_gets_no_older_picture():
    of = hub()
    slow, quick = Client(of), Client(of)
    got: dict[str, list[int]] = {"slow": [], "quick": []}
    for k in range(20):
        for azimuth in (k, k + 0.25, k + 0.5):
            quick.say(eye={**EYE, "azimuth": azimuth})
        assert make(of).eye.azimuth == k + 0.5
        got["slow"] += slow.receive()[1]
        got["quick"] += quick.receive()[1]
        quick.say(seen=k + 1)
    assert got["quick"] == [*range(1, 21)]
    assert got["slow"] == [*range(1, UNSEEN + 1)]
    slow.say(seen=1)
    assert slow.receive()[1] == [20]
    assert slow.receive()[1] == []


def test_nothing_is_drawn_while_nobody_can_take_a_picture():
    of = hub()
    one = Client(of)
    for k in range(5):
        one.say(eye={**EYE, "azimuth": k})
        made = make(of)
        assert (made is not None) == (k < UNSEEN)
        one.receive()
    of.leave(one.viewer)
    assert make(of) is None
    assert of.viewers == 0


def test_a_camera_at_rest_is_drawn_once_more_as_fine_as_the_window():
    of = hub()
    one = Client(of)
    one.say(size=[800, 600], eye=EYE)
    coarse = make(of)
    assert not coarse.fine
    assert coarse.size < (800, 600)
    one.receive()
    assert make(of) is None
    job = of.take(2 * REST)
    assert job.fine
    assert job.order == Order(Controls(), controls.eye(EYE), (800, 600), True)
    of.put(job, 0.5, {}, b"picture")
    assert of.take(1.5 * REST) is None


def test_two_views_take_turns():
    of = hub()
    one, two = Client(of), Client(of)
    two.say(own=True)
    drawn = []
    for _ in range(6):
        one.say(eye={**EYE, "azimuth": 1.0}, seen=one.viewer.sent)
        two.say(eye={**EYE, "azimuth": 2.0}, seen=two.viewer.sent)
        drawn.append(make(of).eye.azimuth)
        one.receive(), two.receive()
    assert drawn.count(1.0) == drawn.count(2.0) == 3


def test_who_comes_does_not_change_the_picture_of_the_others():
    of = hub()
    one = Client(of)
    one.say(size=[800, 600])
    assert one.viewer.view.size == (800, 600)
    two = Client(of)
    two.say(size=[300, 200])
    assert one.viewer.view.size == (800, 600)
    two.say(eye=EYE)
    assert one.viewer.view.size == (300, 200)
    assert one.receive()[0]["eye"]["zoom"] == 1.5
    assert "eye" in two.receive()[0]


def test_a_frame_that_cannot_be_made_is_not_tried_again():
    of = hub()
    one = Client(of)
    one.receive()
    of.refuse(of.take(0), "too many blocks")
    assert one.receive()[0] == {"refused": "too many blocks"}
    assert of.take(1.5 * REST) is None
    one.say(eye=EYE)
    assert make(of) is not None


def test_no_more_viewers_than_there_may_be():
    of = hub()
    found = [of.join(lambda: None) for _ in range(70)]
    assert sum(each is not None for each in found) == 64


def test_frames_are_as_coarse_as_they_must_be():
    pace, order = Pace(), Order(Controls(), Eye(), (1000, 800))
    assert pace.size("volume", (1000, 800)) == (500, 400)
    pace.took(order, 0.5 * SOON, fine=False)
    assert pace.size("volume", (1000, 800)) == (1000, 800)
    for _ in range(20):
        pace.took(order, 100 * SOON, fine=False)
    assert pace.size("volume", (1000, 800)) == (1000 / COARSEST, 800 / COARSEST)
    assert pace.size("surface", (1000, 800)) == (500, 400)
    pace.took(order, 1e-3, fine=True)  # fine frames cost more a pixel, and are left out
    assert pace.size("volume", (1000, 800)) == (1000 / COARSEST, 800 / COARSEST)


# ---- the server


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    data = viewing.write_data(tmp_path_factory.mktemp("data"))
    with viewing.served("--ranks", "2", data=data) as viewer:
        yield viewer


@asynccontextmanager
async def connected(address: str):
    async with aiohttp.ClientSession() as session:
        place = address.replace("http", "ws").replace("/?", "/pictures?")
        async with session.ws_connect(place, max_msg_size=1 << 24) as line:
            yield line


async def receive(line, limit: float = 10.0) -> dict | int:
    """Notices, or the serial number of a picture."""
    message = await line.receive(limit)
    if message.type is aiohttp.WSMsgType.TEXT:
        return json.loads(message.data)
    assert message.type is aiohttp.WSMsgType.BINARY, message
    return json.loads(message.data[4 : 4 + int.from_bytes(message.data[:4], "little")])["serial"]


async def until(line, wanted) -> dict | int:
    while not wanted(found := await receive(line)):
        pass
    return found


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
def test_bad_messages_are_refused_and_the_server_goes_on(served):
    async def visit() -> None:
        async with connected(served.address) as line:
            await until(line, lambda found: isinstance(found, int))
            for message, told in WRONG[4:8] + WRONG[-4:]:
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

    for _ in range(3):
        viewing.visit(visit())
    held = viewing.resident(rank)
    for _ in range(40):
        viewing.visit(visit())
    end = time.monotonic() + 10
    while viewing.visit(count()) > 1:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert viewing.resident(rank) - held < 4e6


# ---- the command


@pytest.mark.mpi
def test_a_port_that_is_taken_is_an_error(tmp_path):
    data = viewing.write_data(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = commands.run("view", data, "--ranks", "2", "--port", port)
    assert done.returncode == 2, done
    assert f"cannot serve at 127.0.0.1, port {port}: " in done.stderr
    assert "choose another --port" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing-here"], "expected a name"),
        (["hydrogen", "--algorithm", "quick-sort"], "quick-sort"),
        (["hydrogen", "--timeout", "0"], "0 is not above 0"),
        (["hydrogen", "--host", "256.0.0.1"], "cannot serve at 256.0.0.1"),
        (["hydrogen", "--mode", "unstructured"], "'unstructured' is not one of"),
    ],
)
def test_wrong_arguments_end_with_a_message_and_status_2(arguments, message):
    done = commands.run("view", "--ranks", "2", *arguments)
    assert done.returncode == 2, done
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_choice_that_is_taken_is_taken_whole():
    taken = controls.changed(Controls(), {"mode": "boxes", "opacity": [[0, 0], [1, 0.5]]}, 3)
    assert taken == Controls(mode="boxes", opacity=((0.0, 0.0), (1.0, 0.5)))
    with pytest.raises(ArgumentError):
        controls.changed(taken, {"mode": "volume", "isovalue": -1}, 3)
    assert controls.changed(taken, {"opacity": None, "mode": "volume"}, 3) == Controls()
