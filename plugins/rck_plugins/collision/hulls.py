"""The default collision backend: bounding spheres, then convex hulls, in compiled kernels."""

from rck.collision.backend import MeasuringScene
from rck.collision.overlaps import overlap_findings
from rck.collision.pairs import pairs_to_test
from rck.collision.scene import HullScene
from rck.hooks import Check, CollisionBackend, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import Robot


def _make(robot: Robot, allowed: ItemPairs) -> MeasuringScene:
    return HullScene(robot, pairs_to_test(robot, allowed))


@hookimpl
def rck_checks() -> list[Check]:
    """Return the check for overlapping parts."""
    return [Check("overlaps", "parts that overlap", overlap_findings)]


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """Return the default backend."""
    return [CollisionBackend("hulls", "spheres, then convex hulls, in compiled kernels", _make)]
