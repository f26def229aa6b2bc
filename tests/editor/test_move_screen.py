"""The Move screen: sliders, jog pad, named poses, contacts, figures."""

import re

import numpy as np
import pytest

from rck.editor.screens.move_screen import PoseList
from rck.editor.widgets.jog_pad import JogPad
from rck.editor.widgets.joint_sliders import JointSliders
from rck.editor.widgets.robot_figures import figures_text, reach
from rck.editor.workbench import Selected
from rck.kinematics import chain_between
from rck.kinematics.jog import Jogger, JogStep

LYING = (
    "create kit/foot",
    "create kit/servo shoulder --at foot.top --by side",
    "create kit/link upper --at shoulder.horn --by a --turn 90",
    "create kit/servo elbow --at upper.b --by back",
    "create kit/link fore --at elbow.horn --by a",
    "tool grip fore.b",
)
"""Both axes are horizontal: the servos hold the links up."""


def test_keys_move_the_joint_under_the_cursor_in_one_command(editor, arm):
    async def story(player):
        await player.press("f3")
        sliders = player.app.screen.query_one(JointSliders)
        assert sliders.has_focus
        assert player.bench.selection == (Selected("joint", "shoulder/axis"),)
        await player.press("right", "right", "shift+right")
        assert player.bench.preview is not None
        assert player.bench.session.history.past == ()
        await player.press("down")
        assert [line for line, _ in player.bench.session.history.past] == ["drive shoulder/axis 12"]
        assert sliders.joint.name == "elbow/axis"
        await player.press("end")
        assert sliders.position(1) == pytest.approx(150)
        await player.press("escape")
        assert player.bench.preview is None
        assert len(player.bench.session.history.past) == 1
        await player.press("left", "0", "up")
        assert player.bench.built.value.robot.joint("elbow/axis").position == 0
        await player.press("ctrl+z")
        assert player.bench.assembly.joints == {}

    editor.play(story, commands=arm)


def test_joint_steps_have_the_same_resolution_in_other_units(editor, arm):
    async def story(player):
        await player.press("f3", "right", "right", "shift+right", "down")
        # A hundredth of a radian is the largest power of ten below a degree.
        assert player.bench.session.history.past[-1][0] == "drive shoulder/axis 0.12"

    editor.play(story, commands=(*arm, "set units angle=rad"))


def test_poses_are_saved_reached_and_deleted(editor, arm):
    async def story(player):
        await player.press("f3", "right", "down", "s")
        await player.type("aside\r")
        assert player.bench.assembly.poses.keys() == {"aside"}
        await player.press("escape", "h")
        assert player.bench.built.value.robot.joint("shoulder/axis").position == 0
        poses = player.app.screen.query_one(PoseList)
        assert [one.id for one in poses.options] == ["aside", "home"]
        poses.focus()
        await player.press("home", "enter")
        assert np.degrees(player.bench.built.value.robot.joint("shoulder/axis").position) == pytest.approx(1)
        await player.press("delete")
        assert player.bench.assembly.poses == {}

    editor.play(story, commands=arm, size=(100, 40))


def test_contacts_are_shown_while_dragging_and_cleared_on_other_screens(editor):
    async def story(player):
        await player.press("f3")
        assert player.bench.colliding == frozenset()
        sliders = player.app.screen.query_one(JointSliders)
        sliders.move_to(-90)
        await player.rest()
        assert player.bench.session.history.past == ()
        assert player.bench.colliding == {"foot/plate", "upper/bar"}
        told = str(player.app.screen.query_one("#numbers-text").render())
        assert re.search(r"foot/plate collides with upper/bar \d+\.\d mm deep", told)
        await player.press("f2")
        assert player.bench.colliding == frozenset()

    editor.play(story, commands=LYING)


def test_jog_step_moves_the_tool_in_world_and_tool_axes(editor):
    async def story(player):
        await player.press("f3")
        pad = player.app.screen.query_one(JogPad)
        pad.focus()
        await player.rest()

        def tool():
            return player.bench.shown.robot.world_from("grip")

        start = tool()
        await player.press("pageup")
        gone = tool()[:3, 3] - start[:3, 3]
        assert gone == pytest.approx((0, 0, 0.01), abs=1e-4)
        await player.press("minus", "f", "right")
        along = tool()[:3, 3] - start[:3, 3] - gone
        assert np.linalg.norm(along) == pytest.approx(0.005, abs=1e-4)
        assert player.bench.session.history.past == ()
        pad.settle()
        assert len(player.bench.session.history.past) == 1
        assert player.bench.session.history.past[0][0].startswith("drive shoulder/axis ")
        await player.press("r", "up")
        assert "the target is out of reach of grip; the closest pose is" in pad.render().plain
        await player.press("ctrl+z")
        assert tool() == pytest.approx(start)

    editor.play(story, commands=(*LYING, "drive elbow/axis 40"), size=(100, 40))


def test_reason_of_a_failed_jog_step_stays_when_the_motion_becomes_a_command(editor):
    async def story(player):
        await player.press("f3")
        pad = player.app.screen.query_one(JogPad)
        pad.focus()
        await player.press("left", "plus", *["left"] * 6)
        pad.settle()
        await player.rest()
        assert player.bench.session.history.past
        reason = "joint limits prevent it: it needs elbow/axis at "
        assert reason in pad.render().plain
        shown = [[segment.text for segment in pad.render_line(y)] for y in range(pad.size.height + 2)]
        words = " ".join("".join(line).strip("│ ") for line in shown)
        assert reason in words
        assert "closest pose is" in words

    editor.play(story, commands=(*LYING, "drive elbow/axis 40", "set joint elbow/axis limits=0..60"), size=(80, 24))


