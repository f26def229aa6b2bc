"""The control server of the Simulate screen."""

import asyncio
import json
import socket
import sys
from pathlib import Path

import pytest

from rck.control import MotionFailed, connect, connected
from rck.editor.control_server import EmbeddedServer
from rck.editor.simulation_player import SimulationPlayer
from rck.editor.widgets.server_switch import ServerSwitch

CLIENT = Path(__file__).parent.parent / "control" / "clients" / "joint_with_roslibpy.py"


@pytest.fixture
def player(editor, arm, plugins):
    return SimulationPlayer(editor.session(None, arm).compile().unwrap().robot, plugins)


@pytest.fixture
def server(player):
    server = EmbeddedServer(player, port=0)
    yield server
    server.close()


def reachable(port):
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def test_client_moves_the_robot_of_the_screen_and_leaving_the_screen_stops_the_server(editor, arm):
    pytest.importorskip("roslibpy")

    async def story(player):
        await player.press("f4", "o")
        screen = player.app.screen
        switch = screen.query_one(ServerSwitch)
        port = switch.server.port
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
        assert screen.player.simulation.vector[0] == pytest.approx(0.3)
        assert screen.player.playing
        await player.press("space", "o")
        assert "Server off" in player.said
        assert not reachable(port)
        assert not screen.player.shared
        await player.click(switch)
        port = switch.server.port
        assert reachable(port)
        await player.press("f2")
        assert not reachable(port)

    editor.play(story, commands=arm)


@pytest.mark.parametrize("key", ["a", "l", "w", "i", "ctrl+e", "ctrl+o", "ctrl+p"])
def test_dialog_neither_pauses_the_simulation_nor_disconnects_clients(editor, arm, key):
    async def story(player):
        await player.press("f4", "o")
        screen = player.app.screen
        server = screen.query_one(ServerSwitch).server
        player.send("space")
        async with connect(port=server.port) as robot:
            # Pilot waits for the screen to be idle, which it never is while the simulation plays.
            player.send(key)
            while player.app.screen is screen:
                await asyncio.sleep(0.01)
            before = screen.player.simulation.time
            await robot.move_joints_absolute({"shoulder_axis": 0.05})
            assert screen.player.playing
            assert screen.player.simulation.time > before
            player.send("escape")
            while player.app.screen is not screen:
                await asyncio.sleep(0.01)
            await robot.move_joints_absolute({"shoulder_axis": 0.1})
            assert screen.query_one(ServerSwitch).server is server
        await player.press("space")

    editor.play(story, commands=arm)


def test_changed_robot_is_served_on_the_same_port_until_the_editor_ends(editor, arm):
    ports = []

    async def story(player):
        await player.press("f4", "o")
        switch = player.app.screen.query_one(ServerSwitch)
        before = switch.server
        await player.command("remove elbow --with-dependents")
        assert switch.server is not before
        assert switch.server.port == before.port
        assert reachable(before.port)
        ports.append(before.port)
        assert [joint.name for joint in switch.server.hub.world.robot.free_joints] == ["shoulder/axis"]

    editor.play(story, commands=arm)
    assert not reachable(ports[0])


def test_clients_play_pause_and_set_the_speed(player, server):
    with connected(port=server.port) as robot:
        robot.speed(10.0)
        robot.pause(False)
        assert player.playing
        robot.move_joints_absolute({"shoulder_axis": 0.4})
        robot.pause()
        assert not player.playing
        assert player.simulation.vector[0] == pytest.approx(0.4)
        assert player.clock.speed == 10.0
        before = player.simulation.time
        robot.step(0.5)
        assert player.simulation.time == pytest.approx(before + 0.5)


def test_reset_on_the_screen_removes_objects_of_clients_and_stops_their_motions(player, server):
    with connected(port=server.port) as robot:
        robot.spawn("ball", "sphere", [0.02], pose={"position": {"x": 2.0}})
        assert "ball" in player.simulation.robot.item_index
        player.play()
        heard = []
        with pytest.raises(MotionFailed, match="simulation was reset"):
            robot.move_joints_absolute(
                {"shoulder_axis": 0.4}, 1000.0, progress=lambda share: (heard.append(share), player.stop())
            )
        assert robot.call("/state")["objects"] == []
        assert player.simulation.time == 0.0
