"""Run the shell blocks of the documentation as they are printed.

    python tests/docs/blocks.py [--renew] [--home FOLDER] [--limit SECONDS] [PAGE ...]

Each page runs in a new copy of the checkout. Its blocks run in order in one session: exported variables and
the folder last from block to block. HOME is one new folder for all pages. The installation page runs early,
because other pages use what it installs there. Each block gets a line with page, line, status and seconds.
The exit status is 1 if any block fails.

sh, bash  must end with status 0, and so must each of its commands
console   commands ("$ ...") with what they print, errors included; "..." stands for anything

A comment right above a fence changes how the block is run:

<!-- not run: REASON -->          leave it out, and list it with the reason
<!-- runs until interrupted -->   interrupt it 10 s after its first output; it must end cleanly
<!-- as root -->                  leave it out, and list it, where the user is another one
<!-- exit status: N -->           it ends with status N
<!-- write: NAME -->              write the block, of any language, to the file NAME

Commands come from the environment that ./run setup makes (.venv). A page with the comment
<!-- bare system --> has only the commands of the operating system. Its blocks run as root and install what
they need. Where ccache is installed, it starts the compilers, because several pages compile the same sources.

--renew writes what the commands of console blocks print into the pages where that has changed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALL = ROOT / "docs" / "how-to" / "install.md"
PAGES = [
    ROOT / "README.md",
    INSTALL,
    *sorted(path for path in (ROOT / "docs" / "how-to").glob("*.md") if path != INSTALL),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "how-to"),
    ROOT / "CONTRIBUTING.md",
    ROOT / "studies" / "README.md",
]
BARE = "<!-- bare system -->"
UP = 10.0  # seconds between the first output of a block and its interruption
KILLED = 60.0  # seconds in which a killed process ends
MARK = "SORTLAST_BLOCKS"  # a variable of all processes of a page, by which those left behind are found

_FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_COMMENTS = re.compile(r"(?:^ *<!-- .*? -->\n)+\Z", re.MULTILINE)
_SHELLS = ("sh", "bash", "console")
_IGNORED = shutil.ignore_patterns(
    "build", "out", "fresh-out", ".git", ".venv*", ".*_cache", "__pycache__", "*.so"
)


@dataclass(frozen=True)
class Block:
    """A fenced block; its text lies at [begin, end) of the page, and `comments` right above its fence."""

    language: str
    text: str
    begin: int
    end: int
    comments: tuple[str, ...]

    def comment(self, name: str) -> str | None:
        """What follows the name in a comment; "" where nothing does, None without such a comment."""
        found = [text[len(name) :].lstrip(": ") for text in self.comments if text.startswith(name)]
        return found[0] if found else None


def blocks(page: str, *languages: str) -> list[Block]:
    """The fenced blocks of a page's text in the given languages, or all, in order."""
    made = []
    for m in _FENCE.finditer(page):
        above = _COMMENTS.search(page[: m.start()])
        comments = tuple(re.findall(r"<!-- (.*?) -->", above[0])) if above else ()
        made.append(Block(m[2], textwrap.dedent(m[3]), m.start(3), m.end(3), comments))
    return [block for block in made if not languages or block.language in languages]


def prose(page: str) -> str:
    """A page's text without its fenced blocks."""
    return _FENCE.sub("", page)