def test_jog_arrows_can_be_clicked_and_a_missing_tool_is_offered(editor):
    async def story(player):
        await player.press("f3")
        pad = player.app.screen.query_one(JogPad)
        pad.focus()
        assert "tool grip fore.b" in pad.render().plain
        await player.press("enter", "enter")
        assert player.bench.assembly.tools["grip"].on == "fore.b"
        text = pad.render().plain
        await player.click(pad, (2 + text.index("z") + 7, 1))
        assert player.bench.preview is not None

    editor.play(story, commands=(*LYING[:-1], "drive elbow/axis 40"), size=(100, 40))


def test_six_joints_keep_the_tool_direction_and_fewer_relax_it(editor, plugins):
    four = editor.session(commands=(*LYING, "drive elbow/axis 40")).compile().value.robot
    step = JogStep("z", 10)
    positions = Jogger(plugins).solve(four, four, "grip", step)
    assert positions.keys() == {"shoulder/axis", "elbow/axis"}


def test_figures_show_tool_pose_reach_mass_and_holding_torque(editor):
    robot = editor.session(commands=(*LYING, "set joint elbow/axis torque=0.05")).compile().value.robot
    told = figures_text(robot).plain
    pose = robot.world_from("grip")
    x, y, z = 1000 * pose[:3, 3]
    assert f"grip {x + 0.0:.1f} {y + 0.0:.1f} {z + 0.0:.1f} mm" in told.replace("-0.0", "0.0")
    assert f"reach {1000 * reach(robot, 'grip'):.0f} mm" in told
    assert "mass 1.820 kg" in told
    assert "overloaded" in told
    assert " of 4 N m" in told


def test_clicking_an_instance_selects_the_joint_that_moves_it(editor, arm):
    async def story(player):
        await player.press("f3", "down")
        view = player.app.screen.query_one("#view")
        view.post_message(view.Picked(Selected("instance", "upper"), add=False))
        await player.rest()
        assert player.app.screen.query_one(JointSliders).joint.name == "shoulder/axis"

    editor.play(story, commands=arm)


def test_reach_map_stays_while_joints_move_and_is_hidden_by_key_or_when_outdated(editor):
    async def story(player):
        await player.press("f3", "a")
        robot = player.bench.built.value.robot
        points, colours = player.bench.reach_cloud.points, player.bench.reach_cloud.colours
        assert len(points) == len(colours) > 50
        told = str(player.app.screen.query_one("#numbers-text").render())
        assert re.search(r"grip reaches [\d,]+ cells of \d+ mm", told)
        assert len(np.unique(points[:, 1].round(6))) == 1
        away = np.linalg.norm(points - robot.joint("shoulder/axis").start, axis=1)
        # As far as the arm is long, and half a cell.
        assert away.max() < 1.1 * chain_between(robot, "foot/plate", "grip").reach
        await player.press("right", "right", "down")
        assert player.bench.session.history.past
        assert player.bench.reach_cloud.points is points
        await player.press("a")
        assert player.bench.reach_cloud is None
        assert "reaches" not in str(player.app.screen.query_one("#numbers-text").render())
        await player.press("a")
        await player.command("set joint elbow/axis limits=-10..10")
        assert player.bench.reach_cloud is None
        assert "hidden" in player.said

    editor.play(story, commands=LYING)


def test_reach_map_is_cancelled_by_its_key_or_escape_and_needs_a_tool(editor):
    async def story(player):
        await player.press("f3")
        for stop in ("action_reach", "action_escape"):
            player.app.screen.action_reach()
            getattr(player.app.screen, stop)()
            await player.rest()
            assert "stopped" in player.said
            assert player.bench.reach_cloud is None
        await player.command("remove tool grip")
        await player.press("a")
        assert "`tool grip fore.b` adds one" in player.said

    editor.play(story, commands=LYING)


def test_a_joint_that_a_loop_moves_is_shown_and_moves_the_others(real_editor):
    async def story(player):
        await player.press("f3")
        sliders = player.app.screen.query_one(JointSliders)
        names = [joint.name for joint in sliders._joints]
        assert sorted(names) == ["m/crank", "m/elbow", "m/rocker"]
        knobs = {
            name: "".join(segment.text for segment in sliders.render_line(number)) for number, name in enumerate(names)
        }
        assert ["○" in knobs[name] for name in ("m/crank", "m/elbow", "m/rocker")] == [False, True, True]
        rocker, crank = names.index("m/rocker"), names.index("m/crank")
        before = sliders.position(rocker)
        sliders.go_to("m/crank")
        await player.press("shift+right")
        # The preview moves the read-out too.
        assert abs(sliders.position(rocker) - before) > 1.0
        sliders.go_to("m/rocker")
        sliders.move_to(120.0)
        sliders.settle()
        assert player.bench.session.history.past[-1][0] == "drive m/rocker 120"
        assert sliders.position(crank) == pytest.approx(122.0573, abs=1e-3)

    real_editor.play(story, commands=("create generic/four-bar m",))
