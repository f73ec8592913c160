"""Errors on this rank while VTK renders, kept until all ranks are informed.

VTK prints exceptions of observers and continues; it does the same with its own errors, such as a deleted file
or a texture too large for the memory of the graphics card. The picture would then be incomplete without an
error. During a frame, an interpreter hook collects the exceptions, and an observer of VTK's output window
collects VTK's errors.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from sortlast._errors import Error, MpiError, RemoteError, TimeoutError  # noqa: A004


class Failures:
    """Errors of one composition. All ranks receive a noted error at the next agreement of the frame."""

    def __init__(self) -> None:
        self.problem: str | None = None
        """The problem on this rank in this frame."""
        self.failure: Error | None = None
        """Why this frame ended without a picture; the same on all ranks."""
        self.broken: Error | None = None
        """Why no more frames can be made."""

    def begin(self, frame: ExitStack) -> None:
        """Clear the last frame's error, and collect errors until the end of the frame."""
        self.problem = self.failure = None
        frame.enter_context(self._hearing_exceptions())
        frame.enter_context(self._hearing_vtk())

    def note(self, problem: str | Exception) -> None:
        """Record an error on this rank; only the first one is kept."""
        text = problem if isinstance(problem, str) else f"{type(problem).__name__}: {problem}"
        self.problem = self.problem or text

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Record an exception of the body, so that this rank continues to the next agreement."""
        try:
            yield
        except Exception as error:
            self.note(error)

    @contextmanager
    def ending_the_frame(self) -> Iterator[None]:
        """Let an error in the body end the frame; an error while waiting for a rank ends all frames."""
        try:
            yield
        except Exception as error:
            alike = isinstance(error, Error) and not isinstance(error, (TimeoutError, RemoteError, MpiError))
            self.failure = error if isinstance(error, Error) else Error(f"{type(error).__name__}: {error}")
            if not alike:
                self.broken = self.failure

    def raise_failure(self) -> None:
        """Raise, once, the error that ended the frame."""
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
    """Extract the message from VTK's error text, without source line and addresses."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].startswith("ERROR: In "):
        del lines[0]
    return re.sub(r" ?\(0x[0-9a-f]+\)", "", " ".join(lines))
