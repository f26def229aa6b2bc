"""Screws and nuts: threads, clearance holes, and the screw that joins two holes. Lengths are in metres.

Clearance holes follow ISO 273 (medium), lengths of screws ISO 4762, and heights of nuts ISO 4032.
"""

from dataclasses import dataclass

from rck.model.interface import Holes

_MM = 1e-3
THREADS: dict[str, tuple[float, float, float]] = {
    "M1.6": (1.6, 1.8, 1.3), "M2": (2, 2.4, 1.6), "M2.5": (2.5, 2.9, 2), "M3": (3, 3.4, 2.4), "M4": (4, 4.5, 3.2),
    "M5": (5, 5.5, 4.7), "M6": (6, 6.6, 5.2), "M8": (8, 9, 6.8), "M10": (10, 11, 8.4), "M12": (12, 13.5, 10.8),
    "M16": (16, 17.5, 14.8), "M20": (20, 22, 18),
}  # fmt: skip
"""Nominal diameter, medium clearance hole and height of the nut of each thread, in millimetres."""
INCH_THREADS: dict[str, float] = {"1/4-20": 6.35, "3/8-16": 9.525, "4-40": 2.845, "6-32": 3.505, "8-32": 4.166}
"""Nominal diameters of unified threads, in millimetres."""
LENGTHS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 80, 90, 100, 110, 120)
"""Lengths of screws, in millimetres."""
_SNUG = 0.05
"""Smallest clearance between a screw and its hole, in millimetres."""
_WIDEST = 1.45
"""Largest ratio of a clear hole to the nominal diameter of its screw."""


@dataclass(frozen=True, slots=True)
class Fastener:
    """Equal screws of a mate."""

    thread: str
    count: int
    length: float | None
    """None if the thickness of the clamped parts is unknown."""
    has_nut: bool
    """True if the screws go through both parts into nuts; False if they go into threads of a part."""
    mate: str
    """The two ends, such as `arm.flange hand.mount`."""

    @property
    def name(self) -> str:
        """The designation, such as `Screw M6 x 20`."""
        size = "" if self.length is None else f" x {self.length / _MM:g}"
        return f"Screw {self.thread}{size}"


def nominal_diameter(thread: str) -> float | None:
    """Return the nominal diameter of a thread; None if it is unknown."""
    if thread in THREADS:
        return THREADS[thread][0] * _MM
    return INCH_THREADS[thread] * _MM if thread in INCH_THREADS else None


def clearance_diameter(thread: str) -> float:
    """Return the diameter of the clear hole for a thread."""
    if thread in THREADS:
        return THREADS[thread][1] * _MM
    return INCH_THREADS[thread] * 1.1 * _MM


def screw_of(one: Holes, other: Holes) -> str:
    """Return the thread of the screw that joins two holes; empty if none does.

    A screw goes through a clear hole into a thread, or through two clear holes into a nut.
    """
    if one.thread and other.thread:
        return ""
    if one.thread or other.thread:
        threaded, clear = (one, other) if one.thread else (other, one)
        diameter = nominal_diameter(threaded.thread)
        return threaded.thread if diameter is not None and _passes(diameter, clear.diameter) else ""
    narrow, wide = sorted((one.diameter, other.diameter))
    for thread in reversed(THREADS):
        diameter = THREADS[thread][0] * _MM
        if _passes(diameter, narrow):
            return thread if _passes(diameter, wide) else ""
    return ""


def _passes(screw: float, hole: float) -> bool:
    return screw + _SNUG * _MM <= hole <= _WIDEST * screw


def screw_length(thread: str, stack: float | None, depth: float | None, has_nut: bool) -> float | None:
    """Return the length of the screw for parts of this total thickness; None if unknown or if no length fits.

    In a thread it is the shortest screw that engages over its diameter and does not bottom; with a nut, the shortest
    that fills it.
    """
    diameter = nominal_diameter(thread)
    if stack is None or diameter is None or (has_nut and thread not in THREADS):
        return None
    least = stack + (THREADS[thread][2] * _MM if has_nut else diameter)
    most = stack + depth if depth is not None and not has_nut else None
    if most is not None:
        least = min(least, most)
    fitting = [size * _MM for size in LENGTHS if size * _MM >= least - 1e-9]
    if most is None:
        return fitting[0] if fitting else None
    # A shallow thread: take the longest screw that does not bottom.
    inside = [size * _MM for size in LENGTHS if stack < size * _MM <= most + 1e-9]
    return next((size for size in fitting if size <= most + 1e-9), inside[-1] if inside else None)
