from collections.abc import Callable

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_solvers(solver_contract: Callable[..., None]) -> None:
    solver_contract("my-plugin", goals=5)
