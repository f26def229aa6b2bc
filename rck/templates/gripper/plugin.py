"""Gripper: a sticky pad that holds any item in contact, up to a maximum mass."""

from rck.hooks import Gripper, Mount, Option, Surroundings, Values, hookimpl


@hookimpl
def rck_grippers() -> list[Gripper]:
    """Return the gripper."""
    options = (
        Option("gap", "maximum distance from the item", "length", "2 mm"),
        Option("payload", "maximum mass of the item, in kg", "number", 0.5),
    )
    return [Gripper("my-gripper", "a sticky pad", holds, options)]


def holds(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """Return an empty text if the gripper can hold the item, else the reason; the item is named before it."""
    distance = world.distance(mount.item, item)
    if distance > values["gap"]:
        return f"it is {1000 * distance:.1f} mm away"
    mass = world.robot.item(item).mass_properties.mass
    most = values["payload"]
    return f"it weighs {mass:.3g} kg, more than the {most:.3g} kg that the pad can hold" if mass > most else ""
