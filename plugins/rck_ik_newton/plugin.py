"""What this package adds to RCK."""

from rck.hooks import ChainSolver, Solver, hookimpl
from rck.model import Robot


def _make_raphson(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    from rck.kinematics.chain import chain_between
    from rck_ik_newton.newton_raphson import NewtonRaphson

    chain = chain_between(robot, base, tip)
    return NewtonRaphson(chain) if len(chain.joints) == 6 else None


def _make_gauss(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    from rck.kinematics.chain import chain_between
    from rck_ik_newton.newton_gauss import newton_gauss

    chain = chain_between(robot, base, tip)
    return newton_gauss(chain) if len(chain.joints) == 6 else None


@hookimpl
def rck_solvers() -> list[Solver]:
    """Newton's methods."""
    return [
        Solver("newton-raphson", "Newton's method with LU factors, from the seed alone; six joints", _make_raphson),
        Solver(
            "newton-gauss", "seven equations, from the best conditioned start, by continuation; six joints", _make_gauss
        ),
    ]
