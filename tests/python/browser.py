"""A real browser for tests: Chromium without a window, driven through the DevTools protocol on a pipe.

    with browser.page(path) as page:
        assert page.run("document.title") == "..."
        page.press("Tab")

The network is off: a page that asks for anything but itself is caught in `page.requests`. Errors of its
scripts, and what it writes to the console, are in `page.errors`.

One browser serves all tests of a session. Each page is in a context of its own, as a private window is, and
shares nothing with others.
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import references
from sortlast import _leftovers

_LIMIT = 60.0  # longest wait for an answer [s]
_KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """A browser, and the pipes on which the protocol is spoken with it."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}  # by session
        self._number = 0
        self._buffer = b""
        self._held = ExitStack()
        program = references.find("chromium")
        try:
            self._start(program)
        except BaseException:
            self.close()
            raise

    def _start(self, program: str) -> None:
        to_browser, self._write = os.pipe()
        self._read, to_us = os.pipe()
        profile = self._held.enter_context(_leftovers.folder())
        # What is entered first is left last: all processes are killed, then waited for, then the folder goes.
        waited_for = self._held.enter_context(ExitStack())
        mark = self._held.enter_context(_leftovers.processes())
        # The protocol is spoken on the browser's file descriptors 3 (to it) and 4 (from it).
        options = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
        ]
        command = [program, *options, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
        shell = f'exec "$@" 3<&{to_browser} 4>&{to_us}'
        waited_for.enter_context(
            subprocess.Popen(
                ["bash", "-c", shell, "bash", *command],
                pass_fds=(to_browser, to_us),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | mark,
                start_new_session=True,
            )
        )
        for number in (self._write, self._read):
            self._held.callback(os.close, number)
        os.close(to_browser)
        os.close(to_us)

    def close(self) -> None:
        """End it."""
        self._held.close()

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def next(self) -> dict[str, Any]:
        """The next message; its page notes an event."""
        end = time.monotonic() + _LIMIT
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            part = os.read(self._read, 1 << 16)
            assert part, "the browser has ended"
            self._buffer += part
        line, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(line)
        page = self.pages.get(message.get("sessionId"))
        if page:
            page.note(message.get("method"), message.get("params", {}))
        return message


class Page:
    """One page in a browser. Made by :func:`page`."""

    def __init__(self, browser: Browser) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._browser = browser
        self._loaded = False
        self._context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self._context)
        attached = browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        browser.pages[self._session] = self

        # With the network off, listen to it.
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.call(f"{domain}.enable")
        off = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self.call("Network.emulateNetworkConditions", **off)

    def close(self) -> None:
        """Close it, with all that it has kept."""
        del self._browser.pages[self._session]
        self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol for this page and return its result."""
        return self._browser.call(method, self._session, **parameters)

    def open(self, path: Path) -> None:
        """Load a file."""
        self._loaded = False
        self.call("Page.navigate", url=path.absolute().as_uri())
        while not self._loaded:
            self._browser.next()

    def run(self, expression: str) -> Any:
        """Value of a JavaScript expression, awaited."""
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, replMode=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _LIMIT
        while not self.run(expression):
            assert time.monotonic() < end, f"{expression} did not come true; {self.errors}"
            time.sleep(0.05)

    def press(self, key: str, count: int = 1) -> None:
        """Press a key: a letter or one of the named ones."""
        code = _KEYS.get(key) or ord(key.upper())
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for _ in range(count):
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, text=text, windowsVirtualKeyCode=code)

    def point(self, selector: str) -> None:
        """Move the mouse to the middle of an element."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{element}.scrollIntoView({{ block: 'center' }})")
        box = self.run(
            "(({ x, y, width, height }) => [x + width / 2, y + height / 2])"
            f"({element}.getBoundingClientRect())"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])

    def prefer(self, scheme: str) -> None:
        """Prefer "light" or "dark"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window in pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def picture(self, path: Path) -> None:
        """Write a screenshot, as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def tree(self) -> list[tuple[str, str]]:
        """The accessibility tree: (role, name) of what a screen reader meets."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node.get("ignored") and "role" in node
        ]

    def note(self, method: str | None, event: dict[str, Any]) -> None:
        """Note an event."""
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(event["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.errors.append(str(event["args"]))
        elif method == "Log.entryAdded":
            self.errors.append(event["entry"]["text"])


_kept: list[Browser] = []  # the one of this session, if it was needed


@contextmanager
def page(path: Path) -> Iterator[Page]:
    """A page in the session's browser that shows a file; after a failure the next one gets a new browser."""
    if not _kept:
        _kept.append(Browser())
    try:
        shown = Page(_kept[0])
        shown.resize(1400, 900)
        shown.open(path)
        yield shown
        shown.close()
    except BaseException:
        close_all()
        raise


def close_all() -> None:
    """End the session's browser."""
    while _kept:
        _kept.pop().close()
