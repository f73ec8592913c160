"""Frames on the modelled cluster, as in Figures 4 to 9: contention from forwarding tables, flows and packets.

Shift sends one stage after the other: a rank begins a stage when it has sent and received the previous one,
and long messages wait until their receiver has entered the stage too (rendezvous). There are no barriers. The
paper gives no rate of blending and hides it behind messages, so it takes no time here.

Three models, from the coarsest to the finest:

- contention: the duration of a message follows from the most loaded link of its path among the flows of its
  stage. In step: all ranks wait for the slowest of each stage. Free: no rank waits for others.
- flows: concurrent messages share links with max-min fair rates.
- packets: packets of 2048 bytes in queues with credits; a blocked packet holds up the queue behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sortlast import Error, fabric, schedule, simulate
from sortlast_studies.shift_based import cluster
from sortlast_studies.shift_based.cluster import Calibration, by_bandwidths, by_frame_rates
from sortlast_studies.steps import Json, PartDone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.simulate import Frame, Traffic

PACKET_BYTES = 2048  # the MTU of InfiniBand
COUNTS = range(12, cluster.NODES + 1)  # nodes of Figure 8
SIZES = ((2048, 2048), (4096, 2048), (4096, 4096))  # images of Figure 8
_FALL = 1.1  # ratio of the rate at a peak to the rate after it


def contention(p: int, pixels: int, hosts: Sequence[int], constants: Calibration) -> tuple[float, float]:
    """Frames per second in step, and free."""
    time = fabric.pattern_time(
        cluster.tree(p),
        schedule.make("shift", p=p, n=pixels),
        hosts,
        link_bytes_per_second=constants.link,
        stage_seconds=constants.stage_seconds,
        pixel_bytes=cluster.PIXEL_BYTES,
        threads=1,
    )
    return 1 / time.synchronised, 1 / time.free_running


def flows(
    p: int,
    pixels: int,
    hosts: Sequence[int],
    constants: Calibration,
    *,
    algorithm: str = "shift",
    message_log: bool = False,
) -> Frame:
    """A frame of flows, one stage at a time; the optional log has the times of every message."""
    return simulate.frame(
        cluster.tree(p),
        schedule.make(algorithm, p=p, n=pixels),
        placement=hosts,
        pixel_bytes=cluster.PIXEL_BYTES,
        link_bytes_per_second=constants.link,
        stage_seconds=constants.stage_seconds,
        window=1,
        message_log=message_log,
    )


def packets(
    p: int, pixels: int, hosts: Sequence[int], constants: Calibration, part_done: PartDone
) -> tuple[float, float]:
    """Frames per second, and the mean of :func:`send_bandwidths`, by packets."""
    traffic = simulate.frame_traffic(
        schedule.make("shift", p=p, n=pixels),
        pixel_bytes=cluster.PIXEL_BYTES,
        stage_seconds=constants.stage_seconds,
        window=1,
    )
    run = simulate.packet(
        cluster.tree(p),
        traffic,
        placement=hosts,
        packet_bytes=PACKET_BYTES,
        link_bytes_per_second=constants.link,
        message_log=True,
        progress=part_done,
    )
    log = run.message_log
    matrix = send_bandwidths(traffic, log[:, 0], np.float64(run.seconds / run.cycles) * log[:, 3])
    return 1 / run.seconds, float(matrix.sum() / (p * (p - 1)))


def send_bandwidths(
    traffic: Traffic, logged: NDArray[np.int64], ended: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Bytes per second of every send in a frame of shift with one stage at a time: (p, p), row: sender.

    The definition is the paper's: the time of a send begins with its stage at the sender, when the send and
    the receive of the previous stage have completed, and ends when the send completes. It includes the cost
    of the stage and the wait for the receiver.

    Args:
        traffic: the frame.
        logged: messages of the frame, including at least all that have bytes.
        ended: end of each of these messages, in seconds since the start.
    """
    p = traffic.tasks
    ends = np.zeros((p, p))  # by sender and stage; there is no stage 0
    size = np.zeros((p, p))
    source, destination, count = (
        each[logged] for each in (traffic.source, traffic.destination, traffic.size)
    )
    sent = (source != destination) & (count > 0)
    stage = (destination - source)[sent] % p
    ends[source[sent], stage] = ended[sent]
    size[source[sent], stage] = count[sent]

    # Begin each stage when the one before it is over.
    rank, stages = np.arange(p)[:, None], np.arange(1, p)[None, :]
    received = ends[(rank - stages) % p, stages]
    over = np.maximum(ends[:, 1:], received)
    begins = np.hstack([np.zeros((p, 1)), over[:, :-1]])
    matrix = np.zeros((p, p))
    matrix[rank, (rank + stages) % p] = size[:, 1:] / (ends[:, 1:] - begins)
    return matrix


