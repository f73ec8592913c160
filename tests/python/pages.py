"""The code on the pages of documentation, and what it really gives.

A fenced block is checked by its language:

python   runs on 4 ranks; all blocks of a page are one script
         on the page of errors: a snippet on its own, and the text block below it is its error on every rank
cpp, c   a whole program is compiled against the installed library and run on 4 ranks
cmake    the CMakeLists.txt that does so, on the page itself or else in the README
console  commands ("$ sortlast ...", python, mpiexec or cat) and what they print, errors included; all
         commands of a page run one after the other in one folder, in which `examples` is that of the checkout
sh       commands for reading; those of sortlast have options and values that it takes

Other languages (text) are for reading. In expected output "..." stands for anything. A block below a
comment <!-- PATH --> is the text of that file. One below <!-- write: NAME --> is written to the file NAME
in the folder of the page's commands; a Python block is then run by them, and not with the others.

    python tests/python/pages.py [PAGE ...]

writes what the snippets of the page of errors raise, the commands print and the files hold into the pages
where that has changed.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import commands as command_line
import mpirun
from sortlast import launch

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RANKS = 4
ERRORS = ROOT / "docs" / "reference" / "errors.md"

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SOURCE = re.compile(r"^<!-- (\S+) -->\n```\w+\n\Z", re.MULTILINE)
_WRITTEN = re.compile(r"^<!-- write: (\S+) -->\n```\w+\n\Z", re.MULTILINE)
_COLUMNS = 100  # of commands' output


@dataclass(frozen=True)
class Block:
    """A fenced block; its text lies at [begin, end) of the page."""

    language: str
    text: str
    begin: int
    end: int


def blocks(page: str, *languages: str) -> list[Block]:
    """The fenced blocks of a page's text in the given languages, or all, in order."""
    found = [Block(m[1], m[2], m.start(2), m.end(2)) for m in _FENCE.finditer(page)]
    return [block for block in found if not languages or block.language in languages]


def prose(page: str) -> str:
    """A page's text without its fenced blocks."""
    return _FENCE.sub("", page)


def code(path: Path, language: str) -> list[str]:
    """The texts of a page's blocks in a language, but for those that are written to files."""
    page = path.read_text()
    return [block.text for block in blocks(page, language) if written(page, block) is None]


def source(page: str, block: Block) -> Path | None:
    """The file whose text a block shows, or None."""
    named = _SOURCE.search(page[: block.begin])
    return ROOT / named[1] if named else None


def written(page: str, block: Block) -> str | None:
    """The name of the file to which a block is written, or None."""
    named = _WRITTEN.search(page[: block.begin])
    return named[1] if named else None


def matches(expected: str, real: str) -> bool:
    """Whether `real` is `expected`, in which "..." stands for anything. Ignores spaces at ends of lines."""
    plain = "\n".join(line.rstrip() for line in real.rstrip().splitlines())
    pattern = ".*?".join(re.escape(part) for part in expected.rstrip().split("..."))
    return re.fullmatch(pattern, plain, re.DOTALL) is not None


# --- commands -----------------------------------------------------------------------------------------


def commands(block: Block) -> list[tuple[str, str]]:
    """Pairs (command, output) of a console block."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert parts[0] == "", f"a console block begins with {parts[0]!r}; expected a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def sortlast_words(block: Block) -> Iterator[list[str]]:
    """The words behind `sortlast` in each command of a sh block that calls it."""
    for line in block.text.replace("\\\n", " ").splitlines():
        parser = shlex.shlex(line, posix=True, punctuation_chars=True)
        parser.whitespace_split = True
        words = list(parser)
        if words[:2] == ["pip", "install"]:
            continue
        while "sortlast" in words:
            words = words[words.index("sortlast") + 1 :]
            yield list(itertools.takewhile(lambda word: not set(word) <= set("();<>|&"), words))


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder for the commands of a page."""
    with tempfile.TemporaryDirectory(prefix="sortlast-pages-") as name:
        (Path(name) / "examples").symlink_to(ROOT / "examples")
        yield Path(name)


