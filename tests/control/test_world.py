"""Services of a served world: motions, trajectories, poses, objects and conflicts between clients."""

import asyncio
import json

import msgspec
import numpy as np
import pytest

from rck.control.client_session import ClientSession
from rck.control.hub import Hub
from rck.control.protocol import ProtocolError
from rck.control.served_state import state_of
from rck.control.services import Caller
from rck.control.topics import joint_states
from rck.support.finding import RckError
from rck.support.steps import run_steps


@pytest.fixture
def hub(world_of):
    return Hub(world_of())


def call(hub, service, caller="one", **args):
    who = caller if isinstance(caller, Caller) else Caller(caller)
    return asyncio.run(hub.call(who, service, json.dumps(args).encode()))


def refused(hub, service, caller="one", **args):
    with pytest.raises(ProtocolError) as caught:
        call(hub, service, caller, **args)
    return caught.value.reason


def run(hub, seconds, step=0.01):
    for _ in range(round(seconds / step)):
        hub.world.step(step)


def listening(hub):
    """Return a list that collects motions whose state changes."""
    hub.publish_motions()
    told = []
    hub.add_listener(told.append)
    return told


def trajectory(joints, *points):
    return {
        "joint_names": list(joints),
        "points": [{"positions": list(p), "time_from_start": {"sec": s, "nanosec": ns}} for p, s, ns in points],
    }


def test_joints_move_to_the_requested_positions(hub):
    reply = call(hub, "/move_joints", joints={"scara_a1": 0.4, "scara/a3": 0.05}, duration=1.0)
    assert reply["success"]
    assert reply["duration"] == pytest.approx(1.0)
    run(hub, 1.1)
    assert hub.world.positions["scara/a1"] == pytest.approx(0.4)
    assert hub.world.positions["scara/a3"] == pytest.approx(0.05)
    call(hub, "/move_joints", joints={"scara_a1": -0.1}, relative=True)
    run(hub, 1.0)
    assert hub.world.positions["scara/a1"] == pytest.approx(0.3)


def test_warm_up_changes_nothing(hub, world_of):
    before = state_of(hub.world)
    hub.world.warm_up()
    assert msgspec.json.encode(state_of(hub.world)) == msgspec.json.encode(before)
    call(hub, "/move_joints", joints={"scara_a1": 0.4}, duration=1.0)
    other = Hub(world_of())
    call(other, "/move_joints", joints={"scara_a1": 0.4}, duration=1.0)
    for one in (hub, other):
        run(one, 0.5)
    assert (hub.world.simulation.vector == other.world.simulation.vector).all()


def test_motion_is_started_moving_and_done(hub):
    number = call(hub, "/move_joints", joints={"scara_a1": 0.4}, duration=1.0)["motion"]
    told = listening(hub)
    run(hub, 1.1)
    hub.publish_motions()
    assert [motion.state for motion in told if motion.number == number][-1] == "done"
    assert {motion.state for motion in told} == {"moving", "done"}
    shares = [motion.progress for motion in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_trajectory_passes_its_points_on_time(hub):
    points = trajectory(["scara_a1", "scara_a2"], ([0.1, 0.2], 0, 500_000_000), ([0.3, -0.1], 1, 0))
    call(hub, "/follow_joint_trajectory", trajectory=points)
    run(hub, 0.5)
    assert hub.world.positions["scara/a1"] == pytest.approx(0.1)
    assert hub.world.positions["scara/a2"] == pytest.approx(0.2)
    run(hub, 0.5)
    assert hub.world.positions["scara/a2"] == pytest.approx(-0.1)


def test_trajectory_passes_its_points_at_their_velocities(hub):
    points = trajectory(["scara_a1"], ([0.1], 0, 500_000_000), ([0.3], 1, 0))
    points["points"][0]["velocities"] = [0.4]
    points["points"][1]["velocities"] = [0.0]
    plan = run_steps(hub.world.plan_trajectory(json_trajectory(points)))
    assert plan.path.at(0.5) == pytest.approx([0.1])
    assert plan.path.speed_at(0.5) == pytest.approx([0.4])
    assert plan.path.speed_at(1.0) == pytest.approx([0.0])


def json_trajectory(message):
    import msgspec

    from rck.control.messages import JointTrajectory

    return msgspec.convert(message, JointTrajectory)


def test_too_fast_trajectory_is_slowed_down_and_reported(hub):
    reply = call(hub, "/follow_joint_trajectory", trajectory=trajectory(["scara_a1"], ([1.5], 0, 1_000_000)))
    assert "RCK903" in reply["message"]
    assert reply["duration"] > 0.01


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (trajectory([], ([], 1, 0)), "at least one"),
        (trajectory(["scara_a1", "scara/a1"], ([0.1, 0.1], 1, 0)), "once"),
        (trajectory(["scara_b1"], ([0.1], 1, 0)), "no joint 'scara_b1'"),
        (trajectory(["scara_a1"], ([0.1, 0.2], 1, 0)), "needs 1 position"),
        (trajectory(["scara_a1"], ([0.1], 1, 0), ([0.2], 1, 0)), "must increase"),
        (trajectory(["scara_a1"], ([0.1], -1, 0)), "must increase"),
        (trajectory(["scara_a1"], ([0.5], 0, 0), ([0.6], 1, 0)), "starts 0.5 away"),
        (trajectory(["scara_a1"], ([50.0], 100, 0)), "limits"),
        (trajectory(["scara_a1"]), "points"),
        ({"joint_names": ["scara_a1"], "points": "many"}, "points"),
        ({"joint_names": ["x" * 100_000], "points": [{"positions": [0.0]}]}, "100000 characters"),
    ],
)
def test_invalid_trajectory_is_refused_with_the_reason(hub, message, words):
    before = dict(hub.world.positions)
    assert words in refused(hub, "/follow_joint_trajectory", trajectory=message)
    run(hub, 0.1)
    assert hub.world.positions == before


