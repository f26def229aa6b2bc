"""What this package adds to RCK."""

from rck.hooks import ChainSolver, Solver, hookimpl
from rck.model import Robot


def _make(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    from rck.kinematics.chain import chain_between
    from rck.kinematics.numeric import numeric_solver

    chain = chain_between(robot, base, tip)
    return numeric_solver(chain) if chain.joints else None


@hookimpl
def rck_solvers() -> list[Solver]:
    """The search that serves any chain."""
    return [Solver("numeric", "damped least squares within the limits, from many starts; any chain", _make)]
