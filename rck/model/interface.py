"""The geometry of a mechanical interface: the holes, pilot, pin, shaft and profile of a port. Lengths are in metres."""

from dataclasses import dataclass, replace
from typing import Literal

Point2 = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Holes:
    """Equal holes of a port, in its xy plane."""

    centres: tuple[Point2, ...]
    diameter: float
    """Diameter of a clear hole, or nominal diameter of the thread."""
    thread: str = ""
    """The thread, such as `M6`; empty for a clear hole."""
    depth: float | None = None
    """Depth of a thread, or thickness that a clear hole goes through; None if unknown."""
    slot: Point2 = (0.0, 0.0)
    """For slots, the vector from the centre of one round end to that of the other; `centres` are their middles."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """A round boss or recess that centres the two parts."""

    diameter: float
    height: float | None = None
    is_boss: bool = True


@dataclass(frozen=True, slots=True)
class Pin:
    """A dowel pin, or its hole, which fixes the angle between the parts (clocking)."""

    centre: Point2
    diameter: float


@dataclass(frozen=True, slots=True)
class Shaft:
    """A shaft, or the bore for one."""

    diameter: float | None = None
    flat: float | None = None
    """Distance from the flat of a D-cut to the opposite side."""
    teeth: int = 0
    """Number of teeth of a spline; 0 for a plain shaft."""
    is_bore: bool = False


@dataclass(frozen=True, slots=True)
class CrossSection:
    """The cross-section of a rail, or of a T-slot."""

    kind: Literal["rail", "slot", "tube"]
    width: float
    """Width of the rail, opening of the slot, or outer diameter of the tube."""


@dataclass(frozen=True, slots=True)
class Interface:
    """The geometry of a port, in its frame."""

    holes: tuple[Holes, ...] = ()
    pilot: Pilot | None = None
    pin: Pin | None = None
    shaft: Shaft | None = None
    profile: CrossSection | None = None
    load: tuple[str, ...] = ()
    """Directions of load: `axial`, `radial`, `torque` or `moment`."""

    @property
    def hole_count(self) -> int:
        """The number of holes and slots."""
        return sum(len(holes.centres) for holes in self.holes)


def mirrored_interface(interface: Interface) -> Interface:
    """Return the mirror image of an interface, in the frame of its port with y reversed."""
    holes = tuple(
        replace(one, centres=tuple((x, -y) for x, y in one.centres), slot=(one.slot[0], -one.slot[1]))
        for one in interface.holes
    )
    pin = interface.pin and replace(interface.pin, centre=(interface.pin.centre[0], -interface.pin.centre[1]))
    return replace(interface, holes=holes, pin=pin)
