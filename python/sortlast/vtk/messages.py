"""Small values exchanged between rank 0 and the others, with a timeout for each.

They use a duplicate of the user's communicator. A receive is posted only after its message has arrived, so a
rank that gives up leaves no pending operation for MPI to wait for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sortlast._errors import Error, TimeoutError  # noqa: A004

if TYPE_CHECKING:
    from mpi4py import MPI

_DOWN, _UP = 1, 2  # tags: from rank 0, and to it

# Waits first poll often, and then yield the core [s].
_POLLS = 50
_SHORTEST, _LONGEST = 1e-4, 0.02


_ADVICE = ": every rank must render the window as often as rank 0 does, or be in lead()"


class Messages:
    """Messages of one communicator. All calls are collective, except the pair ``tell`` and ``hear``."""

    def __init__(self, comm: MPI.Intracomm, timeout: float, advice: str = _ADVICE) -> None:
        self.comm = comm.Dup()
        self._advice = advice
        self.timeout = timeout
        self._leaving: list[MPI.Request] = []

    @property
    def root(self) -> bool:
        """Whether this is rank 0."""
        return self.comm.rank == 0

    def tell(self, value: object) -> None:
        """Send a value from rank 0 to every other rank, which receives it by ``hear``. Does not wait."""
        self._leaving = [request for request in self._leaving if not request.Test()]
        self._leaving += [self.comm.isend(value, rank, _DOWN) for rank in range(1, self.comm.size)]

    def hear(self, timeout: float | None = None) -> Any:
        """Receive rank 0's next value; waits for ``timeout`` seconds, or without limit if None.

        Raises TimeoutError, and the exception if rank 0 sent one.
        """
        return _valued(self._received(0, _DOWN, timeout, lambda: "rank 0 has not arrived"))

    def heard(self) -> Any:
        """Return a value that rank 0 has sent already, like ``hear``, or None. Does not wait."""
        message = self.comm.improbe(0, _DOWN)
        return None if message is None else _valued(message.recv())

    def gather(self, value: object, meanwhile: Callable[[], None] | None = None) -> list[Any] | None:
        """Gather the values of all ranks on rank 0, which calls ``meanwhile`` repeatedly while it waits.

        Raises TimeoutError on rank 0 if a rank does not arrive.
        """
        if not self.root:
            self._leaving = [request for request in self._leaving if not request.Test()]
            self._leaving.append(self.comm.isend((self.comm.rank, value), 0, _UP))
            return None
        values = {0: value}

        def missing() -> str:
            ranks = [rank for rank in range(self.comm.size) if rank not in values]
            listed = ", ".join(map(str, ranks[:8])) + (", ..." if len(ranks) > 8 else "")
            return f"rank {listed} has not arrived" if len(ranks) == 1 else f"ranks {listed} have not arrived"

        while len(values) < self.comm.size:
            rank, sent = self._received(None, _UP, self.timeout, missing, meanwhile)
            values[rank] = sent
        return [values[rank] for rank in range(self.comm.size)]

    def agree(self, value: object, decide: Callable[[list[Any]], Any]) -> Any:
        """Return on every rank the result of ``decide(values of all ranks)`` on rank 0, or raise its error.

        Raises TimeoutError if a rank does not arrive, at once on the ranks that did.
        """
        if self.root:
            try:
                result = decide(self.gather(value) or [])
            except Error as error:
                result = error
            except Exception as error:
                result = Error(f"rank 0: {type(error).__name__}: {error}")
            self.tell(result)
            if isinstance(result, Error):
                raise result
            return result
        self.gather(value)
        return self.hear(2 * self.timeout)  # rank 0 may wait `timeout` for a rank, and then report it

    def _received(
        self,
        source: int | None,
        tag: int,
        timeout: float | None,
        missing: Callable[[], str],
        meanwhile: Callable[[], None] | None = None,
    ) -> Any:
        from sortlast._mpi4py import MPI

        end = None if timeout is None else time.monotonic() + timeout
        polls, pause = 0, _SHORTEST
        while True:
            message = self.comm.improbe(MPI.ANY_SOURCE if source is None else source, tag)
            if message is not None:
                return message.recv()
            if meanwhile is not None:
                meanwhile()
            if end is not None and time.monotonic() > end:
                raise TimeoutError(f"{missing()} within {timeout:g} s{self._advice}")
            polls += 1
            if polls > _POLLS:
                time.sleep(pause)
                pause = min(1.02 * pause, _LONGEST)
            else:
                time.sleep(0)

    def close(self) -> None:
        """Free the duplicate."""
        self.comm.Free()


def _valued(told: Any) -> Any:
    """Return a received value; raise it if it is an exception."""
    if isinstance(told, Exception):
        raise told
    return told
