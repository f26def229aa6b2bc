"""Shapes of holes: round holes, slots and other cut-outs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Bools, Floats, lengths
from rck.geometry.contour import ring_area
from rck.geometry.region_integrals import polygon_integrals
from rck.support.units import counted

_MAX_CIRCLE_STEP = np.pi / 8
"""Maximum angle in radians between adjacent corners of a ring that counts as a circle."""
_MIN_CIRCLE_CORNERS = 16
"""Minimum number of corners for testing the coarse corners alone for a circle."""
_SLOT_TOLERANCE = 0.01
"""Relative deviation of the area and the perimeter of a slot from those of its length and width."""
_SPLINE_ERROR = 3e-4
"""Relative difference between a circle and the four Bezier curves that drawing programs write for it."""
_MOST_DIAMETERS = 6
"""Maximum number of hole diameters that a summary lists."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A hole of a plate."""

    shape: str
    """`hole` if it is round, `slot`, or `cut-out`."""
    width: float
    """Diameter of a round hole, width of a slot, in metres; 0 for a cut-out."""
    length: float = 0.0
    """Overall length of a slot."""
    step: float = 0.0
    """Diameter of the counterbore or countersink around it; 0 without one."""
    is_countersink: bool = False
    """True if the step is conical."""

    @property
    def step_words(self) -> str:
        """Kind and diameter of the step in millimetres, such as `counterbored 10`; empty without one."""
        return describe_step(self.step, self.is_countersink)


def circle_of(points: Floats, coarse: Bools) -> tuple[Floats, float] | None:
    """Return the centre, shape (2,), and radius of a round ring, shape (N, 2); None for other rings."""
    corners = points[coarse]
    # Fine points lie slightly off the circle, but there may be too few coarse points to detect a circle.
    found = _circle_through(corners) if len(corners) >= _MIN_CIRCLE_CORNERS else None
    return found or _circle_through(points)


def _circle_through(flat: Floats) -> tuple[Floats, float] | None:
    # Kasa 1976: the circle equation is linear in the centre and in radius squared minus centre squared.
    middle = flat.mean(axis=0)
    shifted = flat - middle
    system = np.c_[2 * shifted, np.ones(len(flat))]
    (x, y, rest), *_ = np.linalg.lstsq(system, (shifted**2).sum(axis=1), rcond=None)
    radius = float(np.sqrt(max(rest + x * x + y * y, 0.0)))
    spokes = shifted - (x, y)
    if not radius > 0 or np.abs(np.hypot(*spokes.T) - radius).max() > 1e-3 * radius:
        return None
    angles = np.sort(np.arctan2(spokes[:, 1], spokes[:, 0]))
    if np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() > _MAX_CIRCLE_STEP + 1e-6:
        return None
    return middle + np.array([x, y]), radius


@dataclass(frozen=True, eq=False)
class Slot:
    """A slot with round ends, in the plane of its plate."""

    centre: Floats
    """Shape (2,)."""
    direction: Floats
    """Unit vector along the slot. Shape (2,)."""
    length: float
    """Overall length, in metres."""
    width: float


def slot_of(points: Floats) -> Slot | None:
    """Return the slot with this ring, shape (N, 2); None for other rings."""
    flat = polygon_integrals(points - points[0])
    area = float(flat[0, 0])
    centre = np.array([flat[1, 0], flat[0, 1]]) / area
    spread = np.array([[flat[2, 0], flat[1, 1]], [flat[1, 1], flat[0, 2]]]) / area - np.outer(centre, centre)
    axes = np.linalg.eigh(spread)[1]
    width, length = np.ptp((points - points[0]) @ axes, axis=0).tolist()
    perimeter = float(lengths(np.roll(points, -1, axis=0) - points).sum())
    straight = length - width
    fits = straight > 0.02 * width and (
        abs(straight * width + np.pi * width**2 / 4 - area) <= _SLOT_TOLERANCE * area
        and abs(2 * straight + np.pi * width - perimeter) <= _SLOT_TOLERANCE * perimeter
    )
    return Slot(points[0] + centre, axes[:, 1], length, width) if fits else None


def describe_step(diameter: float, is_countersink: bool) -> str:
    """Return words such as `counterbored 10` for a step of this diameter in metres; empty without one."""
    if not diameter:
        return ""
    return f"{'countersunk' if is_countersink else 'counterbored'} {_rounded(diameter):g}"


def opening_of(points: Floats, coarse: Bools) -> Opening:
    """Return the shape of a hole with this ring, shape (N, 2)."""
    circle = circle_of(points, coarse)
    if circle is not None:
        return Opening("hole", 2 * circle[1])
    slot = slot_of(points)
    if slot is not None:
        return Opening("slot", slot.width, slot.length)
    return Opening("cut-out", 0.0)


def describe_openings(openings: Iterable[Opening]) -> list[str]:
    """Return phrases such as `6 holes (4 x 3.2, 2 x 8)`, `1 slot` and `2 cut-outs`; diameters in millimetres."""
    listed = list(openings)
    phrases = []
    counts = Counter(opening.shape for opening in listed)
    if counts["hole"]:
        sizes = Counter(_size(opening) for opening in listed if opening.shape == "hole")
        shown = ", ".join(f"{count} x {_words(*size)}" for size, count in sorted(sizes.items())[:_MOST_DIAMETERS])
        more = ", ..." if len(sizes) > _MOST_DIAMETERS else ""
        phrases.append(f"{counted(counts['hole'], 'hole')} ({shown}{more})")
    phrases += [counted(counts[shape], shape) for shape in ("slot", "cut-out") if counts[shape]]
    return phrases


def _size(opening: Opening) -> tuple[float, str]:
    """Return the diameter of a hole in millimetres, and the words for its step."""
    return _rounded(opening.width), opening.step_words


def _rounded(length: float) -> float:
    """Return a length in millimetres: to two decimals if that is as accurate as splines, else to four digits."""
    size = length * 1000
    short = round(size, 2)
    return short if abs(short - size) <= _SPLINE_ERROR * size else float(f"{size:.4g}")


def _words(width: float, step: str) -> str:
    return f"{width:g} {step}" if step else f"{width:g}"


def is_rectangle(points: Floats, coarse: Bools) -> bool:
    """Return True if a ring, shape (N, 2), is a rectangle, in any direction."""
    corners = points[coarse]
    area = abs(ring_area(points))
    along, before = np.roll(corners, -1, axis=0) - corners, corners - np.roll(corners, 1, axis=0)
    turn = np.abs(along[:, 0] * before[:, 1] - along[:, 1] * before[:, 0])
    bent = turn > 1e-4 * lengths(along) * lengths(before)
    corners = corners[bent]
    if len(corners) != 4:
        return False
    sides = np.roll(corners, -1, axis=0) - corners
    width, height = lengths(sides)[:2].tolist()
    return bool(abs(area - width * height) <= 1e-3 * area)
