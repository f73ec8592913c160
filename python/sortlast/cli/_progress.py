"""Progress of long jobs on standard error, with the same bars for all commands."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_BAR_WIDTH = 20  # columns
_REFRESHES = 4  # per second; few, because each one disturbs measurements on the same cores


class Bar:
    """A progress bar, made by :func:`bar`."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def __call__(self, done: float, total: float = 1.0) -> bool:
        """Show ``done`` of ``total``. Returns True, so that jobs continue."""
        self._progress.update(self._task, completed=done, total=total)
        return True

    def tell(self, now: str, done: float, total: float = 1.0) -> None:
        """The same, together with the current activity ``now``."""
        self._progress.update(self._task, completed=done, total=total, now=now)


@contextmanager
def stoppable(bar: Bar) -> Iterator[Callable[[float], bool]]:
    """The bar for a search that has a result at any time: the first Ctrl-C ends only the search."""
    stopped = threading.Event()
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: object) -> None:
        stopped.set()
        signal.signal(signal.SIGINT, before)

    if main:
        signal.signal(signal.SIGINT, stop)
    try:
        yield lambda done: bar(done) and not stopped.is_set()
    finally:
        if main:
            signal.signal(signal.SIGINT, before)


@contextmanager
def bar(title: str, *, enabled: bool = True, transient: bool = False) -> Iterator[Bar]:
    """Show title, bar, percentage, elapsed and remaining time, and the current activity.

    ``enabled``: False where nothing should be shown, as on all ranks but 0. ``transient``: the bar disappears
    at its end, and is only shown on a terminal; other bars stay, and a file or pipe gets their last state.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(_BAR_WIDTH),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[now]}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
    )
    console = Console(stderr=True)
    disable = not enabled or (transient and not console.is_terminal)
    with Progress(
        *columns,
        console=console,
        refresh_per_second=_REFRESHES,
        transient=transient,
        disable=disable,
        expand=True,  # the last column gets the remaining width, and is cut if that is too small
    ) as progress:
        yield Bar(progress, progress.add_task(title, total=None, now=""))


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show an animated line on standard error, if it is a terminal, during work of unknown length."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield
