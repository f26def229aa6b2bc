"""Saved states and recordings of served worlds."""

import asyncio
import json

import pytest

from rck.control import served_state
from rck.control.client_recording import ClientRecorder, replay
from rck.control.client_session import ClientSession
from rck.control.hub import Hub
from rck.control.services import Caller
from rck.hooks.actions import MoveJoint
from rck.simulation.events import Event
from rck.simulation.state_file import VERSION, encode_state, save_state
from rck.support.finding import RckError


def call(hub, service, caller="one", **args):
    return asyncio.run(hub.call(Caller(caller), service, json.dumps(args).encode()))


def run(hub, seconds, step=0.01):
    for _ in range(round(seconds / step)):
        hub.world.step(step)


def test_world_resumes_from_its_saved_state(world_of, tmp_path):
    def lived(until, world):
        hub = Hub(world)
        call(hub, "/spawn", name="cube", pose={"position": {"x": 1.0, "y": 1.0, "z": 0.5}})
        call(hub, "/move_joints", joints={"scara_a1": 0.9, "scara_a2": -0.5}, duration=2.0)
        run(hub, until)
        return hub

    whole = lived(2.5, world_of())
    broken = lived(0.8, world_of())
    served_state.save(broken.world, tmp_path / "state.json")
    resumed = Hub(world_of())
    served_state.resume(resumed.world, tmp_path / "state.json")
    assert resumed.world.time == pytest.approx(0.8)
    assert resumed.world.positions == broken.world.positions
    assert [motion.owner for motion in resumed.world.motions.live] == ["one"]
    run(resumed, 1.7)
    assert list(resumed.world.positions.values()) == pytest.approx(list(whole.world.positions.values()), abs=1e-9)
    assert call(resumed, "/state")["objects"] == call(whole, "/state")["objects"]


def test_held_objects_stay_held_after_resuming(world_of, tmp_path):
    hub = Hub(world_of())
    hand = hub.world.names.gripper("")
    hub.world.simulation.grasps.take(hand, 0)
    served_state.save(hub.world, tmp_path / "state.json")
    resumed = Hub(world_of())
    served_state.resume(resumed.world, tmp_path / "state.json")
    assert call(resumed, "/state")["holds"] == {hand: ["carton/box"]}
    call(resumed, "/move_joints", joints={"scara_a3": 0.0, "scara_a1": 0.2}, duration=1.0)


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "not a saved state"), ("{}", "not a saved state"), (f'{{"rck_state": {VERSION}}}', "not a saved state")],
)
def test_damaged_state_is_refused(world_of, tmp_path, content, words):
    file = tmp_path / "state.json"
    file.write_text(content)
    with pytest.raises(RckError, match=words):
        served_state.resume(world_of(), file)
    with pytest.raises(RckError, match="no saved state"):
        served_state.resume(world_of(), tmp_path / "none.json")


def test_served_world_resumes_from_a_state_of_rck_simulate(world_of, tmp_path):
    simulation = world_of().simulation
    simulation.add(Event(0.0, MoveJoint("scara/a1", 0.8, 2.0)), listed=True)
    simulation.step(0.5)
    save_state(encode_state(simulation)[0], tmp_path / "state.json")
    world = world_of()
    served_state.resume(world, tmp_path / "state.json")
    assert world.time == 0.5
    world.step(3.0)
    simulation.step(3.0)
    assert world.simulation.vector.tolist() == simulation.vector.tolist()


def test_state_of_another_robot_is_refused(world_of, tmp_path):
    served_state.save(world_of("gantry"), tmp_path / "state.json")
    with pytest.raises(RckError, match="does not fit"):
        served_state.resume(world_of(), tmp_path / "state.json")


def test_replay_reaches_the_same_positions(world_of, tmp_path):
    file = tmp_path / "run.jsonl"
    world = world_of()
    recorder = ClientRecorder(file, world.robot.name)
    hub = Hub(world, record=recorder.record)
    call(hub, "/move_joints", joints={"scara_a1": 0.9}, duration=2.0)
    run(hub, 0.5)
    call(hub, "/spawn", "other", name="cube", pose={"position": {"x": 1.0, "y": 1.0, "z": 0.5}})
    call(hub, "/move_joints", "other", joints={"scara_a2": 0.3}, duration=1.0)
    run(hub, 0.3)
    call(hub, "/stop", "other")
    run(hub, 2.0)
    recorder.close()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line.get("client") for line in lines] == [None, "one", "other", "other", "other"]
    again = Hub(world_of())
    assert replay(again, file) == []
    assert list(again.world.positions.values()) == pytest.approx(list(hub.world.positions.values()), abs=1e-9)
    assert "cube" in call(again, "/state")["objects"]


def test_recording_contains_measurements_refusals_and_disconnections(world_of, tmp_path):
    file = tmp_path / "run.jsonl"
    world = world_of()
    recorder = ClientRecorder(file, world.robot.name)
    hub = Hub(world, record=recorder.record)
    client = ClientSession(hub, "mortal", lambda text, may_skip: None)
    state = {"name": ["scara_a2"], "position": [0.3]}
    for message in (
        {"op": "call_service", "service": "/move_joints", "args": {"joints": {"scara_a1": 1.0}, "duration": 60}},
        {"op": "call_service", "service": "/move_joints", "args": {"joints": {"scara_a1": 100.0}}},
        {"op": "call_service", "service": "/feedback", "args": {"mode": "lead", "lag": 0.0}},
        {"op": "publish", "topic": "/feedback/joint_states", "msg": state},
    ):
        asyncio.run(client.receive(json.dumps(message).encode()))
    run(hub, 0.3)
    client.close()
    run(hub, 0.3)
    recorder.close()
    lines = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    assert [line.get("service") or line.get("topic") or "gone" for line in lines] == [
        "/move_joints", "/move_joints", "/feedback", "/feedback/joint_states", "gone",
    ]  # fmt: skip
    assert "limits" in lines[1]["refused"]
    again = Hub(world_of())
    assert replay(again, file) == []
    assert again.world.motions.live == ()
    assert list(again.world.positions.values()) == pytest.approx(list(hub.world.positions.values()), abs=1e-9)


def test_recording_of_another_robot_and_damaged_recording_are_refused(world_of, tmp_path):
    file = tmp_path / "run.jsonl"
    ClientRecorder(file, "puma").close()
    with pytest.raises(RckError, match=r"recording of robot puma; expected .* robot scara-cell"):
        replay(Hub(world_of()), file)
    file.write_text('{"rck_recording": 1, "robot": "scara-cell"}\n{"time": "late"}\n')
    with pytest.raises(RckError, match="line 2"):
        replay(Hub(world_of()), file)
