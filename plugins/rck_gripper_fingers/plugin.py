"""What this package adds to RCK."""

from rck.hooks import Gripper, Mount, Option, Surroundings, Values, hookimpl

OPTIONS = (
    Option("opening", "the widest that goes between the fingers", "length"),
    Option("stroke", "how far the fingers move against each other, where the opening is not known", "length"),
    Option("payload", "the heaviest that it can hold, in kg; 0 for whatever", "number", 0.0),
    Option("angle", "how far the hand may be off the axes of what it takes", "angle", "15 deg"),
    Option("distance", "how far the point between the fingers may be from what it takes", "length", "10 mm"),
)


def _parallel(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    from rck_gripper_fingers.grasp import holds_between_two

    return holds_between_two(world, mount, values, item)


def _round(world: Surroundings, mount: Mount, values: Values, item: str) -> str:
    from rck_gripper_fingers.grasp import holds_between_three

    return holds_between_three(world, mount, values, item)


@hookimpl
def rck_grippers() -> list[Gripper]:
    """The hands with two and with three fingers."""
    return [
        Gripper("parallel-gripper", "two fingers that close in parallel, along x", _parallel, OPTIONS),
        Gripper("three-finger-gripper", "three fingers that close round z", _round, OPTIONS),
    ]
