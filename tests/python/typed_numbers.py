"""Finds numbers that are typed into the sentences of a template, where an expression over the table belongs.

    for found in typed_numbers.of("{{ n }} nodes are 1.4 times as fast as in Table 4a", environment):
        print(found.line, found.text)

Looked at is what a template prints that is no value of the table: text outside of its expressions, and
strings and numbers that an expression prints as they stand. Keys of the table (``value("Table 1", "32
nodes")``), forms of numbers (``fmt(".2f")``) and factors of units (``1e9``) are not printed. What remains may
hold digits in names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from jinja2 import Environment, nodes

HOLE = "\0"  # where an expression stands in the text

_PLACE = rf"(?:\d+(?:\.\d+)*[a-z]?|{HOLE})"
_NAMES = (
    # tables, figures and sections of a paper, and several of them; sections in the first cell of a row
    rf"(?i:\b(?:table|figure|section|chapter|equation|phase)s?)\s+{_PLACE}"
    rf"(?:,?\s(?:and|to|or)\s{_PLACE}|,\s{_PLACE})*",
    r"(?m:^\|\s*\d+(?:\.\d+)*\s*\|)",
    # algorithms, networks and their parameters, vectors of radix-k, patterns, ranks
    r"\b\d+-\d+[ -]swap",
    r"\b\d+-ary(?:\s\d+-tree)?",
    r"\b\d+(?::\d+)?,\d+-(?:fat|thin|slender)-tree",
    r"\b\d+(?:x\d+)+\b",
    r"\b\d+:\d+(?:\s?/\s?\d+:\d+)?",
    r"\[\d+(?:,\s?\d+)*\]",
    r"\b(?:2W|2M|3M)\b",
    r"\brank [01]\b",
    # years, pages and numbers of a citation
    r"\b(?:19[4-9]|20[0-3])\d\b(?=[).,;]|\s*$)",
    r"\b(?:pp?\.|pages?|vol\.|no\.)\s?\d+(?:-\d+)?",
    # words with digits (RGBA8, P0, log2, MPI-2, HPCF-2013-13, 32-bit), code, addresses
    r"\b[A-Za-z]\w*\d\w*",
    r"\b[A-Z]\w*(?:-\w+)+",
    r"\b\d+-bit\b",
    r"`[^`]*`",
    r"https?://\S+",
    # terms of a formula (p - 1, 1 - 1/N, 2^20, k^2), units (of 255), and what counts as one
    r"\b[A-Za-z]\s?[-+]\s?1\b(?![.,]?\d)",
    rf"\b1\s?[-/]\s?(?:[A-Za-z]\b|{HOLE})|\b1\s?-\s?(?=1/)",
    r"\b\d+\^(?:\d+|\w)|(?<=\^)\d\b",
    r"\bof 255\b",
    r"(?<=\s=\s)1\b(?![.,]?\d)",
    # forms of numbers, numbers of a list and of headings
    r"%[-+]?\.?\d*[dfgs%]",
    r"(?m:^\s*\d+\.\s)",
    r"(?m:^#+\s\d+(?:\.\d+)*\s)",
)
_NAME = re.compile("|".join(_NAMES))
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
_CONTEXT = 30  # characters before and behind

# A number that a sentence quotes as published: "published 14.5", "(published: up to 1.51)".
_QUOTED = re.compile(
    r"(?<!over )\b[Pp]ublished:?\s+(?:up to |about |from |at most |at least )?"
    r"(\d[\d,]*(?:\.\d+)?)(?: (?:to|and) (\d[\d,]*(?:\.\d+)?))?( %)?"
)

# Functions whose arguments are printed: which of them, by place and by name.
_PRINTED = {"picture": ((1,), ("caption",)), "grid": ((0,), ("title",)), "pivot": ((), ("title", "corner"))}


@dataclass(frozen=True)
class Found:
    """A number, the line of the template, and the words around it."""

    number: str
    line: int
    text: str


def of(source: str, environment: Environment, names: Collection[str] = ()) -> list[Found]:
    """The numbers typed into a template; ``names``: more words with digits that are none."""
    found = list(_in_text(*_literal(source, environment), names))
    for node in environment.parse(source).find_all((nodes.Output, nodes.Assign)):
        for text, line in _printed(node):
            found += _in_text(text, [line] * len(text), names)
    return sorted(found, key=lambda each: each.line)


def quoted(text: str) -> list[tuple[str, bool]]:
    """The numbers that the sentences of a report quote as published, each with whether it is in percent."""
    sentences = " ".join(text.split())
    return [
        (number, bool(percent))
        for *numbers, percent in _QUOTED.findall(sentences)
        for number in numbers
        if number
    ]


def is_among(number: str, percent: bool, values: Collection[float]) -> bool:
    """Whether a quoted number is one of the values, rounded to the digits that are shown."""
    digits = len(number.partition(".")[2])
    shown = float(number.replace(",", ""))
    factor = 100.0 if percent else 1.0
    return any(abs(factor * value - shown) <= 0.5 * 10.0**-digits + 1e-9 for value in values)


def _literal(source: str, environment: Environment) -> tuple[str, list[int]]:
    """What stands outside of expressions, with a hole for each of these, and the line of every character."""
    text, lines = "", []
    for line, kind, value in environment.lex(source):
        piece = value if kind == "data" else HOLE if kind == "variable_begin" else ""
        text += piece
        lines += [line + piece[:k].count("\n") for k in range(len(piece))]
    return text, lines


def _printed(node: nodes.Node) -> Iterator[tuple[str, int]]:
    """The strings and numbers that an expression prints as they stand."""
    if isinstance(node, nodes.Output):
        for each in node.nodes:
            if not isinstance(each, nodes.TemplateData):
                yield from _printed(each)
    elif isinstance(node, nodes.Assign):
        if isinstance(node.node, nodes.Const) and not isinstance(node.node.value, (str, bool)):
            yield str(node.node.value), node.lineno
    elif isinstance(node, nodes.Const):
        if not isinstance(node.value, bool) and node.value is not None:
            yield str(node.value), node.lineno
    elif isinstance(node, nodes.CondExpr):
        for part in (node.expr1, node.expr2):
            if part is not None:
                yield from _printed(part)
    elif isinstance(node, (nodes.Or, nodes.And)):
        for part in (node.left, node.right):
            yield from _printed(part)
    elif isinstance(node, nodes.Concat):
        yield from _together(node)
    elif isinstance(node, nodes.Filter):
        if node.node is not None:
            yield from _printed(node.node)
    elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name):
        places, words = _PRINTED.get(node.node.name, ((), ()))
        for k in places:
            if k < len(node.args):
                yield from _printed(node.args[k])
        for keyword in node.kwargs:
            if keyword.key in words:
                yield from _printed(keyword.value)
    elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr == "format":
        for text, line in _printed(node.node.node):
            yield re.sub(r"\{[^{}]*\}", HOLE, text), line


def _together(node: nodes.Concat) -> Iterator[tuple[str, int]]:
    """Strings that are joined, as one text with a hole for what else is among them."""
    joined = ""
    for each in node.nodes:
        if isinstance(each, nodes.Const):
            joined += str(each.value)
            continue
        joined += HOLE
        yield from _printed(each)
    yield joined, node.lineno


def _in_text(text: str, lines: list[int], names: Collection[str]) -> Iterator[Found]:
    """The numbers in a text that are no parts of names."""
    longest_first = sorted(names, key=len, reverse=True)
    own = re.compile("|".join(re.escape(name).replace(r"\ ", r"\s+") for name in longest_first) or "(?!)")
    left = text
    for known in (own, _NAME):
        left = known.sub(lambda match: re.sub(r"\d", "#", match.group()), left)
    for number in _NUMBER.finditer(left):
        around = text[max(0, number.start() - _CONTEXT) : number.end() + _CONTEXT]
        shown = " ".join(around.replace(HOLE, "{{ }}").split())
        yield Found(number.group(), lines[number.start()], shown)
