"""What this package adds to RCK."""

from rck.hooks import CollisionBackend, CollisionScene, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import Robot


def _make(robot: Robot, allowed: ItemPairs) -> CollisionScene:
    from rck.collision.pairwise import PairwiseScene
    from rck_collision_pocoda.pocoda import Pocoda

    return PairwiseScene(robot, allowed, Pocoda())


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """The back end of ROBOSIM."""
    return [CollisionBackend("pocoda", "boxes, then edges through polygons, as in ROBOSIM", _make)]
