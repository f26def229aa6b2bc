"""Imported robots as pieces: a definition inside the assembly that says exactly what was read."""

import numpy as np

from rck.assembly.document import Piece
from rck.catalogue.manifest import Follow, PartItem, PartJoint, PartPort, Shape, Triple, Units
from rck.geometry.transforms import apply
from rck.model import Item, Joint, Robot, Subitem

_UNITS = Units(length="m", angle="rad", mass="kg", angular_speed="rad/s", speed="m/s")
_DIGITS = 10


def piece_of(robot: Robot, source: str) -> Piece:
    """The robot as a piece: every subitem as the hull of its vertices, in SI units.

    It stands as it was read; a port `base` at the lowest point of the first item lets it be fastened.
    """
    return Piece(
        items={_plain(item.name): _item(item) for item in robot.items},
        summary=f"imported from {source}",
        source=source,
        units=_UNITS,
        joints={_plain(joint.name): _joint(joint) for joint in robot.joints},
        ports=_ports(robot),
    )


def _plain(name: str) -> str:
    """Names of a piece have no scopes of their own."""
    return name.replace("/", "_")


def _item(item: Item) -> PartItem:
    body = item.mass_properties
    centre = apply(item.pose, body.centre)
    turn = item.pose[:3, :3]
    inertia = turn @ body.inertia @ turn.T
    massive = body.mass > 0
    return PartItem(
        shapes=[_shape(subitem, item) for subitem in item.subitems],
        mass=_round(body.mass),
        centre=_triple(centre) if massive else None,
        inertia=(
            float(inertia[0, 0]),
            float(inertia[1, 1]),
            float(inertia[2, 2]),
            float(inertia[0, 1]),
            float(inertia[0, 2]),
            float(inertia[1, 2]),
        )
        if massive
        else None,
        colour=_colour(item.subitems[0]) if item.subitems else "#b2b2b8",
        mobile=item.mobile,
    )


def _shape(subitem: Subitem, item: Item) -> Shape:
    points: list[Triple] = [_triple(point) for point in apply(item.pose, subitem.shape.vertices)]
    return Shape(hull=points, colour=_colour(subitem))


def _colour(subitem: Subitem) -> str:
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in subitem.colour)


def _joint(joint: Joint) -> PartJoint:
    x, y, z = joint.direction.tolist()
    return PartJoint(
        base=_plain(joint.base),
        moves=[_plain(name) for name in joint.moves],
        **{joint.kind.value: (x, y, z)},
        at=joint.start,
        limits=None if joint.limits is None else (joint.limits.lower, joint.limits.upper),
        position=joint.position,
        speed=joint.speed,
        acceleration=joint.acceleration,
        torque=joint.effort if joint.kind.turns else None,
        force=None if joint.kind.turns else joint.effort,
        damping=joint.damping,
        friction=joint.friction,
        follows=None
        if joint.mimic is None
        else Follow(_plain(joint.mimic.joint), joint.mimic.ratio, joint.mimic.offset),
    )


def _ports(robot: Robot) -> dict[str, PartPort]:
    with_shape = [item for item in robot.items if item.subitems]
    if not with_shape:
        return {}
    first = with_shape[0]
    corners = np.concatenate([apply(first.pose, subitem.shape.vertices) for subitem in first.subitems])
    lowest = corners[corners[:, 2] <= corners[:, 2].min() + 1e-6]
    return {"base": PartPort(on=_plain(first.name), at=_triple(lowest.mean(axis=0)), z="-z")}


def _triple(point: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> tuple[float, float, float]:
    x, y, z = (_round(float(one)) for one in point)
    return x, y, z


def _round(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}") + 0.0
