"""State shared by the thread that serves viewers and the thread that makes frames.

Nothing is queued. A view keeps only its latest camera and its latest picture: a frame shows the state at the
time it begins, and a viewer receives the latest picture whenever its line is free. The line is free while at
most one of the pictures sent has not been shown yet. A slow viewer therefore gets fewer pictures, but not
older ones, and does not delay the others.

While a camera moves, frames are coarse to keep up with it. Once it has rested for a moment, one more frame is
made at the full resolution of the viewer's window. It may take many seconds; it is abandoned when a coarse
frame of any view is due, and started again when all cameras are at rest.
"""

from __future__ import annotations

import json
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sortlast._errors import ArgumentError
from sortlast.view import controls
from sortlast.view.controls import Controls, Eye
from sortlast.view.pace import Pace
from sortlast.view.stage import Order

REST = 0.25  # a camera is at rest when it has not moved for this long since its last picture [s]
UNSEEN = 2  # max pictures sent but not yet shown: one about to appear, and one in transit
MOST_VIEWERS = 64
_FIRST_SIZE = (640, 480)


@dataclass(eq=False)
class View:
    """A camera, its picture, and pending work. One view is shared; the others belong to one viewer each."""

    eye: Eye
    size: tuple[int, int] = _FIRST_SIZE
    stamp: int = 0  # of the viewer's message that last moved it
    version: int = 0  # of the requested state
    drawn: int = -1  # the version that was drawn last
    fine: bool = False  # whether it was drawn at full resolution
    moved: float = -REST  # when the requested state changed
    began: float = 0.0  # when the last frame began; `finished` is when its picture was ready
    finished: float = 0.0
    serial: int = 0
    picture: bytes = b""

    @property
    def at_rest(self) -> bool:
        """Whether nothing has changed since it was drawn last."""
        return self.version == self.drawn


@dataclass(eq=False)
class Viewer:
    """A page in a browser. `wake` is called when there may be something to send to it."""

    wake: Callable[[], None]
    view: View
    size: tuple[int, int] | None = None  # of its window
    sent: int = 0  # pictures
    seen: int = 0
    serial: int = 0  # of the last picture sent
    notices: dict[str, Any] = field(default_factory=dict)  # pending: the last of each kind

    @property
    def free(self) -> bool:
        """Whether a picture may be sent."""
        return self.sent - self.seen < UNSEEN


@dataclass(frozen=True)
class Job:
    """A frame to make."""

    view: View
    version: int
    stamp: int
    order: Order
    fine: bool


