"""Adding and removing objects while a simulation runs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.primitives import box, cylinder, sphere
from rck.hooks import Plugins
from rck.model.item import Item, build_item
from rck.model.robot import Robot, build_robot
from rck.model.subitem import Colour, subitem_of
from rck.simulation.kinematic_state import NO_OBJECT
from rck.simulation.simulation import Simulation
from rck.support.finding import RckError
from rck.support.steps import Steps
from rck.support.units import counted

SHAPES = {"box": 3, "cylinder": 2, "sphere": 1}
"""Number of sizes of each shape: x, y and z; radius and height; radius. In metres."""
SMALLEST, LARGEST = 1e-4, 100.0
"""Range of sizes, in metres."""


def object_item(
    name: str, shape: str, sizes: Sequence[float], pose: Floats, colour: Colour, mass: float | None, fixed: bool
) -> Item:
    """Build the item of an object."""
    if shape not in SHAPES:
        raise RckError(f"unknown shape {shape!r}; use one of {', '.join(SHAPES)}")
    if len(sizes) != SHAPES[shape] or not all(SMALLEST <= size <= LARGEST for size in sizes):
        raise RckError(f"a {shape} needs {counted(SHAPES[shape], 'size')}, each from {SMALLEST:g} to {LARGEST:g} m")
    if shape == "box":
        solid = box(sizes[0], sizes[1], sizes[2])
    elif shape == "cylinder":
        solid = cylinder(sizes[0], sizes[1])
    else:
        solid = sphere(sizes[0], segments=16)
    subitem = subitem_of(solid, colour=colour, mass=mass).unwrap()
    return build_item(name, [subitem], pose=pose, mobile=not fixed).unwrap()


def with_object(simulation: Simulation, plugins: Plugins, item: Item) -> Steps[Simulation]:
    """Return the simulation with an additional object; refuse one that overlaps anything."""
    robot = simulation.robot

    def build() -> Simulation:
        items = [*robot.items, item]
        return _new(
            simulation, build_robot(robot.name, items, robot.joints, robot.frames, robot.devices).unwrap(), plugins
        )

    new: Simulation = yield build
    _continue_from(simulation, new)
    number = new.robot.item_index[item.name]
    overlaps = [pair for pair in new.contacts.overlaps() if number in pair]
    if overlaps:
        others = [new.robot.items[other].name for pair in overlaps for other in pair if other != number]
        raise RckError(f"{item.name} would overlap {', '.join(sorted(others))}")
    return new


def without_object(simulation: Simulation, plugins: Plugins, name: str) -> Steps[Simulation]:
    """Return the simulation without an object; refuse items of robots."""
    robot = simulation.robot
    number = robot.item_index.get(name)
    if number is None:
        raise RckError(f"there is no object {name!r}; objects: {_objects(simulation)}")
    carried = {item for joint in robot.joints for item in (joint.base, *joint.moves)}
    used = {frame.item for frame in robot.frames} | {device.item for device in robot.devices}
    if name in carried | used:
        raise RckError(f"{name} is part of a robot; objects: {_objects(simulation)}")

    def build() -> Simulation:
        items = [item for item in robot.items if item.name != name]
        return _new(
            simulation, build_robot(robot.name, items, robot.joints, robot.frames, robot.devices).unwrap(), plugins
        )

    new: Simulation = yield build
    _continue_from(simulation, new)
    return new


def _objects(simulation: Simulation) -> str:
    return ", ".join(thing.name for thing in simulation.kinematics.objects) or "none"


def _new(simulation: Simulation, robot: Robot, plugins: Plugins) -> Simulation:
    """Return a simulation of another robot with the settings of this one, ready for its first step."""
    new = Simulation(robot, plugins=plugins, collisions=simulation.collisions, cameras=simulation.cameras)
    new.contacts.overlaps()
    return new


def _continue_from(simulation: Simulation, new: Simulation) -> None:
    """Give a simulation with another set of objects and the same joints the state of this one."""
    robot = new.robot
    state, fresh = simulation.save(), new.save()
    names = [thing.name for thing in new.kinematics.objects]
    new_numbers = [names.index(old.name) if old.name in names else NO_OBJECT for old in simulation.kinematics.objects]
    frames = np.array(fresh.placement.frames)
    for old, number in enumerate(new_numbers):
        if number != NO_OBJECT:
            frames[number] = state.placement.frames[old]
    hands = simulation.robot.items
    holds = tuple(
        replace(hold, object=new_numbers[hold.object], item=robot.item_index[hands[hold.item].name])
        for hold in state.placement.holds
        if new_numbers[hold.object] != NO_OBJECT
    )
    for running in state.running:
        running.closing_on = NO_OBJECT if running.closing_on == NO_OBJECT else new_numbers[running.closing_on]
    for name, sensor in fresh.sensors.items():
        sensor.recall(state.sensors[name].record())
    state.placement = replace(state.placement, frames=frozen(frames), holds=holds)
    state.falls = [
        replace(fall, object=new_numbers[fall.object]) for fall in state.falls if new_numbers[fall.object] != NO_OBJECT
    ]
    state.sensors, state.pushed, state.resting, state.touched = fresh.sensors, {}, {}, {}
    new.restore(state)
