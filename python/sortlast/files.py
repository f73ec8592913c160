"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sortlast import Error


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path of the same suffix to write to; it becomes ``path`` when the block ends well.

    Whoever reads ``path`` sees the old file or the new one, never a part of it; if the block fails, the
    old one stays. Makes missing folders. Raises :class:`sortlast.Error` if the place cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.stem}-{secrets.token_hex(8)}{path.suffix}")
        temporary.touch(exist_ok=False)
    except OSError as error:
        raise Error(f"cannot write {path}: {error.strerror}; choose another place") from error
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def check_place(path: str | Path) -> None:
    """Raise :class:`sortlast.Error` where :func:`replacing` could not write. Makes nothing.

    For jobs that write at their end: what can be known of the place is said before they begin.
    """
    path = Path(path)
    folder = next(each for each in path.absolute().parents if os.path.exists(each))
    if os.path.isdir(path):
        raise Error(f"cannot write {path}: it is a folder; name a file")
    if not folder.is_dir():
        raise Error(f"cannot write {path}: {folder} is no folder; choose another place")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Error(f"cannot write {path}: you may not write to {folder}; choose another place")
