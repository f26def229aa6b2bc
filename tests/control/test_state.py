import asyncio
import json

import numpy as np
import pytest

from rck.control import state_file
from rck.control.hub import Hub
from rck.control.recording import Recorder, replay
from rck.control.services import Caller
from rck.kinematics.motion import joint_move, motion_limits
from rck.model.finding import RckError


def call(hub, service, caller="one", **args):
    return asyncio.run(hub.call(Caller(caller), service, json.dumps(args).encode()))


def run(hub, seconds, step=0.01):
    for _ in range(round(seconds / step)):
        hub.world.step(step)


def test_a_world_goes_on_from_where_it_was_saved(world_of, tmp_path):
    def lived(until, world):
        hub = Hub(world)
        call(hub, "/spawn", name="cube", pose={"position": {"x": 1.0, "y": 1.0, "z": 0.5}})
        call(hub, "/move_joints", joints={"scara_a1": 0.9, "scara_a2": -0.5}, duration=2.0)
        run(hub, until)
        return hub

    whole = lived(2.5, world_of())
    broken = lived(0.8, world_of())
    state_file.save(broken.world, tmp_path / "state.json")
    resumed = Hub(world_of())
    state_file.resume(resumed.world, tmp_path / "state.json")
    assert resumed.world.time == pytest.approx(0.8)
    assert resumed.world.positions == broken.world.positions
    assert [motion.owner for motion in resumed.world.motions.live] == ["one"]
    run(resumed, 1.7)
    assert list(resumed.world.positions.values()) == pytest.approx(list(whole.world.positions.values()), abs=1e-9)
    assert call(resumed, "/state")["objects"] == call(whole, "/state")["objects"]


def test_what_is_held_is_still_held_after_a_resumption(world_of, tmp_path):
    hub = Hub(world_of())
    hand = hub.world.names.gripper("")
    hub.world.simulation.grasping.take(hand, 0)
    state_file.save(hub.world, tmp_path / "state.json")
    resumed = Hub(world_of())
    state_file.resume(resumed.world, tmp_path / "state.json")
    assert call(resumed, "/state")["holds"] == {hand: ["carton/box"]}
    call(resumed, "/move_joints", joints={"scara_a3": 0.0, "scara_a1": 0.2}, duration=1.0)


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "no saved state"), ("{}", "no saved state"), ('{"rck_state": 1}', "no saved state")],
)
def test_a_damaged_state_is_refused(world_of, tmp_path, content, words):
    file = tmp_path / "state.json"
    file.write_text(content)
    with pytest.raises(RckError, match=words):
        state_file.resume(world_of(), file)
    with pytest.raises(RckError, match="no saved state"):
        state_file.resume(world_of(), tmp_path / "none.json")


def test_the_state_of_another_robot_is_refused(world_of, tmp_path):
    state_file.save(world_of("gantry"), tmp_path / "state.json")
    with pytest.raises(RckError, match="does not fit"):
        state_file.resume(world_of(), tmp_path / "state.json")


def test_the_rest_of_a_path_is_the_path_from_there_on(example):
    limits = motion_limits(example("scara-cell"))
    path = joint_move(limits, [0.0] * 4, [0.5, -0.4, 0.02, 1.0]).unwrap()
    for begin in np.linspace(0.0, path.duration, 7):
        rest = state_file.rest_of(path, float(begin))
        assert rest.duration == pytest.approx(path.duration - begin)
        for time in np.linspace(0.0, rest.duration, 5):
            assert rest.at(time) == pytest.approx(path.at(begin + time), abs=1e-12)


def test_a_recording_replays_to_the_same_place(world_of, tmp_path):
    file = tmp_path / "run.jsonl"
    world = world_of()
    recorder = Recorder(file, world.robot.name)
    hub = Hub(world, record=recorder.note)
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


def test_a_recording_of_another_robot_and_a_damaged_one_are_refused(world_of, tmp_path):
    file = tmp_path / "run.jsonl"
    Recorder(file, "puma").close()
    with pytest.raises(RckError, match="a recording of puma"):
        replay(Hub(world_of()), file)
    file.write_text('{"rck_recording": 1, "robot": "scara-cell"}\n{"time": "late"}\n')
    with pytest.raises(RckError, match="line 2"):
        replay(Hub(world_of()), file)
