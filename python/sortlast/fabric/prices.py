"""Price lists of a fabric's parts, written by users, and the cost of a fabric.

YAML, or JSON of the same form::

    currency: USD
    switch:
      16: 5625              # a switch of 16 ports
      port squared: 21.97   # any other: this times its ports squared
    cable:
      hosts: 70             # from a node to its switch
      level 1 to level 2: 150
      any: 350              # all others
    adapter: 500

or CSV, with the same words::

    part,kind,price
    switch,16,5625
    cable,any,150
    adapter,,500
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sortlast import _extras
from sortlast._errors import ArgumentError
from sortlast._fabric import Topology
from sortlast.fabric.components import Components, components
from sortlast.fabric.reading import text_of

_SQUARED = "port squared"
_CABLES = "hosts, switches, any, or a kind such as 'level 1 to level 2'"
_END = "(hosts|switches|level [1-9][0-9]{0,4})"  # of a cable


@dataclass(frozen=True)
class PriceList:
    """Prices in any currency.

    Attributes:
        switch: by number of ports. A missing size costs as much as the next larger one.
        switch_port_squared: price per port squared of a switch that ``switch`` does not list, the estimate of
            Navaridas et al. (section 5.1); None: no such rule.
        cable: by kind, named as in :class:`Components`; "hosts": cables of nodes, "switches": cables between
            switches, "any": all other cables.
        adapter: of an adapter; 0: adapters are not counted.
        currency: of the prices.
    """

    switch: Mapping[int, float] = field(default_factory=dict)
    switch_port_squared: float | None = None
    cable: Mapping[str, float] = field(default_factory=dict)
    adapter: float = 0.0
    currency: str = ""

    def of_switch(self, ports: int) -> float:
        """The price of a switch. Raises ArgumentError if the list does not give it."""
        if ports in self.switch:
            return self.switch[ports]
        if self.switch_port_squared is not None:
            return self.switch_port_squared * ports**2
        larger = [each for each in self.switch if each > ports]
        if not larger:
            raise ArgumentError(
                f"the price list has no switch of {ports} ports or more; add 'switch: {{{ports}: PRICE}}' or"
                f" 'switch: {{{_SQUARED}: PRICE}}'"
            )
        return self.switch[min(larger)]

    def of_cable(self, kind: str) -> float:
        """The price of a kind of cable. Raises ArgumentError if the list does not give it."""
        side = "hosts" if kind.startswith("hosts") else "switches"
        for name in (kind, side, "any"):
            if name in self.cable:
                return self.cable[name]
        raise ArgumentError(
            f"the price list has no cable '{kind}'; add a price of it under 'cable', or of 'any'"
        )


@dataclass(frozen=True)
class BillLine:
    """A line of a bill: a part, its number, unit price and total."""

    part: str
    kind: str
    number: int
    price: float

    @property
    def total(self) -> float:
        """Price of all of them."""
        return self.number * self.price


@dataclass(frozen=True)
class Bill:
    """The cost of a fabric, part by part."""

    lines: tuple[BillLine, ...]
    nodes: int
    currency: str

    @property
    def total(self) -> float:
        """Sum of all lines."""
        return math.fsum(line.total for line in self.lines)

    @property
    def per_node(self) -> float:
        """The total divided by the number of nodes; 0 for a fabric without nodes."""
        return self.total / self.nodes if self.nodes else 0.0


def bill(parts: Topology | Components, prices: PriceList) -> Bill:
    """The bill of a fabric or its parts. Raises ArgumentError for a part without a price."""
    counted = components(parts) if isinstance(parts, Topology) else parts
    lines = [
        BillLine("switch", f"{ports} ports", number, prices.of_switch(ports))
        for ports, number in counted.switches.items()
    ]
    lines += [
        BillLine("cable", kind, number, prices.of_cable(kind)) for kind, number in counted.cables.items()
    ]
    lines.append(BillLine("adapter", "", counted.adapters, prices.adapter))
    return Bill(tuple(lines), counted.nodes, prices.currency)


def price_list(path: str | Path) -> PriceList:
    """Read a price list: CSV if the name ends in .csv, otherwise YAML or JSON.

    Raises ArgumentError, with file, line and key, for an unknown part, an unsuitable kind, a price that is no
    number of 0 or more, or a duplicate price; Error if the file cannot be read.
    """
    text, file = text_of(path), str(path)
    name = file.removesuffix(".gz").lower()
    rows = _csv_rows(text, file) if name.endswith(".csv") else _yaml_rows(text, file)
    return _collected(rows, file)


# --- reading ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    line: int
    part: str
    kind: str
    price: str

    @property
    def key(self) -> str:
        return f"{self.part} {self.kind}".rstrip()


def _collected(rows: Iterator[_Row], file: str) -> PriceList:
    """The list of all rows."""
    switch: dict[int, float] = {}
    cable: dict[str, float] = {}
    once: dict[str, float] = {}
    currency = ""
    seen = set[str]()
    for row in rows:
        if row.key in seen:
            raise _malformed(file, row.line, row.key, "one price", "a second one")
        seen.add(row.key)
        if row.part == "currency" and not row.kind:
            currency = row.price
        elif row.part == "switch" and re.fullmatch("[1-9][0-9]{0,4}", row.kind):
            switch[int(row.kind)] = _price(row, file)
        elif row.part == "switch" and row.kind == _SQUARED:
            once[_SQUARED] = _price(row, file)
        elif row.part == "cable" and (kind := _cable_kind(row.kind)):
            if kind in cable:
                raise _malformed(file, row.line, row.key, "one price", f"a second one of '{kind}'")
            cable[kind] = _price(row, file)
        elif row.part == "adapter" and not row.kind:
            once["adapter"] = _price(row, file)
        else:
            raise _unknown(row, file)
    if not switch and _SQUARED not in once:
        raise _malformed(file, 1, "switch", "the price of a switch", "none")
    return PriceList(switch, once.get(_SQUARED), cable, once.get("adapter", 0.0), currency)


def _cable_kind(text: str) -> str | None:
    """A kind of cable as named in :class:`Components`, the lower end first; None if it is none."""
    if text in ("hosts", "switches", "any"):
        return text
    found = re.fullmatch(f"{_END} to {_END}", text)
    return None if found is None else " to ".join(sorted(found.groups(), key=_height))


def _height(end: str) -> int:
    """Sort key of a cable's end: hosts lowest, then switches without a level."""
    heights = {"hosts": -1, "switches": 0}
    return heights[end] if end in heights else int(end.removeprefix("level "))


