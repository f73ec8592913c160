"""Advice of ``sortlast fabric check`` on how to make a job contention-free."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortlast.cli.fabric._inputs import Communication
    from sortlast.fabric import Contention, Placement


_MOST_FLOWS = 40_000_000  # max flows for which orders are tried, which takes some seconds


def text(found: Contention, job: Placement, asked: Communication) -> str:
    """A contention-free order, found without a long search, or the reason why there is none."""
    from sortlast import fabric

    if found.flows * found.stages > _MOST_FLOWS * max(1, found.steps):
        return "not tried for so many flows; `sortlast fabric order` searches for an order."
    if asked.is_file:
        return "not known for traffic of a file, which may mean a certain rank by each number."
    if fabric.contended_time(found, 1.0).lost < 1e-9:
        return "no other order: with equal rates of all links nothing would be lost; repair the slow links."
    if job.shares_nodes:
        return _of_nodes(found, job, asked)
    hosts = [host for host in found.placement if host >= 0]
    what = "shift" if asked.schedule == "shift" else asked.pattern
    best = fabric.best_order(found.routes, hosts, what, steps=0)
    if best.contention.contention_free:
        return f"the same nodes in another order ({best.how}), which `sortlast fabric order` writes."
    if not asked.needs_all:
        filled = fabric.best_order(found.routes, hosts, what, dummies=True, steps=0)
        if filled.contention.contention_free:
            search = "`sortlast fabric order` searches for an order without empty places."
            remark = f"Without these no order is free: {best.proof}." if best.proof else search
            return f"{filled.how.partition(';')[0]}, of which the empty ones send nothing. {remark}"
    if best.proof:
        return f"no order of these nodes, with this routing: {best.proof}."
    return (
        f"not known. Of the known orders the best ({best.how}) has {best.contention.max_flows} flows on a"
        f" link, mean share {best.contention.mean_share:.3f}; `sortlast fabric order` searches further."
    )


def _of_nodes(found: Contention, job: Placement, asked: Communication) -> str:
    """The same for ranks that share nodes, and stay together."""
    from sortlast import fabric

    best = fabric.best_node_order(found.routes, job, asked.pattern, steps=0)
    if best.contention.contention_free:
        return f"the same nodes in another order ({best.how}), which `sortlast fabric order` writes."
    return (
        f"not known for ranks that share nodes. Of the known orders the best ({best.how}) has"
        f" {best.contention.max_flows} flows on a link, mean share {best.contention.mean_share:.3f};"
        " `sortlast fabric order` searches further."
    )
