"""A report as a value: headings, paragraphs, tables and pictures, written as Markdown or printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Heading:
    """A heading below the title."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Grid:
    """A table of text; columns from ``first_number`` on are aligned to the right."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    first_number: int = 1


@dataclass(frozen=True)
class Picture:
    """A picture, by the name of its file without the suffix."""

    name: str
    caption: str


Block = Heading | Paragraph | Grid | Picture


@dataclass(frozen=True)
class Document:
    """A title and what stands below it."""

    title: str
    blocks: Sequence[Block]


def markdown(document: Document) -> str:
    """The document as Markdown; its pictures are PNG files beside it."""
    return "\n\n".join([f"# {document.title}", *map(_markdown, document.blocks)]) + "\n"


def show(document: Document, console: Console) -> None:
    """Print the document, without its pictures."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    console.rule(document.title)
    for block in document.blocks:
        if isinstance(block, Heading):
            console.print(f"\n{block.text}\n{'=' * len(block.text)}")
        elif isinstance(block, Paragraph):
            console.print(block.text)
        elif isinstance(block, Grid):
            table = Table(title=block.title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
            for k, name in enumerate(block.head):
                table.add_column(
                    name, justify="right" if k >= block.first_number else "left", overflow="fold"
                )
            for row in block.rows:
                table.add_row(*row)
            console.print(table)


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"## {block.text}"
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Picture):
        return f"![{block.caption}]({block.name}.png)\n\n*{block.caption}*"
    rule = ["---:" if k >= block.first_number else "---" for k in range(len(block.head))]
    lines = [f"| {' | '.join(row)} |" for row in (block.head, rule, *block.rows)]
    return f"**{block.title}**\n\n" + "\n".join(lines)
