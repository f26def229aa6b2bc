"""Which solver serves a chain."""

from rck.hooks import ChainSolver, Plugins, Solver
from rck.hooks.choosing import choose
from rck.kinematics.chain import chain_between
from rck.kinematics.verifying import verified
from rck.model.finding import RckError
from rck.model.robot import Robot

DEFAULT = "numeric"
"""The solver that serves every chain."""


def solver_for(plugins: Plugins, robot: Robot, base: str, tip: str, name: str | None = None) -> ChainSolver:
    """The solver of that name for the chain from base to tip, each an item or frame; without a name, the best one.

    The best is the first that finds all solutions, then the default, then any other.
    """
    chain = chain_between(robot, base, tip)
    if not chain.joints:
        raise RckError(f"no free joint moves {tip} against {base}")
    if name is not None:
        named = solver_named(plugins, name)
        made = named.make(robot, base, tip)
        if made is None:
            raise RckError(f"solver {name} cannot serve the chain from {base} to {tip}")
        return verified(made, chain, named, plugins)
    for solver in sorted(plugins.all(Solver), key=_rank):
        made = solver.make(robot, base, tip)
        if made is not None:
            return verified(made, chain, solver, plugins)
    raise RckError("no solver can serve this chain; is the plugin of the numeric one switched off?")


def solver_named(plugins: Plugins, name: str) -> Solver:
    """The solver of that name, unless what it needs is missing."""
    return choose(name, plugins.all(Solver), "solver", plugins)


def _rank(solver: Solver) -> int:
    if solver.finds_all:
        return 0
    return 1 if solver.name == DEFAULT else 2
