"""Joint positions of a robot: move it to others, and sample them at random."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply
from rck.model.item import place_item
from rck.model.joint import Joint, bounds_of, motion
from rck.model.named_pose import HOME, NamedPose
from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.frozen_copy import copy_with


def joint_positions(robot: Robot, vector: Floats) -> dict[str, float]:
    """Return the position of every movable joint, mimic joints included, for one number per free joint."""
    free = robot.free_joints
    if np.shape(vector) != (len(free),):
        raise RckError(f"robot {robot.name} needs {len(free)} joint positions, not {np.size(vector)}")
    if not np.isfinite(vector).all():
        raise RckError(f"a joint position of robot {robot.name} is not finite")
    positions = {joint.name: float(x) for joint, x in zip(free, vector, strict=True)}
    for joint in robot.joints:
        if joint.mimic is not None and joint.kind.moves:
            positions[joint.name] = joint.mimic.position_at(positions[joint.mimic.joint])
    return positions


def at_positions(robot: Robot, vector: Floats) -> Robot:
    """Return the robot with its free joints at these positions, shape (free joints,), limits ignored.

    Each joint transforms the items and the axes of the joints that it carries. This is the reference implementation;
    `rck.kernels` does the same faster, and tests compare the two.
    """
    positions = joint_positions(robot, vector)
    tree = robot.tree
    items = list(robot.items)
    joints = list(robot.joints)
    # None for items that do not move: a single joint moves only a part of the robot.
    new_from_old: list[Floats | None] = [None] * len(items)
    for number in tree.joint_order:
        joint = robot.joints[number]
        base_motion = new_from_old[robot.item_index[joint.base]]
        here = positions.get(joint.name, joint.position)
        if base_motion is None and here == joint.position:
            continue
        item_motion = motion(joint, here - joint.position)
        if base_motion is None:
            joints[number] = replace(joint, position=here)
        else:
            (x0, y0, z0), (x1, y1, z1) = apply(base_motion, [joint.start, joint.end]).tolist()
            joints[number] = replace(joint, start=(x0, y0, z0), end=(x1, y1, z1), position=here)
            item_motion = base_motion @ item_motion
        for item in tree.moves[number]:
            new_from_old[item] = item_motion
            items[item] = place_item(items[item], item_motion @ items[item].pose)
    return copy_with(replace(robot, items=tuple(items), joints=tuple(joints)), built_tree=robot.built_tree)


def with_positions(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """Return the robot with the named free joints moved and the others unchanged."""
    for name in positions:
        robot.free_joint(name)
    vector = [positions.get(joint.name, joint.position) for joint in robot.free_joints]
    return at_positions(robot, np.array(vector, dtype=float))


def home_positions(poses: Iterable[NamedPose], joints: Iterable[Joint]) -> dict[str, float]:
    """Return the positions of the poses called `home`, within the limits, for the joints that move independently."""
    wanted = {name: x for pose in poses if pose.name.rpartition("/")[2] == HOME for name, x in pose.positions.items()}
    found = {}
    for joint in joints:
        if joint.name in wanted and joint.kind.moves and joint.mimic is None:
            x = wanted[joint.name]
            limits = joint.limits
            found[joint.name] = x if limits is None else min(max(x, limits.lower), limits.upper)
    return found


def at_home_pose(robot: Robot) -> Robot:
    """Return the robot as it is shown by default: at its pose called `home`, if it has one."""
    positions = home_positions(robot.poses, robot.joints)
    return with_positions(robot, positions) if positions else robot


def random_vectors(
    robot: Robot,
    count: int,
    seed: int = 1,
    *,
    joints: Iterable[str] | None = None,
    widest: float = inf,
    at_limits: int = 0,
) -> Floats:
    """Return random joint vectors within the limits, the same for the same seed. Shape (count, joints).

    They contain all free joints, or the `joints` named. Joints without limits get one turn; no joint turns by more than
    `widest` either way, in radians. One vector in `at_limits`, if not zero, has about half of its joints at a limit.
    """
    chosen = robot.free_joints if joints is None else [robot.joint(name) for name in joints]
    lower, upper = bounds_of(chosen)
    most = np.array([widest if joint.kind.turns else inf for joint in chosen])
    low = np.maximum(np.where(np.isfinite(lower), lower, -np.pi), -most)
    high = np.minimum(np.where(np.isfinite(upper), upper, np.pi), most)
    generator = np.random.default_rng(seed)
    vectors = generator.uniform(low, high, (count, len(chosen)))
    if not at_limits:
        return vectors
    ends = np.where(generator.random(vectors.shape) < 0.5, low, high)
    extreme = (np.arange(count) % at_limits == 0)[:, None] & (generator.random(vectors.shape) < 0.5)
    return np.where(extreme, ends, vectors)
