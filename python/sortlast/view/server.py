"""The web server on rank 0, in its own thread: one page, and one WebSocket per viewer.

aiohttp is the server below trame's own stack (wslink). The rest of trame is not used, because of how it
handles several viewers: wslink sends to all viewers under one lock, so a viewer on a slow line delays the
others; state set by one browser reaches the other browsers before the program can reject it; its page removes
the token from the address, so that it cannot be reloaded; and when the connection ends, it replaces the last
message on the page. Here the task that sends to a viewer waits for this viewer only.

Requests without the token in the address are rejected. The page is one file without external references.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import threading
from contextlib import suppress
from importlib.resources import files
from string import Template
from typing import Any

from sortlast import Error, _extras
from sortlast.view.hub import Hub, Viewer

with _extras.needed("the page of a viewer", extra="view"):
    from aiohttp import WSCloseCode, WSMessage, WSMsgType, web

_LONGEST_MESSAGE = 1 << 14  # from a viewer [bytes]
_HEARTBEAT = 15.0  # a viewer silent for this long is pinged, and dropped after half as much again [s]
_TIME_TO_ASK = 10.0  # a connection that has not given the token by then is closed [s]
MOST_STRANGERS = 128  # connections that have not given the token; one more closes the oldest
_TIME_TO_END = 2.0  # to send the last notices [s]
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}
_REFUSED = (
    "The address lacks its token, or has a wrong one: take the whole address that sortlast view printed.\n"
)


def page(facts: dict[str, Any]) -> str:
    """The page as HTML; ``facts`` describe the data."""
    folder = files(__package__)
    scripts = "\n".join(folder.joinpath(name).read_text() for name in ("curve.js", "timeline.js", "page.js"))
    # Escape "<", so that no name in the data can end the enclosing script.
    data = json.dumps(facts).replace("<", "\\u003c")
    style = folder.joinpath("page.css").read_text()
    template = Template(folder.joinpath("page.html").read_text())
    return template.substitute(style=style, script=scripts, facts=data)


class Server:
    """Serves the viewers of a hub from construction until ``close``.

    Raises Error if it cannot listen at the address; port 0 is any free one.
    """

    def __init__(self, hub: Hub, facts: dict[str, Any], host: str, port: int, token: str) -> None:
        self._hub, self._page, self._token = hub, page(facts), token
        self._loop = asyncio.new_event_loop()
        self._connections: set[asyncio.Task[Any]] = set()
        self._strangers: list[web.RequestHandler] = []  # oldest first
        ready = threading.Event()
        self._failure: OSError | None = None
        self.port = port
        self._thread = threading.Thread(
            target=self._serve, args=(host, port, ready), name="server", daemon=True
        )
        self._thread.start()
        ready.wait()
        if self._failure is not None:
            raise Error(
                f"cannot serve at {host}, port {port}: {self._failure.strerror}; choose another --port"
            )

    def close(self) -> None:
        """Allow a moment for the last notices to be sent, then stop."""
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(2 * _TIME_TO_END)

    # --- in the thread --------------------------------------------------------------------------------

    def _serve(self, host: str, port: int, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._run(host, port, ready))
        self._loop.close()

    async def _run(self, host: str, port: int, ready: threading.Event) -> None:
        self._ending = asyncio.Event()
        app = web.Application()
        app.router.add_get("/", self._show_page)
        app.router.add_get("/pictures", self._serve_viewer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        assert runner.server is not None
        self._protocol = runner.server
        try:
            listening = await self._loop.create_server(self._accept, host, port)
            self.port = listening.sockets[0].getsockname()[1]
        except OSError as error:
            self._failure = error
            return
        finally:
            ready.set()
        await self._ending.wait()
        if self._connections:
            await asyncio.wait(self._connections, timeout=_TIME_TO_END)
        listening.close()
        await runner.cleanup()

    def _accept(self) -> asyncio.BaseProtocol:
        """Accept a connection, untrusted until a request on it gives the token."""
        stranger = self._protocol()
        self._strangers.append(stranger)
        if len(self._strangers) > MOST_STRANGERS:
            self._dismiss(self._strangers[0])
        self._loop.call_later(_TIME_TO_ASK, self._dismiss, stranger)
        return stranger

    def _dismiss(self, stranger: web.RequestHandler) -> None:
        if stranger in self._strangers:
            self._strangers.remove(stranger)
            stranger.force_close()

    def _check(self, request: web.Request) -> None:
        """Reject a request without the token; with it, mark the connection as trusted."""
        given = request.query.get("token", "")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            raise web.HTTPForbidden(text=_REFUSED, headers=_HEADERS)
        if request.protocol in self._strangers:
            self._strangers.remove(request.protocol)

    async def _show_page(self, request: web.Request) -> web.Response:
        self._check(request)
        return web.Response(text=self._page, content_type="text/html", headers=_HEADERS)

    async def _serve_viewer(self, request: web.Request) -> web.WebSocketResponse:
        self._check(request)
        wake = asyncio.Event()
        viewer = self._hub.join(lambda: self._wake(wake))
        if viewer is None:
            raise web.HTTPServiceUnavailable(text="There are too many viewers.\n")
        socket = web.WebSocketResponse(
            heartbeat=_HEARTBEAT, max_msg_size=_LONGEST_MESSAGE, compress=False, timeout=_TIME_TO_END
        )
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        sender = None
        try:
            await socket.prepare(request)
            sender = asyncio.create_task(self._send(socket, viewer, wake))
            async for message in socket:
                self._hub.hear(viewer, _parsed(message))
        finally:
            self._hub.leave(viewer)
            self._connections.discard(task)
            if sender is not None:
                sender.cancel()
        return socket

    def _wake(self, sender: asyncio.Event) -> None:
        """Wake a sender to look for new data; from any thread."""
        with suppress(RuntimeError):  # the loop and all connections are closed
            self._loop.call_soon_threadsafe(sender.set)

    async def _send(self, socket: web.WebSocketResponse, viewer: Viewer, wake: asyncio.Event) -> None:
        """Send pending data whenever there is any; it is looked up at the time of sending."""
        with suppress(ConnectionError):
            while not socket.closed:
                ended = self._hub.ended
                wake.clear()
                for message in self._hub.to_send(viewer):
                    if isinstance(message, str):
                        await socket.send_str(message)
                    else:
                        await socket.send_bytes(message)
                if ended:
                    await socket.close(code=WSCloseCode.GOING_AWAY)
                    return
                await wake.wait()


def _parsed(message: WSMessage) -> object:
    if message.type is not WSMsgType.TEXT:
        return None
    try:
        return json.loads(message.data)
    except (ValueError, RecursionError):
        return None
