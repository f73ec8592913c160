"""Figure 3: what every process did and when, binary swap beside radix-k, from runs and from the simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sortlast import launch, overlap
from sortlast.schedule import Schedule
from sortlast.study.radix_k import blue_gene
from sortlast.study.radix_k.published import MEGAPIXEL, published, radix_k, text
from sortlast.study.steps import Json, PartDone, Step
from sortlast.study.study import Results
from sortlast.trace import Event

ALGORITHMS = ("binary-swap", "radix-k")
MUCH = 0.5  # share of the blending behind messages that asks for a reason
_TIMEOUT = 240.0  # [s]
Events = list[list[Event]]


def steps(quick: bool) -> list[Step]:
    """The simulated profile of 64 processes, and a measured one of fewer."""
    k, megapixels = ((2, 2), 0.25) if quick else ((4, 4), 2)
    return [Step("figure-3/simulated", _simulated, work=200), _measured(k, megapixels)]


def events(results: Results, source: str) -> dict[str, Events]:
    """Of each algorithm, by rank; ``source`` is "simulated" or "measured"."""
    found = next(value for name, value in results.items() if name.startswith(f"figure-3/{source}"))
    return {
        algorithm: [[Event(*fields) for fields in own] for own in by_rank]
        for algorithm, by_rank in found.items()
    }


def length(found: Sequence[Sequence[Event]]) -> float:
    """Seconds from the first event to the end of the last."""
    every = [event for own in found for event in own]
    return max(event.end for event in every) - min(event.begin for event in every)


def hidden(found: Sequence[Sequence[Event]]) -> float:
    """Share of the blending of all ranks that goes on while messages of the rank are under way."""
    blending = sum(
        end - begin
        for own in found
        for begin, end in overlap.union([event for event in own if event.activity == "blend"])
    )
    return sum(map(overlap.hidden, found)) / blending


def rounds_apart(found: Sequence[Sequence[Event]]) -> float:
    """Seconds between the first rank that blends last and the last one, over the length of the frame.

    0: all ranks end together.
    """
    ends = [max(event.end for event in own) for own in found]
    return (max(ends) - min(ends)) / length(found)


def _simulated(part_done: PartDone) -> Json:
    at = published()["figure_3"]
    n = at["megapixels"] * MEGAPIXEL
    vectors = {"binary-swap": (2,) * 6, "radix-k": tuple(at["k"])}
    return {
        name: _of_frame(radix_k(at["processes"], n, k), blue_gene.part_of(part_done, j, len(vectors)))
        for j, (name, k) in enumerate(vectors.items())
    }


def _of_frame(schedule: Schedule, part_done: PartDone) -> Json:
    """The fields of all events of a simulated frame, by rank. A message's number stands for its stage."""
    where = blue_gene.partition(schedule.p)
    run = blue_gene.run(schedule, where, blue_gene.BLOCK, log=True, part_done=part_done)
    source, destination, size = run.traffic.source, run.traffic.destination, run.traffic.size
    by_rank: list[list[tuple[str, float, float, int, int, int]]] = [[] for _ in range(schedule.p)]
    for (message, _), (begin, end) in zip(run.log_messages.tolist(), run.log_seconds.tolist(), strict=True):
        a, b, amount = int(source[message]), int(destination[message]), int(size[message])
        if amount == 0:
            continue
        if a == b:
            by_rank[a].append(("blend", begin, end, -1, -1, 0))
        else:
            by_rank[a].append(("send", begin, end, b, message, amount))
            by_rank[b].append(("receive", begin, end, a, message, amount))
    return by_rank


def _measured(k: tuple[int, ...], megapixels: float) -> Step:
    p = k[0] * k[1]
    asked: Mapping[str, Json] = {
        "algorithms": {"binary-swap": "binary-swap", "radix-k": f"radix-k:{text(k)}"},
        "pixels": round(megapixels * MEGAPIXEL),
    }

    def compute(part_done: PartDone) -> Json:
        return launch.ranks("sortlast.study.radix_k._profile_ranks", asked, p, _TIMEOUT)

    return Step(f"figure-3/measured-p{p}", compute, work=4000, alone=True)
