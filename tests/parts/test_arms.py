"""Arms of the catalogue: joints and ports agree with the published Denavit-Hartenberg table."""

from functools import cache
from itertools import combinations
from math import cos, pi, radians, sin
from pathlib import Path

import numpy as np
import pytest
import rck_parts
from scipy.optimize import linprog

from rck.geometry.transforms import from_dh, from_dh_modified, invert
from rck.kinematics.denavit_hartenberg import joints_between
from rck.model.forward_kinematics import forward_batch
from rck.model.joint_positions import at_positions
from rck.model.quantities import Quantities
from rck.model.robot_arrays import robot_arrays
from rck.parts.library import manifest_paths
from rck.parts.part import build_part, read_part_file
from rck.parts.part_checks import corner_values

LIBRARY = Path(rck_parts.__file__).parent
WITH_TABLE = [path for path in manifest_paths(LIBRARY) if "\ndh:" in path.read_text(encoding="utf-8")]
FILES = {file.manifest.part: file for file in map(read_part_file, WITH_TABLE)}
ARMS = sorted(FILES)

ASKED_FOR = {
    "unimation/puma-260", "unimation/puma-560", "stanford/stanford-arm", "bosch/sr-800", "universal-robots/ur3e",
    "universal-robots/ur5e", "universal-robots/ur10e", "franka/panda", "kuka/iiwa-7", "abb/irb-120",
    "generic/planar-2r",
}  # fmt: skip

MASS = {
    "unimation/puma-560": 54.4, "universal-robots/ur3": 11.0, "universal-robots/ur3e": 11.2,
    "universal-robots/ur5": 18.4, "universal-robots/ur5e": 20.6, "universal-robots/ur10e": 33.5,
    "universal-robots/ur16e": 33.1, "universal-robots/ur20": 64.0, "franka/panda": 18.0, "kuka/iiwa-7": 23.9,
    "kuka/iiwa-14": 29.9, "kuka/kr-6-r900": 52.0, "abb/irb-120": 25.0, "fanuc/lr-mate-200id": 25.0,
    "yaskawa/gp7": 34.0, "mecademic/meca500": 4.5, "kinova/gen3": 8.1885, "ufactory/xarm-6": 12.2,
    "ufactory/xarm-7": 13.7, "adept/cobra-s600": 41.0,
}  # fmt: skip
"""Of the data sheets, in kg; of the Gen3, the sum of the published link masses, which the data sheet rounds to 8.2."""


@cache
def part_of(arm):
    """Return the arm with its default parameters."""
    return build_part(FILES[arm]).unwrap()


class Table:
    """Denavit-Hartenberg table of a manifest, read independently of its joints."""

    def __init__(self, manifest):
        dh, read = manifest.dh, Quantities(manifest.units)
        self.joints = [row.joint for row in dh.rows]
        self.slides = [manifest.joints[name].prismatic is not None for name in self.joints]
        self.rows = [
            (read.angle(row.theta), read.length(row.d), read.length(row.a), read.angle(row.alpha)) for row in dh.rows
        ]
        self.modified = dh.convention == "modified"
        self.base, self.tool = read.frame(dh.base), read.frame(dh.tool)
        self.tip = dh.tip

    def frames(self, positions):
        """Return the base frame and the frame after each row, in part coordinates."""
        found = [self.base]
        for (theta, d, a, alpha), slides, position in zip(self.rows, self.slides, positions, strict=True):
            theta, d = (theta, d + position) if slides else (theta + position, d)
            step = from_dh_modified(alpha, a, theta, d) if self.modified else from_dh(theta, d, a, alpha)
            found.append(found[-1] @ step)
        return found


def within_limits(robot, count, seed):
    """Return random joint vectors, shape (count, free joints); joints without limits use +-1 turn."""
    spans = [(-2 * pi, 2 * pi) if j.limits is None else (j.limits.lower, j.limits.upper) for j in robot.free_joints]
    lower, upper = np.transpose(spans)
    return np.random.default_rng(seed).uniform(lower, upper, (count, len(spans)))


def in_table_order(table, robot, vectors):
    """Return the joint columns that belong to the rows of the table."""
    names = [joint.name for joint in robot.free_joints]
    return vectors[:, [names.index(name) for name in table.joints]]


def assert_joints_agree_with_table(part):
    table, robot, tip = Table(part.manifest), part.robot, part.ports[part.manifest.dh.tip]
    vectors = within_limits(robot, 1000, seed=7)
    number = robot.item_index[tip.item]
    moved = forward_batch(robot_arrays(robot), vectors)[:, number]
    item_from_tip = invert(robot.items[number].pose) @ tip.pose
    expected = [table.frames(row)[-1] @ table.tool for row in in_table_order(table, robot, vectors)]
    np.testing.assert_allclose(moved @ item_from_tip, expected, rtol=0, atol=1e-9)
    for vector, pose in zip(vectors[:5], expected[:5], strict=True):
        reference = at_positions(robot, vector).items[number].pose @ item_from_tip
        np.testing.assert_allclose(reference, pose, rtol=0, atol=1e-9)


def test_catalogue_contains_the_common_arms():
    assert set(ARMS) >= ASKED_FOR


@pytest.mark.parametrize("arm", ARMS)
def test_joints_move_the_flange_as_the_published_table_does(arm):
    assert_joints_agree_with_table(part_of(arm))


