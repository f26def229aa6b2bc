"""Inertias as strict simulators want them."""

import numpy as np

from rck.geometry.arrays import Floats

# What rounding, here and in the file, may take from a sum of principal moments.
_MARGIN = 1e-9


def lawful_inertia(inertia: Floats, least: float = 0.0) -> Floats:
    """The inertia, shape (3, 3), with no principal moment above the sum of the others or below the least.

    The model allows an excess of a millionth, for a flat plate has none to spare and files round their numbers.
    Simulators that check allow nothing: here the two smaller moments take up the difference.
    """
    moments, axes = np.linalg.eigh(inertia)
    wanted = np.maximum(moments, least)
    missing = wanted[2] * (1.0 + _MARGIN) - (wanted[0] + wanted[1])
    if missing > 0.0:
        wanted[:2] += missing / 2
    if (wanted == moments).all():
        return inertia
    lawful: Floats = (axes * wanted) @ axes.T
    return lawful
