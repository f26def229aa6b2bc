"""The default solver of inverse kinematics: a search for any chain, including redundant ones."""

from rck.hooks import ChainSolver, Solver, hookimpl
from rck.kinematics.chain import chain_between
from rck.kinematics.numeric_solver import numeric_solver
from rck.model import Robot


def _make(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    chain = chain_between(robot, base, tip)
    return numeric_solver(chain) if chain.joints else None


@hookimpl
def rck_solvers() -> list[Solver]:
    """Return the search for any chain."""
    return [Solver("numeric", "damped least squares within the limits, from many starts; any chain", _make)]
