"""What this package adds to RCK."""

from rck.collision.backend import MeasuringScene
from rck.hooks import CollisionBackend, Need, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import RckError, Robot


def _make(robot: Robot, allowed: ItemPairs) -> MeasuringScene:
    try:
        from rck_collision_coal.scene import CoalScene
    except ImportError as error:
        raise RckError(f"the collision back end coal needs coal: pip install 'rck[coal]' ({error})") from None
    return CoalScene(robot, allowed)


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """The back end that uses coal."""
    needs = (Need("coal", "pip install 'rck[coal]'"),)
    return [CollisionBackend("coal", "the library coal; needs the extra coal", _make, needs)]
