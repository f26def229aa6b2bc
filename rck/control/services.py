"""Services of a served world, each with a typed request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from rck.control.client_motions import ClientMotion
from rck.control.messages import JointTrajectory, Pose, pose_message, stamp
from rck.control.objects import object_item
from rck.control.protocol import ProtocolError
from rck.control.served_world import ServedWorld, ToolGoal, check_step
from rck.geometry.transforms import invert
from rck.simulation.simulation import LONGEST_SUBSTEP
from rck.simulation.trajectory_generator import MotionPlan
from rck.support.finding import RckError
from rck.support.steps import Steps
from rck.support.units import counted

Number: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e12, le=1e12)]
Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=256)]
Reply: TypeAlias = dict[str, Any]

MAX_SOLUTIONS = 64
"""Largest number of solutions that a client may request."""
LONGEST_SEARCH = 0.2
"""Longest time that a solver may search for a client, in seconds."""
_SHORTEST_STEP = 1e-12
"""Remainder of a step that is ignored, in seconds."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request of a service. Unknown fields are refused, as they may be misspelt."""


class EmptyRequest(Request, frozen=True):
    """Request without fields."""


class MoveJointsRequest(Request, frozen=True):
    """Move joints to positions, or by a relative amount, synchronously."""

    joints: Annotated[dict[Name, Number], msgspec.Meta(min_length=1, max_length=1000)]
    """Positions in radians and metres, by joint name."""
    relative: bool = False
    duration: Number | None = None
    """Duration in seconds; without it, the speed is that of /robot_speed."""


class FollowTrajectoryRequest(Request, frozen=True):
    """Move joints along a trajectory, as in control_msgs/FollowJointTrajectory."""

    trajectory: JointTrajectory


class ToolRequest(Request, frozen=True):
    """Goal of a tip."""

    pose: Pose
    frame_id: Name = ""
    """Item or frame of the pose; empty for the world."""
    tip: Name = ""
    base: Name = ""
    wants: Literal["pose", "position", "axis"] = "pose"

    @property
    def goal(self) -> ToolGoal:
        """The goal for the world."""
        return ToolGoal(self.pose.matrix, self.frame_id, self.tip, self.base, self.wants)


class MoveToolRequest(ToolRequest, frozen=True):
    """Move a tip to a pose."""

    straight: bool = False
    duration: Number | None = None


class UseGripperRequest(Request, frozen=True):
    """Close or open a gripper."""

    gripper: Name = ""
    object: Name = ""
    """Object to take; empty for any that the gripper can hold."""


class ActRequest(Request, frozen=True):
    """Carry out an action of a plugin."""

    action: Annotated[str, msgspec.Meta(max_length=1000)]
    """Its name and arguments, such as `beep 3`."""


class SpeedRequest(Request, frozen=True):
    """Set the real-time factor."""

    speed: Number


class RobotSpeedRequest(Request, frozen=True):
    """Set the speed of the caller's moves: either `speed` or `full`."""

    speed: Number | None = None
    """The speed of the joint that moves farthest, in rad/s or m/s."""
    full: bool = False
    """Move as fast as the joints allow."""


class StopMotionRequest(Request, frozen=True):
    """Stop a motion, or all motions of the caller."""

    motion: int | None = None


class SpawnRequest(Request, frozen=True):
    """Add an object."""

    name: Name
    shape: Literal["box", "cylinder", "sphere"] = "box"
    sizes: Annotated[tuple[Number, ...], msgspec.Meta(max_length=3)] = (0.05, 0.05, 0.05)
    """Sizes of a box along x, y and z; radius and height of a cylinder; radius of a sphere. In metres."""
    pose: Pose = Pose()
    colour: tuple[Number, Number, Number] = (0.9, 0.6, 0.1)
    mass: Number | None = None
    fixed: bool = False


class RemoveRequest(Request, frozen=True):
    """Remove an object."""

    name: Name


class StepRequest(Request, frozen=True):
    """Advance simulated time while the world is paused."""

    seconds: Number = 0.01


class SetBoolRequest(Request, frozen=True):
    """std_srvs/SetBool."""

    data: bool = True


class ComputeIkRequest(ToolRequest, frozen=True):
    """Compute joint positions for a pose of a tip."""

    most: Annotated[int, msgspec.Meta(ge=1, le=MAX_SOLUTIONS)] = 1
    budget: Annotated[float, msgspec.Meta(gt=0, le=LONGEST_SEARCH)] = 0.02


class GetPoseRequest(Request, frozen=True):
    """Get the pose of an item or frame."""

    name: Name
    frame_id: Name = ""


class TypeRequest(Request, frozen=True):
    """Get the type of a topic or service."""

    topic: Name = ""
    service: Name = ""


def spawn(world: ServedWorld, request: SpawnRequest) -> Steps[None]:
    """Add the object that a request describes."""
    pose = request.pose.matrix
    item = object_item(
        request.name, request.shape, request.sizes, pose, (*request.colour, 1.0), request.mass, request.fixed
    )
    return world.spawn(item, msgspec.to_builtins(request))


