"""Fit of the two ends of a mate: reasons why they do not fit, and the screws that join them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rck.assembly.document import Mate
from rck.assembly.mate_ends import EndFrame
from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert
from rck.model import Item, Robot
from rck.model.fasteners import Fastener, nominal_diameter, screw_length
from rck.model.port_fit import (
    Bolted,
    coinciding_holes,
    describe_holes,
    describe_turns,
    fitting_turns,
    port_mismatch,
)

_PATTERN = 2
"""Number of holes from which the angle of a mate matters."""
_TOUCHING = 1e-4
"""Distance in metres up to which a shape starts at the contact plane."""
_THICKEST = 6.0
"""Thickness, in diameters of the screw, above which a part is a body rather than a plate with clear holes."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """The reason why the ends of a mate do not fit."""

    code: int
    message: str
    fix: str


def find_misfit(mate: Mate, at: EndFrame, put: EndFrame, at_from_put: Floats) -> Misfit | None:
    """Return why two ends do not fit; None if they do, or if the mate is forced.

    `at_from_put` is the pose of the attached end in the frame of the end that stays. Shape (4, 4).
    """
    if mate.force:
        return None
    problem = port_mismatch(at, put)
    if problem:
        return Misfit(805, problem, "choose ports that fit, insert an adapter, or add --force")
    one, other = at.interface, put.interface
    if _has_joint(mate) or one is None or other is None or not (at.faces and put.faces):
        return None
    if min(one.hole_count, other.hole_count) < _PATTERN or coinciding_holes(one, other, at_from_put):
        return None
    turns = fitting_turns(one, other)
    if not turns:
        return None
    message = f"no holes coincide in this pose ({describe_holes(one)}; {describe_holes(other)})"
    return Misfit(812, message, f"the turn that fits: {describe_turns(turns)}; or add --force")


def _has_joint(mate: Mate) -> bool:
    return mate.joint is not None and mate.joint.moves


def mate_fasteners(
    mate: Mate, at: EndFrame, put: EndFrame, at_from_put: Floats, robots: tuple[Robot, Robot]
) -> tuple[Fastener, ...]:
    """Return the screws of a rigid mate; `robots` are the bodies of the two ends, in the frames of their parts."""
    if _has_joint(mate) or at.interface is None or put.interface is None or not (at.faces and put.faces):
        return ()
    gap = max(0.0, float(at_from_put[2, 3]))
    counts: Counter[tuple[str, float | None, bool]] = Counter()
    for bolted in coinciding_holes(at.interface, put.interface, at_from_put):
        counts[_screw(bolted, gap, at, put, at_from_put, robots)] += 1
    where = f"{mate.at} {mate.put}"
    return tuple(Fastener(thread, count, length, nut, where) for (thread, length, nut), count in counts.items())


def _screw(
    bolted: Bolted, gap: float, at: EndFrame, put: EndFrame, at_from_put: Floats, robots: tuple[Robot, Robot]
) -> tuple[str, float | None, bool]:
    """Return thread and length of a screw, and whether it needs a nut."""
    centre = np.array([*bolted.centre, 0.0])
    sides = (
        (bolted.one, at, robots[0], centre),
        (bolted.other, put, robots[1], apply(invert(at_from_put), centre)),
    )
    diameter = nominal_diameter(bolted.thread) or 0.0
    stack: float | None = gap
    depth = None
    for holes, end, robot, point in sides:
        if holes.thread:
            depth = holes.depth
            continue
        thickness = holes.depth or _thickness(robot.item(end.item), apply(end.pose, [point[0], point[1], 0.0]), end)
        if thickness is None or thickness > _THICKEST * diameter:
            stack = None
        elif stack is not None:
            stack += thickness
    has_nut = not (bolted.one.thread or bolted.other.thread)
    return bolted.thread, screw_length(bolted.thread, stack, depth, has_nut), has_nut


def _thickness(item: Item, point: Floats, end: EndFrame) -> float | None:
    """Return the thickness of an item below a point of its face; None if no shape is there."""
    part_from_item = item.pose
    here = apply(invert(part_from_item), point)
    inward = -part_from_item[:3, :3].T @ end.pose[:3, 2]
    spans = sorted(_spans(item, here, inward))
    reached = 0.0
    for start, stop in spans:
        if start <= reached + _TOUCHING:
            reached = max(reached, stop)
    return reached if reached > _TOUCHING else None


def _spans(item: Item, point: Floats, direction: Floats) -> Iterable[tuple[float, float]]:
    """Yield where a ray is inside each shape of an item, as distances from its start."""
    for subitem in item.subitems:
        planes = subitem.shape.planes
        speed = planes[:, :3] @ direction
        height = planes[:, 3] - planes[:, :3] @ point
        if (height[np.abs(speed) < 1e-12] < -1e-9).any():
            continue
        entering, leaving = speed < -1e-12, speed > 1e-12
        start = float((height[entering] / speed[entering]).max(initial=0.0))
        stop = float((height[leaving] / speed[leaving]).min(initial=np.inf))
        if stop > start:
            yield start, stop
