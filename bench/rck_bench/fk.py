"""Forward kinematics and Jacobians of one six-axis arm, by RCK and by pinocchio.

Pinocchio's functions leave their results in its own memory, RCK's return arrays: one row includes the conversion
to a NumPy matrix. Pinocchio has no batch in Python, so its batch is a loop.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from operator import attrgetter

import numpy as np

from rck.geometry.arrays import Floats
from rck.kernels import fk as kernels
from rck.model.forward_kinematics import (
    forward,
    forward_batch,
    forward_bodies,
    forward_frames,
    jacobian,
    jacobian_batch,
)
from rck.model.robot import Robot
from rck.model.robot_arrays import robot_arrays
from rck.testing.robots import six_axis_arm
from rck_bench.machine import package_version
from rck_bench.pinocchio_model import pinocchio_model
from rck_bench.report import Report

CALLS = 2_000
BATCH = 100_000
COMPARED = 1_000


@dataclass(frozen=True)
class Peer:
    """The arm in pinocchio: its functions of one joint vector."""

    place_bodies: Callable[[Floats], object]
    place_items: Callable[[Floats], object]
    body_matrices: Callable[[Floats], Floats]
    """Returns world from the body of each joint, the base at the origin first. Shape (joints + 1, 4, 4)."""
    item_matrices: Callable[[Floats], Floats]
    """Returns world from item. Shape (items, 4, 4)."""
    tool_matrix: Callable[[Floats], Floats]
    """Returns world from tool. Shape (4, 4)."""
    jacobian: Callable[[Floats], Floats]
    """Returns the Jacobian of the origin of the last item, along the world axes. Shape (6, free joints)."""


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
        kernels.forward_bodies.unchecked(arm.item_table.address, row, poses)
        return poses

    def one_call(
        what: str,
        ours: Callable[[Floats], Floats],
        called: str,
        timed: Callable[[Peer], Callable[[Floats], object]],
        answers: Callable[[Peer], Callable[[Floats], Floats]],
        least_ratio: float | None = None,
    ) -> None:
        _contest(
            report,
            peer,
            f"one call, {what}",
            _each(single, ours),
            called,
            lambda other: _each(single, timed(other)),
            lambda other: _largest(ours(row) - answers(other)(row) for row in batch[:COMPARED]),
            work=CALLS,
            least_ratio=least_ratio,
        )

    def whole_batch(
        what: str,
        ours: Callable[..., Floats],
        called: str,
        answers: Callable[[Peer], Callable[[Floats], Floats]],
        timed: Callable[[Peer], Callable[[Floats], object]],
        *room: Floats,
        least_rate: float | None = None,
    ) -> None:
        _contest(
            report,
            peer,
            f"batch of {BATCH:,}, {what}",
            partial(ours, batch, *room),
            f"{called} in a loop",
            lambda other: _each(batch, timed(other)),
            lambda other: _largest(a - answers(other)(b) for a, b in zip(ours(batch[:COMPARED]), batch, strict=False)),
            work=BATCH,
            least_rate=least_rate,
        )

    forward_kinematics, frames_too = "forwardKinematics", "framesForwardKinematics"
    bodies, items = attrgetter("body_matrices"), attrgetter("item_matrices")
    tool, slope = attrgetter("tool_matrix"), attrgetter("jacobian")
    place_bodies, place_items = attrgetter("place_bodies"), attrgetter("place_items")
    one_call("bodies", partial(forward_bodies, arm), forward_kinematics, place_bodies, bodies, 0.2)
    one_call("bodies, the kernel alone", kernel_poses, forward_kinematics, place_bodies, bodies, 0.2)
    one_call("items", partial(forward, arm), frames_too, place_items, items, 0.2)
    one_call(
        "tool as a matrix",
        lambda row: forward_frames(arm, row)[0],
        f"{frames_too} and the tool as a matrix",
        tool,
        tool,
    )
    one_call("Jacobian", lambda row: jacobian(arm, row, last), "computeFrameJacobian", slope, slope)
    whole_batch("items", partial(forward_batch, arm), frames_too, items, place_items, room, least_rate=1e6)
    whole_batch("Jacobians", lambda rows: jacobian_batch(arm, rows, last), "computeFrameJacobian", slope, slope)


def in_pinocchio(robot: Robot) -> Peer:
    """Create the robot, which has one frame, in pinocchio."""
    import pinocchio as pin

    made = pinocchio_model(robot)
    model = made.model

    def add_frame(name: str, item: int, world_from_frame: Floats) -> int:
        joint, placement = made.joint_of_item[item], made.placement(item, world_from_frame)
        return int(model.addFrame(pin.Frame(name, joint, 0, placement, pin.FrameType.OP_FRAME)))

    items = [add_frame(item.name, number, item.pose) for number, item in enumerate(robot.items)]
    (tip,) = robot.frames
    tool = add_frame(tip.name, robot.item_index[tip.item], robot.world_from(tip.name))
    data = model.createData()

    def body_matrices(row: Floats) -> Floats:
        pin.forwardKinematics(model, data, row)
        return np.array([data.oMi[number].homogeneous for number in range(model.njoints)])

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
