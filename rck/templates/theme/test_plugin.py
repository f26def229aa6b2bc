from collections.abc import Callable

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_themes(theme_contract: Callable[[str], None]) -> None:
    theme_contract("my-plugin")
