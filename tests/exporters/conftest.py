"""Robots to export, where RCK has their items, and folders to export them to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import rck_parts

from rck.exporting import LinkTree, link_tree
from rck.exporting.export import with_losses, write_exported
from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, rotation_about, translation
from rck.hooks import Exported, Job, discover
from rck.language.session import open_session
from rck.model import (
    DeviceKind,
    Item,
    Mimic,
    Robot,
    build_device,
    build_item,
    build_joint,
    build_robot,
)
from rck.model.forward_kinematics import forward_batch
from rck.model.joint_positions import joint_positions, random_vectors
from rck.model.robot_arrays import robot_arrays
from rck.parts.part import build_part, read_part_file
from rck.testing.robots import box_between

EXAMPLES = Path(__file__).parents[2] / "examples"
ARMS = Path(rck_parts.__file__).parent / "arms"
NAMES = [
    path.stem for folder, ending in ((EXAMPLES, "*.rck"), (ARMS, "*.yaml")) for path in sorted(folder.glob(ending))
]
CONFIGURATIONS = 50


@lru_cache
def robot_called(name: str) -> Robot:
    example = EXAMPLES / f"{name}.rck"
    if example.exists():
        return open_session(discover(), example).compile().unwrap().robot
    return build_part(read_part_file(ARMS / f"{name}.yaml")).unwrap().robot


@dataclass(frozen=True, repr=False)
class Case:
    """A robot at many joint vectors."""

    name: str
    robot: Robot
    vectors: Floats

    @cached_property
    def items(self) -> Floats:
        """World from item. Shape (vectors, items, 4, 4)."""
        return forward_batch(robot_arrays(self.robot), self.vectors)

    @cached_property
    def positions(self) -> Sequence[Mapping[str, float]]:
        """Per vector the position of each joint that moves, followers included."""
        return [joint_positions(self.robot, vector) for vector in self.vectors]

    def tree(self, **options: Any) -> LinkTree:
        return link_tree(self.robot, **options)

    def motions(self, joint: str, axis: Sequence[float], *, slides: bool) -> Floats:
        """The motion of a joint along or about an axis through the origin. Shape (vectors, 4, 4)."""
        here = [positions[joint] for positions in self.positions]
        if slides:
            return np.array([translation(position * np.asarray(axis)) for position in here])
        return np.array([rotation_about(axis, position) for position in here])

    def assert_items_agree(self, tree: LinkTree, links: Floats, metres: float = 1e-6, turn: float = 1e-6) -> None:
        """The links, shape (vectors, links, 4, 4) in the order of the tree, have the items where RCK has them."""
        for number, link in enumerate(tree.links):
            for placed in link.items:
                found, ours = links[:, number] @ placed.pose, self.items[: len(links), placed.number]
                assert abs(found[:, :3, 3] - ours[:, :3, 3]).max() <= metres, link.name
                # A small turn differs from none by its angle times the square root of two.
                turned = np.swapaxes(found[:, :3, :3], 1, 2) @ ours[:, :3, :3] - np.eye(3)
                assert np.linalg.norm(turned, axis=(1, 2)).max() / np.sqrt(2) <= turn, link.name


def case_of(name: str, robot: Robot, count: int, seed: int = 7) -> Case:
    """Random joint vectors within the limits; joints without limits turn once each way, or slide a metre.

    Loops are closed at the vectors.
    """
    if robot.closing_loops:
        return Case(name, robot, random_vectors(robot, count, seed=seed))
    ends = [
        (joint.limits.lower, joint.limits.upper) if joint.limits else (-np.pi, np.pi) for joint in robot.free_joints
    ]
    low, high = np.array(ends, dtype=float).reshape(-1, 2).T
    return Case(name, robot, np.random.default_rng(seed).uniform(low, high, (count, len(ends))))


@pytest.fixture(scope="session", params=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    """Each example and each whole arm of the catalogue, at many joint vectors."""
    return case_of(request.param, robot_called(request.param), CONFIGURATIONS)


VALUES = {
    DeviceKind.CAMERA: {"field-of-view": 1.2, "resolution-x": 640.0, "resolution-y": 480.0, "rate": 30.0},
    DeviceKind.DEPTH_CAMERA: {"field-of-view": 1.5, "field-of-view-vertical": 1.0, "min-range": 0.2, "max-range": 8.0},
    DeviceKind.LIDAR_2D: {"field-of-view": 1.0, "angular-resolution": 0.1, "min-range": 0.1, "max-range": 9.0},
    DeviceKind.LIDAR_3D: {"field-of-view": 2 * np.pi, "field-of-view-vertical": 0.5, "channels": 16.0},
    DeviceKind.LASER_RANGE: {"max-range": 12.0},
    DeviceKind.IMU: {"channels": 9.0, "rate": 400.0},
    DeviceKind.FORCE_TORQUE: {"force": 300.0, "moment": 30.0},
    DeviceKind.PARALLEL_GRIPPER: {"opening": 0.08, "grip-force": 70.0},
    DeviceKind.VACUUM_GRIPPER: {"payload": 2.0},
}


@pytest.fixture(scope="session")
def sensing() -> Robot:
    """A base, an arm that turns, a hand with two fingers, a wall, and a device of every kind, all in world axes.

    Every device is on the hand, two metres up, with z along x and x along -y: a camera there sees the wall upright.
    """

    def box(name: str, size: Sequence[float], at: Sequence[float]) -> Item:
        half = np.array(size) / 2
        return build_item(name, [box_between(-half, half)], pose=translation(at)).unwrap()

    items = [
        box("base", (0.2, 0.2, 0.2), (0, 0, 0.1)),
        box("arm", (0.1, 0.1, 1.6), (0, 0, 1.1)),
        box("hand", (0.1, 0.1, 0.1), (0, 0, 2.0)),
        box("left", (0.02, 0.02, 0.1), (0, 0.04, 2.2)),
        box("right", (0.02, 0.02, 0.1), (0, -0.04, 2.2)),
        box("wall", (0.2, 8, 8), (3.1, 0, 4)),
    ]
    along = {"start": (0, 0, 2), "end": (0, -1, 2), "limits": (0, 0.03)}
    joints = [
        build_joint("turn", "revolute", "base", "arm", limits=(-3, 3)).unwrap(),
        build_joint("wrist", "fixed", "arm", "hand").unwrap(),
        build_joint("grip", "prismatic", "hand", "left", **along).unwrap(),
        build_joint(
            "follow", "prismatic", "hand", "right", mimic=Mimic("grip", -1.0), **along | {"limits": (-0.03, 0)}
        ).unwrap(),
    ]
    looking = frame((0.06, 0, 0), z=(1, 0, 0), x=(0, -1, 0))
    joints_of = {DeviceKind.ENCODER: ("turn",), DeviceKind.PARALLEL_GRIPPER: ("grip", "follow")}
    devices = [
        build_device(
            f"dev/{kind.value}", kind, "hand", pose=looking, joints=joints_of.get(kind, ()), values=VALUES.get(kind)
        ).unwrap()
        for kind in DeviceKind
    ]
    return build_robot("sensing", items, joints, devices=devices).unwrap()


@pytest.fixture(scope="session")
def make_case():
    return case_of


@pytest.fixture(scope="session")
def robot_of():
    return robot_called


@pytest.fixture(scope="session")
def robot_names():
    return NAMES


@dataclass(frozen=True)
class Desk:
    """A folder to export to."""

    folder: Path

    def export(self, plugin: ModuleType, robot: Robot, name: str, **options: Any) -> Path:
        """Write the robot; the path of the main file."""
        exported = exported_by(plugin, robot, name, **options)
        write_exported(exported, self.folder)
        return self.folder / name


def exported_by(plugin: ModuleType, robot: Robot, name: str, **options: Any) -> Exported:
    (exporter,) = [one for one in plugin.rck_exporters() if name.endswith(one.endings)]
    values = {key.replace("_", "-"): value for key, value in options.items()}
    return with_losses(exporter.write(robot, name, values, Job()), robot, exporter, name, values)


@pytest.fixture(scope="session")
def exported():
    return exported_by


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("exports"))
