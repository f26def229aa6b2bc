"""What this package adds to RCK."""

from rck.hooks import Need, Option, Physics, PhysicsWorld, Values, hookimpl
from rck.model import RckError, Robot

OPTIONS = (
    Option(
        "environment",
        "on earth, without weight, or in water",
        "choice",
        "earth",
        ("earth", "moon", "zero-gravity", "under-water"),
    ),
    Option("step", "longest time step of the integration, in seconds", "number", 0.001),
    Option("limited", "motors give no more than their joints' effort", "flag", True),
    Option("bandwidth", "how quickly the controllers of the joints follow, in Hz", "number", 8.0),
    Option("integral", "how quickly they take away what is left, as a share of that", "number", 0.5),
    Option("gear", "turns of the motor for a turn of the joint", "number", 1.0),
    Option("rotor-inertia", "of the motors, in kg m2", "number", 0.0),
)


def _make(robot: Robot, values: Values) -> PhysicsWorld:
    try:
        from rck_physics_mujoco.world import MujocoWorld
    except (ImportError, AttributeError) as error:
        raise RckError(f"physics mujoco needs MuJoCo 4.0 or later: pip install 'rck[mujoco]' ({error})") from None
    return MujocoWorld(robot, values)


@hookimpl
def rck_physics() -> list[Physics]:
    """The engine that uses MuJoCo."""
    summary = "MuJoCo: gravity, contact forces, motors with PID; needs the extra mujoco"
    return [Physics("mujoco", summary, _make, OPTIONS, (Need("mujoco", "pip install 'rck[mujoco]'"),))]
