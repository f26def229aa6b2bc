from collections.abc import Callable

from rck.hooks import EditorPanel, PanelButton, PanelText
from rck.testing.contracts import Contribution
from rck.testing.editor import editor_context
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_panels(panel_contract: Callable[[str], None]) -> None:
    panel_contract("my-plugin")


def test_it_shows_the_mass_of_the_robot(contribution: Contribution) -> None:
    panel = contribution(EditorPanel, "my-plugin")
    content = list(panel.show(editor_context(planar_arm(2))))
    assert isinstance(content[0], PanelText)
    assert content[0].text.endswith(" kg")
    assert list(panel.show(editor_context(None))) == []


def test_its_button_runs_a_command(contribution: Contribution) -> None:
    panel = contribution(EditorPanel, "my-plugin")
    button = list(panel.show(editor_context(planar_arm(2))))[-1]
    assert isinstance(button, PanelButton)
    context = editor_context(planar_arm(2))
    button.press(context)
    assert context.commands == ["show masses"]