def test_new_motion_of_the_same_client_replaces_the_old_one(hub):
    first = call(hub, "/move_joints", joints={"scara_a1": 1.0}, duration=2.0)["motion"]
    run(hub, 0.5)
    told = listening(hub)
    call(hub, "/move_joints", joints={"scara_a1": 0.0}, duration=1.0)
    assert [(motion.number, motion.state) for motion in told] == [(first, "stopped"), (first + 1, "started")]
    run(hub, 1.1)
    assert hub.world.positions["scara/a1"] == pytest.approx(0.0)


def test_joint_that_another_client_moves_is_refused(hub):
    call(hub, "/move_joints", caller="first", joints={"scara_a1": 1.0}, duration=2.0)
    reason = refused(hub, "/move_joints", caller="second", joints={"scara_a1": 0.0})
    assert "scara/a1 is being moved by first" in reason
    assert call(hub, "/move_joints", caller="second", joints={"scara_a2": 0.2})["success"]


def test_motion_can_be_stopped(hub):
    number = call(hub, "/move_joints", joints={"scara_a1": 1.0}, duration=2.0)["motion"]
    run(hub, 1.0)
    call(hub, "/stop", motion=number)
    there = hub.world.positions["scara/a1"]
    run(hub, 1.0)
    assert hub.world.positions["scara/a1"] == there
    assert 0.0 < there < 1.0
    assert "not active" in refused(hub, "/stop", motion=number)


def test_tool_moves_to_a_pose_by_joints_and_in_a_straight_line(hub):
    call(hub, "/move_joints", joints={"scara_a1": 0.3, "scara_a2": 0.8})
    run(hub, 2.0)
    start = call(hub, "/get_pose", name="suck")["pose"]
    goal = json.loads(json.dumps(start))
    goal["position"]["y"] += 0.05
    call(hub, "/move_tool", pose=goal, tip="suck")
    run(hub, 2.0)
    assert call(hub, "/get_pose", name="suck")["pose"]["position"] == pytest.approx(goal["position"], abs=1e-5)
    reply = call(hub, "/move_tool", pose=start, tip="suck", straight=True)
    xs = []
    for _ in range(round(reply["duration"] / 0.05) + 2):
        run(hub, 0.05)
        xs.append(call(hub, "/get_pose", name="suck")["pose"]["position"]["x"])
    assert np.ptp(xs) < 1e-4
    assert call(hub, "/get_pose", name="suck")["pose"]["position"] == pytest.approx(start["position"], abs=1e-5)


def test_unreachable_pose_is_refused_and_nothing_moves(hub):
    pose = {"position": {"x": 50.0}}
    assert "cannot be reached" in refused(hub, "/move_tool", pose=pose, wants="position")
    reply = call(hub, "/compute_ik", pose=pose, wants="position")
    assert not reply["success"]
    assert reply["solutions"] == []
    assert reply["message"]
    twisted = {"orientation": {"x": 0, "y": 0, "z": 0, "w": 0}}
    assert "quaternion" in refused(hub, "/compute_ik", pose=twisted)


