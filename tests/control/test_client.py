"""The Python clients with real servers."""

import asyncio
import runpy
import threading
from math import nan, pi, radians
from pathlib import Path

import pytest

from rck.control import CommandRefused, MotionFailed, connect, connected
from rck.control.hub import Hub
from rck.control.server import Address
from rck.geometry.transforms import translation
from rck.support.finding import RckError

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def quick(world):
    """Set the real-time factor of a world to 50."""
    world.set_speed(50.0)
    return world


def test_commands_return_when_done(world_of, serving):
    with serving(Hub(quick(world_of()))) as served, connected(port=served.port, name="tester") as robot:
        assert robot.joints == ("scara_a1", "scara_a2", "scara_a3", "scara_a4")
        seen = []
        robot.move_joints_absolute([0.3, 0.8, 0.0, 0.0], progress=lambda told: seen.append(told["state"]))
        assert seen[0] == "started"
        assert robot.joint_positions()["scara_a2"] == pytest.approx(0.8)
        robot.move_joints_relative({"scara_a1": 0.1})
        assert robot.joint_positions()["scara_a1"] == pytest.approx(0.4)
        robot.follow_trajectory([1.0, 2.0], [{"scara_a1": 0.2}, {"scara_a1": 0.0}])
        assert robot.joint_positions()["scara_a1"] == pytest.approx(0.0, abs=1e-9)
        robot.robot_speed(0.5)
        robot.robot_speed()
        for speed in (0.0, -1.0, nan):
            with pytest.raises(CommandRefused, match="robot_speed"):
                robot.robot_speed(speed)
        robot.open_gripper()
        robot.spawn("cube", pose={"position": {"x": 1.0, "y": 1.0, "z": 0.5}})
        assert "cube" in robot.call("/state")["objects"]
        robot.remove("cube")
        assert isinstance(robot.collisions(), list)
        robot.pause()
        before = robot.latest("/clock")
        robot.step(0.5)
        assert robot.latest("/clock") != before
        robot.reset()
        assert robot.joint_positions()["scara_a2"] == pytest.approx(0.0)


def test_refusals_and_failures_raise_different_errors(served):
    with connected(port=served.port) as robot:
        with pytest.raises(CommandRefused, match="limits"):
            robot.move_joints_absolute({"scara_a1": 100.0})
        with pytest.raises(CommandRefused, match="no joint"):
            robot.move_joints_absolute({"scara_z": 0.0})
        with pytest.raises(CommandRefused, match="cannot be reached"):
            robot.move_end_effector(translation((9.0, 9.0, 9.0)))
        with pytest.raises(CommandRefused, match="no service"):
            robot.call("/fly")
        with pytest.raises(RckError, match="2 positions for 4 joints"):
            robot.move_joints_absolute([0.0, 0.0])
        with pytest.raises(MotionFailed):
            robot.close_gripper()
        assert robot.inverse_kinematics(translation((9.0, 9.0, 9.0))) == []


def test_stopped_motion_fails_with_the_reason(served):
    with connected(port=served.port, name="mover") as mover, connected(port=served.port, name="stopper") as stopper:
        moving = threading.Event()
        failed = []

        def move():
            try:
                mover.move_joints_absolute({"scara_a1": 3.0}, 60.0, progress=lambda _: moving.set())
            except MotionFailed as error:
                failed.append(str(error))

        thread = threading.Thread(target=move)
        thread.start()
        moving.wait(30)
        stopper.call("/stop", {"motion": stopper.call("/state")["motions"][0]["motion"]})
        thread.join(30)
        assert failed == ["/move_joints: stopped by stopper"]


def test_cancelling_the_wait_stops_the_motion(served):
    async def run():
        async with connect(port=served.port) as robot:
            moving = asyncio.Event()
            work = asyncio.create_task(
                robot.move_joints_absolute({"scara_a1": 3.0}, 60.0, progress=lambda _: moving.set())
            )
            await moving.wait()
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work
            while (await robot.call("/state"))["motions"]:
                await asyncio.sleep(0.01)

    asyncio.run(run())


def test_missing_or_lost_server_raises_an_error_with_the_reason(world_of, serving):
    with pytest.raises(RckError, match="no control server at"), connected(port=1):
        pass
    with serving(Hub(world_of()), Address(port=0, token="secret")) as served:
        with pytest.raises(RckError, match="401"), connected(port=served.port):
            pass
        with connected(port=served.port, token="secret") as robot:
            assert robot.joints
    with serving(Hub(world_of())) as short:
        client = connected(port=short.port)
        robot = client.__enter__()
    with pytest.raises(RckError, match="connection to the server lost"):
        robot.joint_positions()
    client.__exit__(None, None, None)


@pytest.mark.slow
def test_puma_example_places_the_cube_on_the_stage(world_of, serving):
    example = runpy.run_path(str(EXAMPLES / "remote_puma.py"))
    with serving(Hub(quick(world_of("puma-cell")))) as served, connected(port=served.port) as puma:
        puma.joints = [f"puma_j{number}" for number in range(1, 7)]
        puma.tip = "grip"
        begin = served.hub.world.time
        example["move_joints"](puma)
        # 70, 40 and 60 degrees of the joint that moves farthest, at 0.3 rad/s.
        assert served.hub.world.time - begin > radians(170) / 0.3 - 0.1
        assert puma.joint_positions()["puma_j3"] == pytest.approx(-pi / 2)
        example["put_cube_on_stage"](puma)
        cube = puma.call("/get_pose", {"name": "cube/cube"})["pose"]["position"]
        assert (cube["x"], cube["y"]) == pytest.approx((0.26, 0.14), abs=0.005)
        assert cube["z"] > 0.735


@pytest.mark.slow
def test_handover_example_passes_the_ball_to_the_other_puma(world_of, serving):
    example = runpy.run_path(str(EXAMPLES / "remote_handover.py"))
    with serving(Hub(quick(world_of("handover-cell")))) as served:
        asyncio.run(example["main"](served.port))
        view = served.hub.world.simulation.view
        ball = view.poses[served.hub.world.robot.item_index["ball/ball"]][:3, 3]
        assert ball[:2] == pytest.approx((0.27, 0.3), abs=0.03)
