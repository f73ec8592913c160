"""The overview: every numbered table and figure of the papers, how it was reproduced, and how near."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sortlast.study.document import Block, Document, Grid, Heading, Paragraph
from sortlast.study.study import Reproduced, Study

TITLE = "The published tables and figures, and ours"


def overview(reproduced: Mapping[str, Sequence[Reproduced]], studies: Mapping[str, Study]) -> Document:
    """A table a paper, and one that counts them all.

    Args:
        reproduced: by the name of a study what its results reproduce; a study without any has no paper.
        studies: by name.
    """
    with_paper = {name: items for name, items in reproduced.items() if items}
    rows = [_counts(name, items) for name, items in with_paper.items()]
    blocks: list[Block] = [
        Paragraph(
            "Computed: by formula or by counting. Simulated: on a modelled network. Measured: on the machine "
            "that made this page. Drawn: a diagram without values. The reports of the studies have the "
            "values."
        ),
        Grid("All", ["study", "tables", "figures", "how", "not reproduced"], rows),
    ]
    for name, items in with_paper.items():
        table = [[item.item, item.about, ", ".join(item.how), item.near, item.why] for item in items]
        head = ["", "shows", "how", "how near", "where not, and why"]
        blocks += [Heading(name), Paragraph(studies[name].summary), Grid(name, head, table, first_number=5)]
    return Document(TITLE, blocks)


def _counts(name: str, items: Sequence[Reproduced]) -> list[str]:
    kinds = Counter(item.item.split()[0] for item in items)
    how = Counter(kind for item in items for kind in item.how if kind != "not reproduced")
    missing = sum("not reproduced" in item.how for item in items)
    ways = ", ".join(f"{count} {kind}" for kind, count in how.most_common())
    return [name, str(kinds["Table"]), str(kinds["Figure"]), ways, str(missing)]