def simulated(p: int, pixels: int, order: str, part_done: PartDone) -> Json:
    """One run by all models: frames per second, matrix by flows in MB/s, mean bandwidth by packets."""
    constants, hosts = by_bandwidths(), cluster.hosts(order, p)
    in_step, free = contention(p, pixels, hosts, constants)
    frame = flows(p, pixels, hosts, constants, message_log=True)
    matrix = send_bandwidths(frame.traffic, frame.log_messages[:, 0], frame.log_seconds[:, 1])
    by_packets, bandwidth_by_packets = packets(p, pixels, hosts, constants, part_done)
    return {
        "in_step": in_step,
        "free": free,
        "flows": frame.frames_per_second,
        "flows_by_frame_rates": flows(p, pixels, hosts, by_frame_rates()).frames_per_second,
        "packets": by_packets,
        "packets_bandwidth": bandwidth_by_packets,
        "matrix": np.round(matrix / 1e6, 1).tolist(),
    }


# --- Figure 8 -----------------------------------------------------------------------------------------


def swept(size: tuple[int, int], part_done: PartDone) -> Json:
    """Frames per second for all of COUNTS, in routing order: by contention, in step, and by flows."""
    constants, pixels = by_bandwidths(), size[0] * size[1]
    in_step, by_flows = [], []
    for p in COUNTS:
        if not part_done((p / cluster.NODES) ** 2):
            raise Error(f"the sweep ended before {p} nodes")
        hosts = cluster.hosts("routing", p)
        in_step.append(contention(p, pixels, hosts, constants)[0])
        by_flows.append(flows(p, pixels, hosts, constants).frames_per_second)
    return {"in_step": in_step, "flows": by_flows}


def peaks(rates: Sequence[float]) -> list[int]:
    """Numbers of nodes after which the rate falls, and the last number if the rate rises to it."""
    found = [COUNTS[k] for k in range(len(rates) - 1) if rates[k] > _FALL * rates[k + 1]]
    return [*found, COUNTS[-1]] if rates[-1] > _FALL * rates[-2] else found


# --- other algorithms, and beyond the paper -----------------------------------------------------------

OTHERS = ("binary-swap", "2-3-swap", "radix-k", "parallel-pipeline")  # algorithms without a published rate


def others(p: int, pixels: int, order: str, part_done: PartDone) -> Json:
    """Frames per second of other algorithms by flows, one stage at a time; blending takes no time."""
    constants, hosts = by_bandwidths(), cluster.hosts(order, p)
    return {name: flows(p, pixels, hosts, constants, algorithm=name).frames_per_second for name in OTHERS}


def beyond(p: int, pixels: int, part_done: PartDone) -> Json:
    """Shift on p nodes in routing order: frames per second by flows and in step, maximum flows per link."""
    constants, hosts = by_bandwidths(), cluster.hosts("routing", p)
    return {
        "shift": flows(p, pixels, hosts, constants).frames_per_second,
        "in_step": contention(p, pixels, hosts, constants)[0],
        "max_flows": fabric.contention(cluster.tree(p), "shift", nodes=hosts).max_flows,
    }
