"""Closed-form inverse kinematics: every solution at once, for the arms that have one."""

from collections.abc import Callable

from rck.hooks import ChainSolver, Solver, hookimpl
from rck.kinematics.chain import Chain, chain_between
from rck.model import Robot
from rck_plugins.solvers.closed_form import parallel_axes, prismatic, six_axis


def _maker(recognise: Callable[[Chain], ChainSolver | None]) -> Callable[[Robot, str, str], ChainSolver | None]:
    return lambda robot, base, tip: recognise(chain_between(robot, base, tip))


@hookimpl
def rck_solvers() -> list[Solver]:
    """Return the closed forms, each for its family of chains."""
    return [
        Solver(
            "six-axis",
            "six joints: spherical wrist and 2, 3 parallel (Puma) or 3 prismatic (Stanford), or 2, 3, 4 parallel (UR)",
            _maker(six_axis.recognise),
            finds_all=True,
        ),
        Solver(
            "parallel-axes",
            "up to three revolute joints with parallel axes and a prismatic one along them: SCARA, planar arms",
            _maker(parallel_axes.recognise),
            finds_all=True,
        ),
        Solver(
            "sliding",
            "Cartesian and cylindrical arms: two or three prismatic joints, and one revolute joint",
            _maker(prismatic.recognise),
            finds_all=True,
        ),
    ]
