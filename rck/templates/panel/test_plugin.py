from collections.abc import Callable

from rck.hooks import EditorPanel
from rck.testing.contracts import Contribution
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_panels(panel_contract: Callable[[str], None]) -> None:
    panel_contract("my-plugin")


def test_it_follows_the_robot(contribution: Contribution) -> None:
    widget = contribution(EditorPanel, "my-plugin").make()
    widget.show_robot(planar_arm(2))
    assert "kg" in str(widget.render())
    widget.show_robot(None)
    assert str(widget.render()) == ""
