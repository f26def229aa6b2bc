"""Objects that come and go while a simulation runs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.primitives import box, cylinder, sphere
from rck.hooks import Plugins
from rck.model.finding import RckError
from rck.model.item import Item, build_item
from rck.model.robot import Robot, build_robot
from rck.model.subitem import Colour, subitem_of
from rck.simulation.simulation import Simulation
from rck.simulation.stage import NO_OBJECT

SHAPES = {"box": 3, "cylinder": 2, "sphere": 1}
"""The shapes of objects, and how many sizes each takes: x y z; radius and height; radius. In metres."""
LARGEST = 100.0
"""In metres."""


def object_item(
    name: str, shape: str, sizes: Sequence[float], pose: Floats, colour: Colour, mass: float | None, fixed: bool
) -> Item:
    """An object as an item."""
    if shape not in SHAPES:
        raise RckError(f"there is no shape {shape!r}; use {', '.join(SHAPES)}")
    if len(sizes) != SHAPES[shape] or not all(0.0 < size <= LARGEST for size in sizes):
        raise RckError(f"a {shape} takes {SHAPES[shape]} sizes above zero and up to {LARGEST:g} m")
    if shape == "box":
        solid = box(sizes[0], sizes[1], sizes[2])
    elif shape == "cylinder":
        solid = cylinder(sizes[0], sizes[1])
    else:
        solid = sphere(sizes[0], segments=16)
    subitem = subitem_of(solid, colour=colour, mass=mass).unwrap()
    return build_item(name, [subitem], pose=pose, mobile=not fixed).unwrap()


def with_object(simulation: Simulation, plugins: Plugins, item: Item) -> Simulation:
    """The simulation with one object more, which must not be where something else is."""
    robot = simulation.robot
    bigger = build_robot(robot.name, [*robot.items, item], robot.joints, robot.frames, robot.devices).unwrap()
    made = _carried_over(simulation, bigger, plugins)
    number = made.robot.item_index[item.name]
    inside = [pair for pair in made.contacts.overlaps() if number in pair]
    if inside:
        others = [made.robot.items[one].name for pair in inside for one in pair if one != number]
        raise RckError(f"{item.name} would overlap {', '.join(sorted(others))}")
    return made


def without_object(simulation: Simulation, plugins: Plugins, name: str) -> Simulation:
    """The simulation without an object; what is fastened to a robot cannot be taken away."""
    robot = simulation.robot
    number = robot.item_index.get(name)
    if number is None:
        raise RckError(f"there is no object {name!r}; objects: {_objects(simulation)}")
    carried = {item for joint in robot.joints for item in (joint.base, *joint.moves)}
    used = {frame.item for frame in robot.frames} | {device.item for device in robot.devices}
    if name in carried | used:
        raise RckError(f"{name} is part of a robot; objects: {_objects(simulation)}")
    items = [item for item in robot.items if item.name != name]
    smaller = build_robot(robot.name, items, robot.joints, robot.frames, robot.devices).unwrap()
    return _carried_over(simulation, smaller, plugins)


def _objects(simulation: Simulation) -> str:
    return ", ".join(thing.name for thing in simulation.stage.objects) or "none"


def _carried_over(simulation: Simulation, robot: Robot, plugins: Plugins) -> Simulation:
    """A simulation of another set of objects that goes on where this one is. The joints are the same."""
    made = Simulation(robot, plugins=plugins, collisions=simulation.collisions)
    state, fresh = simulation.save(), made.save()
    names = [thing.name for thing in made.stage.objects]
    number_of = [names.index(old.name) if old.name in names else NO_OBJECT for old in simulation.stage.objects]
    frames = np.array(fresh.placement.frames)
    for old, new in enumerate(number_of):
        if new != NO_OBJECT:
            frames[new] = state.placement.frames[old]
    hands = simulation.robot.items
    holds = tuple(
        replace(hold, object=number_of[hold.object], item=robot.item_index[hands[hold.item].name])
        for hold in state.placement.holds
        if number_of[hold.object] != NO_OBJECT
    )
    queue = tuple(
        replace(one, closing_on=NO_OBJECT if one.closing_on == NO_OBJECT else number_of[one.closing_on])
        for one in state.queue
    )
    falls = tuple(
        replace(fall, object=number_of[fall.object]) for fall in state.falls if number_of[fall.object] != NO_OBJECT
    )
    past = {sensor.name: sensor for sensor in state.sensors}
    for sensor in fresh.sensors:
        sensor.go_on_from(past[sensor.name])
    placement = replace(state.placement, frames=frozen(frames), holds=holds)
    made.restore(
        replace(
            state,
            placement=placement,
            queue=queue,
            falls=falls,
            sensors=fresh.sensors,
            pushed={},
            resting={},
            touched={},
        )
    )
    return made
