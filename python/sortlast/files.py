"""Write files atomically; pipes and devices are written in place.

The path ``-`` means standard output. Pipes, devices and paths such as ``/dev/stdout`` or ``/dev/fd/3`` are
written to, never replaced. A symbolic link is kept, and its target is written.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from sortlast import Error, _leftovers

STANDARD_OUTPUT = Path("-")

# Advice if a temporary file cannot be written.
TEMPORARY = "make room there, or set TMPDIR to another folder"

_MOST_LINKS = 40  # symbolic links to follow, as in Linux
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # errors if a file can grow no further
_PAGE = 4096  # bytes


@contextmanager
def replacing(path: str | Path, *, folders: bool = False) -> Iterator[Path]:
    """Yield a temporary path to write; the file replaces ``path`` if the block ends without an error.

    Readers of ``path`` see the old file or the complete new one. If the block fails, the old file is kept.
    The new file gets the old one's mode and, where permitted, its owner. A pipe or device receives the
    content at the end of the block. If writing in the block fails, as on a full disk, the error names
    ``path``.

    The temporary file has no name in any folder, so it never remains, however this process ends. Its path has
    no suffix. Packages that resolve symbolic links need the open file instead of the path.

    Args:
        path: file, or ``-`` for standard output.
        folders: make missing folders.

    Raises :class:`sortlast.Error` if ``path`` cannot be written, or if it is a terminal and the content is
    not text.
    """
    path = Path(path)
    try:
        if folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        target = _target(path)
    except OSError as error:
        raise _refusal(path, error) from error
    if isinstance(target, int) or _is_special(target):
        with _copied(path, target) as temporary:
            yield temporary
    else:
        with _replaced(path, target) as temporary:
            yield temporary


def write_text(path: str | Path, text: str, *, folders: bool = False) -> None:
    """Write a text in UTF-8 atomically; see :func:`replacing` for paths and errors."""
    with replacing(path, folders=folders) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def naming(path: str | Path, temporary: Path | None = None, advice: str = "") -> Iterator[None]:
    """If the block fails to write a file, raise a :class:`sortlast.Error` that names ``path``.

    Args:
        path: the file that the user asked for.
        temporary: the file that the block writes, or a folder of such files; default: ``path``.
        advice: advice in the error; default: to choose another place.
    """
    temporary = Path(path) if temporary is None else temporary
    try:
        yield
    except Error:
        raise
    except OSError as error:
        if error.filename is not None and not str(error.filename).startswith(str(temporary)):
            raise
        raise _refusal(path, _without_room(temporary, error) or error, advice) from error
    except Exception as error:
        found = _without_room(temporary, error)
        if found is None:
            raise
        raise _refusal(path, found, advice) from error


def _without_room(temporary: Path, error: Exception) -> OSError | None:
    """Return the system's error if a file can grow no further.

    Some packages report a short write without its reason, so this function tries to extend the file.
    """
    if isinstance(error, OSError) and error.errno is not None:
        return None
    try:
        with temporary.open("r+b") as file:
            os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), _PAGE)
    except OSError as found:
        return found if found.errno in NO_ROOM else None
    return None


def check_place(path: str | Path, *, text: bool = True, folders: bool = False) -> None:
    """Raise :class:`sortlast.Error` if :func:`replacing` could not write to ``path``. Makes no files.

    Jobs that write at their end use this to report such errors before they begin. ``text`` says whether the
    content will be text, which a terminal accepts.
    """
    path = Path(path)
    try:
        target = _target(path)
        if isinstance(target, int):
            if not text and _shows(target):
                raise _not_text(path)
            return
        folder = next(each for each in target.parents if os.path.exists(each))
        if not folder.is_dir():
            raise Error(f"cannot write {path}: {folder} is no folder; choose another place")
        if folder != target.parent and not folders:
            raise Error(
                f"cannot write {path}: there is no folder {target.parent}; make it, or name another place"
            )
        if target.is_dir():
            raise Error(f"cannot write {path}: it is a folder; name a file")
        if target.exists() and not os.access(target, os.W_OK):
            raise Error(f"cannot write {path}: you may not write to it; choose another place")
        if not _is_special(target) and not os.access(folder, os.W_OK | os.X_OK):
            raise Error(f"cannot write {path}: you may not write to {folder}; choose another place")
    except OSError as error:
        raise _refusal(path, error) from error


def _target(path: Path) -> Path | int:
    """Follow symbolic links; return a path, or the descriptor of an open file of this process."""
    if path == STANDARD_OUTPUT:
        return 1
    path = path.absolute()
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(path.parent)
        if folder == f"/proc/{os.getpid()}/fd" and path.name.isdigit():
            return int(path.name)
        if not path.is_symlink():
            return Path(folder, path.name)
        path = Path(folder, path.readlink())
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_special(target: Path) -> bool:
    """Whether the path exists and is neither a regular file nor a folder."""
    try:
        mode = target.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def _replaced(path: Path, target: Path) -> Iterator[Path]:
    """Yield the path of a new file that replaces the target at the end of the block."""
    try:
        check_place(path)
        opened = _nameless(target.parent)
    except OSError as error:
        raise _refusal(path, error) from error
    with open(opened, "rb") as file, naming(path, _path(opened)):
        yield _path(opened)
        try:
            _give_name(file, target)
        except OSError as error:
            raise _refusal(path, error) from error


def _give_name(file: BinaryIO, target: Path) -> None:
    """Replace the target by a nameless file, with the target's mode and, where permitted, its owner."""
    there = target.stat() if target.exists() else None
    temporary = target.with_name(f".{secrets.token_hex(8)}")
    try:
        _make_like(file.fileno(), there)
        try:
            _link(file.fileno(), temporary)
        except OSError:  # the file is in memory
            mode = 0o666 if there is None else 0o600
            with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb") as copy:
                shutil.copyfileobj(file, copy)
                _make_like(copy.fileno(), there)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _make_like(opened: int, there: os.stat_result | None) -> None:
    """Give an open file the mode of another file and, where permitted, its owner."""
    if there is not None:
        with suppress(PermissionError):
            os.chown(opened, there.st_uid, there.st_gid)
        os.chmod(opened, there.st_mode & 0o777)


