"""What a study declares in ``checks.toml``: the claims of the paper, and what of it is reproduced.

::

    [words]  # figures that the expressions below may name
    many = 0.25

    [default]  # of every check below
    wants = "missing(sizes)"

    [[check]]
    where = "4.1"  # of the paper
    claim = "In many cases networks narrowed 2:1 perform equally well."
    value = "share(times('a', two) <= 1.05)"  # an expression over the table
    holds = "value.part >= many"  # over that value; without it the claim is undecided
    rests = "near('Table 4a')"  # whether what it rests on is near the published values
    shown = "2:1 is as good in {{ value.text }}"  # a template over it
    needs = "missing(short)"  # names of what the value cannot be without
    wants = "missing(sizes)"  # names of what the verdict cannot be without
    calibrated_by = "the mean bandwidth of Figure 4"  # what it rests on: it can be refuted, and not confirmed

    [[item]]
    item = "Figure 8"  # a numbered table or figure
    about = "frame rates on 12 to 144 nodes"
    how = "simulated"  # or computed, measured, drawn, not reproduced; several with commas
    near = "peaks at {{ peaks }}"  # how near ours is to the published one
    why = "the curves have no printed values"  # why it differs or is missing

A claim that holds is confirmed. One that does not is refuted, unless it has ``rests`` and what that names is
not near the published values. Then our set-up does not give the numbers of the paper: it is not reproduced.

Expressions and templates are Jinja2's, with what reports have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any

import tomllib
from jinja2 import Environment

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"
NOT_REPRODUCED = "not reproduced"  # neither does it hold here, nor are the numbers the paper's


@dataclass(frozen=True)
class Check:
    """A claim with its verdict and the figure that says so."""

    where: str
    claim: str
    verdict: str
    figure: str


@dataclass(frozen=True)
class Item:
    """A numbered table or figure of the paper: how it was reproduced, how near, and why not nearer."""

    item: str
    about: str
    how: str
    near: str = ""
    why: str = ""


@dataclass(frozen=True)
class Declared:
    """The contents of ``checks.toml``; empty where a study has none."""

    words: Mapping[str, Any]
    checks: Sequence[Mapping[str, str]]
    items: Sequence[Mapping[str, str]]


def declared(package: str) -> Declared:
    """What a study declares."""
    file = files(package).joinpath("checks.toml")
    found = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    default = found.get("default", {})
    claims = [{**default, **each} for each in found.get("check", [])]
    return Declared(found.get("words", {}), claims, found.get("item", []))


def judge(declared: Declared, templates: Environment) -> list[Check]:
    """Every claim with its verdict, in the order of the file."""
    return [_judge(each, templates) for each in declared.checks]


def items(declared: Declared, templates: Environment) -> list[Item]:
    """Every numbered table and figure, in the order of the file."""
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