class Caller:
    """A client that calls services, and its settings."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.robot_speed = inf
        """Speed of the joint that moves farthest, in rad/s or m/s; infinite for full speed."""
        self.stop_on_disconnect = True
        """True if its motions stop when it disconnects."""
        self.open_on_disconnect = False
        """True if the grippers that it closed open when it disconnects."""
        self.processor_time = 0.0
        """Processor time that its messages have taken, in seconds."""


Handler: TypeAlias = Callable[[ServedWorld, Caller, Any], Reply | Steps[Reply]]


@dataclass(frozen=True, slots=True)
class Service:
    """A service of the server."""

    ros_type: str
    request: type[Request]
    run: Handler
    changes: bool = False
    """True if it changes anything; recordings contain only such calls."""


def request_of(service: Service, args: bytes | msgspec.Raw) -> Request:
    """Decode a request from an object, or from a list in the order of the fields."""
    raw = bytes(args)
    try:
        if raw.lstrip()[:1] == b"[":
            values = msgspec.json.decode(raw, type=list[msgspec.Raw])
            fields = service.request.__struct_fields__
            if len(values) > len(fields):
                raise ProtocolError(f"too many arguments; the service takes {len(fields)}")
            raw = msgspec.json.encode(dict(zip(fields, values, strict=False)))
        return msgspec.json.decode(b"{}" if raw == b"null" else raw, type=service.request)
    except RecursionError:
        raise ProtocolError("the arguments are nested too deeply") from None
    except msgspec.DecodeError as error:
        known = ", ".join(service.request.__struct_fields__) or "none"
        raise ProtocolError(f"{error}; arguments: {known}") from None


def _started(motion: ClientMotion, duration: float, note: str = "") -> Reply:
    return {"success": True, "message": note, "motion": motion.number, "duration": round(duration, 6)}


def _done(message: str = "") -> Reply:
    return {"success": True, "message": message}


def _follow(world: ServedWorld, caller: Caller, plan: MotionPlan) -> Reply:
    return _started(world.follow(caller.name, plan), plan.path.duration, plan.note)


def _move_joints(world: ServedWorld, caller: Caller, request: MoveJointsRequest) -> Reply:
    speed = caller.robot_speed
    plan = world.plan_joints(request.joints, relative=request.relative, duration=request.duration, speed=speed)
    return _follow(world, caller, plan)


def _follow_trajectory(world: ServedWorld, caller: Caller, request: FollowTrajectoryRequest) -> Steps[Reply]:
    plan = yield from world.plan_trajectory(request.trajectory)
    return _follow(world, caller, plan)


def _move_tool(world: ServedWorld, caller: Caller, request: MoveToolRequest) -> Steps[Reply]:
    if request.straight:
        planned = yield from world.plan_line(request.goal, duration=request.duration)
    else:
        planned = yield from world.plan_tool(request.goal, duration=request.duration, speed=caller.robot_speed)
    return _follow(world, caller, planned)


def _grasp(close: bool) -> Handler:
    def run(world: ServedWorld, caller: Caller, request: UseGripperRequest) -> Reply:
        return _started(world.grip(caller.name, request.gripper, close, request.object), 0.0)

    return run


def _act(world: ServedWorld, caller: Caller, request: ActRequest) -> Reply:
    return _started(world.act(caller.name, request.action), 0.0)


def _robot_speed(world: ServedWorld, caller: Caller, request: RobotSpeedRequest) -> Reply:
    if request.full == (request.speed is not None):
        raise RckError("robot_speed takes either a positive speed or full: true")
    speed = inf if request.speed is None else request.speed
    if not speed > 0:
        raise RckError(f"speed must be positive, not {speed:g}; for full speed, send full: true")
    caller.robot_speed = speed
    return _done()


def _stop(world: ServedWorld, caller: Caller, request: StopMotionRequest) -> Reply:
    why = f"stopped by {caller.name}"
    if request.motion is not None:
        world.stop(request.motion, why)
        return _done()
    numbers = world.stop_all_of(caller.name, why)
    return _done(f"{counted(len(numbers), 'motion')} stopped")


def _spawn(world: ServedWorld, caller: Caller, request: SpawnRequest) -> Steps[Reply]:
    yield from spawn(world, request)
    return _done()


def _remove(world: ServedWorld, caller: Caller, request: RemoveRequest) -> Steps[Reply]:
    yield from world.remove(world.names.place(request.name))
    return _done()


def _step(world: ServedWorld, caller: Caller, request: StepRequest) -> Steps[Reply]:
    if not world.paused:
        raise RckError("the world is running; pause it before you step it")
    check_step(request.seconds)
    left = request.seconds
    while left > _SHORTEST_STEP:
        world.step(min(left, LONGEST_SUBSTEP))
        left -= LONGEST_SUBSTEP
        # Serve other clients in the meantime.
        yield None
    return {**_done(), "time": stamp(world.time)}


def _pause(world: ServedWorld, caller: Caller, request: SetBoolRequest) -> Reply:
    world.pause(request.data)
    return _done("paused" if request.data else "running")


def _reset(world: ServedWorld, caller: Caller, request: EmptyRequest) -> Reply:
    return _done("; ".join(world.reset()))


def _reinitialise(world: ServedWorld, caller: Caller, request: EmptyRequest) -> Reply:
    return _done("reinitialised" if world.reinitialise() else "no emergency stop was active")


def _speed(world: ServedWorld, caller: Caller, request: SpeedRequest) -> Reply:
    world.set_speed(request.speed)
    return _done()


def _collisions(world: ServedWorld, caller: Caller, request: EmptyRequest) -> Reply:
    pairs = world.contacts()
    return {**_done(), "colliding": bool(pairs), "pairs": [list(pair) for pair in pairs]}


def _compute_ik(world: ServedWorld, caller: Caller, request: ComputeIkRequest) -> Steps[Reply]:
    arm, answer = yield from world.solve(request.goal, request.most, request.budget)
    # Solvers may search for the reason only when it is asked for.
    reason: str = yield lambda: answer.reason
    return {
        "success": answer.solved,
        "message": reason,
        "joints": [world.names.outside[name] for name in arm.chain.joints],
        "solutions": answer.solutions.tolist(),
        "complete": answer.complete,
    }


def _get_pose(world: ServedWorld, caller: Caller, request: GetPoseRequest) -> Reply:
    pose = invert(world.world_from(request.frame_id)) @ world.world_from(request.name)
    return {**_done(), "pose": pose_message(pose)}


def _stop_on_disconnect(world: ServedWorld, caller: Caller, request: SetBoolRequest) -> Reply:
    caller.stop_on_disconnect = request.data
    return _done("motions stop on disconnect" if request.data else "motions continue after disconnect")


def _open_on_disconnect(world: ServedWorld, caller: Caller, request: SetBoolRequest) -> Reply:
    caller.open_on_disconnect = request.data
    return _done("grippers open on disconnect" if request.data else "grippers hold on after disconnect")


def _state(world: ServedWorld, caller: Caller, request: EmptyRequest) -> Reply:
    grasps = world.simulation.grasps
    holds = {gripper: grasps.held_by(gripper) for gripper in grasps.grippers}
    return {
        **_done(),
        "time": stamp(world.time),
        "paused": world.paused,
        "speed": world.speed,
        "emergency": world.simulation.emergency,
        "motions": [motion.as_message() for motion in world.motions.live],
        "holds": holds,
        "objects": [thing.name for thing in world.simulation.kinematics.objects],
        "you": caller.name,
    }


SERVICES: Mapping[str, Service] = {
    "/move_joints": Service("rck_msgs/MoveJoints", MoveJointsRequest, _move_joints, True),
    "/follow_joint_trajectory": Service("rck_msgs/FollowTrajectory", FollowTrajectoryRequest, _follow_trajectory, True),
    "/move_tool": Service("rck_msgs/MoveTool", MoveToolRequest, _move_tool, True),
    "/close_gripper": Service("rck_msgs/UseGripper", UseGripperRequest, _grasp(True), True),
    "/open_gripper": Service("rck_msgs/UseGripper", UseGripperRequest, _grasp(False), True),
    "/act": Service("rck_msgs/Act", ActRequest, _act, True),
    "/robot_speed": Service("rck_msgs/Speed", RobotSpeedRequest, _robot_speed, True),
    "/stop": Service("rck_msgs/StopMotion", StopMotionRequest, _stop, True),
    "/spawn": Service("rck_msgs/Spawn", SpawnRequest, _spawn, True),
    "/remove": Service("rck_msgs/Remove", RemoveRequest, _remove, True),
    "/step": Service("rck_msgs/Step", StepRequest, _step, True),
    "/pause": Service("std_srvs/SetBool", SetBoolRequest, _pause, True),
    "/reset": Service("std_srvs/Trigger", EmptyRequest, _reset, True),
    "/reinitialise": Service("std_srvs/Trigger", EmptyRequest, _reinitialise, True),
    "/speed": Service("rck_msgs/Speed", SpeedRequest, _speed, True),
    "/check_collision": Service("rck_msgs/CheckCollision", EmptyRequest, _collisions),
    "/compute_ik": Service("rck_msgs/ComputeIk", ComputeIkRequest, _compute_ik),
    "/get_pose": Service("rck_msgs/GetPose", GetPoseRequest, _get_pose),
    "/stop_on_disconnect": Service("std_srvs/SetBool", SetBoolRequest, _stop_on_disconnect, True),
    "/open_on_disconnect": Service("std_srvs/SetBool", SetBoolRequest, _open_on_disconnect, True),
    "/state": Service("rck_msgs/State", EmptyRequest, _state),
}
"""The services by name; the hub adds more."""
