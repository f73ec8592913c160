"""The report of the study: every table beside the published one, the figures, and the fate of the claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sortlast.study.document import Block, Document, Grid, Heading, Paragraph, Picture
from sortlast.study.narrowed_trees import claims, tables
from sortlast.study.narrowed_trees.cells import Settings
from sortlast.study.narrowed_trees.networks import NETWORKS, switches_by_level
from sortlast.study.narrowed_trees.performance import EQUAL, Times, Weights
from sortlast.study.narrowed_trees.tables import Row, Table, shown
from sortlast.study.narrowed_trees.workloads import SIZES, size_name

TITLE = "Narrowed trees: the study of Navaridas et al., computed"
_SET_NAMES = {"a": "same size", "b": "same radix"}
FIGURES = {
    "a": Picture("figure-6", "Figure 6. Time over that of the 8,4-fat-tree, networks of same size."),
    "b": Picture("figure-7", "Figure 7. Time over that of the 6,5-fat-tree, networks of same radix."),
}


def document(times: Times, settings: Settings, weights: Weights = EQUAL) -> Document:
    """The report; with weights other than all 1 it has a table of theirs too."""
    return Document(
        TITLE,
        [
            *_introduction(times, settings),
            *_networks(),
            *_times(times),
            *_performance(times, weights),
            *_claims(times),
            *_work(times),
        ],
    )


def _introduction(times: Times, settings: Settings) -> list[Block]:
    source = tables.published()["source"]
    missing = [size_name(size) for size in SIZES if size not in times.sizes]
    blocks: list[Block] = [
        Paragraph(
            f"Published: {source['authors']}, {source['title']}, {source['report']}. Computed: the packet "
            f"simulator of sortlast {settings.version}, {len(times.results)} cells (pattern, size, network), "
            f"seed {settings.seed}, ties between equal ports {settings.ties}. A ratio is computed over "
            "published."
        )
    ]
    if missing:
        blocks.append(
            Paragraph(
                f"Messages of {' and '.join(missing)} were not simulated: sums over all sizes have no ratio "
                "here, and the normalized values are those of fewer sizes than the paper's."
            )
        )
    return blocks


def _networks() -> list[Block]:
    formulas = Grid(
        "Table 1. Elements required to build the topologies (levels from 0 next to the nodes; fat: k' = k)",
        ["", "k,n-fat-tree", "k:k',n-thin-tree", "k:k',n-slender-tree"],
        [
            ["Nodes", "N = k^n", "N = k^n", "N = k'^2 (k/k')^n"],
            ["Switches", "S = n k^(n-1)", "S = Σ S_i", "S = Σ S_i"],
            ["Switches of level i", "S_i = k^(n-1)", "S_i = k^(n-1-i) k'^i", "S_i = k' (k/k')^(n-1-i)"],
        ],
        first_number=4,
    )
    rows = []
    for net in NETWORKS.values():
        by_formula = [net.switches_of(level) for level in range(net.n)]
        counted = switches_by_level(net)
        agree = "equal" if by_formula == counted else "DIFFERENT"
        rows.append([net.name, str(net.nodes), str(sum(by_formula)), " ".join(map(str, counted)), agree])
    evaluated = Grid(
        "Table 1 by its formulas, and as the topologies count",
        ["", "N", "S", "S_i counted", "formula and count"],
        rows,
    )
    blocks: list[Block] = [
        Heading("The networks (Tables 1 to 3)"),
        Paragraph(
            "The formulas are the paper's, corrected where its print is garbled; it counts the levels of "
            "slender-trees from the top. Its rows of used elements (U) follow from a window that leaves out "
            "as many subtrees on the left as on the right; counted from the topology, the 4096 central nodes "
            "of the 9:3 trees use one leaf switch and three links less. Table 3 holds only if the links of "
            "the nodes are paid for, which section 5.1 denies."
        ),
        formulas,
        evaluated,
    ]
    for table in (*map(tables.characteristics, "ab"), *map(tables.costs, "ab")):
        blocks.append(_beside(table))
    return blocks


def _times(times: Times) -> list[Block]:
    return [
        Heading("The times (Figures 6 and 7)"),
        Paragraph("The paper prints no numbers for these figures; its sums are in Table 4."),
        *FIGURES.values(),
    ]


def _performance(times: Times, weights: Weights) -> list[Block]:
    blocks: list[Block] = [Heading("Performance and cost (Tables 4 and 5)")]
    made = tables.performance_cost(times)
    for table in made:
        blocks.append(_beside(table))
    ranks = [
        [
            f"Table {table.key}",
            name,
            f"{value:+.2f}",
            _order(table, name, ours=True),
            _order(table, name, ours=False),
        ]
        for table in made
        for name, value in table.rank_agreement().items()
    ]
    head = ["", "of", "Spearman", "computed, best first", "published, best first"]
    blocks.append(Grid("The order of the networks", head, ranks, first_number=5))
    if weights != EQUAL:
        blocks.append(Paragraph(f"Your weights: {_weights(weights)}; others 1."))
        for which in "ab":
            counts = ("CN",) if which == "a" else ("CN", "U")
            own = tables.weighed(times, "", which, weights, counts, f"Your weights, {_SET_NAMES[which]}")
            blocks.append(
                _beside(own) if own else Paragraph("With your weights nothing that was simulated counts.")
            )
    return blocks


def _claims(times: Times) -> list[Block]:
    judged = claims.judge(times)
    words = Counter(verdict.word for _, verdict in judged)
    return [
        Heading("What the text claims"),
        Paragraph(
            ", ".join(f"{words[word]} {word}" for word in ("confirmed", "refuted", "undecided"))
            + ". The words "
            "mean here: " + "; ".join(claims.words.MEANINGS) + "."
        ),
        Grid(
            "Claims of sections 4 to 6",
            ["section", "claim", "verdict", "figure"],
            [[claim.section, claim.text, verdict.word, verdict.figure] for claim, verdict in judged],
            first_number=4,
        ),
    ]


def _work(times: Times) -> list[Block]:
    results = list(times.results.values())
    hops = sum(result.packet_hops for result in results)
    seconds = sum(result.elapsed for result in results)
    most = max(result.bytes_used for result in results)
    return [
        Heading("The work"),
        Paragraph(
            f"{hops / 1e9:.2f} G packet-hops in {seconds:.0f} s, summed over the cells: "
            f"{hops / seconds / 1e6:.1f} M/s a cell, "
            f"at most {most / 1e6:.0f} MB a run."
        ),
    ]


def _beside(table: Table) -> Grid:
    """A table with three lines a row: computed, published, ratio."""
    title = f"Table {table.key}. {table.title}" if table.key else table.title
    rows = [line for row in table.rows for line in _lines(row)]
    return Grid(title, ["", "", *table.networks], rows, first_number=2)


def _lines(row: Row) -> list[list[str]]:
    ours = [row.name, "computed", *(shown(value, row.digits) for value in row.computed)]
    if row.published is None:
        return [ours]
    theirs = ["", "published", *(shown(value, row.digits) for value in row.published)]
    if row.exact:
        return [ours, theirs, ["", "ratio", *["equal"] * len(row.computed)]]
    if row.ratios is None:
        return [ours, theirs]
    return [ours, theirs, ["", "ratio", *(f"{value:.3f}" for value in row.ratios)]]


def _order(table: Table, name: str, *, ours: bool) -> str:
    """The networks by a row, best first; a sum of times is best when least."""
    row = table.row(name)
    values: Sequence[float] = row.computed if ours else row.published or ()
    sign = 1 if name.startswith("Σ") else -1
    order = sorted(range(len(values)), key=lambda k: sign * values[k])
    return " > ".join(table.networks[k].removesuffix("-tree") for k in order)


def _weights(weights: Weights) -> str:
    named = {**weights.pattern, **{size_name(size): value for size, value in weights.size.items()}}
    return ", ".join(f"{name} {value:g}" for name, value in named.items())
