from collections.abc import Callable

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_start_templates(template_contract: Callable[[str], None]) -> None:
    template_contract("my-plugin")
