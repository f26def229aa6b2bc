"""Pictures in few colours, for formats that have no more."""

from collections.abc import Sequence

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.render.canvas import Bytes

# Colours are told apart by the upper six bits of each channel.
_BITS = 6
_SHIFT = 8 - _BITS
_AT_A_TIME = 4096


def common_palette(pictures: Sequence[Bytes], colours: int = 256) -> Bytes:
    """The colours that stand best for the pixels of all pictures, by median cut (Heckbert 1982). Shape (n, 3)."""
    if not 1 <= colours <= 256:
        raise ValueError(f"a palette has 1 to 256 colours, not {colours}")
    counts = np.zeros(1 << 3 * _BITS, np.int64)
    for picture in pictures:
        counts += np.bincount(_bins(picture).ravel(), minlength=len(counts))
    used = np.flatnonzero(counts)
    if len(used) == 0:
        return np.zeros((1, 3), np.uint8)
    values, weights = _middles(used), counts[used]
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
        # Half of the pixels on either side, and at least one colour.
        heap = np.cumsum(weights[box])
        cut = min(max(int(np.searchsorted(heap, heap[-1] / 2)), 1), len(box) - 1)
        for part in (box[:cut], box[cut:]):
            boxes.append(part)
            spreads.append(_spread(values[part], weights[part]))
    means = [np.average(values[box], axis=0, weights=weights[box]) for box in boxes]
    return np.unique(np.round(means).astype(np.uint8), axis=0)


def _spread(values: Floats, weights: Ints) -> Floats:
    """The sum of squared differences from the mean, along each channel; zero for a single colour."""
    middle = np.average(values, axis=0, weights=weights)
    squares: Floats = weights @ (values - middle) ** 2
    return squares if len(values) > 1 else np.zeros(3)


def in_palette(picture: Bytes, palette: Bytes) -> Bytes:
    """The number of the nearest colour of the palette, for each pixel. Shape (height, width)."""
    bins = _bins(picture)
    used = np.flatnonzero(np.bincount(bins.ravel(), minlength=1))
    colours = palette.astype(float)
    squares = (colours**2).sum(axis=1)
    nearest = np.zeros(1 << 3 * _BITS, np.uint8)
    for start in range(0, len(used), _AT_A_TIME):
        some = used[start : start + _AT_A_TIME]
        # The squared distance, but for what is the same for all colours of the palette.
        nearest[some] = (squares - 2.0 * (_middles(some) @ colours.T)).argmin(axis=1)
    return nearest[bins]


def _bins(picture: Bytes) -> Ints:
    parts = picture.astype(np.int64) >> _SHIFT
    numbers: Ints = parts[..., 0] << 2 * _BITS | parts[..., 1] << _BITS | parts[..., 2]
    return numbers


def _middles(bins: Ints) -> Floats:
    """The colours in the middle of the bins, with black and white exact. Shape (n, 3)."""
    most = (1 << _BITS) - 1
    parts = np.stack([bins >> 2 * _BITS, bins >> _BITS & most, bins & most], axis=1)
    return parts * (255.0 / most)
