"""What this package adds to RCK."""

from rck.hooks import CollisionBackend, CollisionScene, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import Robot


def _make(robot: Robot, allowed: ItemPairs) -> CollisionScene:
    from rck.collision.pairwise import PairwiseScene
    from rck_collision_faces.crossing import polyhedra_touch

    return PairwiseScene(robot, allowed, polyhedra_touch)


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """The back end of the seed simulator."""
    return [CollisionBackend("faces", "every face against every face, as in 1996; a readable reference", _make)]
