"""The common decision whether a frame continues; rank 0 may abandon it while the ranks render.

A rank renders in pieces and polls between them. To abandon a frame, rank 0 sends a message that the others
receive at their next poll; otherwise it sends one to continue after all have rendered. Each frame thus has
exactly one verdict, received once by every rank, and no rank waits longer than another takes for one piece.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sortlast._errors import Error
from sortlast.vtk.messages import Messages

Result = TypeVar("Result")

_GO_ON = "go on"


class Abandoned(Exception):  # noqa: N818  (not an error)
    """Rank 0 has abandoned the frame."""


class Verdict:
    """The verdict on one frame; rank 0 polls ``stop`` to find out whether to abandon it."""

    def __init__(self, messages: Messages, stop: Callable[[], bool] | None = None) -> None:
        self._messages, self._stop = messages, stop
        self._ended: Exception | None = None  # why the frame does not continue

    def on(self, work: Callable[[Callable[[], None]], Result]) -> Result:
        """Return the result of ``work(pause)``, which calls ``pause`` between its pieces. Collective.

        Raises Abandoned on every rank if rank 0 abandoned the frame. Otherwise, if ``work`` failed on a rank,
        its error is raised as an Error on every rank. A rank that is too late raises TimeoutError.
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
                self._messages.hear(2 * self._messages.timeout)  # rank 0 may itself wait for another rank
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
        """Wait for all ranks and send them the verdict, unless they already have it."""
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