def printed(command: str, where: Path) -> str:
    """What a command prints to a pipe, output and errors, in a folder."""
    program, *args = shlex.split(command)
    assert program in _PROGRAMS, f"{command!r} is none of {', '.join(_PROGRAMS)}; fence it as sh"
    launcher = launch.find_mpiexec()
    settings = launch.environment(launcher.family, RANKS, len(os.sched_getaffinity(0)), os.geteuid() == 0)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    plain = {"COLUMNS": str(_COLUMNS), "NO_COLOR": "1", "TERM": "dumb"}
    variables = settings | plain | {"PATH": path}
    if program == "sortlast":
        done = command_line.run(*args, folder=where, variables=variables, together=True, timeout=300)
    else:
        done = subprocess.run(
            [*_PROGRAMS[program], *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=where,
            env=os.environ | variables,
            timeout=300,
            check=False,
        )
    return "".join(line.rstrip() + "\n" for line in done.stdout.strip("\n").splitlines())


_PROGRAMS = {
    "sortlast": (),  # see commands.py
    "python": (sys.executable,),
    "mpiexec": (str(launch.find_mpiexec().path),),
    "cat": ("cat",),
}


def runs(page: str) -> Iterator[tuple[Block, list[tuple[str, str, str]]]]:
    """The console blocks of a page, each with (command, expected, real) for each of its commands.

    Blocks that are to be written to files are when their turn comes.
    """
    with folder() as where:
        for block in blocks(page):
            name = written(page, block)
            if name is not None:
                (where / name).write_text(block.text)
            if block.language == "console":
                yield (
                    block,
                    [(command, expected, printed(command, where)) for command, expected in commands(block)],
                )


# --- errors -------------------------------------------------------------------------------------------

_TRY = """
def attempt(snippet):
    try:
        exec(snippet, globals())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing was raised"

messages = []
for snippet in %r:
    comm.barrier()
    messages.append(attempt(snippet))
report(messages)
# Ranks that gave up may have left messages that nobody receives, which MPI_Finalize would wait for.
sys.stdout.flush()
comm.barrier()
import os
os._exit(0)
"""


def snippets(page: str) -> list[tuple[Block, Block]]:
    """Pairs of a python block and the text block that stands right below it."""
    every = blocks(page)
    return [
        (first, second)
        for first, second in itertools.pairwise(every)
        if first.language == "python"
        and second.language == "text"
        and page[first.end : second.begin] == "```\n```text\n"
    ]


def raised(page: str) -> list[list[str]]:
    """What each snippet of the page of errors raises, by rank; the page's first block prepares them."""
    prepare = blocks(page, "python")[0].text
    sources = [python.text for python, _ in snippets(page)]
    job = mpirun.run(RANKS, prepare + _TRY % (sources,), timeout=120, alone=True)
    assert None not in job.reports, job
    return [[messages[i] for messages in job.reports] for i in range(len(sources))]


# --- writing ------------------------------------------------------------------------------------------


def renewed(page: str, is_errors: bool) -> str:
    """A page's text with what has changed of commands' output and errors written anew."""
    edits: list[tuple[Block, str]] = []
    for block, made in runs(page):
        texts = [
            f"$ {command}\n{expected if matches(expected, real) else real}"
            for command, expected, real in made
        ]
        edits.append((block, "".join(texts)))
    for block in blocks(page):
        shown = source(page, block)
        if shown is not None:
            edits.append((block, shown.read_text()))
    if is_errors:
        for (_, text), messages in zip(snippets(page), raised(page), strict=True):
            if not matches(text.text, messages[0]):
                edits.append((text, messages[0] + "\n"))
    for block, text in sorted(edits, key=lambda edit: -edit[0].begin):
        page = page[: block.begin] + text + page[block.end :]
    return page


def _renew_all(report: Callable[[str], None], paths: list[Path]) -> None:
    for path in paths:
        before = path.read_text()
        after = renewed(before, path == ERRORS)
        if after != before:
            path.write_text(after)
            report(f"renewed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    _renew_all(print, [Path(name).resolve() for name in sys.argv[1:]] or PAGES)
