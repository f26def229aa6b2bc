import numpy as np
import pytest

from rck.hooks import EditorContext, EditorPanel, PanelButton
from rck.testing.editor import editor_context
from rck.testing.robots import planar_arm, six_axis_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_panels(panel_contract):
    panel_contract("manipulability")


def test_stretched_planar_arm_cannot_move_outward(installed_plugins):
    installed_plugins.load_all()
    from manipulability_panel import tool_speeds

    arm = planar_arm(2)
    assert tool_speeds(arm, arm.items[-1].name)[1] == pytest.approx(0, abs=1e-12)
    assert np.all(np.diff(tool_speeds(six_axis_arm(), "tool")) <= 0)


def test_button_keeps_the_present_pose(contribution):
    panel = contribution(EditorPanel, "manipulability")
    arm = planar_arm(2)
    context = editor_context(arm)
    context = EditorContext(context.document, arm, tool=arm.items[-1].name)
    button = list(panel.show(context))[-1]
    assert isinstance(button, PanelButton)
    button.press(context)
    (line,) = context.commands
    assert line.startswith("pose agile-1 ")
    assert line.count("rad") == 2


def test_it_is_shown_in_the_editor(editor):
    assert "no tool" in editor.panels["manipulability"]
    editor.do("create robotis/xm430-w350 motor")
    editor.do("tool tip motor.horn")
    assert "w = " in editor.panels["manipulability"]
    assert "[ Keep this pose ]" in editor.panels["manipulability"]
