"""A viewer of a served page that is no browser: it speaks to the server's WebSocket itself."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager

import aiohttp


@asynccontextmanager
async def connected(address: str):
    async with aiohttp.ClientSession() as session:
        place = address.replace("http", "ws").replace("/?", "/pictures?")
        async with session.ws_connect(place, max_msg_size=1 << 24) as line:
            yield line


async def receive(line, limit: float = 10.0) -> dict | int:
    """Notices, or the serial number of a picture."""
    message = await line.receive(limit)
    return json.loads(message.data) if message.type is aiohttp.WSMsgType.TEXT else _header(message)["serial"]


async def picture(line, limit: float = 60.0) -> dict:
    """What is told of the next picture; notices before it are left out."""
    while (message := await line.receive(limit)).type is aiohttp.WSMsgType.TEXT:
        pass
    return _header(message)


def _header(message: aiohttp.WSMessage) -> dict:
    assert message.type is aiohttp.WSMsgType.BINARY, message
    return json.loads(message.data[4 : 4 + int.from_bytes(message.data[:4], "little")])


async def until(line, wanted) -> dict | int:
    while not wanted(found := await receive(line)):
        pass
    return found
