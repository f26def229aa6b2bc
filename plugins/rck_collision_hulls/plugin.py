"""What this package adds to RCK."""

from rck.collision.backend import MeasuringScene
from rck.collision.overlaps import overlap_findings
from rck.hooks import Check, CollisionBackend, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import Robot


def _make(robot: Robot, allowed: ItemPairs) -> MeasuringScene:
    from rck.collision.pairs import pairs_to_test
    from rck.collision.scene import Scene

    return Scene(robot, pairs_to_test(robot, allowed))


@hookimpl
def rck_checks() -> list[Check]:
    """The check for parts that run into each other."""
    return [Check("overlaps", "parts that overlap as the robot stands", overlap_findings)]


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """The back end that RCK itself uses."""
    return [CollisionBackend("hulls", "spheres, then convex hulls, in compiled loops", _make)]
