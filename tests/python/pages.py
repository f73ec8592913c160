"""The code on the pages of documentation, and what it really gives.

A fenced block is checked by its language:

python   runs on 4 ranks; all blocks of a page are one script
         on the page of errors: a snippet on its own, and the text block below it is its error on every rank
cpp, c   a whole program is compiled against the installed library and run on 4 ranks
cmake    the CMakeLists.txt that does so, on the page itself or else on the page of C++
sh, bash, console   run by tests/docs/blocks.py; options of sortlast in sh blocks are checked here too

Other languages (text) are for reading. In expected output "..." stands for anything. A block below a
comment <!-- PATH --> is the text of that file. One below <!-- write: NAME --> is written to the file NAME
for the page's commands, which then run or compile it.

    python tests/python/pages.py [PAGE ...]

writes what the snippets of the page of errors raise and the files hold into the pages where that has changed;
`python tests/docs/blocks.py --renew` does so for what commands print.
"""

from __future__ import annotations

import itertools
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import mpirun

sys.path.append(str(Path(__file__).parents[1] / "docs"))
from blocks import PAGES, ROOT, Block, blocks, matches, prose

__all__ = ["PAGES", "ROOT", "Block", "blocks", "matches", "prose"]

RANKS = 4
ERRORS = ROOT / "docs" / "reference" / "errors.md"


def code(path: Path, language: str) -> list[str]:
    """The texts of a page's blocks in a language, but for those that are written to files or not run."""
    found = blocks(path.read_text(), language)
    return [
        block.text for block in found if block.comment("write") is None and block.comment("not run") is None
    ]


def source(block: Block) -> Path | None:
    """The file whose text a block shows, or None."""
    named = [text for text in block.comments if " " not in text]
    return ROOT / named[0] if named else None


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
    """A page's text with what has changed of files and errors written anew."""
    edits: list[tuple[Block, str]] = []
    for block in blocks(page):
        shown = source(block)
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
