"""What this package adds to RCK."""

from rck.hooks import ChainSolver, Solver, hookimpl
from rck.model import Robot


def _make(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    from rck.kinematics.chain import chain_between
    from rck_ik_newton.newton_raphson import NewtonRaphson

    chain = chain_between(robot, base, tip)
    return NewtonRaphson(chain) if len(chain.joints) == 6 else None


@hookimpl
def rck_solvers() -> list[Solver]:
    """Newton-Raphson, from the seed alone."""
    return [Solver("newton-raphson", "Newton's method with LU factors, from the seed alone; six joints", _make)]
