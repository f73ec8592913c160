"""A shift on a testbed: the bandwidth of every pair and the bytes on every link, compared with predictions.

At stage s rank i sends to rank (i + s) mod p, all at once (:mod:`sortlast.bandwidth`). The fabric lab
predicts from the tables how many flows cross each channel at each stage, and thus each pair's share of a
link. Both can be measured here: the time of each send gives the pair's share, and the counters of the
switches' ports give the flows, exactly except for headers and acknowledgements.

In stage p / 2 of an even p, ranks exchange messages in pairs. An MPI library that asks the receiver before it
sends a long message may get the answer only after the data that the partner sends over the same connection;
such a send takes up to twice as long without any contention. These pairs are measured, but not compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortlast._errors import ArgumentError
from sortlast.correlation import spearman
from sortlast_testbed.job import answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.bandwidth import Bandwidths
    from sortlast_testbed.testbed import Testbed

CONTENDED = 0.75  # of a link: a pair below it shares its path; between the shares of one flow and of two


@dataclass(frozen=True)
class Measured:
    """Measurements of a shift of p ranks, and the predictions.

    Attributes:
        hosts: the host of each rank.
        bandwidths: of each pair, measured; ``predicted``: for the same links, from the tables.
        flows: messages sent by each channel in each stage, computed from bytes: float64 (p - 1, channels).
        predicted_flows: int32 (p - 1, channels).
        link_bandwidth: of a link [byte/s].
        dropped: packets lost in queues.
    """

    hosts: list[int]
    bandwidths: Bandwidths
    predicted: Bandwidths
    flows: NDArray[np.float64]
    predicted_flows: NDArray[np.int32]
    link_bandwidth: float
    dropped: int

    @property
    def flows_differ(self) -> int:
        """Number of channels, over all stages, that carried more or fewer messages than predicted."""
        return int((np.rint(self.flows) != self.predicted_flows).sum())

    @property
    def overhead(self) -> float:
        """Maximum traffic of a channel in any stage beyond the predicted messages, in messages."""
        return float((self.flows - self.predicted_flows).max())

    @property
    def contended_measured(self) -> set[tuple[int, int]]:
        """Pairs (sender, receiver) measured below 0.75 of a link, except mutual ones."""
        return _below(self.bandwidths, self.link_bandwidth) - self.mutual

    @property
    def contended_predicted(self) -> set[tuple[int, int]]:
        """Pairs (sender, receiver) predicted below 0.75 of a link, except mutual ones."""
        return _below(self.predicted, self.link_bandwidth) - self.mutual

    @property
    def mutual(self) -> set[tuple[int, int]]:
        """Pairs that send to each other in the same stage, and are therefore not compared."""
        p = self.bandwidths.p
        return set() if p % 2 else {(rank, (rank + p // 2) % p) for rank in range(p)}

    @property
    def rank_correlation(self) -> float | None:
        """Spearman's correlation of both bandwidths over non-mutual pairs; None if all are equal."""
        compared = ~np.eye(self.bandwidths.p, dtype=bool)
        for pair in self.mutual:
            compared[pair] = False
        predicted = np.round(self.predicted.matrix[compared] / self.link_bandwidth, 3)
        return spearman(self.bandwidths.matrix[compared], predicted)


def measure(
    testbed: Testbed,
    hosts: Sequence[int],
    message_bytes: int = 500_000,
    repeat: int = 3,
    timeout: float | None = None,
) -> Measured:
    """Measure a shift on a testbed that is up.

    Args:
        testbed: the testbed to use.
        hosts: numbers of the ranks' hosts, in rank order; 2 or more.
        message_bytes: size of each message, 1 or more. Short messages measure latency rather than the link.
        repeat: timed runs of each stage; a pair's bandwidth is computed from its median time.
        timeout: limit in seconds; None: none.

    Raises:
        ArgumentError: an argument is out of range, or as in :func:`~sortlast_testbed.job.run`.
        TimeoutError: it did not end in time.
        Error: the ranks failed, and have reported the reason.
    """
    from sortlast import bandwidth, fabric
    from sortlast.bandwidth import Bandwidths

    if len(hosts) < 2 or message_bytes < 1 or repeat < 1:
        raise ArgumentError(
            f"{len(hosts)} hosts, message_bytes {message_bytes}, repeat {repeat};"
            " expected 2 hosts or more, and at least 1 of the others"
        )
    settings = {"testbed": testbed.name, "message_bytes": message_bytes, "repeat": repeat}
    dropped = testbed.dropped()
    report = answer(testbed, hosts, "sortlast_testbed._ranks", settings, timeout)
    contention = fabric.contention(testbed.routes, "shift", hosts)
    counters = np.array(report["counters"], np.float64)
    return Measured(
        hosts=list(hosts),
        bandwidths=Bandwidths(np.array(report["matrix"]), report["names"], message_bytes),
        predicted=bandwidth.predict(testbed.routes, hosts, message_bytes, testbed.link_bandwidth),
        flows=(counters[1:] - counters[:-1])
        / ((repeat + 1) * message_bytes),  # each stage runs once more, to check the messages
        predicted_flows=np.array([contention.loads(stage) for stage in range(contention.stages)]),
        link_bandwidth=testbed.link_bandwidth,
        dropped=testbed.dropped() - dropped,
    )


def _below(found: Bandwidths, link_bandwidth: float) -> set[tuple[int, int]]:
    slow = (found.matrix < CONTENDED * link_bandwidth) & ~np.eye(found.p, dtype=bool)
    return {(int(sender), int(receiver)) for sender, receiver in np.argwhere(slow)}
