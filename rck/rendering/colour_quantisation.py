"""Colour quantisation, for image formats with up to 256 colours."""

from collections.abc import Sequence

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.rendering.canvas import Bytes

# Colours are compared by the upper six bits of each channel.
_BITS = 6
_SHIFT = 8 - _BITS
_CHUNK = 4096


def common_palette(pictures: Sequence[Bytes], colours: int = 256) -> Bytes:
    """Return a palette for all pictures, by median cut (Heckbert 1982). Shape (n, 3)."""
    if not 1 <= colours <= 256:
        raise ValueError(f"number of palette colours must be from 1 to 256, not {colours}")
    counts = np.zeros(1 << 3 * _BITS, np.int64)
    for picture in pictures:
        counts += np.bincount(_bins(picture).ravel(), minlength=len(counts))
    used = np.flatnonzero(counts)
    if len(used) == 0:
        return np.zeros((1, 3), np.uint8)
    values, weights = _bin_centres(used), counts[used]
    boxes = [np.arange(len(used))]
    spreads = [_spread(values, weights)]
    while len(boxes) < colours:
        widest = int(np.argmax([spread.max() for spread in spreads]))
        spread = spreads.pop(widest)
        box = boxes.pop(widest)
        if spread.max() == 0.0:
            boxes.append(box)
            break
        box = box[np.argsort(values[box, spread.argmax()], kind="stable")]
        # Half of the pixels on each side, and at least one colour.
        total = np.cumsum(weights[box])
        cut = min(max(int(np.searchsorted(total, total[-1] / 2)), 1), len(box) - 1)
        for part in (box[:cut], box[cut:]):
            boxes.append(part)
            spreads.append(_spread(values[part], weights[part]))
    means = [np.average(values[box], axis=0, weights=weights[box]) for box in boxes]
    return np.unique(np.round(means).astype(np.uint8), axis=0)


def _spread(values: Floats, weights: Ints) -> Floats:
    """Return the sum of squared differences from the mean of each channel; zero for a single colour."""
    middle = np.average(values, axis=0, weights=weights)
    squares: Floats = weights @ (values - middle) ** 2
    return squares if len(values) > 1 else np.zeros(3)


def in_palette(picture: Bytes, palette: Bytes) -> Bytes:
    """Return the index of the nearest palette colour for each pixel. Shape (height, width)."""
    bins = _bins(picture)
    used = np.flatnonzero(np.bincount(bins.ravel(), minlength=1))
    colours = palette.astype(float)
    squares = (colours**2).sum(axis=1)
    nearest = np.zeros(1 << 3 * _BITS, np.uint8)
    for start in range(0, len(used), _CHUNK):
        some = used[start : start + _CHUNK]
        # The squared distance, without the term that is the same for all palette colours.
        nearest[some] = (squares - 2.0 * (_bin_centres(some) @ colours.T)).argmin(axis=1)
    return nearest[bins]


def _bins(picture: Bytes) -> Ints:
    parts = picture.astype(np.int64) >> _SHIFT
    numbers: Ints = parts[..., 0] << 2 * _BITS | parts[..., 1] << _BITS | parts[..., 2]
    return numbers


def _bin_centres(bins: Ints) -> Floats:
    """Return the colours at the centres of the bins; black and white are exact. Shape (n, 3)."""
    most = (1 << _BITS) - 1
    parts = np.stack([bins >> 2 * _BITS, bins >> _BITS & most, bins & most], axis=1)
    return parts * (255.0 / most)
