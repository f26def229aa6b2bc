"""Link frames of catalogue arms.

`official_frames.yaml` holds the joint origins that makers and ROS-Industrial publish. Pinocchio gives the link poses
of a URDF file with these origins; the items and named frames of the catalogue part must have the same poses.
"""

from functools import cache
from math import radians
from pathlib import Path

import numpy as np
import pytest
import rck_parts

from rck.geometry.transforms import from_euler, translation
from rck.model.forward_kinematics import forward_batch, forward_frames_batch
from rck.model.joint_positions import random_vectors
from rck.model.robot_arrays import robot_arrays
from rck.parts.library import manifest_paths
from rck.parts.part import build_part, read_part_file
from rck.support.plain_yaml import load_yaml

pin = pytest.importorskip("pinocchio")

OFFICIAL = load_yaml(Path(__file__).with_name("official_frames.yaml").read_text(encoding="utf-8"))
NONE = (0, 0, 0)


@cache
def catalogue():
    """Return the parts of all arms by id."""
    paths = manifest_paths(Path(rck_parts.__file__).parent / "arms")
    return {part.id: part for part in (build_part(read_part_file(path)).unwrap() for path in paths)}


def origin_of(place):
    rpy = " ".join(repr(radians(angle)) for angle in place.get("rpy", NONE))
    return f'<origin xyz="{" ".join(map(str, place.get("xyz", NONE)))}" rpy="{rpy}"/>'


def urdf_of(arm):
    """Return the chain as URDF, with the limits that URDF requires."""
    parent, lines = arm["root"], [f'<robot name="arm"><link name="{arm["root"]}"/>']
    for joint in arm["joints"]:
        link, axis = joint["link"], " ".join(map(str, joint.get("axis", (0, 0, 1))))
        lines.append(f'<link name="{link}"/><joint name="{joint["joint"]}" type="revolute">{origin_of(joint)}')
        lines.append(f'<parent link="{parent}"/><child link="{link}"/><axis xyz="{axis}"/>')
        lines.append('<limit lower="-700" upper="700" effort="1" velocity="1"/></joint>')
        parent = link
    for name, frame in arm.get("frames", {}).items():
        lines.append(f'<link name="{name}"/><joint name="{name}-joint" type="fixed">{origin_of(frame)}')
        lines.append(f'<parent link="{frame.get("parent", parent)}"/><child link="{name}"/></joint>')
    return "\n".join([*lines, "</robot>"])


def poses_by_pinocchio(arm, joints, vectors):
    """Return part-from-link poses for each link and frame of the description, each of shape (vectors, 4, 4)."""
    model = pin.buildModelFromXML(urdf_of(arm))
    data = model.createData()
    root = arm.get("part_from_root", {})
    part_from_root = translation(root.get("xyz", NONE)) @ from_euler([radians(one) for one in root.get("rpy", NONE)])
    order = [joints.index(name) for name in model.names[1:]]
    links = [arm["root"], *(joint["link"] for joint in arm["joints"]), *arm.get("frames", {})]
    found = {link: [] for link in links}
    for vector in vectors:
        pin.framesForwardKinematics(model, data, vector[order])
        for link in links:
            found[link].append(part_from_root @ data.oMf[model.getFrameId(link)].homogeneous)
    return {link: np.array(poses) for link, poses in found.items()}


@pytest.mark.parametrize("name", sorted(OFFICIAL))
def test_link_frames_equal_the_public_description(compare, name):
    arm, part = OFFICIAL[name], catalogue()[name]
    robot, arrays = part.robot, robot_arrays(part.robot)
    vectors = random_vectors(robot, 50, seed=5)
    expected = poses_by_pinocchio(arm, [joint.name for joint in robot.free_joints], vectors)
    items = forward_batch(arrays, vectors)
    found = {one["link"]: items[:, robot.item_index[robot.joint(one["joint"]).moves[0]]] for one in arm["joints"]}
    if "part_from_root" not in arm:
        found[arm["root"]] = items[:, robot.item_index[part.ports["base"].item]]
    frames = forward_frames_batch(arrays, vectors)
    found |= {frame.name: frames[:, number] for number, frame in enumerate(robot.frames) if frame.name in expected}
    assert len(found) >= len(expected) - ("part_from_root" in arm)
    error = max(float(np.abs(poses - expected[link]).max()) for link, poses in found.items())
    repository = arm["source"].partition(",")[0]
    compare(f"Item poses of `{name}`", f"{repository}, in pinocchio", error, 1e-9, "m or rotation entry")
