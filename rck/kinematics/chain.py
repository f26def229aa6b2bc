"""Kinematic chains: the joints between two items, as flat arrays for kernels."""

from dataclasses import dataclass
from math import pi

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import frame, rotation_about, translation
from rck.kernels import fk
from rck.kernels.body_tables import BODY, SLIDES, TURNS, Table
from rck.model.closure import Closure, closure_of
from rck.model.joint import Joint, Mimic, bounds_of
from rck.model.robot import Robot
from rck.support.finding import RckError


@dataclass(frozen=True, eq=False)
class Chain:
    """The joints that move a tip relative to a base. Make one with :func:`chain_between`.

    Joint vectors of a chain have a number for each of its joints, in the order from base to tip.
    """

    robot: Robot
    base: str
    """The item or frame that poses are relative to."""
    tip: str
    """The item or frame that is moved."""
    joints: tuple[str, ...]
    """The free joints that move the tip relative to the base; their mimic joints have separate bodies."""
    bodies: Table
    """BODY records, each the parent of the next and on a movable joint; the first is relative to the base."""
    body_from_tip: Floats
    """The tip in the frame of the last body. Shape (4, 4)."""
    reference: Floats
    """The current joint vector. Shape (joints,), in radians or metres."""
    lower: Floats
    """Lower limits, minus infinity without a limit. Shape (joints,)."""
    upper: Floats
    """Upper limits, infinity without a limit. Shape (joints,)."""
    turning: Floats
    """1 for a joint that turns, 0 for one that slides. Shape (joints,)."""
    reach: float
    """The sum of the lengths of all links and the travel of prismatic joints, in metres."""
    columns: tuple[int, ...]
    """Index of each joint in the joint vectors of the robot."""
    closure: Closure | None = None
    """The solver of the loops that move the tip; `bodies` then take its coordinates instead of joint vectors."""

    def in_robot(self, vector: Floats, rest: Floats | None = None) -> Floats:
        """Return the joint vector of the robot with this chain at `vector`; other joints are as in `rest`.

        By default, `rest` is the current joint vector. Vectors of shape (vectors, joints) give (vectors, free joints).
        """
        other = np.asarray(self.robot.positions if rest is None else rest, dtype=float)
        whole = np.array(np.broadcast_to(other, (*np.shape(vector)[:-1], len(other))))
        whole[..., list(self.columns)] = vector
        return whole

    def of_robot(self, whole: Floats) -> Floats:
        """Return the positions of this chain's joints in a joint vector of the robot. Shape (joints,)."""
        return np.asarray(whole, dtype=float)[list(self.columns)]


def chain_between(robot: Robot, base: str, tip: str) -> Chain:
    """Return the chain between two items or frames; they must be connected, but neither need carry the other."""
    joints_between = _path(robot, robot.frame(base).item, robot.frame(tip).item)
    path = [(joint, sign) for joint, sign in joints_between if joint.kind.moves]
    leaders = list(dict.fromkeys(_lead(joint).joint for joint, _ in path))
    closure = closure_of(robot)
    if closure is not None and any(name in robot.mobility.dependent | robot.mobility.sprung for name in leaders):
        names = closure.leaders(leaders)
        leaders = [joint.name for joint in robot.coordinate_joints]
    else:
        closure, names = None, leaders
    table = np.zeros(len(path), BODY)
    here = robot.world_from(base)
    for number, (joint, sign) in enumerate(path):
        world_from_axis = frame(joint.start, z=joint.direction)
        lead = _lead(joint)
        # Relative to the moving side, the base moves the opposite way.
        back = -sign * joint.position
        to_zero = rotation_about((0.0, 0.0, 1.0), back) if joint.kind.turns else translation((0.0, 0.0, back))
        parent_from_body = np.linalg.inv(here) @ world_from_axis @ to_zero
        motion = TURNS if joint.kind.turns else SLIDES
        table[number] = (
            number - 1,
            motion,
            leaders.index(lead.joint),
            sign * lead.ratio,
            sign * lead.offset,
            parent_from_body[:3],
        )
        here = world_from_axis
    table.setflags(write=False)
    free = {joint.name: joint for joint in robot.free_joints}
    joints = [free[name] for name in names]
    order = list(free)
    lower, upper = bounds_of(joints)
    body_from_tip = np.linalg.inv(here) @ robot.world_from(tip)
    return Chain(
        robot,
        base,
        tip,
        tuple(names),
        table,
        frozen(body_from_tip.astype(float)),
        frozen(np.array([joint.position for joint in joints], dtype=float)),
        frozen(lower),
        frozen(upper),
        frozen(np.array([float(joint.kind.turns) for joint in joints])),
        _reach(table, body_from_tip, [joint for joint, _ in path]),
        tuple(order.index(name) for name in names),
        closure,
    )


