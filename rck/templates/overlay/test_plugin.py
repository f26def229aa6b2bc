from collections.abc import Callable

from rck.hooks import Overlay
from rck.testing.contracts import Contribution
from rck.testing.editor import editor_context
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_overlays(overlay_contract: Callable[[str], None]) -> None:
    overlay_contract("my-plugin")


def test_it_draws_a_line_for_each_joint(contribution: Contribution) -> None:
    overlay = contribution(Overlay, "my-plugin")
    shapes = overlay.draw(editor_context(planar_arm(3)))
    assert len(shapes.lines) == 3
    assert len(shapes.legend) == 2
    assert not overlay.draw(editor_context(None)).lines