def test_inverse_kinematics_returns_solutions_that_reach_the_pose(hub):
    call(hub, "/move_joints", joints={"scara_a1": 0.3, "scara_a2": 0.5, "scara_a4": 0.2})
    run(hub, 2.0)
    pose = call(hub, "/get_pose", name="suck")["pose"]
    reply = call(hub, "/compute_ik", pose=pose, most=8)
    here = [hub.world.positions[hub.world.names.joint(name)] for name in reply["joints"]]
    assert any(np.allclose(solution, here, atol=1e-4) for solution in reply["solutions"])


def test_objects_are_added_and_removed_during_a_motion(hub):
    call(hub, "/move_joints", joints={"scara_a1": 0.5}, duration=1.0)
    run(hub, 0.5)
    call(hub, "/spawn", name="cube", pose={"position": {"x": 1.0, "y": 1.0, "z": 0.5}})
    assert "cube" in call(hub, "/state")["objects"]
    run(hub, 0.6)
    assert hub.world.positions["scara/a1"] == pytest.approx(0.5)
    assert call(hub, "/get_pose", name="cube")["pose"]["position"] == {"x": 1.0, "y": 1.0, "z": 0.5}
    call(hub, "/remove", name="cube")
    assert "cube" not in call(hub, "/state")["objects"]
    assert hub.world.time == pytest.approx(1.1)


def test_invalid_objects_are_refused(hub, example):
    assert "twice" in refused(hub, "/spawn", name="carton/box")
    assert "sizes" in refused(hub, "/spawn", name="a", sizes=[1.0])
    assert "sizes" in refused(hub, "/spawn", name="a", sizes=[1.0, 1.0, -1.0])
    assert "name" in refused(hub, "/spawn", name="a b")
    assert "overlap" in refused(hub, "/spawn", name="a", sizes=[2.0, 2.0, 2.0])
    assert "part of a robot" in refused(hub, "/remove", name=example("scara-cell").joints[0].base)
    assert "no item or frame" in refused(hub, "/remove", name="ghost")


def test_reset_restores_the_initial_state(hub):
    before = dict(hub.world.positions)
    call(hub, "/spawn", name="cube", pose={"position": {"x": 1.0, "y": 1.0, "z": 0.5}})
    call(hub, "/move_joints", joints={"scara_a1": 0.5}, duration=1.0)
    run(hub, 0.5)
    told = listening(hub)
    call(hub, "/reset")
    assert [motion.state for motion in told] == ["stopped"]
    assert hub.world.positions == before
    assert hub.world.time == 0.0
    assert "cube" not in call(hub, "/state")["objects"]


def test_only_a_paused_world_can_be_stepped(hub):
    assert "pause" in refused(hub, "/step", seconds=0.5)
    call(hub, "/pause", data=True)
    assert call(hub, "/step", seconds=0.5)["time"] == {"sec": 0, "nanosec": 500_000_000}
    assert "60 s" in refused(hub, "/step", seconds=1e9)
    call(hub, "/speed", speed=2.0)
    assert "real-time factor must be" in refused(hub, "/speed", speed=0)


def test_robot_speed_applies_to_the_client_that_set_it(hub):
    slow, other = Caller("slow"), Caller("other")
    call(hub, "/robot_speed", slow, speed=0.1)
    assert call(hub, "/move_joints", slow, joints={"scara_a1": 0.5})["duration"] == pytest.approx(5.0)
    assert call(hub, "/move_joints", other, joints={"scara_a2": 0.5})["duration"] < 5.0


def test_full_robot_speed_is_requested_explicitly(hub):
    client = Caller("client")
    fastest = call(hub, "/move_joints", client, joints={"scara_a1": 0.5})["duration"]
    call(hub, "/robot_speed", client, speed=0.1)
    call(hub, "/robot_speed", client, full=True)
    assert call(hub, "/move_joints", client, joints={"scara_a1": 0.5})["duration"] == fastest


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"speed": 0}, "speed must be positive, not 0; for full speed, send full: true"),
        ({"speed": -1}, "speed must be positive, not -1; for full speed, send full: true"),
        ({"speed": float("nan")}, "JSON is malformed"),
        ({"speed": None}, "either a positive speed or full: true"),
        ({}, "either a positive speed or full: true"),
        ({"speed": 1.0, "full": True}, "either a positive speed or full: true"),
    ],
)
def test_wrong_robot_speed_is_refused_and_the_old_one_stays(hub, args, words):
    client = Caller("client")
    call(hub, "/robot_speed", client, speed=0.1)
    assert words in refused(hub, "/robot_speed", client, **args)
    assert client.robot_speed == 0.1


