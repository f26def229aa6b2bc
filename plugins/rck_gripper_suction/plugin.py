"""What this package adds to RCK."""

from rck.hooks import Gripper, Mount, Option, Surroundings, Values, hookimpl

_COMMON = (
    Option("diameter", "of the face that holds", "length", "10 mm"),
    Option("force", "how hard it holds, in N; 0 for as hard as it takes", "number", 0.0),
    Option("payload", "the heaviest that it can hold, in kg; 0 where the force decides", "number", 0.0),
    Option("gap", "how far the face may be from what it takes", "length", "3 mm"),
    Option("angle", "how far it may lean against the surface", "angle", "10 deg"),
)
_STEEL = Option("least-density", "what is less dense is not iron, in kg/m3", "number", 7000.0)


def _vacuum(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    from rck_gripper_suction.grasp import holds_by_vacuum

    return holds_by_vacuum(world, mount, values, item)


def _magnet(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    from rck_gripper_suction.grasp import holds_by_magnet

    return holds_by_magnet(world, mount, values, item)


@hookimpl
def rck_grippers() -> list[Gripper]:
    """Suction cups and magnets."""
    return [
        Gripper("vacuum-gripper", "suction: a flat place as wide as the cup, light enough", _vacuum, _COMMON),
        Gripper("magnet-gripper", "magnetism: iron, flat, light enough", _magnet, (*_COMMON, _STEEL)),
    ]
