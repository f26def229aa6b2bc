import pytest

from rck.hooks import Overlay
from rck.testing.editor import editor_context
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contracts_of_themes_overlays_and_actions(theme_contract, overlay_contract, action_contract):
    theme_contract("night-shift")
    overlay_contract("footprint")
    action_contract("lights-out")


def test_footprint_contains_the_robot(contribution):
    shapes = contribution(Overlay, "footprint").draw(editor_context(planar_arm(3)))
    (lines,) = shapes.lines
    assert lines.ends.shape == (4, 2, 3)
    assert lines.ends[..., 2] == pytest.approx(0)


def test_key_moves_the_joints_home(editor):
    for line in ("create robotis/xm430-w350 motor", "pose bent motor/axis=30", "go bent"):
        editor.do(line)
    assert editor.session.document.robot.positions != pytest.approx(0)
    editor.press("f9")
    assert editor.session.document.robot.positions == pytest.approx(0)