@pytest.mark.parametrize(
    ("service", "args", "words"),
    [
        ("/move_jonits", {}, "did you mean /move_joints?"),
        ("/move_joints", {}, "joints"),
        ("/move_joints", {"joints": {}}, "joints"),
        ("/move_joints", {"joints": {"scara_a1": "far"}}, "float"),
        ("/move_joints", {"joints": {"scara_a1": 1e300}}, "<= "),
        ("/move_joints", {"joints": {"scara_a1": 0.1}, "durtion": 3}, "durtion"),
        ("/move_joints", {"joints": {"scara_a1": 0.1}, "duration": -1}, "must be positive"),
        ("/move_joints", {"joints": {"scara_a1": 99}}, "limits"),
        ("/move_tool", {"pose": {}, "straight": True, "duration": -1}, "must be positive"),
        ("/move_joints", {"joints": {"scara_a1": None}}, "float"),
        ("/close_gripper", {"gripper": "claw"}, "no gripper 'claw'"),
        ("/get_pose", {"name": "nothing"}, "no item or frame"),
        ("/compute_ik", {"pose": {}, "budget": 9}, "budget"),
    ],
)
def test_invalid_command_is_refused_with_the_reason(hub, service, args, words):
    assert words in refused(hub, service, **args)


def test_arguments_can_be_a_list(hub):
    reply = asyncio.run(hub.call(Caller("one"), "/move_joints", b'[{"scara_a1": 0.1}, true]'))
    assert reply["success"]
    with pytest.raises(ProtocolError, match="too many arguments"):
        asyncio.run(hub.call(Caller("one"), "/reset", b"[1, 2]"))


def test_contacts_are_reported_with_urdf_names(hub):
    reply = call(hub, "/check_collision")
    links = {link.name for link in hub.world.names.tree.links}
    assert all(name in links for pair in reply["pairs"] for name in pair)
    assert reply["colliding"] == bool(reply["pairs"])


def test_measured_positions_set_the_joints(hub):
    hub.world.place({"scara_a1": 0.7})
    assert hub.world.positions["scara/a1"] == pytest.approx(0.7)
    with pytest.raises(RckError):
        hub.world.place({"scara_a1": float("nan")})


def test_blocked_motion_fails_and_names_the_obstacle(hub):
    tip = hub.world.world_from("suck")[:3, 3]
    wall = {"position": {"x": float(tip[0]), "y": float(tip[1]) + 0.3, "z": float(tip[2])}}
    call(hub, "/spawn", name="wall", sizes=[0.4, 0.02, 0.6], pose=wall, fixed=True)
    number = call(hub, "/move_joints", joints={"scara_a1": 1.2})["motion"]
    told = listening(hub)
    run(hub, 8.0, step=0.05)
    hub.publish_motions()
    states = [motion.state for motion in told if motion.number == number]
    assert "blocked" in states
    assert states[-1] == "failed"
    assert "collides with wall" in told[-1].message
    assert not hub.world.motions.live


@pytest.mark.parametrize("opens", [False, True])
def test_gripper_holds_on_after_disconnection_unless_requested_otherwise(hub, opens):
    world = hub.world
    device = next(one for one in world.robot.devices if one.kind.grips)
    cup = world.simulation.view.poses[world.robot.item_index[device.item]] @ device.pose
    x, y, z = (cup @ [0, 0, 0.0201, 1])[:3]
    call(hub, "/spawn", name="cube", sizes=[0.06, 0.06, 0.04], pose={"position": {"x": x, "y": y, "z": z}})
    client = ClientSession(hub, "driver", lambda text, may_skip: None)
    if opens:
        call(hub, "/open_on_disconnect", client.caller)
    call(hub, "/close_gripper", client.caller)
    run(hub, 0.1)
    assert call(hub, "/state")["holds"] == {device.name: ["cube"]}
    client.close()
    run(hub, 0.1)
    assert call(hub, "/state")["holds"] == {device.name: [] if opens else ["cube"]}