class Hub:
    """Viewers and views. All methods may be called from any thread; only ``take`` blocks."""

    def __init__(self, first: Controls, ranks: int, rate: float) -> None:
        self.controls = first
        self._ranks, self._interval = ranks, 1 / rate
        self._shared = View(Eye())
        self._viewers: list[Viewer] = []
        self._changed = threading.Condition()
        self._serial = 0
        self._pace = Pace()
        self._ended = False

    # --- the thread that serves viewers ---------------------------------------------------------------

    def join(self, wake: Callable[[], None]) -> Viewer | None:
        """Add a viewer to the shared view and return it; None if there are too many."""
        with self._changed:
            if len(self._viewers) >= MOST_VIEWERS:
                return None
            viewer = Viewer(wake, self._shared)
            self._viewers.append(viewer)
            self._tell(viewer, "controls", shown(self.controls))
            self._tell_eye(self._shared, None)
            self._tell_count()
            if not self._shared.picture:
                self._touch(self._shared)  # requests a coarse picture, and later a fine one
            return viewer

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        with self._changed:
            self._viewers.remove(viewer)
            self._tell_count()

    def hear(self, viewer: Viewer, message: object) -> None:
        """Handle a viewer's message, a dict. Errors in it are reported to this viewer only."""
        with self._changed:
            try:
                self._take_in(viewer, message)
            except ArgumentError as error:
                self._tell(viewer, "refused", str(error))
                self._tell(viewer, "controls", shown(self.controls))

    def _take_in(self, viewer: Viewer, message: object) -> None:
        if not isinstance(message, dict) or not message.keys() <= _HEARD.keys():
            raise ArgumentError(f"expected an object of {', '.join(_HEARD)}")
        read = {name: _HEARD[name](value) for name, value in message.items() if name != "controls"}
        if "controls" in message:
            read["controls"] = controls.changed(self.controls, message["controls"], self._ranks)
        if "seen" in read and not viewer.seen <= read["seen"] <= viewer.sent:
            raise ArgumentError(f"seen is {read['seen']}; {viewer.sent} pictures were sent")
        if "own" in read:
            self._separate(viewer, read["own"])
        self._apply(viewer, read)

    def _apply(self, viewer: Viewer, read: dict[str, Any]) -> None:
        view = viewer.view
        view.stamp = read.get("stamp", view.stamp)
        viewer.seen = read.get("seen", viewer.seen)
        alone = all(each is viewer for each in self._viewers if each.view is view)
        # Pictures fit the window of the viewer that acted last; joining does not count.
        acts = "eye" in read or "controls" in read or viewer.size is not None or alone
        viewer.size = read.get("size", viewer.size)
        if acts and viewer.size is not None and viewer.size != view.size:
            view.size = viewer.size
            self._touch(view)
        if "eye" in read:
            view.eye = read["eye"]
            self._touch(view)
            self._tell_eye(view, viewer)
        if "controls" in read and read["controls"] != self.controls:
            self.controls = read["controls"]
            for each in self._viewers:
                if each is not viewer:
                    self._tell(each, "controls", shown(self.controls))
            for shows in self._views():
                self._touch(shows)
        self._changed.notify_all()
        viewer.wake()

    def _separate(self, viewer: Viewer, own: bool) -> None:
        """Give a viewer its own camera, or return it to the shared one."""
        if own == (viewer.view is not self._shared):
            return
        viewer.view = replace(self._shared, picture=b"") if own else self._shared
        self._touch(viewer.view)
        self._tell_eye(viewer.view, None)
        self._tell_count()

    def to_send(self, viewer: Viewer) -> list[str | bytes]:
        """Pending data for a viewer: notices as JSON, and the picture if it is new and the line is free."""
        with self._changed:
            found: list[str | bytes] = []
            if viewer.notices:
                found.append(json.dumps(viewer.notices))
                viewer.notices.clear()
            view = viewer.view
            if view.picture and view.serial > viewer.serial and viewer.free:
                found.append(view.picture)
                viewer.serial = view.serial
                viewer.sent += 1
            return found

    # --- the thread that makes frames -----------------------------------------------------------------

    def take(self, limit: float) -> Job | None:
        """Wait, asleep and for at most ``limit`` seconds, for the next frame to make; None on timeout."""
        end = time.monotonic() + limit
        with self._changed:
            while True:
                now = time.monotonic()
                due = [(at, view) for view in self._views() if (at := self._due(view)) is not None]
                ready = [(view.at_rest, at, view) for at, view in due if at <= now]
                if ready:
                    return self._job(min(ready, key=lambda each: each[:2])[2], now)
                if now >= end:
                    return None
                self._changed.wait(min(end, *(at for at, _ in due)) - now if due else end - now)

    def moving(self) -> bool:
        """Whether to abandon a fine frame: a coarse one is due, or no frame is needed any more."""
        with self._changed:
            now = time.monotonic()
            moved = [self._due(view) for view in self._views() if not view.at_rest]
            return self._ended or any(at is not None and at <= now for at in moved)

    def put(self, job: Job, seconds: float, header: dict[str, Any], picture: bytes) -> None:
        """Store the picture of a frame that took ``seconds``; all viewers of its view receive it."""
        with self._changed:
            self._serial += 1
            view = job.view
            view.drawn, view.fine, view.serial = job.version, job.fine, self._serial
            view.finished = time.monotonic()
            self._pace.took(job.order, seconds, fine=job.fine)
            head = {**header, "serial": self._serial, "stamp": job.stamp, "fine": job.fine}
            text = json.dumps(head).encode()
            view.picture = struct.pack("<I", len(text)) + text + picture
            self._wake(view)

    def refuse(self, job: Job, text: str) -> None:
        """Report that a frame cannot be made as requested, and do not try again."""
        with self._changed:
            job.view.drawn, job.view.fine = job.version, True
            for viewer in self._viewers:
                if viewer.view is job.view:
                    self._tell(viewer, "refused", text)

    def end(self, text: str) -> None:
        """Notify all viewers why no more pictures will follow."""
        with self._changed:
            self._ended = True
            for viewer in self._viewers:
                self._tell(viewer, "ended", text)
            self._changed.notify_all()

    @property
    def ended(self) -> bool:
        """Whether no more pictures will follow."""
        return self._ended

    @property
    def viewers(self) -> int:
        """Number of viewers."""
        return len(self._viewers)

    # --- both -----------------------------------------------------------------------------------------

    def _views(self) -> list[View]:
        return list(dict.fromkeys(viewer.view for viewer in self._viewers))

    def _due(self, view: View) -> float | None:
        """Time at which the next frame of a view should begin; None if none is needed or nobody watches."""
        if self._ended or not any(viewer.free for viewer in self._viewers if viewer.view is view):
            return None
        if not view.at_rest:
            return view.began + self._interval
        return None if view.fine else max(view.moved, view.finished) + REST

    def _job(self, view: View, now: float) -> Job:
        fine = view.at_rest
        view.began = now
        size = view.size if fine else self._pace.size(self.controls.mode, view.size)
        return Job(view, view.version, view.stamp, Order(self.controls, view.eye, size, fine, fine), fine)

    def _touch(self, view: View) -> None:
        view.version += 1
        view.moved = time.monotonic()
        self._changed.notify_all()

    def _tell(self, viewer: Viewer, kind: str, value: Any) -> None:
        viewer.notices[kind] = value
        viewer.wake()

    def _tell_eye(self, view: View, mover: Viewer | None) -> None:
        for viewer in self._viewers:
            if viewer.view is view and viewer is not mover:
                self._tell(viewer, "eye", {**vars(view.eye), "pan": list(view.eye.pan)})

    def _tell_count(self) -> None:
        together = sum(viewer.view is self._shared for viewer in self._viewers)
        for viewer in self._viewers:
            self._tell(viewer, "viewers", {"all": len(self._viewers), "together": together})

    def _wake(self, view: View) -> None:
        for viewer in self._viewers:
            if viewer.view is view:
                viewer.wake()


def shown(now: Controls) -> dict[str, Any]:
    """Controls as the page represents them, in the form that :func:`controls.changed` accepts."""
    clip = None if now.clip is None else vars(now.clip)
    return {**vars(now), "clip": clip}


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise ArgumentError(f"{value!r:.40} is no count")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ArgumentError(f"own is {value!r:.40}; expected true or false")
    return value


_HEARD: dict[str, Callable[[object], Any]] = {
    "eye": controls.eye,
    "size": controls.size,
    "stamp": _count,
    "seen": _count,
    "own": _flag,
    "controls": lambda value: value,
}
