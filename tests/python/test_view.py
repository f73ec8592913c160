"""The viewer in a real browser: what its page shows, what it does with mouse and controls, how it ends."""

from __future__ import annotations

import json
import os
import signal
import time

import numpy as np
import pytest

import browser
import viewing
from sortlast.view.controls import Clip, Controls, Eye

pytestmark = [pytest.mark.mpi, pytest.mark.references("chromium")]

WINDOW = (820, 420)
RANKS = 3
CANVAS = "#picture"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return viewing.write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def served(data):
    with viewing.served("--ranks", str(RANKS), data=data) as viewer:
        yield viewer


@pytest.fixture
def page(served):
    """A page on the served data, with the controls and the camera as at first, and without an error."""
    with browser.page(served.address, WINDOW, limit=150.0) as shown:
        first_picture(shown)
        yield shown
        assert shown.errors == []


def first_picture(page):
    page.wait("document.getElementById('picture').dataset.serial")


def settled(page, before: int | None = None) -> dict[str, str]:
    """Wait for a fine picture, a later one than ``before``; what the page knows of it."""
    page.wait(
        f"window.view?.settled() && Number(document.getElementById('picture').dataset.serial) > {before or 0}"
    )
    return page.run("({...document.getElementById('picture').dataset})")


def serial(page) -> int:
    return int(page.run("document.getElementById('picture').dataset.serial"))


def eye_of(known: dict[str, str]) -> Eye:
    eye = json.loads(known["eye"])
    return Eye(eye["azimuth"], eye["elevation"], eye["zoom"], tuple(eye["pan"]))


def check_picture(page, data: str, controls: Controls, known: dict[str, str]) -> np.ndarray:
    """The canvas shows what one process renders of the same camera."""
    shown = viewing.canvas(page)
    height, width = shown.shape[:2]
    expected = viewing.one_process(data, controls, eye_of(known), (width, height))
    difference = np.abs(shown - expected)
    assert difference.mean() < 0.3
    # The edges of a surface may differ between one process and several, in some pixels.
    most = 0.004 if controls.mode == "surface" else 0.0
    assert (difference.max(axis=-1) > 8).mean() <= most
    assert shown.max() > 100
    return shown


def test_the_canvas_is_what_one_process_renders_whatever_is_done(served, data):
    """One visit: load, orbit, move, zoom, resize, transfer function, clip, isovalue, formats, reload."""
    with browser.page(served.address, WINDOW) as page:
        first_picture(page)
        known = settled(page)
        assert eye_of(known) == Eye()
        controls = Controls()
        first = check_picture(page, data, controls, known)
        shorter = min(first.shape[:2])

        # The mouse orbits.
        before = serial(page)
        page.drag(CANVAS, 60, 25)
        known = settled(page, before)
        assert eye_of(known).azimuth == pytest.approx(Eye().azimuth + 220 * 60 / shorter)
        assert eye_of(known).elevation == pytest.approx(Eye().elevation + 220 * 25 / shorter)
        check_picture(page, data, controls, known)

        # With Shift it moves, and the wheel zooms.
        before = serial(page)
        page.drag(CANVAS, 40, -30, key="Shift")
        page.wheel(CANVAS, -200)
        known = settled(page, before)
        assert eye_of(known).pan[0] < 0
        assert eye_of(known).pan[1] < 0
        assert eye_of(known).zoom == pytest.approx(np.exp(0.3))
        check_picture(page, data, controls, known)

        # Another window has another picture.
        before = serial(page)
        page.resize(900, 500)
        known = settled(page, before)
        shown = check_picture(page, data, controls, known)
        assert shown.shape[:2] == (500, 900 - 320)

        # The transfer function: a point of the curve by keys, and other colours.
        before = serial(page)
        page.run("document.querySelectorAll('#curve circle')[3].focus()")
        page.press("ArrowUp", 4)
        page.choose("#colours", "viridis")
        known = settled(page, before)
        points = tuple(tuple(point) for point in page.run("window.view.controls().opacity"))
        assert points[3][1] > 0.06
        controls = Controls(opacity=points, colours="viridis")
        check_picture(page, data, controls, known)

        # A plane cuts it.
        before = serial(page)
        page.choose("#axis", "y")
        known = settled(page, before)
        controls = Controls(opacity=points, colours="viridis", clip=Clip("y", 0.5, True))
        check_picture(page, data, controls, known)

        # Its surface, of another isovalue, as WebP.
        before = serial(page)
        page.choose("#mode", "surface")
        page.choose("#kind", "webp")
        page.run("document.getElementById('isovalue').focus()")
        page.press("ArrowRight", 12)
        known = settled(page, before)
        now = page.run("window.view.controls()")
        controls = Controls("surface", picture="webp", isovalue=now["isovalue"], clip=Clip("y", 0.5, True))
        check_picture(page, data, controls, known)
        assert known["mode"] == "surface"

        # What is wrong is said, and changes nothing.
        page.run("window.view.change({ isovalue: 7 })")
        page.wait("document.getElementById('status').textContent.includes('isovalue is 7; expected 0 to 1')")
        page.wait(f"window.view.controls().isovalue === {now['isovalue']}")

        # Loaded again it is the same.
        page.reload()
        first_picture(page)
        known = settled(page)
        check_picture(page, data, controls, known)
        page.run(
            "window.view.change({ mode: 'volume', picture: 'jpeg', colours: 'tissue', opacity: null,"
            " isovalue: null, clip: null })"
        )
        page.press("Home")
        page.run("document.getElementById('reset').click()")
        settled(page, serial(page))
        assert page.errors == []


