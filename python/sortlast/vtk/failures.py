"""What goes wrong on this rank while VTK renders, kept until all ranks learn of it.

VTK prints an exception of an observer and goes on, and so it does with errors of its own: a file that is
gone, a texture for which the graphics card has no memory. The picture then lacks something without a word.
Within a frame a hook of the interpreter hears the exceptions, and an observer of VTK's output window hears
the errors.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from sortlast._errors import Error, MpiError, RemoteError, TimeoutError  # noqa: A004


class Failures:
    """Of one composition. What is noted, all ranks are told at the next agreement of the frame."""

    def __init__(self) -> None:
        self.problem: str | None = None
        """What is wrong on this rank in this frame."""
        self.failure: Error | None = None
        """Why this frame has ended without a picture, alike on all ranks."""
        self.broken: Error | None = None
        """Why there can be no more frames."""

    def begin(self, frame: ExitStack) -> None:
        """Forget what was, and hear until the end of a frame what VTK would only print."""
        self.problem = self.failure = None
        frame.enter_context(self._hearing_exceptions())
        frame.enter_context(self._hearing_vtk())

    def note(self, problem: str | Exception) -> None:
        """Keep what went wrong on this rank; the first of all."""
        text = problem if isinstance(problem, str) else f"{type(problem).__name__}: {problem}"
        self.problem = self.problem or text

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Within: an exception is kept, so that this rank goes on to where all ranks learn of it."""
        try:
            yield
        except Exception as error:
            self.note(error)

    @contextmanager
    def ending_the_frame(self) -> Iterator[None]:
        """Within: an error ends the frame; one in a wait for another rank ends all frames."""
        try:
            yield
        except Exception as error:
            alike = isinstance(error, Error) and not isinstance(error, (TimeoutError, RemoteError, MpiError))
            self.failure = error if isinstance(error, Error) else Error(f"{type(error).__name__}: {error}")
            if not alike:
                self.broken = self.failure

    def raise_failure(self) -> None:
        """Raise, once, what has ended the frame."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    @contextmanager
    def _hearing_exceptions(self) -> Iterator[None]:
        before = sys.excepthook

        def hear(kind: type[BaseException], error: BaseException, trace: Any) -> None:
            self.note(f"{kind.__name__}: {error}")
            before(kind, error, trace)

        sys.excepthook = hear
        try:
            yield
        finally:
            sys.excepthook = before

    @contextmanager
    def _hearing_vtk(self) -> Iterator[None]:
        from vtkmodules.util.misc import calldata_type
        from vtkmodules.util.vtkConstants import VTK_STRING
        from vtkmodules.vtkCommonCore import vtkOutputWindow

        @calldata_type(VTK_STRING)  # type: ignore[no-untyped-call,untyped-decorator]
        def hear(_window: Any, _event: str, text: str) -> None:
            self.note(f"VTK: {_message(text)}")

        output: Any = vtkOutputWindow.GetInstance()
        tag = output.AddObserver("ErrorEvent", hear)
        try:
            yield
        finally:
            output.RemoveObserver(tag)


def _message(text: str) -> str:
    """The message of an error as VTK writes it: without the line of its source, and without addresses."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].startswith("ERROR: In "):
        del lines[0]
    return re.sub(r" ?\(0x[0-9a-f]+\)", "", " ".join(lines))
