"""Schedules as text: all ranks by stage, or one rank's program step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from sortlast.schedule import Program, Schedule, Transfer

MAX_RANKS = 32  # with more ranks, only statistics of transfers are shown
_MOST_STEPS = 2000  # max steps listed for a rank, of each kind
_MOST_INPUTS = 64  # max inputs of a merge that are written out
_MIN_COLUMN = 11  # minimum width of a rank's column in characters, with its frame


def stages(schedule: Schedule, width: int) -> Iterator[str | Table]:
    """Tables of stages x ranks, each with as many ranks as fit into ``width`` characters.

    With more than 32 ranks, only the amount moved in every stage. Costs O(all steps of the schedule).
    """
    by_stage = schedule.stages()
    if schedule.p > MAX_RANKS:
        yield _statistics(schedule.p, by_stage)
        return
    cells = [[_cell(rank, transfers) for rank in range(schedule.p)] for transfers in by_stage]
    widest = max((len(line) for row in cells for cell in row for line in cell.split("\n")), default=0)
    abreast = max(1, (width - 9) // max(widest + 3, _MIN_COLUMN))
    for first in range(0, schedule.p, abreast):
        ranks = range(first, min(first + abreast, schedule.p))
        table = Table(show_lines=len(by_stage) > 1)
        table.add_column("stage", justify="right")
        for rank in ranks:
            table.add_column(f"rank {rank}", no_wrap=True)
        for number, row in enumerate(cells, 1):
            table.add_row(str(number), *(row[rank] for rank in ranks))
        table.add_row("piece", *(_range(schedule.piece(rank)) for rank in ranks))
        yield table


def _cell(rank: int, transfers: list[Transfer]) -> str:
    """The sends and receives of one rank in one stage, one per line."""
    lines = [f"> {t.destination} {_range(t.pixels)}" for t in transfers if t.source == rank]
    lines += [f"< {t.source}" for t in transfers if t.destination == rank]
    return "\n".join(lines)


def _statistics(p: int, by_stage: list[list[Transfer]]) -> Table:
    table = Table()
    for heading in ("stage", "transfers", "ranks sending", "pixels a transfer", "first transfers"):
        table.add_column(heading, justify="left" if heading.startswith("first") else "right")
    for number, transfers in enumerate(by_stage, 1):
        sizes = [t.pixels[1] - t.pixels[0] for t in transfers] or [0]
        senders = len({t.source for t in transfers})
        some = ", ".join(f"{t.source}>{t.destination}" for t in transfers[:4])
        extent = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
        more = ", ..." if len(transfers) > 4 else ""
        table.add_row(str(number), f"{len(transfers):,}", f"{senders:,} of {p:,}", extent, some + more)
    return table


def program(schedule: Schedule, rank: int) -> Iterator[str | Table]:
    """One rank's program: its values, and the steps that make and send them."""
    steps = schedule.program(rank)
    yield f"rank {rank}"
    table = Table()
    for heading in ("stage", "step", "peer", "value", "pixels", "depth"):
        table.add_column(heading, justify="left" if heading == "step" else "right")
    transfers = sorted(_transfers(steps), key=lambda row: row[0])
    for stage, *cells in transfers[:_MOST_STEPS]:
        table.add_row(str(stage), *cells)
    yield table
    if len(transfers) > _MOST_STEPS:
        yield f"and {len(transfers) - _MOST_STEPS:,} more sends and receives, which --json writes"
    values = steps.values  # each access makes a list
    for merge in steps.merges[:_MOST_STEPS]:
        if len(merge.inputs) > _MOST_INPUTS:
            depth, many = values[merge.value].depth, f"{len(merge.inputs):,} values"
            yield f"value {merge.value} = {many} for pixels {_range(merge.pixels)}, depth {_range(depth)}"
            continue
        joined = f"{merge.inputs[0][0]}"
        for value, front in merge.inputs[1:]:
            joined = f"({value} over {joined})" if front else f"({joined} over {value})"
        depth = values[merge.value].depth
        yield f"value {merge.value} = {joined} for pixels {_range(merge.pixels)}, depth {_range(depth)}"
    if steps.result < 0:
        yield "ends without pixels"
    else:
        yield f"ends with value {steps.result}, pixels {_range(values[steps.result].pixels)}"


def as_json(schedule: Schedule, rank: int) -> str:
    """One rank's program as JSON, in the form of ``Schedule.to_json()``."""
    steps = schedule.program(rank)
    told = {
        "rank": rank,
        "values": [{"pixels": value.pixels, "depth": value.depth} for value in steps.values],
        "sends": [
            {"stage": each.stage, "peer": each.peer, "value": each.value, "pixels": each.pixels}
            for each in steps.sends
        ],
        "receives": [
            {"stage": each.stage, "peer": each.peer, "value": each.value} for each in steps.receives
        ],
        "merges": [
            {
                "value": each.value,
                "pixels": each.pixels,
                "inputs": [{"value": value, "front": front} for value, front in each.inputs],
            }
            for each in steps.merges
        ],
        "result": steps.result,
    }
    return json.dumps(told) + "\n"


def _transfers(steps: Program) -> Iterator[tuple[int, str, str, str, str, str]]:
    values = steps.values  # each access makes a list
    for send in steps.sends:
        depth = _range(values[send.value].depth)
        yield send.stage, "send", str(send.peer), str(send.value), _range(send.pixels), depth
    for receive in steps.receives:
        value = values[receive.value]
        pixels, depth = _range(value.pixels), _range(value.depth)
        yield receive.stage, "receive", str(receive.peer), str(receive.value), pixels, depth


def _range(extent: tuple[int, int]) -> str:
    return f"{extent[0]}:{extent[1]}"