def commands(block: Block) -> list[tuple[str, str]]:
    """Pairs (command, output) of a console block."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert parts[0] == "", f"a console block begins with {parts[0]!r}; expected a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def matches(expected: str, real: str) -> bool:
    """Whether `real` is `expected`, in which "..." stands for anything. Ignores spaces at ends of lines."""
    plain = "\n".join(line.rstrip() for line in real.rstrip().splitlines())
    pattern = ".*?".join(re.escape(part) for part in expected.rstrip().split("..."))
    return re.fullmatch(pattern, plain, re.DOTALL) is not None


class BlockError(Exception):
    """Why a block failed, with what it printed."""


def _cached() -> dict[str, str]:
    """Variables with which CMake starts compilers through ccache, always under the same names."""
    if shutil.which("ccache") is None:
        return {}
    launchers = {f"CMAKE_{language}_COMPILER_LAUNCHER": "ccache" for language in ("C", "CXX")}
    return launchers | {"CC": "cc", "CXX": "c++", "CCACHE_DIR": str(ROOT / "build" / "ccache")}


class Session:
    """The shell of a page: a folder, and the variables that blocks export."""

    def __init__(self, folder: Path, home: Path, bare: bool, limit: float) -> None:
        self.folder = folder / "checkout"
        self._state = folder / "state"
        self._limit = limit
        shutil.copytree(ROOT, self.folder, ignore=_IGNORED, symlinks=True)
        path = [each for each in os.environ["PATH"].split(":") if not Path(each).is_relative_to(ROOT)]
        path = path if bare else [str(ROOT / ".venv" / "bin"), *path]
        dropped = ("SORTLAST_", "OMPI_", "MPI", "PYTHON", "VIRTUAL_ENV")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        plain = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}  # as the pages show output
        self._mark = uuid.uuid4().hex
        self._environ = kept | plain | _cached()
        self._environ |= {"HOME": str(home), "PATH": ":".join(path), MARK: self._mark}
        self._state.write_text("")

    def run(self, text: str, interrupted: bool = False) -> tuple[int, str]:
        """Run commands; their exit status and what they printed, errors included.

        Raises BlockError if they hang. Later commands see the variables and the folder of successful ones.
        """
        script = f". {self._state}\n{text}\nexport -p > {self._state}\npwd > {self._state}.folder\n"
        with tempfile.TemporaryFile("w+", errors="replace") as out:
            process = subprocess.Popen(
                ["bash", "-e", "-o", "pipefail", "-c", script],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=self.where(),
                env=self._environ,
                start_new_session=True,
                # A shell starts its background jobs, such as this script, deaf to Ctrl-C.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
            hangs = ""
            try:
                if interrupted:
                    self._interrupt(process, out.fileno())
                process.wait(self._limit)
            except subprocess.TimeoutExpired:
                hangs = f"still runs after {self._limit:.0f} s\n"
            self.kill()
            status = process.wait()
            out.seek(0)
            printed = "".join(line.rstrip() + "\n" for line in out.read().strip("\n").splitlines())
        if hangs:
            raise BlockError(hangs + printed)
        return status, printed

    def where(self) -> Path:
        """The folder in which the next command runs."""
        told = Path(f"{self._state}.folder")
        return Path(told.read_text().rstrip("\n")) if told.exists() else self.folder

    def _interrupt(self, process: subprocess.Popen, out: int) -> None:
        """Press Ctrl-C some seconds after it has printed something."""
        end = time.monotonic() + self._limit
        while process.poll() is None and os.fstat(out).st_size == 0 and time.monotonic() < end:
            time.sleep(0.1)
        with suppress(subprocess.TimeoutExpired):
            process.wait(UP)
            raise BlockError("ended before it was interrupted")
        os.killpg(process.pid, signal.SIGINT)

    def kill(self) -> None:
        """End what still runs of the page, and wait until nothing of it does."""
        end = time.monotonic() + KILLED
        while running := self._running():
            if time.monotonic() > end:
                raise BlockError(f"processes {running} do not end though they were killed")
            for pid in running:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)

    def _running(self) -> list[int]:
        """The processes of the page. One that has ended has no environment any more."""
        mark = f"{MARK}={self._mark}".encode()
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (place / "environ").read_bytes().split(b"\0"):
                    found.append(int(place.name))
        return found


def run_shell(session: Session, block: Block) -> None:
    """Run a block of sh or bash. Raises BlockError."""
    interrupted = block.comment("runs until interrupted") is not None
    status, printed = session.run(block.text, interrupted)
    expected = (0, 130, -signal.SIGINT) if interrupted else (int(block.comment("exit status") or 0),)
    if status not in expected or (interrupted and "Traceback" in printed):
        raise BlockError(f"exit status {status}\n{printed}")


def run_console(session: Session, block: Block) -> str:
    """Run the commands of a console block; its text with what they print now, where that has changed."""
    text = ""
    for command, expected in commands(block):
        _, real = session.run(command)
        text += f"$ {command}\n{expected if matches(expected, real) else real}"
    return text


def run_page(path: Path, home: Path, folder: Path, limit: float, renew: bool) -> bool:
    """Run the blocks of a page, print a line for each, and return whether all are as they should be.

    The folder is made for the page and removed.
    """
    page = path.read_text()
    if not blocks(page, *_SHELLS):
        return True
    edits: list[tuple[Block, str]] = []
    good = True
    folder.mkdir()
    session = Session(folder, home, BARE in page, limit)
    for block in blocks(page):
        name = block.comment("write")
        if name is not None:
            (session.where() / name).parent.mkdir(parents=True, exist_ok=True)
            (session.where() / name).write_text(block.text)
        elif block.language in _SHELLS:
            good &= _run_block(session, block, page, path, edits)
    session.kill()
    shutil.rmtree(folder)
    if renew and edits:
        for block, text in reversed(edits):
            page = page[: block.begin] + text + page[block.end :]
        path.write_text(page)
    return good


def _run_block(session: Session, block: Block, page: str, path: Path, edits: list[tuple[Block, str]]) -> bool:
    place = f"{path.relative_to(ROOT)}:{page.count(chr(10), 0, block.begin)}"
    reason = block.comment("not run")
    if reason is None and os.geteuid() != 0 and ("as root" in block.comments or BARE in page):
        reason = "needs root"
    if reason is not None:
        print(f"{place:40} not run: {reason}", flush=True)
        return True
    began = time.monotonic()
    problem = ""
    try:
        if block.language == "console":
            text = run_console(session, block)
            if text != block.text:
                edits.append((block, text))
                problem = f"now prints\n{text}"
        else:
            run_shell(session, block)
    except BlockError as error:
        problem = str(error)
    print(f"{place:40} {'failed' if problem else 'ok':6} {time.monotonic() - began:7.1f} s", flush=True)
    if problem:
        shown = problem.splitlines()
        print(textwrap.indent("\n".join([*shown[:1], *shown[1:][-60:]]), "    "), flush=True)
    return not problem


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path, help="pages; all of them")
    parser.add_argument(
        "--renew", action="store_true", help="write what console commands print into the pages"
    )
    parser.add_argument("--home", type=Path, help="HOME for the pages, which is kept; a new folder")
    parser.add_argument("--limit", type=float, default=3600, help="seconds that a block may take; 3600")
    given = parser.parse_args()
    pages = [path.resolve() for path in given.pages] or PAGES
    good = True
    with tempfile.TemporaryDirectory(prefix="sortlast-pages-") as made:
        home = given.home.resolve() if given.home is not None else Path(made) / "home"
        home.mkdir(parents=True, exist_ok=True)
        for path in pages:
            folder = Path(made) / "page"  # the same for all, because ccache compares paths
            good &= run_page(path, home, folder, given.limit, given.renew)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
