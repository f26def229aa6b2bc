"""A gripper: a sticky pad that holds whatever it touches, up to a mass."""

from rck.hooks import Gripper, Mount, Option, Surroundings, Values, hookimpl


@hookimpl
def rck_grippers() -> list[Gripper]:
    """What this plugin adds."""
    options = (
        Option("gap", "how far it may be from what it takes", "length", "2 mm"),
        Option("payload", "the heaviest that it can hold, in kg", "number", 0.5),
    )
    return [Gripper("my-gripper", "a sticky pad", holds, options)]


def holds(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    """An empty text if it can hold the item, else why not; whoever shows the reason puts the item before it."""
    distance = world.distance(mount.item, item)
    if distance > values["gap"]:
        return f"it is {1000 * distance:.1f} mm away"
    mass = world.robot.item(item).mass_properties.mass
    most = values["payload"]
    return f"it weighs {mass:.3g} kg, more than the {most:.3g} kg that the pad can hold" if mass > most else ""
