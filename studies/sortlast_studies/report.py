"""Reports: a Markdown template over the table, rendered as Markdown, as one HTML page, and in the terminal.

The template (Jinja2) can use the table's methods as functions (``value("Figure 4", row, column, kind)``,
``rows``, ``line``, ...), the functions below, and the terms of the study; ``fmt`` formats a number, and None
as the empty string. The page is self-contained and makes no network requests, which its
Content-Security-Policy forbids as well.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sortlast_studies.checks import CONFIRMED, NOT_REPRODUCED, REFUTED, UNDECIDED
from sortlast_studies.table import Table, Wanted

if TYPE_CHECKING:
    from rich.console import Console

Format = str | Mapping[str, str]  # of numbers; a mapping if it depends on the column

_FRAMEWORK = "sortlast_studies"
_VERDICTS = frozenset({CONFIRMED, REFUTED, NOT_REPRODUCED, UNDECIDED})
_PICTURE = re.compile(r"^!\[.*\]\(.*\)\n\n\*.*\*\n", re.MULTILINE)


def environment(package: str, table: Table, terms: Mapping[str, Any]) -> Environment:
    """Make the environment that renders the templates of a study and evaluates its expressions."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package, "."), PackageLoader(_FRAMEWORK, ".")]),
        autoescape=lambda name: name is not None and name.endswith(".html"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    methods = ("value", "get", "note", "find", "of", "items", "rows", "columns", "line", "column")
    made.globals |= {name: getattr(table, name) for name in methods}
    made.globals |= {"grid": grid, "span": span, "picture": picture, "zip": zip, "abs": abs}
    made.globals |= {"min": min, "max": max, "sum": sum, "len": len, "sorted": sorted}

    def pivot(item: str, digits: Format = ".1f", **options: Any) -> str:
        return _pivot(table, item, digits, **options)

    made.globals |= {"pivot": pivot, **terms}
    made.filters["fmt"] = fmt
    made.filters["percent"] = percent
    return made


# --- functions for templates --------------------------------------------------------------------------


def fmt(value: float | None, digits: str = ".1f") -> str:
    """Format a number by a format specification; None gives an empty string."""
    return "" if value is None else format(int(value) if digits.endswith("d") else value, digits)


def percent(part: float, digits: str = ".0f") -> str:
    """Format a fraction as a percentage, with a space: ``+2.4 %``."""
    return f"{100 * part:{digits}} %"


def span(values: Iterable[float], digits: str = ".2f") -> str:
    """Format minimum and maximum as a range, or as one number if both are formatted the same."""
    known = list(values)
    low, high = format(min(known), digits), format(max(known), digits)
    return low if low == high else f"{low} to {high}"


def grid(title: str, head: Sequence[object], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """Format a table with a title; all columns after the first ``texts`` are right-aligned."""
    rule = ["---" if k < texts else "---:" for k in range(len(head))]
    lines = [f"| {' | '.join(map(str, cells))} |" for cells in (head, rule, *rows)]
    return f"**{title}**\n\n" + "\n".join(lines)


def picture(name: str, caption: str) -> str:
    """Markdown for a picture of the study with its caption."""
    return f"![{caption}]({name}.png)\n\n*{caption}*"


def pictures(markdown: str) -> list[tuple[str, str]]:
    """The names of a report's pictures, each with its caption."""
    found = (each.removeprefix("![").partition("](") for each in _PICTURE.findall(markdown))
    return [(rest.partition(".png)")[0], caption) for caption, _, rest in found]


def _pivot(
    table: Table,
    item: str,
    digits: Format,
    *,
    title: str | None = None,
    corner: str = "",
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    kind: Wanted = None,
    texts: int = 1,
) -> str:
    """Format an item as a table with the paper's rows and columns or ours; notes stand for missing values."""
    across = list(columns or table.columns(item, kind))

    def cell(row: str, column: str) -> str:
        found = table.find(item, row, column, kind)
        if found is None or found.value is None:
            return "" if found is None else found.note
        return fmt(found.value, digits if isinstance(digits, str) else digits.get(column, ".1f"))

    lines = [[row, *(cell(row, column) for column in across)] for row in rows or table.rows(item, kind)]
    return grid(item if title is None else title, [corner, *across], lines, texts)


# --- page and terminal --------------------------------------------------------------------------------


def page(templates: Environment, markdown: str, pictures: Mapping[str, str], summary: str = "") -> str:
    """The report as the text of an HTML file, rendered by the study's ``page.html`` or by ``base.html``.

    Args:
        templates: Environment of the study.
        markdown: The report.
        pictures: SVG text by the name of each picture of the report.
        summary: The part of the report to show in a box at the top.
    """
    title, _, rest = markdown.partition("\n")
    body = rest.replace(summary, "", 1) if summary else rest
    made = templates.select_template(["page.html", "base.html"])
    return made.render(
        title=title.removeprefix("# "), summary=_html(summary, pictures), body=_html(body, pictures)
    )


def _html(markdown: str, pictures: Mapping[str, str]) -> str:
    parser = _parser()
    tokens = parser.parse(markdown)
    for before, token in zip([None, *tokens], tokens, strict=False):
        _dress(before, token, pictures)
    return str(parser.renderer.render(tokens, parser.options, {}))


def show(markdown: str, console: Console) -> None:
    """Print the report without its pictures; tables are as wide as their longest words require."""
    from rich.console import ConsoleOptions, RenderResult
    from rich.markdown import Markdown, TableElement
    from rich.measure import Measurement

    class Grid(TableElement):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for table in super().__rich_console__(console, options):
                least = Measurement.get(console, options.update(width=10_000), table).minimum  # type: ignore[arg-type]
                yield from console.render(table, options.update(width=max(options.max_width, least)))  # type: ignore[arg-type]

    class Report(Markdown):
        elements: ClassVar = {**Markdown.elements, "table_open": Grid}

    console.print(Report(_PICTURE.sub("", markdown)), crop=False)


def _parser() -> MarkdownIt:
    """A parser for Markdown with tables; each table is wrapped in an element that scrolls."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for name, made in (("table_open", '<div class="wide"><table>\n'), ("table_close", "</table></div>\n")):
        parser.add_render_rule(name, lambda self, tokens, k, options, env, made=made: made)
    return parser


def _dress(before: Token | None, token: Token, pictures: Mapping[str, str]) -> None:
    """Embed the pictures in the page, and mark the verdicts among the cells of tables."""
    if token.type != "inline":
        return
    if before is not None and before.type == "td_open" and token.content in _VERDICTS:
        before.attrSet("class", token.content.replace(" ", "-"))
    for child in token.children or []:
        if child.type == "image":
            name = str(child.attrs["src"]).removesuffix(".png")
            encoded = base64.b64encode(pictures[name].encode()).decode("ascii")
            child.attrSet("src", f"data:image/svg+xml;base64,{encoded}")