def _link(opened: int, path: Path) -> None:
    """Link an open file without a name to a path."""
    folder = os.open(path.parent, os.O_PATH)
    try:
        # os.link() follows symbolic links only if a folder is given.
        os.link(_path(opened), path, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _nameless(folder: Path | None) -> int:
    """Open a new file without a name, in the folder if its file system supports that, otherwise in memory."""
    if folder is not None:
        with suppress(OSError):
            return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    return os.memfd_create("sortlast")


def _path(opened: int) -> Path:
    """The path of an open file of this process, by its descriptor; child processes can open it too."""
    return Path(f"/proc/{os.getpid()}/fd/{opened}")


@contextmanager
def _copied(path: Path, target: Path | int) -> Iterator[Path]:
    """Yield the path of a file in memory, and copy it to the target at the end of the block."""
    with open(_nameless(None), "rb") as memory:
        temporary = _path(memory.fileno())
        with naming(temporary, advice=TEMPORARY):
            yield temporary
        content = memory.read()
    try:
        if target == 1:
            sys.stdout.flush()
            _check_shown(path, 1, content)
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
            return
        opened = os.dup(target) if isinstance(target, int) else os.open(target, os.O_WRONLY)
        with open(opened, "wb") as file:
            _check_shown(path, opened, content)
            file.write(content)
    except OSError as error:
        raise _refusal(path, error) from error


def _check_shown(path: Path, opened: int, content: bytes) -> None:
    """Raise Error if the open file is a terminal and the content is not text."""
    if not _shows(opened):
        return
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise _not_text(path) from None
    if "\0" in text:
        raise _not_text(path)


def _shows(opened: int) -> bool:
    """Whether an open file, by its descriptor, is a terminal."""
    return sys.stdout.isatty() if opened == 1 else os.isatty(opened)


def _not_text(path: Path) -> Error:
    return Error(f"cannot write {path}: it is a terminal, and what is written is not text; name a file")


def _refusal(path: str | Path, error: OSError, advice: str = "") -> Error:
    named = "standard output" if Path(path) == STANDARD_OUTPUT else path
    why = " ".join(str(error).split()) if error.errno is None else os.strerror(error.errno)
    return Error(f"cannot write {named}: {why}; {advice or 'choose another place'}")


@contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """Yield a temporary folder; it replaces ``path`` if the block ends without an error.

    ``path`` must be missing or an empty folder. Raises :class:`sortlast.Error` if it cannot be written.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{secrets.token_hex(8)}{target.suffix}")
    with _leftovers.guarded(temporary), naming(path, temporary):
        temporary.mkdir()
        yield temporary
        temporary.replace(target)


def make_folder(path: str | Path) -> None:
    """Make a folder if it does not exist. Raises :class:`sortlast.Error` if it cannot be made.

    The parent folder must exist.
    """
    path = Path(path)
    try:
        path.mkdir(exist_ok=True)
    except FileNotFoundError:
        raise Error(
            f"cannot make the folder {path}: there is no {path.parent}; make it, or name another place"
        ) from None
    except OSError as error:
        raise _refusal(path, error) from error
