"""The switch of the Simulate screen: other programs take part in what is played, while it is on."""

import asyncio
import json
import socket
import sys
from pathlib import Path

import pytest

from rck.control import MotionFailed, connected
from rck.editor.opening import Opening
from rck.editor.theatre import Theatre
from rck.editor.widgets.opening_switch import OpeningSwitch

CLIENT = Path(__file__).parent.parent / "control" / "clients" / "joint_with_roslibpy.py"


@pytest.fixture
def theatre(editor, arm, plugins):
    return Theatre(editor.session(None, arm).compile().unwrap().robot, plugins)


@pytest.fixture
def opened(theatre):
    opening = Opening(theatre, port=0)
    yield opening
    opening.close()


def reachable(port):
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def test_a_program_moves_what_the_screen_plays_and_leaving_the_screen_shuts_it_out(editor, arm):
    pytest.importorskip("roslibpy")

    async def story(player):
        await player.press("f4", "o")
        screen = player.app.screen
        switch = screen.query_one(OpeningSwitch)
        port = switch.opening.port
        assert f"ws://127.0.0.1:{port}   0 clients" in str(switch.content)
        player.send("space")
        program = await asyncio.create_subprocess_exec(
            sys.executable, str(CLIENT), str(port), "shoulder_axis", "0.3", stdout=asyncio.subprocess.PIPE
        )
        while "1 client" not in str(switch.content):
            await asyncio.sleep(0.01)
        printed, _ = await program.communicate()
        states = json.loads(printed)
        assert len(states) > 5
        assert [time for time, _ in states] == sorted(time for time, _ in states)
        assert states[-1][1] == pytest.approx(0.3)
        assert screen.theatre.simulation.vector[0] == pytest.approx(0.3)
        assert screen.theatre.playing
        await player.press("space", "o")
        assert "closed" in player.said
        assert not reachable(port)
        assert not screen.theatre.shared
        await player.click(switch)
        port = switch.opening.port
        assert reachable(port)
        await player.press("f2")
        assert not reachable(port)

    editor.play(story, commands=arm)


def test_another_robot_is_served_where_the_one_before_was_and_nothing_after_the_editor(editor, arm):
    ports = []

    async def story(player):
        await player.press("f4", "o")
        switch = player.app.screen.query_one(OpeningSwitch)
        before = switch.opening
        await player.command("remove elbow --with-dependents")
        assert switch.opening is not before
        assert switch.opening.port == before.port
        assert reachable(before.port)
        ports.append(before.port)
        assert [joint.name for joint in switch.opening.hub.world.robot.free_joints] == ["shoulder/axis"]

    editor.play(story, commands=arm)
    assert not reachable(ports[0])


def test_programs_play_pause_and_change_the_speed_of_the_theatre(theatre, opened):
    with connected(port=opened.port) as robot:
        robot.speed(10.0)
        robot.pause(False)
        assert theatre.playing
        robot.move_joints_absolute({"shoulder_axis": 0.4})
        robot.pause()
        assert not theatre.playing
        assert theatre.simulation.vector[0] == pytest.approx(0.4)
        assert theatre.player.speed == 10.0
        before = theatre.simulation.time
        robot.step(0.5)
        assert theatre.simulation.time == pytest.approx(before + 0.5)


def test_who_puts_the_theatre_back_takes_away_what_programs_added_and_ends_their_motions(theatre, opened):
    with connected(port=opened.port) as robot:
        robot.spawn("ball", "sphere", [0.02], pose={"position": {"x": 2.0}})
        assert "ball" in theatre.simulation.robot.item_index
        theatre.play()
        heard = []
        with pytest.raises(MotionFailed, match="put back"):
            robot.move_joints_absolute(
                {"shoulder_axis": 0.4}, 1000.0, progress=lambda share: (heard.append(share), theatre.stop())
            )
        assert robot.call("/state")["objects"] == []
        assert theatre.simulation.time == 0.0
