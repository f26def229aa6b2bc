from textual.widget import Widget

from rck.hooks import EditorPanel
from rck.testing.fixtures import Contribution
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_makes_a_widget_that_follows_the_robot(contribution: Contribution) -> None:
    widget = contribution(EditorPanel, "my-plugin").make()
    assert isinstance(widget, Widget)
    widget.show_robot(planar_arm(2))  # type: ignore[attr-defined]
    assert "kg" in str(widget.render())
    widget.show_robot(None)  # type: ignore[attr-defined]
    assert str(widget.render()) == ""
