"""The table of a study: rows found by place and kind, written and read again."""

from __future__ import annotations

import csv

import pytest

from sortlast import Error
from sortlast_studies import NAMES, package
from sortlast_studies.table import Row, Table, published, read_csv, write_csv


def table_of(*rows):
    table = Table()
    for row in rows:
        table.append(row)
    return table


ROWS = [
    Row("Table 1", "a", "x", "s", "published", 0.1, note="section 2"),
    Row("Table 1", "a", "x", "s", "simulated", 1 / 3, (1e-300, 0.5), 3),
    Row("Table 1", "a", "y", "", "computed", None, note='a "note", with\na line and 8,8,4'),
    Row("Table 1", "b", "x", "s", "measured", -0.0),
    Row("Σ φ", "b", "x", "µs", "calibrated", 1e22),
]


def test_a_table_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "table.csv"
    with path.open("w") as file:
        write_csv(table_of(*ROWS), file)
    found = read_csv(path)
    assert list(found) == ROWS
    assert str(found.value("Table 1", "b", "x")) == "-0.0"
    with path.open() as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == ["item", "row", "column", "unit", "kind", "value", "spread", "n", "note"]
    assert float(lines[1]["value"]) == 1 / 3


def test_values_are_found_by_place_and_kind_and_never_overwritten():
    table = table_of(*ROWS)
    assert table.value("Table 1", "a", "x") == 1 / 3  # ours goes before the published one
    assert table.value("Table 1", "a", "x", "published") == 0.1
    assert table.get("Table 1", "a", "x", "measured") is None
    assert table.note("Table 1", "a", "y").startswith("a")
    assert (table.rows("Table 1"), table.columns("Table 1")) == (["a", "b"], ["x", "y"])
    assert table.rows("Table 1", "published") == ["a"]
    assert [row.kind for row in table.of("Table 1", "ours")] == ["simulated", "computed", "measured"]
    assert table.line("Table 1", "a", "ours") == {"x": 1 / 3}
    assert table.column("Table 1", "x") == {"a": 1 / 3, "b": 0.0}
    with pytest.raises(Error, match="no measured of Table 1, a, x"):
        table.value("Table 1", "a", "x", "measured")
    with pytest.raises(Error, match="two published values"):
        table.append(ROWS[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a table of a study"),
        ("a,b\n", "expected a table of a study"),
        ("HEAD1,2,3\n", "line 2: not enough values"),
        ("HEAD1,2,3,s,guessed,1,,,\n", "line 2: there is no kind 'guessed'"),
        ("HEAD1,2,3,s,computed,one,,,\n", "line 2: could not convert"),
    ],
)
def test_another_file_is_no_table(tmp_path, text, message):
    path = tmp_path / "table.csv"
    path.write_text(text.replace("HEAD", "item,row,column,unit,kind,value,spread,n,note\n"))
    with pytest.raises(Error, match=message):
        read_csv(path)
    with pytest.raises(Error, match=r"cannot read .*nowhere"):
        read_csv(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("name", NAMES)
def test_every_published_value_says_where_it_stands(name):
    rows = list(published(package(name).__name__))
    assert all(row.kind == "published" and row.note and row.item for row in rows)
