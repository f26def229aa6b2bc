"""Existing rosbridge clients work unchanged."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

CLIENTS = Path(__file__).parent / "clients"
ROSLIB = "roslib@2.1.0"


@pytest.fixture(scope="session")
def node_modules():
    """Install roslibjs once, next to the packages of the virtual environment; return its folder."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    folder = Path(sys.prefix) / "node"
    if not (folder / "node_modules" / "roslib").is_dir():
        command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", ROSLIB]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=60)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            pytest.skip(f"npm cannot fetch {ROSLIB}")
    return folder / "node_modules"


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_roslibpy_subscribes_calls_and_tracks_a_motion(served):
    pytest.importorskip("roslibpy")
    found = run([sys.executable, str(CLIENTS / "with_roslibpy.py"), str(served.port)])
    assert found["connected"]
    assert {"/joint_states", "/tf", "/clock", "/robot_description", "/joint_trajectory"} <= set(found["topics"])
    assert {"/move_joints", "/close_gripper", "/compute_ik"} <= set(found["services"])
    assert found["type"] == "sensor_msgs/JointState"
    for state in found["states"]:
        assert state["name"] == ["scara_a1", "scara_a2", "scara_a3", "scara_a4"]
        assert len(state["position"]) == len(state["velocity"]) == 4
    stamps = [state["header"]["stamp"]["sec"] + 1e-9 * state["header"]["stamp"]["nanosec"] for state in found["states"]]
    assert stamps == sorted(stamps)
    assert found["accepted"]["success"]
    assert "scara_b1" in found["refused"]
    assert found["result"]["status"] == 4
    assert found["result"]["values"]["error_code"] == 0
    assert found["feedback"][0] == "started"
    assert "moving" in found["feedback"]
    assert found["urdf"].startswith("<?xml")


def test_roslibjs_subscribes_calls_and_tracks_a_motion(served, node_modules):
    script = node_modules.parent / "with_roslib.mjs"
    script.write_text((CLIENTS / "with_roslib.mjs").read_text())
    found = run(["node", str(script), str(served.port)], env=os.environ)
    assert "/joint_states" in found["topics"]
    assert [len(state["position"]) for state in found["states"]] == [4] * 5
    assert found["picture"] == len(served.hub.topics["/tf"].make(served.hub.world)["transforms"])
    assert found["accepted"]["success"]
    assert "scara_b1" in found["refused"]
    assert found["feedback"][0] == "started"
    assert found["result"]["error_code"] == 0


def test_names_in_topics_match_the_description(served):
    hub = served.hub
    root = ElementTree.fromstring(hub.topics["/robot_description"].make(hub.world)["data"])
    joints = {joint.get("name") for joint in root.iter("joint")}
    links = {link.get("name") for link in root.iter("link")} | {"world"}
    assert set(hub.topics["/joint_states"].make(hub.world)["name"]) <= joints
    for transform in hub.topics["/tf"].make(hub.world)["transforms"]:
        assert transform["header"]["frame_id"] in links