def _path(robot: Robot, base: str, tip: str) -> list[tuple[Joint, float]]:
    """Return the joints from base to tip, each with 1 if passed from its base to its moving side, otherwise -1."""
    up, down = _to_root(robot, base), _to_root(robot, tip)
    if up[-1][0] != down[-1][0]:
        raise RckError(f"items {base} and {tip} are not connected by joints")
    ups = [joint for _, joint in up if joint is not None]
    downs = [joint for _, joint in down if joint is not None]
    # A joint that carries both does not move one relative to the other.
    rising = [(robot.joints[joint], -1.0) for joint in ups if joint not in downs]
    falling = [(robot.joints[joint], 1.0) for joint in reversed(downs) if joint not in ups]
    return rising + falling


def _to_root(robot: Robot, item: str) -> list[tuple[int, int | None]]:
    """Return the item and all that carry it, each with the joint that carries it."""
    tree = robot.tree
    here: int | None = robot.item_index[item]
    found = []
    while here is not None:
        found.append((here, tree.joint_of_item[here]))
        here = tree.parent_of_item[here]
    return found


def _lead(joint: Joint) -> Mimic:
    return Mimic(joint.name) if joint.mimic is None else joint.mimic


def _reach(table: Table, body_from_tip: Floats, joints: list[Joint]) -> float:
    links = sum(float(np.linalg.norm(body["parent_from_body"][:, 3])) for body in table[1:])
    links += float(np.linalg.norm(body_from_tip[:3, 3]))
    slides = [joint.limits for joint in joints if joint.limits is not None and not joint.kind.turns]
    total = links + sum(max(abs(limits.lower), abs(limits.upper)) for limits in slides)
    return total if total > 1e-6 else 1.0


def start_box(chain: Chain) -> Floats:
    """Return the lowest and highest positions to start a search from: within limits and one turn. Shape (2, joints)."""
    around = np.where(chain.turning > 0, pi, chain.reach)
    low, high = np.maximum(chain.lower, -around), np.minimum(chain.upper, around)
    # Limits outside the turn around zero, or narrower than one turn, are used as they are.
    odd = (high <= low) | (chain.upper - chain.lower < 2 * around)
    bounded = np.isfinite(chain.lower) & np.isfinite(chain.upper)
    return np.array([np.where(odd & bounded, chain.lower, low), np.where(odd & bounded, chain.upper, high)])


def body_poses(chain: Chain, vector: Floats) -> Floats:
    """Return base from body, whose z axis is that of its joint, at a joint vector. Shape (bodies, 4, 4)."""
    (poses,), _ = poses_at(chain, np.asarray(vector, dtype=float)[None])
    return np.asarray(poses)


def tip_pose(chain: Chain, vector: Floats) -> Floats:
    """Return base from tip at a joint vector, shape (joints,). Shape (4, 4)."""
    _, (pose,) = poses_at(chain, np.asarray(vector, dtype=float)[None])
    return np.asarray(pose)


def poses_at(chain: Chain, vectors: Floats) -> tuple[Floats, Floats]:
    """Return base from each body and base from tip at many joint vectors, shape (vectors, joints).

    Shapes (vectors, bodies, 4, 4) and (vectors, 4, 4).
    """
    rows = np.asarray(vectors, np.float64, order="C")
    poses, tips = np.empty((len(rows), len(chain.bodies), 4, 4)), np.empty((len(rows), 4, 4))
    if not len(chain.bodies):
        tips[:] = chain.body_from_tip
    else:
        if chain.closure is not None:
            rows = chain.closure.complete_batch(chain.in_robot(rows))[0]
        fk.chain_poses_batch(chain.bodies, chain.body_from_tip, rows, poses, tips)
    return poses, tips


def axes_at(chain: Chain, vector: Floats) -> tuple[Floats, Floats]:
    """Return a point on each axis and its direction, in the base frame, at a joint vector. Shapes (bodies, 3)."""
    poses = body_poses(chain, vector)
    return poses[:, :3, 3], poses[:, :3, 2]
