"""The declarations in ``checks.toml``: claims of the paper, and how its tables and figures are reproduced.

::

    [words]  # names that the expressions below may use
    many = 0.25

    [default]  # defaults for every check below
    wants = "missing(sizes)"

    [[check]]
    where = "4.1"  # section of the paper
    claim = "In many cases networks narrowed 2:1 perform equally well."
    value = "share(times('a', two) <= 1.05)"  # an expression over the table
    holds = "value.part >= many"  # over that value; a claim without it is undecided
    rests = "near('Table 4a')"  # whether the values that it depends on are near the published ones
    shown = "2:1 is as good in {{ value.text }}"  # a template over it
    needs = "missing(short)"  # names of missing data without which there is no value
    wants = "missing(sizes)"  # names of missing data without which there is no verdict
    calibrated_by = "the mean bandwidth of Figure 4"  # a calibrated claim can be refuted, but not confirmed

    [[item]]
    item = "Figure 8"  # a numbered table or figure
    about = "frame rates on 12 to 144 nodes"
    how = "simulated"  # or computed, measured, drawn, not reproduced; several with commas
    near = "peaks at {{ peaks }}"  # how close our result is to the published one
    why = "the curves have no printed values"  # why it differs or is missing

A claim that holds is confirmed. A claim that does not hold is refuted, unless its ``rests`` evaluates to
false: then our set-up does not produce the numbers of the paper, and the claim is not reproduced.

Expressions and templates use Jinja2, with the same functions as reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any

import tomllib
from jinja2 import Environment

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"
NOT_REPRODUCED = "not reproduced"  # the claim does not hold, and our numbers differ from the paper's


@dataclass(frozen=True)
class Check:
    """A claim with its verdict and the figure that the verdict is based on."""

    where: str
    claim: str
    verdict: str
    figure: str


@dataclass(frozen=True)
class Item:
    """A numbered table or figure of the paper: how it was reproduced, how closely, and why not better."""

    item: str
    about: str
    how: str
    near: str = ""
    why: str = ""


@dataclass(frozen=True)
class Declared:
    """The contents of ``checks.toml``; empty for a study without one."""

    words: Mapping[str, Any]
    checks: Sequence[Mapping[str, str]]
    items: Sequence[Mapping[str, str]]


def declared(package: str) -> Declared:
    """Read the declarations of a study."""
    file = files(package).joinpath("checks.toml")
    found = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    default = found.get("default", {})
    claims = [{**default, **each} for each in found.get("check", [])]
    return Declared(found.get("words", {}), claims, found.get("item", []))


def judge(declared: Declared, templates: Environment) -> list[Check]:
    """Judge every claim, in the order of the file."""
    return [_judge(each, templates) for each in declared.checks]


def items(declared: Declared, templates: Environment) -> list[Item]:
    """Render every numbered table and figure, in the order of the file."""
    names = [field.name for field in fields(Item)]
    return [Item(*(_text(templates, each.get(name, "")) for name in names)) for each in declared.items]


def _judge(check: Mapping[str, str], templates: Environment) -> Check:
    where, claim = check["where"], check["claim"]
    if needed := _names(check, "needs", templates):
        return Check(where, claim, UNDECIDED, f"needs {needed}, which did not run")
    value = _value(templates, check["value"]) if "value" in check else None
    figure = _text(templates, check["shown"], value=value)
    if wanted := _names(check, "wants", templates):
        return Check(where, claim, UNDECIDED, f"{figure}; {wanted} did not run")
    if "holds" not in check:
        return Check(where, claim, UNDECIDED, figure)
    holds = _value(templates, check["holds"], value=value)
    if holds and "calibrated_by" in check:
        return Check(where, claim, UNDECIDED, f"{figure}; no test, as {check['calibrated_by']} is given")
    if holds:
        return Check(where, claim, CONFIRMED, figure)
    near = "rests" not in check or _value(templates, check["rests"])
    return Check(where, claim, REFUTED if near else NOT_REPRODUCED, figure)


def _names(check: Mapping[str, str], key: str, templates: Environment) -> str:
    return ", ".join(_value(templates, check[key])) if check.get(key) else ""


def _value(templates: Environment, expression: str, **names: Any) -> Any:
    return templates.compile_expression(expression, undefined_to_none=False)(**names)


def _text(templates: Environment, template: str, **names: Any) -> str:
    return templates.from_string(" ".join(template.split())).render(**names)
