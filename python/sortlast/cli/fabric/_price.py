"""The price of a fabric, which ``sortlast fabric check --prices`` adds to its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortlast.fabric import PriceList, Topology


def report(topology: Topology, prices: PriceList) -> dict[str, Any]:
    """The whole bill, as JSON."""
    from sortlast import fabric

    bill = fabric.bill(topology, prices)
    return {
        "currency": bill.currency,
        "total": bill.total,
        "nodes": bill.nodes,
        "per_node": bill.per_node,
        "bill": [
            {"part": line.part, "kind": line.kind, "number": line.number, "price": line.price}
            for line in bill.lines
        ],
    }


def facts(told: dict[str, Any]) -> list[tuple[str, str]]:
    """The same as a line of a table."""
    cost = f"{told['currency']} {told['total']:,.0f}".strip()
    return [("cost", f"{cost}; {told['per_node']:,.2f} per node")]
