"""Deep pixels with intervals, flattened sample by sample as OpenEXR's document writes it down.

Florian Kainz, "Interpreting OpenEXR Deep Pixels" (Industrial Light & Magic, 2013): samples are split at each
other's ends (splitVolumeSample), those of the same depths merged two by two (mergeOverlappingSamples), and
the rest blended from front to back. In float64, by other formulas than sortlast's.
"""

from __future__ import annotations

import math

import numpy as np


def split(alpha, colour, front, back, cut):
    """(alpha, colour) of the part in front of the cut, and of the one behind."""
    parts = []
    for share in ((cut - front) / (back - front), (back - cut) / (back - front)):
        if alpha == 1:
            parts.append((1.0, colour))
        elif alpha > 0:
            part = -math.expm1(share * math.log1p(-alpha))
            parts.append((part, colour * (part / alpha)))
        else:
            parts.append((0.0, colour * share))
    return parts


def merged(a1, c1, a2, c2):
    """Two samples of the same depths as one."""
    alpha = a1 + a2 - a1 * a2
    if a1 == 1 and a2 == 1:
        return alpha, (c1 + c2) / 2
    if a1 == 1:
        return alpha, c1
    if a2 == 1:
        return alpha, c2
    u1, u2 = -math.log1p(-a1), -math.log1p(-a2)
    v1 = u1 / a1 if a1 > 0 else 1
    v2 = u2 / a2 if a2 > 0 else 1
    u = u1 + u2
    w = alpha / u if u > 0 else 1
    return alpha, (c1 * v1 + c2 * v2) * w


def pixel(samples):
    """RGBA of [(colour of 4, front, back), ...], those of equal front in the order of their ranks.

    No two opaque samples of the same depths: of three the document's order would matter.
    """
    cuts = sorted({depth for _, front, back in samples for depth in (front, back)})
    pieces = []  # (front, back, alpha, colour)
    for colour, front, back in samples:
        alpha, rgb = float(colour[3]), colour[:3].astype(float)
        for cut in (each for each in cuts if front < each < back):
            (near, near_rgb), (alpha, rgb) = split(alpha, rgb, front, back, cut)
            pieces.append((front, cut, near, near_rgb))
            front = cut
        pieces.append((front, back, alpha, rgb))
    tidy = []
    for front, back, alpha, rgb in sorted(pieces, key=lambda piece: piece[:2]):
        if tidy and front < back and tidy[-1][:2] == (front, back):
            tidy[-1] = (front, back, *merged(*tidy[-1][2:], alpha, rgb))
        else:
            tidy.append((front, back, alpha, rgb))
    result = np.zeros(4)
    for _, _, alpha, rgb in tidy:
        result += (1 - result[3]) * np.array([*rgb, alpha])
    return result


def flattened(ranks, background=None):
    """Frames (height, width, 4) of the fragments of all ranks."""
    firsts = [np.concatenate([[0], np.cumsum(each.counts)]) for each in ranks]
    pixels = []
    for number in range(ranks[0].counts.size):
        samples = []
        for each, first in zip(ranks, firsts, strict=True):
            backs = each.depth if each.depth_back is None else each.depth_back
            samples += [
                (each.colour[i], float(each.depth[i]), float(backs[i]))
                for i in range(first[number], first[number + 1])
            ]
        colour = pixel(sorted(samples, key=lambda sample: sample[1]))
        if background is not None:
            colour += (1 - colour[3]) * np.asarray(background, float)
        pixels.append(colour)
    height, width = ranks[0].shape
    return np.array(pixels).reshape(height, width, 4)