def test_client_sets_the_view_of_all_viewers(hub):
    told = []
    viewer = ClientSession(hub, "viewer", lambda text, may_skip: told.append(json.loads(text)["msg"]))
    asyncio.run(viewer.receive(b'{"op": "subscribe", "topic": "/view"}'))
    call(hub, "/look", view="top")
    assert told[-1]["elevation"] == pytest.approx(np.pi / 2)
    assert hub.world.simulation.camera == "top"
    call(hub, "/look", eye=[2.0, 0.0, 1.0], target=[0.0, 0.0, 1.0])
    assert told[-1] == pytest.approx({"azimuth": 0.0, "elevation": 0.0, "target": [0.0, 0.0, 1.0], "distance": 2.0})
    assert "did you mean top" in refused(hub, "/look", view="tpo")


def test_tool_move_reports_the_collision_that_every_solution_has(hub):
    tip = hub.world.world_from("suck")[:3, 3]
    over = {"position": {"x": float(tip[0]), "y": float(tip[1]), "z": float(tip[2]) - 0.03}}
    call(hub, "/spawn", name="plate", sizes=[0.3, 0.3, 0.002], pose=over)
    below = {"position": {"x": float(tip[0]), "y": float(tip[1]), "z": float(tip[2]) - 0.05}}
    reply = call(hub, "/move_tool", pose=below, wants="position")
    assert reply["success"]
    assert "every joint move to that pose leads to a contact" in reply["message"]
    assert "and plate" in reply["message"]
    run(hub, reply["duration"] + 0.1)
    assert hub.world.world_from("suck")[2, 3] == pytest.approx(tip[2] - 0.05, abs=1e-3)
    assert hub.world.world_from("plate")[2, 3] < tip[2] - 0.045


def test_emergency_stop_ends_motions_and_refuses_new_ones_until_reinitialised(example, world_of):
    from rck.control.served_world import ServedWorld
    from rck.hooks import Mount, discover
    from rck.simulation.sensors import SensorSetting
    from rck.simulation.simulation import Simulation

    robot = example("scara-cell")
    options = {"radius": 100.0, "height": 100.0, "action": "stop", "intruder": robot.items[-1].name}
    plugins = discover()
    setting = SensorSetting("safety-zone", Mount("zone", robot.items[0].name), options)
    hub = Hub(ServedWorld(Simulation(robot, plugins=plugins, sensors=[setting]), plugins))
    assert call(hub, "/reinitialise")["message"] == "no emergency stop was active"
    number = call(hub, "/move_joints", joints={"scara_a1": 0.4}, duration=5.0)["motion"]
    told = listening(hub)
    run(hub, 1.0)
    hub.publish_motions()
    assert (told[-1].number, told[-1].state, told[-1].message) == (number, "failed", "emergency stop")
    assert not hub.world.motions.live
    assert call(hub, "/state")["emergency"]
    assert "call /reinitialise" in refused(hub, "/move_joints", joints={"scara_a1": 0.1})
    hub.world.simulation.sensors["zone"].on = False
    assert call(hub, "/reinitialise")["message"] == "reinitialised"
    assert not call(hub, "/state")["emergency"]
    call(hub, "/move_joints", joints={"scara_a1": 0.1}, duration=0.5)
    run(hub, 0.6)
    assert hub.world.positions["scara/a1"] == pytest.approx(0.1)


def test_motion_to_the_present_positions_is_accepted(hub):
    here = hub.world.positions["scara/a1"]
    for _ in range(2):
        number = call(hub, "/move_joints", joints={"scara_a1": here})["motion"]
        hub.world.step(0.02)
        assert hub.world.positions["scara/a1"] == here
    assert number not in [motion.number for motion in hub.world.motions.live]


def test_joint_states_have_the_joints_that_loops_move(world_of):
    hub = Hub(world_of("four-bar"))
    world = hub.world
    call(hub, "/move_joints", joints={"crank": 2.2}, duration=1.0)
    run(hub, 0.5)
    before = world.measured
    world.step(0.001)
    after = world.measured
    assert sorted(before) == ["crank", "elbow", "swing"]
    for name, measured in after.items():
        assert measured.velocity == pytest.approx((measured.position - before[name].position) / 0.001, abs=1e-2)
    assert abs(after["swing"].velocity) > 0.01
    assert joint_states(world)["name"] == ["crank", "swing", "elbow"]