def _unknown(row: _Row, file: str) -> ArgumentError:
    expected = {
        "switch": f"a number of ports, or '{_SQUARED}'",
        "cable": _CABLES,
        "adapter": "a price without a kind",
        "currency": "a name without a kind",
    }
    if row.part in expected:
        return _malformed(file, row.line, row.part, expected[row.part], repr(row.kind))
    return _malformed(file, row.line, row.part, ", ".join(expected), repr(row.part))


def _price(row: _Row, file: str) -> float:
    try:
        price = float(row.price)
    except ValueError:
        price = math.nan
    if not 0 <= price < math.inf:
        raise _malformed(file, row.line, row.key, "a price, a number of 0 or more", repr(row.price))
    return price


def _malformed(file: str, line: int, key: str, expected: str, found: str) -> ArgumentError:
    return ArgumentError(f"{file}:{line}: {key}: expected {expected}, found {found}")


def _csv_rows(text: str, file: str) -> Iterator[_Row]:
    heading = False
    for line, fields in _csv_lines(text, file):
        stripped = [each.strip() for each in fields]
        if not any(stripped) or stripped[0].startswith("#"):
            continue
        if not heading:
            if stripped != ["part", "kind", "price"]:
                raise _malformed(file, line, "heading", "'part,kind,price'", repr(",".join(fields)))
            heading = True
        elif len(stripped) != 3:
            raise _malformed(file, line, stripped[0], "part,kind,price", repr(",".join(fields)))
        else:
            yield _Row(line, *stripped)


def _csv_lines(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """The number and the fields of each line, with any line endings."""
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for fields in reader:
            yield reader.line_num, fields
    except csv.Error as error:
        raise _malformed(file, reader.line_num, "text", "CSV", str(error)) from None


def _yaml_rows(text: str, file: str) -> Iterator[_Row]:
    with _extras.needed("a price list in YAML or JSON"):
        import yaml
    try:
        # Tabs between the tokens of JSON are blanks; strings do not contain any.
        root = yaml.compose(text.replace("\t", " "), yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        found = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise _malformed(file, 1 if mark is None else mark.line + 1, "text", "YAML", found) from None
    except RecursionError:
        raise _malformed(file, 1, "text", "prices", "lists within lists without an end") from None
    if root is None or root.id != "mapping":
        raise _malformed(file, 1, "text", "'switch:', 'cable:' and 'adapter:' with prices", "something else")
    for part, value in root.value:
        if value.id == "scalar":
            yield _Row(part.start_mark.line + 1, str(part.value), "", value.value)
            continue
        if value.id != "mapping":
            raise _malformed(file, value.start_mark.line + 1, str(part.value), "prices by kind", "a list")
        for kind, price in value.value:
            line = kind.start_mark.line + 1
            if kind.id != "scalar" or price.id != "scalar":
                raise _malformed(file, line, str(part.value), "'KIND: PRICE'", "a list or a mapping")
            yield _Row(line, str(part.value), kind.value, price.value)
