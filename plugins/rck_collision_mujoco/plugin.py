"""What this package adds to RCK."""

from rck.collision.backend import MeasuringScene
from rck.hooks import CollisionBackend, Need, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import RckError, Robot


def _make(robot: Robot, allowed: ItemPairs) -> MeasuringScene:
    try:
        from rck_collision_mujoco.scene import MujocoScene
    except ImportError as error:
        raise RckError(f"the collision back end mujoco needs MuJoCo: pip install 'rck[mujoco]' ({error})") from None
    return MujocoScene(robot, allowed)


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """The back end that uses MuJoCo."""
    needs = (Need("mujoco", "pip install 'rck[mujoco]'"),)
    return [CollisionBackend("mujoco", "the contacts of MuJoCo; needs the extra mujoco", _make, needs)]
