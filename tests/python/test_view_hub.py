"""The viewer's hub without a server: what is taken of viewers, what is drawn next, and who waits for whom."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortlast import ArgumentError
from sortlast.view import controls
from sortlast.view.controls import Controls, Eye
from sortlast.view.hub import REST, UNSEEN, Hub, shown
from sortlast.view.pace import COARSEST, SOON, Pace
from sortlast.view.stage import Order
from view_messages import EYE, WRONG


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
    assert job.order == Order(Controls(), controls.eye(EYE), (800, 600), fine=True, yields=True)
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


def test_a_fine_frame_is_given_up_for_a_coarse_one_and_made_when_all_rest():
    of = hub()
    one, two = Client(of), Client(of)
    two.say(own=True)
    while make(of):
        one.receive(), two.receive()
        one.say(seen=one.viewer.sent), two.say(seen=two.viewer.sent)
    fine = of.take(2 * REST)
    assert fine.fine
    assert not of.moving()

    # While one moves, whose fine frame it was or not, nothing but its frames are made.
    for mover in (one, two):
        mover.say(eye={**EYE, "azimuth": 1.0})
        assert of.moving()
        job = of.take(0)
        assert job.view is mover.viewer.view
        assert not job.fine
        of.put(job, 0.01, {}, b"picture")
        mover.receive()
        mover.say(seen=mover.viewer.sent)
        assert not of.moving()

    # Then both are made as fine as they can be.
    drawn = []
    while (job := of.take(2 * REST)) is not None:
        assert job.fine
        drawn.append(job.view)
        of.put(job, 0.01, {}, b"picture")
    assert sorted(map(id, drawn)) == sorted((id(one.viewer.view), id(two.viewer.view)))
    of.end("over")
    assert of.moving()


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


def test_a_choice_that_is_taken_is_taken_whole():
    taken = controls.changed(Controls(), {"mode": "boxes", "opacity": [[0, 0], [1, 0.5]]}, 3)
    assert taken == Controls(mode="boxes", opacity=((0.0, 0.0), (1.0, 0.5)))
    with pytest.raises(ArgumentError):
        controls.changed(taken, {"mode": "volume", "isovalue": -1}, 3)
    assert controls.changed(taken, {"opacity": None, "mode": "volume"}, 3) == Controls()
