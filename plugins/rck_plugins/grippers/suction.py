"""Grippers that hold by one face: suction cups and magnets."""

from math import cos, degrees

import numpy as np

from rck.hooks import Gripper, Mount, Option, Surroundings, Values, hookimpl, world_from

_SAFETY_FACTOR = 2.0
"""Holding force over weight: usual for suction on level surfaces."""
_GRAVITY = 9.80665
_RIM = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)


def _vacuum_refusal(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Return why a suction cup cannot hold an item; empty if it can."""
    body = world.robot.item(item)
    if not body.mobile:
        return "it is not a loose object"
    force = values["force"]
    payload = values.get("payload") or (force / _SAFETY_FACTOR / _GRAVITY if force else np.inf)
    if body.mass > payload:
        return f"its mass of {body.mass:.3g} kg exceeds the payload of {payload:.3g} kg"
    return _face_refusal(world, mount, values, item)


def _magnet_refusal(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Return why a magnet cannot hold an item; empty if it can. Density tells iron from other materials."""
    density = max((subitem.density for subitem in world.robot.item(item).subitems), default=0.0)
    if density < values["least-density"]:
        return f"it is not iron: its density is {density:.0f} kg/m3"
    return _vacuum_refusal(world, mount, values, item)


def _face_refusal(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Cast rays along z from the centre and the rim: all must hit the item nearby, on a surface facing the gripper."""
    frame = world_from(world, mount)
    radius = values["diameter"] / 2
    starts = np.zeros((len(_RIM) + 1, 3))
    starts[1:, 0], starts[1:, 1] = radius * np.cos(_RIM), radius * np.sin(_RIM)
    # The rays start behind the face so that none begins inside the object that the face touches.
    back = values["gap"] + radius
    starts[:, 2] = -back
    origins = starts @ frame[:3, :3].T + frame[:3, 3]
    along = np.broadcast_to(frame[:3, 2], origins.shape)
    echo = world.cast(origins, along, 2 * back, unseen=(mount.item,))
    number = world.robot.item_index[item]
    if echo.items[0] != number or echo.distances[0] > back + values["gap"] + 1e-9:
        return f"it is not within {1000 * values['gap']:.1f} mm in front of the gripper face"
    if (echo.items != number).any():
        return f"it has no surface of {1000 * values['diameter']:.1f} mm diameter under the gripper face"
    cosines = -echo.normals @ frame[:3, 2]
    if cosines.min() < cos(values["angle"]) - 1e-9:
        worst = degrees(float(np.arccos(np.clip(cosines.min(), -1.0, 1.0))))
        return f"its surface is tilted by {worst:.1f}°; the limit is {degrees(values['angle']):.1f}°"
    return ""


@hookimpl
def rck_grippers() -> list[Gripper]:
    """Return the vacuum gripper and the magnetic gripper."""
    common = (
        Option("diameter", "diameter of the holding face", "length", "10 mm"),
        Option("force", "holding force in N; 0 for no limit", "number", 0.0),
        Option("payload", "heaviest object in kg; 0 to derive it from the force", "number", 0.0),
        Option("gap", "largest distance from the face to the object", "length", "3 mm"),
        Option("angle", "largest tilt of the surface", "angle", "10 deg"),
    )
    iron = Option("least-density", "lowest density of a magnetic object, in kg/m3", "number", 7000.0)
    return [
        Gripper("vacuum-gripper", "suction cup; needs a flat surface as wide as the cup", _vacuum_refusal, common),
        Gripper("magnet-gripper", "magnet; needs a flat iron surface", _magnet_refusal, (*common, iron)),
    ]
