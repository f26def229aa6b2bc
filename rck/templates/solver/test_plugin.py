from rck.hooks import Solver, discover
from rck.testing.robots import six_axis_arm
from rck.testing.solvers import check_solver


def test_it_keeps_the_contract_of_solvers() -> None:
    solver = next(one for one in discover().all(Solver) if one.name == "my-plugin")
    check_solver(solver, six_axis_arm(), "base", "tool", goals=5)
