"""SDFormat in libsdformat, by a small program of its own: no warning, and everything is where RCK has it."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import rck_plugins.exporters.sdf
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.exporting import Merge
from rck.exporting.closed_at_zero import closed_at_zero
from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.geometry.transforms import from_quaternion, invert, translation
from rck.model import JointKind
from rck.testing.robots import robots

SOURCE = Path(__file__).with_name("sdf_check.cc")
LINKS = {"taken": ("world",), "one_namespace": True, "merge": Merge.WEIGHTLESS}
KINDS = {"0": "none", "1": "ball", "2": "continuous", "3": "fixed", "5": "prismatic", "6": "revolute"}


@pytest.fixture(scope="session")
def checker(request):
    """The program, compiled unless another process, or an earlier run, did so already."""
    flags = _flags()
    version = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]
    program = request.config.rootpath / ".pytest_cache" / f"sdf_check-{version}"
    if not program.exists():
        program.parent.mkdir(exist_ok=True)
        fresh = program.with_suffix(f".{os.getpid()}")
        subprocess.run(["g++", "-O0", str(SOURCE), "-o", str(fresh), *flags], check=True)
        fresh.replace(program)
    return program


def _flags():
    if shutil.which("g++") is None or shutil.which("pkg-config") is None:
        pytest.skip("g++ or pkg-config is not installed")
    asked = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "sdformat12"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        pytest.skip("libsdformat 12 is not installed (Debian: libsdformat-dev)")
    return asked.stdout.split()


@dataclass
class Understood:
    """What libsdformat made of a file."""

    errors: list
    static: dict
    links: dict
    """Per link: world from link, mass properties in its frame, how many visuals and collisions."""
    joints: dict
    """Per child link: kind, parent, axis in the world, limits, effort, speed, damping, friction, point on the link."""
    frames: dict
    sensors: dict
    """Per sensor: type, rate, and world from sensor unless it is on a joint."""


@pytest.fixture(scope="session")
def understand(checker):
    """Asks libsdformat about files, all at once, for it takes its time to start."""

    def ask(paths):
        done = subprocess.run([str(checker), *map(str, paths)], capture_output=True, text=True, check=False)
        answers = []
        for line in done.stdout.splitlines():
            what, *words = line.split(" ")
            if what == "file":
                answers.append(Understood([], {}, {}, {}, {}, {}))
            else:
                note(answers[-1], what, words)
        assert len(answers) == len(paths), done.stderr
        assert done.returncode == (1 if any(answer.errors for answer in answers) else 0)
        return answers

    return ask


def note(found, what, words):
    """Take in a line of what the program says."""
    if what == "error":
        found.errors.append(" ".join(words))
    elif what == "model":
        found.static[words[0]] = words[1] == "1"
    elif what == "link":
        numbers = np.array(words[1:], dtype=float)
        body = MassProperties(numbers[14], np.zeros(3), numbers[15:24].reshape(3, 3))
        shapes = tuple(numbers[24:].astype(int))
        found.links[words[0]] = (_pose(numbers[:7]), moved(body, _pose(numbers[7:14])), shapes)
    elif what == "joint":
        # A second joint of a link closes a loop.
        found.joints.setdefault(words[3], (KINDS[words[1]], words[2], np.array(words[4:], dtype=float)))
    elif what == "sensor":
        found.sensors[words[0]] = (
            words[1],
            float(words[2]),
            _pose(np.array(words[3:], dtype=float)) if words[3:] else None,
        )
    else:
        found.frames[words[0]] = _pose(np.array(words[1:], dtype=float))


def _pose(numbers):
    return translation(numbers[:3]) @ from_quaternion(numbers[3:])


def moved_links(found, tree, case):
    """World from link at each joint vector, from what libsdformat understood. Shape (vectors, links, 4, 4)."""
    poses = np.empty((len(case.vectors), len(tree.links), 4, 4))
    for number, link in enumerate(tree.links):
        at_zero = found.links[link.name][0]
        if link.parent is None:
            poses[:, number] = at_zero
            continue
        parent = tree.links[link.parent].name
        poses[:, number] = poses[:, link.parent] @ invert(found.links[parent][0]) @ at_zero
        if link.mover is not None:
            kind, base, numbers = found.joints[link.name]
            assert base == parent
            axis = numbers[:3] @ at_zero[:3, :3]
            motions = case.motions(link.joint.name, axis, slides=kind == "prismatic")
            there = translation(numbers[9:12])
            poses[:, number] = poses[:, number] @ there @ motions @ invert(there)
    return poses


@pytest.fixture(scope="session")
def answers(robot_names, robot_of, desk, understand):
    """What libsdformat made of each robot. This version of it knows nothing of joints that follow others."""
    paths = [
        desk.export(rck_plugins.exporters.sdf, robot_of(name), f"{name}.sdf", version="1.9") for name in robot_names
    ]
    return dict(zip(robot_names, understand(paths), strict=True))


@pytest.fixture(scope="session")
def case(case):
    """Joint positions of robots with loops count from where the loops are closed."""
    robot = closed_at_zero(case.robot)
    return case if robot is case.robot else replace(case, robot=robot, vectors=case.vectors - case.robot.positions)


@pytest.fixture(scope="session")
def found(case, answers):
    return answers[case.name]


def test_libsdformat_reports_no_error(found):
    assert found.errors == []


def test_libsdformat_places_every_item_like_rck(case, found):
    tree = case.tree(**LINKS)
    case.assert_items_agree(tree, moved_links(found, tree, case), metres=1e-9, turn=1e-9)


def test_libsdformat_computes_the_mass_of_rck(case, found):
    tree = case.tree(**LINKS)
    for link in tree.links:
        theirs, ours = found.links[link.name][1], link.mass_properties
        assert theirs.mass == pytest.approx(ours.mass, rel=1e-9)
        assert theirs.centre == pytest.approx(ours.centre, abs=1e-9)
        assert theirs.inertia == pytest.approx(ours.inertia, abs=1e-6 * np.trace(ours.inertia))
    total = combine(body for _, body, _ in found.links.values())
    assert total.mass == pytest.approx(case.robot.mass_properties.mass, rel=1e-6)


def test_joints_arrive_with_kinds_parents_and_limits(case, found):
    tree = case.tree(**LINKS)
    for link in tree.links:
        if link.joint is None:
            continue
        kind, parent, numbers = found.joints[link.name]
        assert (kind, parent) == (link.joint.kind.value, tree.links[link.parent].name)
        if link.joint.kind is JointKind.FIXED:
            continue
        lower, upper, effort, speed, damping, friction = numbers[3:9]
        limits = link.joint.limits
        if limits is not None:
            assert (lower, upper) == pytest.approx((limits.lower, limits.upper), abs=1e-9)
        assert effort == (np.inf if link.joint.effort is None else pytest.approx(link.joint.effort))
        assert speed == (np.inf if link.joint.speed is None else pytest.approx(link.joint.speed))
        assert (damping, friction) == pytest.approx((link.joint.damping, link.joint.friction))


def test_every_shape_has_visual_and_collision(case, found):
    for link in case.tree(**LINKS).links:
        pieces = sum(len(placed.item.subitems) for placed in link.items)
        assert found.links[link.name][2] == (pieces, pieces)


def test_tool_frames_are_frames(case, found):
    at_zero = {}
    for link in case.tree(**LINKS).links:
        at_zero |= {frame.name: found.links[link.name][0] @ frame.pose for frame in link.frames}
    assert found.frames.keys() == at_zero.keys()
    for name, pose in at_zero.items():
        assert found.frames[name] == pytest.approx(pose, abs=1e-9)


@settings(max_examples=6)
@given(robots(most_devices=3), st.integers(0, 1000))
def test_libsdformat_places_the_items_of_random_robots_like_rck(make_case, desk, understand, robot, seed):
    case = make_case("random", robot, 3, seed)
    (found,) = understand([desk.export(rck_plugins.exporters.sdf, robot, "random.sdf", version="1.9")])
    assert found.errors == []
    tree = case.tree(**LINKS)
    case.assert_items_agree(tree, moved_links(found, tree, case), metres=1e-9, turn=1e-9)


def test_sensor_poses_match_rck_and_look_along_x(sensing, desk, understand):
    (found,) = understand([desk.export(rck_plugins.exporters.sdf, sensing, "sensing.sdf", version="1.9")])
    assert found.errors == []
    kinds = {name: (kind, rate) for name, (kind, rate, _) in found.sensors.items()}
    assert kinds == {
        "dev_camera": ("camera", 30),
        "dev_depth-camera": ("depth_camera", 0),
        "dev_lidar-2d": ("gpu_lidar", 0),
        "dev_lidar-3d": ("gpu_lidar", 0),
        "dev_ultrasonic": ("gpu_lidar", 0),
        "dev_infrared": ("gpu_lidar", 0),
        "dev_laser-range": ("gpu_lidar", 0),
        "dev_imu": ("imu", 400),
        "dev_contact": ("contact", 0),
        "dev_force-torque": ("force_torque", 0),
    }
    for name in ("dev_camera", "dev_depth-camera", "dev_laser-range"):
        assert found.sensors[name][2] == pytest.approx(translation((0.06, 0, 2)), abs=1e-9)


def test_grippers_name_their_fingertips_and_devices_without_element_are_reported(exported, sensing):
    done = exported(rck_plugins.exporters.sdf, sensing, "s.sdf")
    assert b"<gripper_link>left</gripper_link>" in done.files["s.sdf"]
    assert b"<palm_link>hand</palm_link>" in done.files["s.sdf"]
    messages = [finding.message for finding in done.findings]
    assert "not supported by SDFormat: sensors and grippers (dev/encoder)" in messages
    assert any("grippers without fingers" in one and ": dev/three-finger-gripper" in one for one in messages)
