"""Items under maps that are not rigid: scaled or mirrored."""

from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass import MassProperties, inertia_from_second
from rck.geometry.transforms import frame, invert, is_rigid
from rck.model.item import Item
from rck.model.subitem import Colour, move_subitem
from rck.model.visual import move_visual


def map_item(item: Item, matrix: Floats, colour: Colour | None = None, mobile: bool = False) -> Item:
    """The item as it is after an affine map of the world, in a rigid frame again.

    The density stays, so a body twice as long in all directions weighs eight times as much.
    """
    linear = matrix[:3, :3]
    origin = linear @ item.pose[:3, 3] + matrix[:3, 3]
    pose = frame(origin, z=linear @ item.pose[:3, 2], x=linear @ item.pose[:3, 0])
    new_from_old = invert(pose) @ matrix @ item.pose
    subitems = tuple(move_subitem(subitem, new_from_old) for subitem in item.subitems)
    visuals = tuple(move_visual(visual, new_from_old) for visual in item.visuals)
    if colour is not None:
        subitems = tuple(replace(subitem, colour=colour) for subitem in subitems)
        visuals = tuple(replace(visual, colour=colour) for visual in visuals)
    mass = item.given_mass
    if mass is not None:
        mass = _mapped_mass(mass, new_from_old)
    part = item.origin
    if part is not None and not is_rigid(matrix):
        part = replace(part, altered=True)
    return Item(item.name, subitems, frozen(pose), item.mobile or mobile, mass, visuals, part, item.friction)


def _mapped_mass(body: MassProperties, matrix: Floats) -> MassProperties:
    linear = matrix[:3, :3]
    growth = abs(float(np.linalg.det(linear)))
    # The integral of x xT follows from the inertia, maps simply, and gives the new inertia.
    second = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
    mapped = linear @ second @ linear.T * growth
    centre = linear @ body.centre + matrix[:3, 3]
    return MassProperties(body.mass * growth, frozen(centre), frozen(inertia_from_second(mapped)))