@pytest.mark.parametrize("arm", [arm for arm in ARMS if FILES[arm].parameters])
def test_the_table_of_a_parametric_arm_follows_its_parameters(arm):
    for values in corner_values(FILES[arm])[1:]:
        assert_joints_agree_with_table(build_part(FILES[arm], dict(values)).unwrap())


def test_six_row_table_gives_the_textbook_pose_of_the_puma_560():
    a2, a3, d3, d4 = 0.4318, 0.0203, 0.15005, 0.4318
    t1, t2, t3 = radians(20), radians(40), radians(-100)
    wrist = Table(FILES["unimation/puma-560"].manifest).frames([t1, t2, t3, 0.3, 0.2, 0.1])[4][:3, 3]
    # Paul and Zhang 1986: the wrist lies in a plane that the shoulder offset has moved sideways.
    along = a2 * cos(t2) + a3 * cos(t2 + t3) - d4 * sin(t2 + t3)
    up = a2 * sin(t2) + a3 * sin(t2 + t3) + d4 * cos(t2 + t3)
    expected = (along * cos(t1) + d3 * sin(t1), along * sin(t1) - d3 * cos(t1), 26.45 * 0.0254 + up)
    np.testing.assert_allclose(wrist, expected, atol=1e-12)


@pytest.mark.parametrize("arm", ARMS)
def test_table_names_every_joint_from_base_to_flange_in_order(arm):
    part = part_of(arm)
    table = Table(part.manifest)
    chain = joints_between(part.robot, part.ports["base"].item, part.ports[table.tip].item)
    assert table.joints == [joint.name for joint in chain if joint.kind.moves]
    assert part.manifest.figures["dof"] == len(table.joints)


@pytest.mark.parametrize("arm", ARMS)
def test_limits_have_a_range_and_include_the_drawn_position(arm):
    for joint in part_of(arm).robot.joints:
        if joint.limits is not None:
            assert joint.limits.lower < joint.limits.upper
            assert joint.limits.lower <= joint.position <= joint.limits.upper


@pytest.mark.parametrize("arm", ARMS)
def test_base_port_faces_down_at_height_zero(arm):
    base = part_of(arm).ports["base"]
    np.testing.assert_allclose(base.pose[:3, 2], (0, 0, -1), atol=1e-12)
    assert base.pose[2, 3] == 0


@pytest.mark.parametrize("arm", sorted(MASS))
def test_total_mass_of_the_links_equals_the_data_sheet(arm):
    part = part_of(arm)
    assert part.robot.mass_properties.mass == pytest.approx(MASS[arm], abs=1e-6)


@pytest.mark.parametrize("arm", ARMS)
def test_tool0_is_the_mounting_port_and_the_flange_is_at_the_same_point(arm):
    part = part_of(arm)
    port = part.ports[part.manifest.dh.tip]
    item_of = {frame.name: frame.item for frame in part.robot.frames}
    assert (item_of["flange"], item_of["tool0"]) == (port.item, port.item)
    flange, tool0 = part.robot.world_from("flange"), part.robot.world_from("tool0")
    np.testing.assert_allclose(tool0, port.pose, rtol=0, atol=1e-12)
    np.testing.assert_allclose(flange[:3, 3], port.pose[:3, 3], rtol=0, atol=1e-12)
    # The x axis of a ROS-Industrial flange points out of it; otherwise the z axis does.
    assert max(flange[:3, [0, 2]].T @ tool0[:3, 2]) == pytest.approx(1, abs=1e-12)


def planes_in_part(item, subitem):
    """Return normals and distances of the faces of a subitem, in the part frame."""
    normals = subitem.shape.planes[:, :3] @ item.pose[:3, :3].T
    return normals, subitem.shape.planes[:, 3] + normals @ item.pose[:3, 3]


def depth_in_common(first, second):
    """Return the radius of the largest ball in the intersection of two convex bodies; at most 0 without overlap."""
    normals, distances = (np.concatenate(parts) for parts in zip(first, second, strict=True))
    rows = np.column_stack([normals, np.ones(len(normals))])
    found = linprog([0, 0, 0, -1], A_ub=rows, b_ub=distances, bounds=[(None, None)] * 3 + [(-1, None)])
    return found.x[3]


def boxes_overlap(first, second):
    (low, high), (other_low, other_high) = first, second
    return bool((low < other_high).all() and (other_low < high).all())


@pytest.mark.parametrize("arm", ARMS)
def test_items_without_a_common_joint_do_not_overlap_as_drawn(arm):
    robot = part_of(arm).robot
    connected = {frozenset((joint.base, moved)) for joint in robot.joints for moved in joint.moves}
    for one, other in combinations(robot.items, 2):
        if frozenset((one.name, other.name)) in connected:
            continue
        for a in one.subitems:
            for b in other.subitems:
                boxes = [
                    np.array([corners.min(axis=0), corners.max(axis=0)])
                    for item, subitem in ((one, a), (other, b))
                    for corners in [subitem.shape.vertices @ item.pose[:3, :3].T + item.pose[:3, 3]]
                ]
                if boxes_overlap(*boxes):
                    depth = depth_in_common(planes_in_part(one, a), planes_in_part(other, b))
                    assert depth < 1e-4, f"{one.name} and {other.name}"
