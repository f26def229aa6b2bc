"""Physics engine MuJoCo, an optional extra."""

from rck.hooks import Need, Option, Physics, PhysicsWorld, Values, hookimpl
from rck.model import RckError, Robot

OPTIONS = (
    Option(
        "environment",
        "environment: gravity, and buoyancy and drag under water",
        "choice",
        "earth",
        ("earth", "moon", "zero-gravity", "under-water"),
    ),
    Option("step", "longest integration time step, in seconds", "number", 0.001),
    Option("limited", "limit motors to their effort limits and torque-speed lines", "flag", True),
    Option("bandwidth", "bandwidth of the joint controllers, in Hz", "number", 8.0),
    Option("integral", "integral gain of the joint controllers, relative to the bandwidth", "number", 0.5),
    Option("gear", "gear ratio of motors without a known rotor inertia: motor turns per joint turn", "number", 1.0),
    Option("rotor-inertia", "rotor inertia of motors without a known one, in kg m2", "number", 0.0),
)


def _make(robot: Robot, values: Values) -> PhysicsWorld:
    try:
        from rck_plugins.physics.mujoco.world import MujocoWorld
    except (ImportError, AttributeError) as error:
        raise RckError(f"physics mujoco needs MuJoCo 3.17 or later: pip install 'rck[mujoco]' ({error})") from None
    return MujocoWorld(robot, values)


@hookimpl
def rck_physics() -> list[Physics]:
    """Return the engine that uses MuJoCo."""
    summary = "MuJoCo: gravity, contact forces and PID-controlled motors; needs the extra mujoco"
    return [Physics("mujoco", summary, _make, OPTIONS, (Need("mujoco", "pip install 'rck[mujoco]'"),))]
