from textual.widget import Widget

from rck.hooks import EditorPanel, discover
from rck.testing.robots import planar_arm


def test_it_makes_a_widget_that_follows_the_robot() -> None:
    panel = next(one for one in discover().all(EditorPanel) if one.name == "my-plugin")
    widget = panel.make()
    assert isinstance(widget, Widget)
    widget.show_robot(planar_arm(2))  # type: ignore[attr-defined]
    assert "kg" in str(widget.render())
    widget.show_robot(None)  # type: ignore[attr-defined]
    assert str(widget.render()) == ""
