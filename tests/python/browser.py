"""A real browser for tests: the system's Chromium without a window, driven by Playwright.

    with browser.page(path) as page:
        assert page.run("document.title") == "..."
        page.press("Tab")

The network is off, unless `page` is given the address of a server: a page that asks for anything but itself
is caught in `page.requests`. Errors of its scripts, and what it writes to the console, are in `page.errors`.

One browser serves all tests of a session. Each page is in a context of its own, as a private window is, and
shares nothing with others. A test whose page does not answer fails after a minute.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import playwright.sync_api
import pytest

import references
from sortlast import _leftovers

_LIMIT = 60.0  # longest use of one page, unless told [s]


class Browser:
    """A browser, and the process that drives it."""

    def __init__(self) -> None:
        self._held = ExitStack()
        program = references.find("chromium")
        try:
            self._start(program)
        except BaseException:
            self.close()
            raise

    def _start(self, program: str) -> None:
        folder = self._held.enter_context(_leftovers.folder())  # for the browser's profile
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("TMPDIR", str(folder))
            driver = playwright.sync_api.sync_playwright().start()
        self._held.callback(driver.stop)
        self._browser = driver.chromium.launch(executable_path=program, chromium_sandbox=False)

    def open(self, place: Path | str, size: tuple[int, int]) -> Page:
        """A page that shows a file, or what a server has at an address, in a context of its own."""
        width, height = size
        context = self._browser.new_context(
            offline=isinstance(place, Path), viewport={"width": width, "height": height}
        )
        return Page(context.new_page(), place.absolute().as_uri() if isinstance(place, Path) else place)

    def close(self) -> None:
        """End it."""
        self._held.close()


class Page:
    """A page that is shown."""

    def __init__(self, page: playwright.sync_api.Page, address: str) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._page = page
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(address)

    def close(self) -> None:
        """Close it, with all that it has kept."""
        self._page.context.close()

    def run(self, expression: str) -> Any:
        """Value of a JavaScript expression, awaited."""
        return self._page.evaluate(expression)

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        self._page.wait_for_function(f"() => {expression}")

    def press(self, key: str, count: int = 1) -> None:
        """Press a key: a letter, or one that has a name."""
        for _ in range(count):
            self._page.keyboard.press(key)

    def point(self, selector: str) -> None:
        """Move the mouse to the middle of an element, the first that the selector finds."""
        # Not hover(), which waits for an area: a line may have none.
        element = self._page.locator(selector).first
        element.evaluate("(element) => element.scrollIntoView({ block: 'center' })")
        box = element.bounding_box()
        assert box, f"{selector} is not shown"
        self._page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def drag(self, selector: str, right: int, down: int, *, steps: int = 8, key: str | None = None) -> None:
        """Drag from the middle of an element [pixels], with a key held down."""
        self.point(selector)
        box = self._page.locator(selector).first.bounding_box()
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        if key:
            self._page.keyboard.down(key)
        self._page.mouse.down()
        for k in range(1, steps + 1):
            self._page.mouse.move(x + right * k / steps, y + down * k / steps)
        self._page.mouse.up()
        if key:
            self._page.keyboard.up(key)

    def wheel(self, selector: str, down: int) -> None:
        """Turn the wheel over the middle of an element [pixels]."""
        self.point(selector)
        self._page.mouse.wheel(0, down)

    def choose(self, selector: str, option: str) -> None:
        """Choose an option of a list."""
        self._page.select_option(selector, option)

    def check(self, selector: str, on: bool = True) -> None:
        """Set a check box."""
        self._page.set_checked(selector, on)

    def reload(self) -> None:
        """Load it again."""
        self._page.reload()

    def picture(self, path: Path) -> None:
        """Write what it shows as PNG."""
        self._page.screenshot(path=path)

    def resize(self, width: int, height: int) -> None:
        """Make the window as large [pixels]."""
        self._page.set_viewport_size({"width": width, "height": height})

    def prefer(self, scheme: str) -> None:
        """Prefer "light" or "dark"."""
        self._page.emulate_media(color_scheme=scheme)

    def tree(self) -> list[tuple[str, str]]:
        """The accessibility tree: (role, name) of what a screen reader meets."""
        protocol = self._page.context.new_cdp_session(self._page)
        nodes = protocol.send("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node.get("ignored") and "role" in node
        ]


_kept: list[Browser] = []  # the one of this session, if it was needed


@contextmanager
def page(
    place: Path | str, size: tuple[int, int] = (1400, 900), limit: float | None = None
) -> Iterator[Page]:
    """A page in the session's browser; after a failure the next one gets a new browser.

    `place` is a file, or the address of a server; `size` is (width, height) of the window in pixels,
    `limit` the longest use in seconds.
    """
    references.find("chromium")
    try:
        with _limited(limit or _LIMIT):
            if not _kept:
                _kept.append(Browser())
            shown = _kept[0].open(place, size)
            yield shown
            shown.close()
    except BaseException:
        close_all()
        raise


@contextmanager
def _limited(limit: float) -> Iterator[None]:
    """Raise TimeoutError in the block when its time is over: a page may never answer."""

    def late(number: int, frame: object) -> None:
        raise TimeoutError(f"the page was not done within {limit:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def close_all() -> None:
    """End the session's browser."""
    while _kept:
        _kept.pop().close()
