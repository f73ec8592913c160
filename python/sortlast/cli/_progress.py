"""What long jobs show on standard error: one look for the bars of all commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_BAR_WIDTH = 20  # columns
_REFRESHES = 4  # a second; few, as what is measured on the same cores is disturbed by each


class Bar:
    """A bar on the screen, to be told how far its job has come. Made by :func:`bar`."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def __call__(self, done: float, total: float = 1.0) -> bool:
        """Show that ``done`` of ``total`` is done. True, by which jobs that ask learn to go on."""
        self._progress.update(self._task, completed=done, total=total)
        return True

    def tell(self, now: str, done: float, total: float = 1.0) -> None:
        """The same, and beside it what is done ``now``."""
        self._progress.update(self._task, completed=done, total=total, now=now)


@contextmanager
def bar(title: str, *, enabled: bool = True, transient: bool = False) -> Iterator[Bar]:
    """Show title, bar, percent, time elapsed, time remaining, and what is done now.

    ``enabled``: False where nothing may be shown, as on all ranks but 0. ``transient``: the bar is gone at
    its end, and is shown on a terminal alone; others stay, and a file or pipe gets their last state.
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
        expand=True,  # so that the last column has what the others leave, and is cut where that is too little
    ) as progress:
        yield Bar(progress, progress.add_task(title, total=None, now=""))


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A line on a terminal's standard error that moves while something runs of which no part can be told."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield
