"""Forward kinematics and Jacobians of one six-axis arm, by RCK and by pinocchio.

Pinocchio's functions leave their answers in its own memory, RCK's return arrays: one row counts the way to a
numpy matrix too. Pinocchio has no batch in Python, so there the peer is a loop.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, invert
from rck.kernels import fk as kernels
from rck.model.arrays import robot_arrays
from rck.model.forward import forward, forward_batch, forward_bodies, forward_frames, jacobian, jacobian_batch
from rck.model.robot import Robot
from rck.testing.robots import six_axis_arm
from rck_bench.machine import package_version
from rck_bench.report import Report

CALLS = 2_000
BATCH = 100_000
COMPARED = 1_000


@dataclass(frozen=True)
class Peer:
    """The arm in pinocchio: what it does with one joint vector."""

    place_bodies: Callable[[Floats], object]
    place_items: Callable[[Floats], object]
    body_matrices: Callable[[Floats], Floats]
    """World from the body of each joint. Shape (joints, 4, 4)."""
    item_matrices: Callable[[Floats], Floats]
    """World from item. Shape (items, 4, 4)."""
    tool_matrix: Callable[[Floats], Floats]
    """World from tool. Shape (4, 4)."""
    jacobian: Callable[[Floats], Floats]
    """Of the origin of the last item, along the axes of the world. Shape (6, free joints)."""


def run(report: Report) -> None:
    """Add the rows of this area."""
    robot = six_axis_arm()
    arm = robot_arrays(robot)
    peer = in_pinocchio(robot) if find_spec("pinocchio") else None
    report.machine["pin"] = package_version("pin")
    last = len(robot.items) - 1
    batch = np.random.default_rng(1).uniform(-np.pi, np.pi, (BATCH, len(arm.reference)))
    single = list(batch[:CALLS])
    room = np.empty((BATCH, len(robot.items), 4, 4))
    poses = np.empty((len(arm.bodies), 4, 4))

    def kernel_poses(row: Floats) -> Floats:
        kernels.forward_bodies(arm.bodies, row, poses)
        return poses

    # Body 0 is the base, which pinocchio counts to the world.
    def bodies_differ(other: Peer) -> float:
        return _largest(forward_bodies(arm, row)[1:] - other.body_matrices(row) for row in batch[:COMPARED])

    def kernel_differs(other: Peer) -> float:
        return _largest(kernel_poses(row)[1:] - other.body_matrices(row) for row in batch[:COMPARED])

    def items_differ(other: Peer) -> float:
        return _largest(forward(arm, row) - other.item_matrices(row) for row in batch[:COMPARED])

    def tools_differ(other: Peer) -> float:
        return _largest(forward_frames(arm, row)[0] - other.tool_matrix(row) for row in batch[:COMPARED])

    def jacobians_differ(other: Peer) -> float:
        return _largest(jacobian(arm, row, last) - other.jacobian(row) for row in batch[:COMPARED])

    def batch_differs(other: Peer) -> float:
        placed = forward_batch(arm, batch[:COMPARED])
        return _largest(mine - other.item_matrices(row) for mine, row in zip(placed, batch, strict=False))

    def jacobian_batch_differs(other: Peer) -> float:
        slopes = jacobian_batch(arm, batch[:COMPARED], last)
        return _largest(mine - other.jacobian(row) for mine, row in zip(slopes, batch, strict=False))

    contest = partial(_contest, report, peer)
    contest(
        "one call, bodies",
        _each(single, partial(forward_bodies, arm)),
        "forwardKinematics",
        lambda other: _each(single, other.place_bodies),
        bodies_differ,
        work=CALLS,
        least_ratio=0.2,
    )
    contest(
        "one call, bodies, the kernel alone",
        _each(single, kernel_poses),
        "forwardKinematics",
        lambda other: _each(single, other.place_bodies),
        kernel_differs,
        work=CALLS,
        least_ratio=0.2,
    )
    contest(
        "one call, items",
        _each(single, partial(forward, arm)),
        "framesForwardKinematics",
        lambda other: _each(single, other.place_items),
        items_differ,
        work=CALLS,
        least_ratio=0.2,
    )
    contest(
        "one call, tool as a matrix",
        _each(single, lambda row: forward_frames(arm, row)[0]),
        "framesForwardKinematics and the tool as a matrix",
        lambda other: _each(single, other.tool_matrix),
        tools_differ,
        work=CALLS,
    )
    contest(
        "one call, Jacobian",
        _each(single, lambda row: jacobian(arm, row, last)),
        "computeFrameJacobian",
        lambda other: _each(single, other.jacobian),
        jacobians_differ,
        work=CALLS,
    )
    contest(
        f"batch of {BATCH:,}, items",
        partial(forward_batch, arm, batch, room),
        "framesForwardKinematics in a loop",
        lambda other: _each(batch, other.place_items),
        batch_differs,
        work=BATCH,
        least_rate=1e6,
    )
    contest(
        f"batch of {BATCH:,}, Jacobians",
        partial(jacobian_batch, arm, batch, last),
        "computeFrameJacobian in a loop",
        lambda other: _each(batch, other.jacobian),
        jacobian_batch_differs,
        work=BATCH,
    )


def in_pinocchio(robot: Robot) -> Peer:
    """The robot built in pinocchio through code, from the axes of its joints.

    Its joints turn about z of their own frames, the kind that pinocchio is fastest at.
    """
    import pinocchio as pin

    model = pin.Model()
    joint_of_item = dict.fromkeys(robot.tree.roots, 0)
    world_from_joint = [np.eye(4)]
    for number in robot.tree.joint_order:
        joint = robot.joints[number]
        parent = joint_of_item[robot.item_index[joint.base]]
        world_from_joint.append(frame(joint.start, z=joint.direction))
        placement = pin.SE3(invert(world_from_joint[parent]) @ world_from_joint[-1])
        added = model.addJoint(parent, pin.JointModelRZ(), placement, joint.name)
        joint_of_item |= dict.fromkeys(robot.tree.moves[number], added)

    def add_frame(name: str, item: int, world_from_frame: Floats) -> int:
        placement = pin.SE3(invert(world_from_joint[joint_of_item[item]]) @ world_from_frame)
        return int(model.addFrame(pin.Frame(name, joint_of_item[item], 0, placement, pin.FrameType.OP_FRAME)))

    items = [add_frame(item.name, number, item.pose) for number, item in enumerate(robot.items)]
    on = robot.item_index[robot.frames[0].item]
    tool = add_frame(robot.frames[0].name, on, robot.items[on].pose @ robot.frames[0].pose)
    data = model.createData()

    def body_matrices(row: Floats) -> Floats:
        pin.forwardKinematics(model, data, row)
        return np.array([data.oMi[number].homogeneous for number in range(1, model.njoints)])

    def item_matrices(row: Floats) -> Floats:
        pin.framesForwardKinematics(model, data, row)
        return np.array([data.oMf[number].homogeneous for number in items])

    def tool_matrix(row: Floats) -> Floats:
        pin.framesForwardKinematics(model, data, row)
        matrix: Floats = data.oMf[tool].homogeneous
        return matrix

    def slope(row: Floats) -> Floats:
        matrix: Floats = pin.computeFrameJacobian(model, data, row, items[-1], pin.LOCAL_WORLD_ALIGNED)
        return matrix

    return Peer(
        place_bodies=partial(pin.forwardKinematics, model, data),
        place_items=partial(pin.framesForwardKinematics, model, data),
        body_matrices=body_matrices,
        item_matrices=item_matrices,
        tool_matrix=tool_matrix,
        jacobian=slope,
    )


def _contest(
    report: Report,
    peer: Peer | None,
    what: str,
    ours: Callable[[], object],
    called: str,
    theirs: Callable[[Peer], Callable[[], object]],
    difference: Callable[[Peer], float],
    *,
    work: int,
    least_ratio: float | None = None,
    least_rate: float | None = None,
) -> None:
    if peer is None:
        report.measure(
            what, ours, work=work, peer="pinocchio is not installed (pip install pin)", least_rate=least_rate
        )
    else:
        report.compare(
            what,
            ours,
            theirs(peer),
            peer=f"pinocchio {called}",
            difference=difference(peer),
            work=work,
            least_ratio=least_ratio,
            least_rate=least_rate,
        )


def _each(rows: Iterable[Floats], call: Callable[[Floats], object]) -> Callable[[], None]:
    def loop() -> None:
        for row in rows:
            call(row)

    return loop


def _largest(differences: Iterable[Floats]) -> float:
    return max(float(np.abs(difference).max()) for difference in differences)
