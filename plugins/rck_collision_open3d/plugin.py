"""What this package adds to RCK."""

from rck.hooks import CollisionBackend, CollisionScene, Need, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import RckError, Robot


def _make(robot: Robot, allowed: ItemPairs) -> CollisionScene:
    from rck.collision.pairwise import PairwiseScene

    try:
        from rck_collision_open3d.casting import Casting
    except (ImportError, OSError) as error:
        # Its wheel imports only where some libraries of the system are.
        raise RckError(
            f"the collision back end open3d needs Open3D: pip install 'rck[open3d]'; `rck doctor` names missing"
            f" libraries ({error})"
        ) from None
    return PairwiseScene(robot, allowed, Casting())


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """The back end that uses Open3D."""
    needs = (Need("open3d", "pip install 'rck[open3d]'"),)
    return [CollisionBackend("open3d", "rays and signed distances of Open3D; needs the extra open3d", _make, needs)]
