"""What this package adds to RCK."""

from collections.abc import Callable
from importlib import import_module

from rck.hooks import ChainSolver, Solver, hookimpl
from rck.model import Robot


def _maker(module: str) -> Callable[[Robot, str, str], ChainSolver | None]:
    """The `recognise` of a module of this package, imported when it is first asked."""

    def make(robot: Robot, base: str, tip: str) -> ChainSolver | None:
        from rck.kinematics.chain import chain_between

        recognise = import_module(f"rck_ik_closed.{module}").recognise
        made: ChainSolver | None = recognise(chain_between(robot, base, tip))
        return made

    return make


@hookimpl
def rck_solvers() -> list[Solver]:
    """The closed forms, each of which knows the chains that it serves."""
    return [
        Solver(
            "six-axis",
            "six joints with a round wrist, 2 and 3 parallel (Puma) or 3 sliding (Stanford), or 2, 3, 4 parallel (UR)",
            _maker("six_axis"),
            finds_all=True,
        ),
        Solver(
            "parallel-axes",
            "up to three turning joints with parallel axes and a sliding one along them: SCARA, planar arms",
            _maker("parallel_axes"),
            finds_all=True,
        ),
        Solver(
            "sliding",
            "Cartesian and cylindrical arms: two or three sliding joints, and one that turns",
            _maker("sliding"),
            finds_all=True,
        ),
    ]
