"""The duration of a frame by three models; only frames of the same model are compared.

- stages: every stage lasts as long as its most loaded link, counted from the tables; takes 1 ms per frame. It
  models no blending, and all ranks wait for the slowest at every stage.
- flows: messages share links max-min fairly, ranks proceed independently, blending takes time; tens of ms.
- packets: a smaller image, without blending, in queues with credits; only for a sample.

Image, links, stages and blending are taken from the study taper.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from sortlast import fabric, schedule, simulate
from sortlast.fabric import Routes
from sortlast_studies.camera.views import Order, factors
from sortlast_studies.taper.frames import (
    BLEND,
    IMAGE,
    LINK,
    PACKET_BYTES,
    PACKET_PHITS,
    PIXEL_BYTES,
    SMALL,
    STAGE,
)

SHIFT, DIRECT, SWAP, SWAP_23 = "shift", "direct-send", "binary swap", "2-3 swap"
FIXED = (SHIFT, DIRECT)  # algorithms with a pattern that does not depend on the depth order
STAGES, FLOWS = "stages", "flows"
FLOWS_UP_TO = 64  # ranks; with more, only a sample is simulated by flows
_SEED = 17  # for the packet simulator
_EQUAL = 1e-9


def algorithms(p: int) -> dict[str, str]:
    """The schedules by their names here: radix-k with two rounds and with three, as equal as possible."""
    found = {SHIFT: "shift", DIRECT: "direct-send", SWAP: "binary-swap"}
    for rounds in (2, 3):
        vector = ",".join(str(k) for k in sorted(factors(p, rounds)) if k > 1)
        found[f"radix-k:{vector}"] = f"radix-k:{vector}"
    if p & (p - 1):  # else it is binary swap
        found[SWAP_23] = "2-3-swap"
    return found


def stages(net: Routes, algorithm: str, order: Order, hosts: Sequence[int]) -> tuple[float, bool]:
    """Frames per second if all ranks wait for each stage's most loaded link, and freedom from contention.

    A frame is free of contention if the links between switches make no stage longer.
    """
    time = fabric.pattern_time(
        net,
        _made(algorithm, order, IMAGE),
        list(hosts),
        link_bytes_per_second=LINK,
        stage_seconds=STAGE,
        pixel_bytes=PIXEL_BYTES,
        threads=1,
    )
    return 1 / time.synchronised, isclose(time.synchronised, time.bound, rel_tol=_EQUAL)


def flows(net: Routes, algorithm: str, order: Order, hosts: Sequence[int], *, small: bool = False) -> float:
    """Frames per second by flows; the smaller image uses only the network, like packets."""
    run = simulate.frame(
        net,
        _made(algorithm, order, SMALL if small else IMAGE),
        placement=hosts,
        pixel_bytes=PIXEL_BYTES,
        link_bytes_per_second=LINK,
        stage_seconds=0 if small else STAGE,
        blend_bytes_per_second=0 if small else BLEND,
        message_log=False,
    )
    return run.frames_per_second


def packets(net: Routes, algorithm: str, order: Order, hosts: Sequence[int]) -> float:
    """Frames per second by packets with forwarding tables."""
    run = simulate.packet(
        net,
        simulate.frame_traffic(_made(algorithm, order, SMALL), pixel_bytes=PIXEL_BYTES),
        seed=_SEED,
        placement=hosts,
        packet_bytes=PACKET_BYTES,
        packet_phits=PACKET_PHITS,
        link_bytes_per_second=LINK,
    )
    return 1 / run.seconds


def _made(algorithm: str, order: Order, image: tuple[int, int]) -> schedule.Schedule:
    return schedule.make(algorithm, p=len(order), n=image[0] * image[1], order=list(order))
