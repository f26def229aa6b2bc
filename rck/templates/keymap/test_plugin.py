from collections.abc import Callable

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_keymaps(keymap_contract: Callable[[str], None]) -> None:
    keymap_contract("my-plugin")
