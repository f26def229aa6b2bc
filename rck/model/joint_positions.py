"""Joint positions of a robot: move it to others, and sample them at random."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply
from rck.model.closure import TOLERANCE, Closure, closure_of, keep_closure
from rck.model.item import place_item
from rck.model.joint import Joint, bounds_of, motion
from rck.model.named_pose import HOME, NamedPose
from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.frozen_copy import copy_with

_MOST_DRAWS = 40
_MOST_ASSEMBLIES = 64
"""Starts to close loops that are drawn open."""
_SAME = 1e-12


def joint_positions(robot: Robot, vector: Floats) -> dict[str, float]:
    """Return the position of every movable joint, also of mimic joints and in loops, for one number per free joint."""
    free = robot.free_joints
    if np.shape(vector) != (len(free),):
        raise RckError(f"robot {robot.name} needs {len(free)} joint positions, not {np.size(vector)}")
    if not np.isfinite(vector).all():
        raise RckError(f"a joint position of robot {robot.name} is not finite")
    closure = closure_of(robot)
    if closure is None:
        positions = {joint.name: float(x) for joint, x in zip(free, vector, strict=True)}
    else:
        whole = closure.complete(vector)
        positions = dict(zip((joint.name for joint in closure.joints), whole.tolist(), strict=True))
    return _with_mimics(robot, positions)


def _with_mimics(robot: Robot, positions: dict[str, float]) -> dict[str, float]:
    for joint in robot.joints:
        if joint.mimic is not None and joint.kind.moves:
            positions[joint.name] = joint.mimic.position_at(positions[joint.mimic.joint])
    return positions


def at_positions(robot: Robot, vector: Floats) -> Robot:
    """Return the robot with its free joints at these positions, shape (free joints,), limits ignored.

    Each joint transforms the items and the axes of the joints that it carries. This is the reference implementation;
    `rck.kernels` does the same faster, and tests compare the two.
    """
    return _moved(robot, joint_positions(robot, vector))


def with_loops_closed(robot: Robot, wanted: Mapping[str, float]) -> Robot:
    """Return the robot with some joints moved and its loops closed, limits ignored.

    The positions of joints that loops move are the start of the search: they choose the branch. A robot whose loops do
    not close there is returned with the least error.
    """
    closure = closure_of(robot)
    if closure is None:
        return with_positions(robot, wanted) if wanted else robot
    if not closure.is_closed:
        assembled = _assembled(robot, closure, wanted)
        if assembled is not None:
            return assembled
    seed = np.array([wanted.get(joint.name, joint.position) for joint in closure.joints], dtype=float)
    vector = seed[closure.free]
    coordinates, residual, _ = closure.solve(vector, seed)
    if residual > closure.tolerance:
        other, other_residual, _ = closure.solve(vector)
        if other_residual < residual:
            coordinates = other
    here = np.array([joint.position for joint in closure.joints])
    if np.abs(coordinates - here).max(initial=0.0) <= _SAME:
        return robot
    positions = dict(zip((joint.name for joint in closure.joints), coordinates.tolist(), strict=True))
    return _moved(robot, _with_mimics(robot, positions))


def _assembled(robot: Robot, closure: Closure, wanted: Mapping[str, float]) -> Robot | None:
    """Return a robot that was drawn with open loops with them closed; its roles of joints are new. None if none do.

    First the joints with wanted positions stay there; if that fails, the last of them may move, and so on. Those that
    move come as near to their wanted positions as a branch allows.
    """
    seed = np.array([wanted.get(joint.name, joint.position) for joint in closure.joints], dtype=float)
    held = [joint.name for joint in closure.joints if joint.name in wanted and joint.name in robot.mobility.looped]
    leaders = {joint.mimic.joint for joint in robot.joints if joint.mimic}
    for count in range(len(held), -1, -1):
        moving = robot.mobility.looped.difference(held[:count])
        if not moving:
            continue
        loose = copy_with(robot, mobility=replace(robot.mobility, dependent=moving, sprung=frozenset()))
        # The free joints of the copy are others.
        vars(loose).pop("free_joints", None)
        search = closure_of(loose)
        assert search is not None
        near = [number for number, joint in enumerate(search.joints) if joint.name in held[count:]]
        whole_turns = np.array([joint.kind.turns and joint.limits is None for joint in search.joints])
        whole_turns &= search.is_led & np.array([joint.name not in leaders for joint in search.joints])
        lower, upper = bounds_of(search.joints)
        generator = np.random.default_rng(1)
        best, least = None, np.inf
        for attempt in range(_MOST_ASSEMBLIES):
            # Links drawn in line are at a singular position: start at some distance from it, larger with each attempt.
            spread = np.pi * attempt / _MOST_ASSEMBLIES
            begin = seed + np.where(search.is_led, generator.uniform(-spread, spread, len(seed)), 0.0)
            found, residual, _ = search.solve(begin[search.free], np.clip(begin, lower, upper))
            if residual > TOLERANCE or (found < lower - _SAME).any() or (found > upper + _SAME).any():
                continue
            found[whole_turns] = np.remainder(found[whole_turns] + np.pi, 2 * np.pi) - np.pi
            away = float(np.abs(found[near] - seed[near]).sum())
            if away < least - _SAME:
                best, least = found, away
            if not near:
                break
        if best is not None:
            positions = dict(zip((joint.name for joint in search.joints), best.tolist(), strict=True))
            return _placed(robot, _with_mimics(robot, positions))
    return None


def _moved(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """Return the robot with all movable joints at these positions."""
    moved = _placed(robot, positions)
    if not robot.closing_loops:
        return moved
    # The free joints stay the same, wherever the robot is.
    moved = copy_with(moved, mobility=robot.mobility)
    keep_closure(moved, robot, np.array([positions[joint.name] for joint in robot.coordinate_joints]))
    return moved


def _placed(robot: Robot, positions: Mapping[str, float]) -> Robot:
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
    return with_loops_closed(robot, home_positions(robot.poses, robot.joints))


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
    Loops close at every vector, within the limits of all joints; some vectors may be repeated.
    """
    chosen = robot.free_joints if joints is None else [robot.joint(name) for name in joints]
    lower, upper = bounds_of(chosen)
    most = np.array([widest if joint.kind.turns else inf for joint in chosen])
    low = np.maximum(np.where(np.isfinite(lower), lower, -np.pi), -most)
    high = np.minimum(np.where(np.isfinite(upper), upper, np.pi), most)
    generator = np.random.default_rng(seed)

    def draw() -> Floats:
        vectors = generator.uniform(low, high, (count, len(chosen)))
        if not at_limits:
            return vectors
        ends = np.where(generator.random(vectors.shape) < 0.5, low, high)
        extreme = (np.arange(count) % at_limits == 0)[:, None] & (generator.random(vectors.shape) < 0.5)
        return np.where(extreme, ends, vectors)

    closure = closure_of(robot)
    if closure is None or not count:
        return draw()
    columns = [robot.free_joints.index(joint) for joint in chosen]
    found = np.empty((0, len(chosen)))
    for _ in range(_MOST_DRAWS):
        vectors = draw()
        whole = np.tile(robot.positions, (count, 1))
        whole[:, columns] = vectors
        found = np.concatenate([found, vectors[closure.closes(whole)]])[:count]
        if len(found) == count:
            return found
    if not len(found):
        raise RckError(f"robot {robot.name} closes its loops at no random position; check its joint limits")
    return np.resize(found, (count, len(chosen)))
