"""Whether a face can hold an object: it must lie flat on it, and the object must not be too heavy."""

from math import cos, degrees

import numpy as np

from rck.hooks import Mount, Surroundings, Values, world_from

SAFETY = 2.0
"""How much stronger than the weight the hold must be: usual for suction on level surfaces."""
GRAVITY = 9.80665

_RIM = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)


def holds_by_vacuum(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Why a suction cup cannot take an item; nothing where it can."""
    return _too_heavy(world, values, item) or _not_flat(world, mount, values, item)


def holds_by_magnet(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Why a magnet cannot take an item; nothing where it can. Iron is known by its density."""
    densest = max((subitem.density for subitem in world.robot.item(item).subitems), default=0.0)
    if densest < values["least-density"]:
        return f"it is not of iron: its density is {densest:.0f} kg/m3"
    return _too_heavy(world, values, item) or _not_flat(world, mount, values, item)


def _too_heavy(world: Surroundings, values: Values, item: str) -> str:
    solid = world.robot.item(item)
    if not solid.mobile:
        return "it cannot be moved"
    most = values.get("payload") or (values["force"] / SAFETY / GRAVITY if values["force"] else np.inf)
    return f"its {solid.mass:.3g} kg are more than the {most:.3g} kg that it can carry" if solid.mass > most else ""


def _not_flat(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Feel along z from the middle and from all round the rim: everything must be near, and the same face."""
    frame = world_from(world, mount)
    radius = values["diameter"] / 2
    starts = np.zeros((len(_RIM) + 1, 3))
    starts[1:, 0], starts[1:, 1] = radius * np.cos(_RIM), radius * np.sin(_RIM)
    # Feelers start behind the face, lest they begin inside of what it touches.
    back = values["gap"] + radius
    starts[:, 2] = -back
    origins = starts @ frame[:3, :3].T + frame[:3, 3]
    along = np.broadcast_to(frame[:3, 2], origins.shape)
    echo = world.cast(origins, along, 2 * back, unseen=(mount.item,))
    number = world.robot.item_index[item]
    if echo.items[0] != number or echo.distances[0] > back + values["gap"] + 1e-9:
        return f"it is not within {1000 * values['gap']:.1f} mm in front of the face"
    if (echo.items != number).any():
        return f"there is no place as wide as {1000 * values['diameter']:.1f} mm to hold it by"
    lean = -echo.normals @ frame[:3, 2]
    if lean.min() < cos(values["angle"]) - 1e-9:
        worst = degrees(float(np.arccos(np.clip(lean.min(), -1.0, 1.0))))
        return f"its surface leans {worst:.1f}° against the face; at most {degrees(values['angle']):.1f}° will do"
    return ""
