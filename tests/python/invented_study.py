"""A study for tests: two steps, a table, claims, a figure, and all files of a package of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sortlast.provenance import Provenance
from sortlast_studies.steps import Kept, Step
from sortlast_studies.study import Study
from sortlast_studies.table import Table, published

SETTINGS = {"seed": 17, "ties": "uniform"}
HERE = Provenance("1.0", "build1", "here", "a processor", 2, "MPICH 5", "2026-01-01T00:00:00Z")


def kept(folder, settings=SETTINGS, made_by="model", origin=HERE):
    """Where finished steps are kept."""
    return Kept(folder, settings, made_by, origin)


def counted(names, ran, **options):
    """Steps that note that they ran, and give the length of their name."""

    def step(name, work):
        def compute(part_done):
            ran.append(name)
            return {"length": len(name)}

        return Step(name, compute, work=work, **options)

    return [step(name, work) for work, name in enumerate(names, 1)]


FILES = {
    "__init__.py": 'SUMMARY = "Nothing."\n',
    "published.csv": "item,row,column,unit,value,where\nTable 1,a,length,,1,section 1\n",
    "figures.py": """
from matplotlib.figure import Figure


def draw(table):
    figure = Figure(figsize=(2, 1))
    figure.add_subplot().plot(list(table.column("Table 1", "length", "measured").values()))
    return {"figure-1": figure}
""",
    "checks.toml": """
[words]
few = 1

[default]
wants = "[] if rows('Table 1') | length > 1 else ['the rest']"

[[check]]
where = "1"
claim = "Names are short."
value = "max(column('Table 1', 'length').values())"
holds = "value <= few"
shown = "up to {{ value | fmt('d') }}"

[[check]]
where = "2"
claim = "Names are long."
shown = "nobody knows"
needs = "['everything'] if few else []"

[[item]]
item = "Table 1"
about = "this"
how = "computed"
near = "equal"

[[item]]
item = "Figure 2"
about = "that"
how = "measured, simulated"
near = "ratio {{ (value('Table 1', 'a', 'length', 'measured') / few) | fmt('.1f') }}"
why = "another machine"

[[item]]
item = "Figure 3"
about = "a photograph"
how = "not reproduced"
why = "it is a photograph"
""",
    "summary.md": """- **Question.** Are names short?
- **Result.** {{ rows("Table 1") | length }} names.
- **Limits.** {{ checks | length }} claims.
""",
    "report.md": """# A <study>

{% include "summary.md" %}

{{ "quick" if quick else "whole" }}

{{ pivot("Table 1", {"length": "d"}, title="Lengths", corner="name", kind="measured") }}

**Claims**

| claim | verdict |
| --- | --- |
{% for check in checks %}
| {{ check.claim }} | {{ check.verdict }} |
{% endfor %}

{{ picture("figure-1", "Picture figure-1.") }}
""",
}


@contextmanager
def made(folder: Path) -> Iterator[Study]:
    """A study of two steps in a package below ``folder``, which can be imported for so long."""
    root = folder / "papers" / "invented"
    root.mkdir(parents=True)
    (root.parent / "__init__.py").touch()
    for name, text in (FILES | {"steps.py": "LENGTH = 1\n"}).items():
        (root / name).write_text(text)
    sys.path.insert(0, str(folder))
    try:
        yield Study(
            package="papers.invented",
            steps=lambda quick: counted(["a", "bb"][: 1 if quick else 2], []),
            tabulate=_tabulated,
            settings=SETTINGS,
        )
    finally:
        sys.path.remove(str(folder))
        published.cache_clear()
        for name in [name for name in sys.modules if name.split(".")[0] == "papers"]:
            del sys.modules[name]


def _tabulated(results, quick):
    table = Table(published("papers.invented"))
    for name, result in results.items():
        length = result.get("length")
        table.add("Table 1", name, "length", length, "", "measured", note=result.get("refused", ""))
    return table
