"""What this package adds to RCK."""

from rck.hooks import ChainSolver, Need, Solver, hookimpl
from rck.model import RckError, Robot


def _make(robot: Robot, base: str, tip: str) -> ChainSolver | None:
    from rck.kinematics.chain import chain_between

    try:
        from rck_ik_pinocchio.solver import pinocchio_solver
    except ImportError as error:
        raise RckError(f"the solver pinocchio needs pinocchio: pip install 'rck[pinocchio]' ({error})") from None
    return pinocchio_solver(chain_between(robot, base, tip))


@hookimpl
def rck_solvers() -> list[Solver]:
    """The solver that uses pinocchio."""
    summary = "damped least squares on the library pinocchio; needs the extra pinocchio"
    return [Solver("pinocchio", summary, _make, needs=(Need("pinocchio", "pip install 'rck[pinocchio]'"),))]
