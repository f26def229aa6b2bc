"""Planes, height fields and lights that RCK keeps from an MJCF file and writes back."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, from_quaternion, identity, to_quaternion, translation
from rck.support.finding import RckError
from rck_plugins.exporters.mjcf.model import MjcfModel
from rck_plugins.exporters.mjcf.names import scope_of, xml_in
from rck_plugins.exporters.mjcf.numbers import exact


def add_surroundings(root: Element, made: dict[str, Element], model: MjcfModel) -> list[str]:
    """Add the planes, height fields and lights of all bodies; return the names of those that were lost."""
    world = root.find("worldbody")
    assert world is not None
    taken = {one.attrib["name"] for one in root.iter("geom") if "name" in one.attrib}
    moving = _moving(made, model)
    fields = {"", *(one.attrib.get("name", "") for one in root.iter("hfield"))}
    lost = []
    for body, element, pose, scope in _kept(world, made, model):
        is_refused = element.tag == "geom" and body in moving
        is_refused |= element.get("hfield", "") not in fields
        if is_refused or not _is_placed(element, pose) or not model.references.resolve(element, scope):
            lost.append(element.get("name", element.tag))
            continue
        if element.tag == "geom" and element.get("name") in taken:
            del element.attrib["name"]
        model.materials.remove_unknown(element)
        body.append(element)
    return lost


def _moving(made: dict[str, Element], model: MjcfModel) -> set[Element]:
    """Return the elements of the bodies that move in the world; MuJoCo refuses planes on them."""
    moves: list[bool] = []
    for body in model.bodies:
        above = body.parent is not None and moves[body.parent]
        moves.append(above or body.floats or any(body.movers))
    return {made[body.name] for body, one in zip(model.bodies, moves, strict=True) if one}


def _kept(world: Element, made: dict[str, Element], model: MjcfModel) -> Iterator[tuple[Element, Element, Floats, str]]:
    """Yield the element of a body, what it keeps, its pose on that body, and the scope of names in it."""
    yield from ((world, one, identity(), "") for one in xml_in(model.robot.extensions, "worldbody"))
    for item in model.robot.items:
        for one in xml_in(item.extensions, "body"):
            yield made[model.body_names[item.name]], one, model.item_poses[item.name], scope_of(item.name)


def _is_placed(element: Element, body_from_item: Floats) -> bool:
    """Move an element from the frame of its item to that of the body; return False if it has no valid pose."""
    try:
        place = _numbers(element, "pos", "0 0 0", 3)
        turn = from_quaternion(_numbers(element, "quat", "1 0 0 0", 4))
        axis = _numbers(element, "dir", "0 0 -1", 3)
    except (ValueError, RckError):
        return False
    element.set("pos", exact(apply(body_from_item, place)))
    if element.tag == "light":
        element.set("dir", exact(body_from_item[:3, :3] @ axis))
    else:
        element.set("quat", exact(to_quaternion(body_from_item @ translation(place) @ turn)))
    return True


def _numbers(element: Element, name: str, default: str, count: int) -> Floats:
    numbers = np.array(element.get(name, default).split(), dtype=float)
    if numbers.shape != (count,) or not np.isfinite(numbers).all():
        raise ValueError(name)
    return numbers
