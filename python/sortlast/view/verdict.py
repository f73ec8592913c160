"""Whether a frame goes on: all ranks find out together, and rank 0 may end it while they render.

A rank renders in pieces, and asks between them. Rank 0 gives a frame up by telling the others so, which they
hear at their next question; else it tells them to go on when all have rendered. So each frame has one
verdict, which every rank hears once, and no rank waits longer than for one piece of another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sortlast._errors import Error
from sortlast.vtk.messages import Messages

Result = TypeVar("Result")

_GO_ON = "go on"


class Abandoned(Exception):  # noqa: N818  (it is no error)
    """Rank 0 has given the frame up."""


class Verdict:
    """On one frame; ``stop`` is asked on rank 0 whether to give it up."""

    def __init__(self, messages: Messages, stop: Callable[[], bool] | None = None) -> None:
        self._messages, self._stop = messages, stop
        self._ended: Exception | None = None  # why the frame does not go on

    def on(self, work: Callable[[Callable[[], None]], Result]) -> Result:
        """What ``work(pause)`` gives, which calls ``pause`` between its pieces. Collective.

        Raises Abandoned on every rank if rank 0 gave the frame up; else, if ``work`` failed on a rank, its
        error as an Error on every one; and TimeoutError where another rank does not come in time.
        """
        failure, result = None, None
        try:
            result = work(self._pause)
        except Exception as error:
            if self._ended is None:
                failure = f"rank {self._messages.comm.rank}: {type(error).__name__}: {error}"
        if self._messages.root:
            self._decide(failure)
        else:
            self._messages.gather(failure)
            if self._ended is None:
                self._messages.hear(2 * self._messages.timeout)  # rank 0 may wait so long for another
        if self._ended is not None:
            raise self._ended
        return result  # type: ignore[return-value]

    def _pause(self) -> None:
        if self._messages.root:
            self._give_up_if_asked()
        else:
            try:
                self._messages.heard()
            except Exception as told:
                self._ended = told
        if self._ended is not None:
            raise self._ended

    def _give_up_if_asked(self) -> None:
        if self._ended is None and self._stop is not None and self._stop():
            self._ended = Abandoned()
            self._messages.tell(self._ended)

    def _decide(self, failure: str | None) -> None:
        """Wait for all ranks, and tell them what comes of the frame unless they know."""
        try:
            failures = self._messages.gather(failure, self._give_up_if_asked) or []
        except Error as error:
            if self._ended is None:
                self._messages.tell(error)
            raise
        if self._ended is not None:
            return
        first = next((text for text in failures if text is not None), None)
        self._ended = None if first is None else Error(first)
        self._messages.tell(self._ended or _GO_ON)
