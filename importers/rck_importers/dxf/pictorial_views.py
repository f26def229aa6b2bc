"""Isometric views: several areas with common edges, whose straight edges have the directions of the three axes."""

from collections.abc import Sequence

import numpy as np

from rck_importers.dxf.arrangement import Component, Edge

_AXES = (30.0, 90.0, 150.0)
"""Directions of the axes in an isometric view, in degrees."""
_SLACK = 1.5
_FEWEST_FACES = 3
_MOST_OTHERS, _LEAST_OF_AXIS = 0.3, 0.02
"""Shares of the length of all straight edges: maximum in other directions, minimum along each axis."""
_SHORT = 0.02
"""Maximum length of the chords of curves, relative to the size of the view."""


def is_isometric(component: Component, edges: Sequence[Edge]) -> bool:
    """Return True if a component looks like an isometric view of a solid."""
    if len(component.faces) < _FEWEST_FACES:
        return False
    numbers = {number for face in component.faces for number, _ in face.walk}
    steps = np.concatenate([np.diff(edges[number].points, axis=0) for number in numbers])
    size = np.hypot(*steps.T)
    is_straight = size > _SHORT * float(component.outer.size.max())
    steps, size = steps[is_straight], size[is_straight]
    total = float(size.sum())
    angle = np.degrees(np.arctan2(steps[:, 1], steps[:, 0])) % 180.0
    along = [float(size[np.abs(angle - axis) <= _SLACK].sum()) for axis in _AXES]
    return min(along) > _LEAST_OF_AXIS * total and sum(along) >= (1.0 - _MOST_OTHERS) * total
