"""The sentences of the studies take their numbers from the table: none is typed."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
import tomllib

import typed_numbers
from sortlast_studies import NAMES, package, report
from sortlast_studies.table import Row, Table, published

ENVIRONMENT = report.environment("sortlast_studies", Table(), {})


def found(source, names=()):
    return [(each.number, each.line) for each in typed_numbers.of(source, ENVIRONMENT, names)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Shift is 1.4 times as fast.", [("1.4", 1)]),
        ("On\n{{ n }} nodes and 12,000 ranks", [("12,000", 2)]),
        ("{% if quick %}\n\nthree of 4{% endif %}", [("4", 3)]),
        ("within 5 % of Table 4a", [("5", 1)]),
        ("{{ 'about 7 %' if quick else 'all' }}", [("7", 1)]),
        ("{{ 12 }}{% set n = 3 %}", [("12", 1), ("3", 1)]),
        ("{{ 'from 8 to ' ~ value('x', '64 nodes') ~ ' nodes' }}", [("8", 1)]),
        ("{{ picture('figure-1', 'Shift on 4 ranks') }}", [("4", 1)]),
        ("{{ pivot('Rates of 512 nodes', title='Rates of 512 nodes') }}", [("512", 1)]),
        ("{{ '{:.2f} of 30'.format(n) }} {{ '%.2f of 40' | format(n) }}", [("30", 1), ("40", 1)]),
        ("radix 16 of [16,32] in 2007 ms", [("16", 1), ("2007", 1)]),
        ("1/2 of a 1/{{ n }}", [("1", 1), ("2", 1)]),
    ],
)
def test_a_typed_number_is_found_where_it_stands(source, expected):
    assert found(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "{{ value('Table 1', '32 nodes') | fmt('.2f') }} times as fast",
        "Table 4a, Tables 3.1 to 4.5, Figures 6, 7 and 9, section 4.2, equations 3.1 and {{ k }}",
        "2-3 swap on a 12-ary 2-tree, the 8:4,4-thin-tree at 2:1, blocks of 2x2x2, [8,8], 2W, Blue Gene/P",
        "Published: A. Author, A Title, Report AB-2013-13, pp. 12-34, Eurographics (2012).",
        "RGBA8 by `fmt(3)` of log2(p) in 32-bit floats, 1 - 1/N of (p - 1)/p, 2^20 bytes, fat-tree = 1",
        "{# 12 #}{{ (1000 * n / 1e9) | fmt }} {% for k in [1, 2] if k > 1 %}{% endfor %}",
        "| 4.1 | said |\n\n## 4.2 Figures\n\n1. one",
        "{{ '%.2f to %.2f' | format(a, b) }} {{ '{:.2f}'.format(a) }} {{ span(a, '.2f') }}",
    ],
)
def test_names_formulas_and_keys_are_no_typed_numbers(source):
    assert found(source) == []


def test_a_study_names_what_is_a_name_there():
    assert found("on Pentium 4 nodes, 4 of them") == [("4", 1), ("4", 1)]
    assert found("on Pentium\n4 nodes, 4 of them", ["Pentium 4"]) == [("4", 2)]
    assert found("multiples of 4, 3 and 5", ["multiples of 4", "multiples of 4, 3 and 5"]) == []


def test_numbers_that_are_quoted_as_published_are_found():
    text = """simulated 14.85 frames/s, published 14.5. Up to 1.50 times (published: up to
        1.51); published 3 to 4 %, ours over published 0.25, the published rates of 4 bytes"""
    assert typed_numbers.quoted(text) == [("14.5", False), ("1.51", False), ("3", True), ("4", True)]


@pytest.mark.parametrize(
    ("number", "percent", "expected"),
    [
        ("14.5", False, True),
        ("15", False, True),
        ("13", False, False),
        ("14.50", False, True),
        ("14.52", False, False),
        ("1,024", False, True),
        ("0.3", False, True),
        ("33", True, True),
        ("32", True, False),
    ],
)
def test_a_quoted_number_is_one_that_is_published_as_far_as_it_is_shown(number, percent, expected):
    assert typed_numbers.is_among(number, percent, [14.5, 0.33, 1024]) is expected


def places(table):
    """Names of rows and columns of the paper's tables, such as ``m = 512 N``; a number alone is none."""
    found = {name for row in table for name in (row.row, row.column)}
    return {name for name in found if re.search(r"\d", name) and re.search(r"[^\W\d_]", name)}


def test_names_of_the_papers_rows_and_columns_are_names():
    table = Table([Row("Table 1", "m = 512 N", "144"), Row("Table 1", "12 nodes", "shift")])
    assert places(table) == {"m = 512 N", "12 nodes"}
    assert found("At m = 512 N on 12 nodes, m = 51, 144", places(table)) == [("51", 1), ("144", 1)]


def named(name):
    """The typed numbers in the sentences of a study, each with its place."""
    folder = files(package(name).__name__)
    declared = folder.joinpath("checks.toml")
    checks = tomllib.loads(declared.read_text(encoding="utf-8")) if declared.is_file() else {}
    names = {*checks.get("names", ()), *places(published(package(name).__name__))}
    texts = {
        file: folder.joinpath(file).read_text(encoding="utf-8")
        for file in ("report.md", "summary.md")
        if folder.joinpath(file).is_file()
    }
    for each in [*checks.get("check", ()), *checks.get("item", ())]:
        for key in {"shown", "near", "why", "calibrated_by"} & set(each):
            texts[f"checks.toml, {each.get('claim', each.get('item'))}, {key}"] = each[key]
    return [
        f"{place}, line {each.line}: {each.number} in {each.text!r}"
        for place, text in texts.items()
        for each in typed_numbers.of(text, ENVIRONMENT, names)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_no_number_is_typed_into_a_sentence(name):
    typed = named(name)
    assert not typed, "take these from the table ({{ value(...) }}):\n" + "\n".join(typed)


@pytest.mark.parametrize("template", ["overview.md", "provenance.md"])
def test_no_number_is_typed_into_what_all_studies_share(template):
    text = files("sortlast_studies").joinpath(template).read_text(encoding="utf-8")
    assert typed_numbers.of(text, ENVIRONMENT) == []