def test_points_of_the_transfer_function_come_and_go_by_keys(page):
    count = "document.querySelectorAll('#curve circle').length"
    first = page.run(count)
    page.run("document.querySelectorAll('#curve circle')[3].focus()")
    before = serial(page)
    page.press("Enter")
    points = page.run("window.view.controls().opacity")
    assert page.run(count) == len(points) == first + 1
    np.testing.assert_allclose(points[4], np.mean([points[3], points[5]], axis=0))
    settled(page, before)
    page.press("Tab")
    page.press("Delete")
    assert page.run(count) == first
    assert points[4] not in page.run("window.view.controls().opacity")
    page.run("document.querySelector('#curve circle:last-of-type').focus()")
    page.press("Enter")
    page.press("Delete")
    assert page.run(count) == first
    assert page.run("document.activeElement.tagName") == "circle"
    before = serial(page)
    page.run("window.view.change({ opacity: null })")
    settled(page, before)


def test_boxes_and_other_algorithms_give_pictures(page, data):
    before = serial(page)
    page.choose("#mode", "boxes")
    known = settled(page, before)
    assert known["mode"] == "boxes"
    boxes = viewing.canvas(page)
    assert boxes.max() > 100
    for algorithm in ("shift", "2-3-swap"):
        before = serial(page)
        page.choose("#algorithm", algorithm)
        page.choose("#wire", "float16")
        settled(page, before)
        assert algorithm in page.run("document.getElementById('numbers').textContent")
        assert np.abs(viewing.canvas(page) - boxes).max() <= 12
    bars = page.run("document.querySelectorAll('#timeline rect').length")
    assert bars >= 5 * RANKS
    before = serial(page)
    page.run("window.view.change({ mode: 'volume', algorithm: 'auto', wire: 'image' })")
    settled(page, before)


def test_a_second_tab_shares_the_camera_or_has_its_own(served):
    with browser.page(served.address, WINDOW) as one, browser.page(served.address, WINDOW) as two:
        for each in (one, two):
            first_picture(each)
            settled(each)
            each.wait("document.getElementById('viewers').textContent.startsWith('2 viewers')")
        before = serial(two)
        one.drag(CANVAS, -70, 10)
        settled(one, before)
        known = settled(two, before)
        assert eye_of(known).azimuth != Eye().azimuth
        np.testing.assert_array_equal(viewing.canvas(one), viewing.canvas(two))

        two.check("#own")
        before = serial(two)
        two.drag(CANVAS, 50, 30)
        known = settled(two, before)
        assert eye_of(known) != eye_of(settled(one))
        assert np.abs(viewing.canvas(one) - viewing.canvas(two)).max() > 30
        assert one.errors == two.errors == []
        one.run("document.getElementById('reset').click()")
        settled(one, serial(one))


@pytest.mark.slow
def test_a_hundred_moves_come_in_order_and_leave_nothing_behind(served, page):
    ranks = served.ranks()
    assert sorted(ranks) == [*range(RANKS)]

    def move(times: int) -> None:
        for k in range(times):
            before = serial(page)
            page.drag(CANVAS, 8, 5 * (-1) ** k, steps=2)
            page.wait(f"Number(document.getElementById('picture').dataset.serial) > {before}")

    move(20)
    settled(page)
    held = {rank: viewing.resident(pid) for rank, pid in ranks.items()}
    heap = page.run("performance.memory.usedJSHeapSize")
    move(100)
    known = settled(page)
    assert int(known["disordered"]) == 0
    for rank, pid in ranks.items():
        assert viewing.resident(pid) - held[rank] < 6e6, f"rank {rank}"
    assert page.run("performance.memory.usedJSHeapSize") - heap < 2e7


def test_quality_falls_while_the_camera_moves_and_returns(page):
    """Under a camera that never rests no picture is fine; that after it is, and as large as the window."""
    settled(page)
    page.run("void (window.mover = setInterval(() => window.view.orbit(4, 0), 20))")
    page.wait("document.getElementById('picture').dataset.fine === 'false'")
    page.run("clearInterval(window.mover)")
    settled(page, serial(page) - 1)
    assert viewing.canvas(page).shape[:2] == (WINDOW[1], WINDOW[0] - 320)


def test_ranks_sleep_while_nothing_moves(served, page):
    """After a while: waits poll less and less often."""
    settled(page)
    ranks = served.ranks()

    def busy() -> list[int]:
        before = {rank: viewing.cpu_seconds(pid) for rank, pid in ranks.items()}
        time.sleep(3)
        return [rank for rank, pid in ranks.items() if viewing.cpu_seconds(pid) - before[rank] > 0.12]

    assert any(not busy() for _ in range(20))


def test_the_page_fits_a_narrow_window(served, page):
    page.resize(400, 800)
    settled(page, serial(page))
    assert page.run("document.documentElement.scrollWidth") <= 400
    assert page.run("document.getElementById('stage').clientWidth") == 400


@pytest.mark.family
@pytest.mark.parametrize(
    ("number", "told"),
    [(signal.SIGKILL, "rank 1 has died"), (signal.SIGSTOP, "rank 1 has not arrived within 3 s")],
)
def test_a_rank_that_is_gone_is_named_and_the_server_ends(number, told, data):
    with viewing.served("--ranks", "3", data=data, timeout=3.0) as viewer:
        with browser.page(viewer.address, WINDOW) as page:
            first_picture(page)
            settled(page)
            ranks = viewer.ranks()
            os.kill(ranks[1], number)
            if number == signal.SIGSTOP:
                page.run("window.view.orbit(10, 0)")
            page.wait(f"document.getElementById('status').textContent.includes({told!r})")
            assert page.run("document.getElementById('mode').disabled")
            assert page.errors == []
        _, errors = viewer.process.communicate(timeout=120)
        assert viewer.process.returncode == 2
        assert told in errors
        assert "Traceback" not in errors
        assert viewer.ranks() == {}
