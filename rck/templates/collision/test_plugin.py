from collections.abc import Callable

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_collision_back_ends(collision_contract: Callable[..., None]) -> None:
    collision_contract("my-plugin", pairs=20)
