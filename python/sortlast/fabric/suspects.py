"""Which link is slow? Evidence from the bandwidths of messages that crossed links one at a time.

A message is as fast as the slowest link of its path. Let r be the logarithm of its bandwidth relative to the
median of messages over equally long paths of the same signalling rate. On healthy links r has the density

    f0(r) = (1 - kappa) N(r; 0, sigma) + kappa U(r)

where kappa is the share of messages that are slow for no lasting reason, and U is uniform over slowdowns. A
slow link is either steady, with N(r; log rate, sigma) in place of N(r; 0, sigma), or it delays a share of its
messages arbitrarily (a lossy link, or one that is much slower): kappa is replaced by that share. The evidence
of a link is the likelihood ratio of its messages, averaged over these alternatives, with equal weights.

Under f0 the evidence of a healthy link has the expectation 1 and is a martingale, so at whatever time one
looks, it exceeds C / alpha with a probability of at most alpha / C (Ville's inequality). With C links, the
probability of a false alarm is at most alpha, however often the links are measured. sigma, kappa and the
medians are estimated from messages that do not cross the link with the strongest evidence.

If one of the C links is slow, with a prior probability of one half, the probability that it is link c is
evidence(c) / (C + sum of all evidence): the confidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.fabric.pair_paths import PairPaths

ALPHA = 0.01  # maximum probability of a false alarm
_STEADY = (0.93, 0.88, 0.8, 0.7, 0.5)  # rates of a steadily slow link
_DELAYED = (0.1, 0.3, 0.9)  # shares of messages that a link delays
_WIDEST = float(np.log(100.0))  # of U: messages are slowed up to 100 times
_MIN_KAPPA = 0.01
_MIN_SIGMA = 0.005  # of a machine without noise, such as a simulator
_OUTLIER = 4.0  # in sigma
_REFERENCES = 30  # messages for a median of their own


@dataclass(frozen=True)
class Messages:
    """Measured messages: ``pair`` (sender * p + receiver) and ``bandwidth`` in any unit, each (messages,)."""

    pair: NDArray[np.int64]
    bandwidth: NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """Evidence about every class of links, each an array (classes,).

    Attributes:
        confidence: probability that this is the slow link, if there is at most one.
        log_ratio: logarithm of the likelihood ratio of slow and healthy.
        crossed: messages that crossed it.
        steady: whether all messages are slower rather than some of them.
        rate: geometric mean of its messages' bandwidths relative to healthy ones; 1 without messages.
        sigma: of healthy messages' logarithms.
    """

    confidence: NDArray[np.float64]
    log_ratio: NDArray[np.float64]
    crossed: NDArray[np.int64]
    steady: NDArray[np.bool_]
    rate: NDArray[np.float64]
    sigma: float


def messages(stages: NDArray[np.int32], bandwidths: NDArray[np.float64]) -> Messages:
    """The messages of measured stages.

    Args:
        stages: receivers (stages, p), -1 for none.
        bandwidths: of each sender's messages (stages, runs, p).
    """
    stage, sender = np.nonzero(stages >= 0)
    pair = sender * stages.shape[1] + stages[stage, sender]
    runs = bandwidths[stage, :, sender]
    return Messages(np.repeat(pair, runs.shape[1]), runs.ravel())


def evidence(paths: PairPaths, measured: Messages, slow: Sequence[int] = ()) -> Evidence:
    """Weigh the evidence of measured messages, except messages over classes already known to be ``slow``."""
    links = _links(paths)
    known = np.isin(links[measured.pair], list(slow)).any(axis=1)
    pair, bandwidth = measured.pair[~known], measured.bandwidth[~known]
    speed = np.log(np.maximum(bandwidth, np.finfo(float).tiny))
    everyone = np.ones(len(pair), bool)
    found = _weighed(paths, links[pair], *_residuals(paths, pair, speed, everyone))
    if len(pair) == 0 or found.log_ratio.max(initial=0) <= 0:
        return found
    suspect = found.log_ratio.argmax()
    healthy = ~(links[pair] == suspect).any(axis=1)
    return _weighed(paths, links[pair], *_residuals(paths, pair, speed, healthy))


def _links(paths: PairPaths) -> NDArray[np.int32]:
    return paths.links.reshape(paths.p * paths.p, -1)


def _residuals(
    paths: PairPaths, pair: NDArray[np.int64], speed: NDArray[np.float64], healthy: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], float, float]:
    """Each message's r, with sigma and kappa, estimated from healthy messages."""
    rates, rate = np.unique(paths.gbps.ravel()[pair], return_inverse=True)
    hops = paths.hops.ravel()[pair]
    residual = np.zeros(len(pair))
    for number in range(len(rates)):
        same = rate == number
        for length in np.unique(hops[same]):
            these = same & (hops == length)
            own = these & healthy
            reference = own if own.sum() >= _REFERENCES else same & healthy
            reference = reference if reference.any() else these
            residual[these] = speed[these] - np.median(speed[reference])
    some = residual[healthy] if healthy.any() else residual
    sigma = max(1.4826 * float(np.median(np.abs(some))), _MIN_SIGMA) if len(some) else _MIN_SIGMA
    outliers = float((np.abs(some) > _OUTLIER * sigma).mean()) if len(some) else 0.0
    return residual, sigma, min(max(outliers, _MIN_KAPPA), 0.5)


def _weighed(
    paths: PairPaths,
    links: NDArray[np.int32],
    residual: NDArray[np.float64],
    sigma: float,
    kappa: float,
) -> Evidence:
    count = len(paths.classes)

    # The likelihood ratio of each message for each alternative.
    anything = np.where((residual < 0) & (residual > -_WIDEST), 1 / _WIDEST, 1e-300)
    usual = _normal(residual, sigma)
    healthy = (1 - kappa) * usual + kappa * anything
    steady = [(1 - kappa) * _normal(residual - np.log(rate), sigma) + kappa * anything for rate in _STEADY]
    shares = [share for share in _DELAYED if share > kappa]
    delayed = [(1 - share) * usual + share * anything for share in shares]
    ratios = [np.log(each / healthy) for each in (*steady, *delayed)]

    # The sum over the messages of each link, and the average of the alternatives.
    of_link = links.ravel()
    depth = links.shape[1]

    def over_links(values: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.bincount(of_link, np.repeat(values, depth), count + 1)
        return sums[:count].astype(np.float64, copy=False)

    sums = np.array([over_links(each) for each in ratios])
    log_ratio = np.logaddexp.reduce(sums, axis=0) - np.log(len(sums))
    crossed = np.bincount(of_link, minlength=count + 1)[:count]
    total = np.logaddexp(np.log(max(count, 1)), np.logaddexp.reduce(log_ratio))
    return Evidence(
        confidence=np.exp(log_ratio - total),
        log_ratio=log_ratio,
        crossed=crossed,
        steady=sums.argmax(axis=0) < len(steady),
        rate=np.exp(over_links(np.clip(residual, -_WIDEST, _WIDEST)) / np.maximum(crossed, 1)),
        sigma=sigma,
    )


def _normal(r: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    density: NDArray[np.float64] = np.exp(-0.5 * (r / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi)) + 1e-300
    return density
