"""The services of a served world: what clients may ask and command, each with a typed request."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from rck.control.arms import LONGEST_SEARCH, MOST_SOLUTIONS
from rck.control.messages import JointTrajectory, Pose, pose_message, stamp
from rck.control.motions import ClientMotion
from rck.control.populate import object_item
from rck.control.protocol import Refused
from rck.control.world import Plan, ServedWorld, ToolGoal, check_step
from rck.geometry.transforms import invert
from rck.model.finding import RckError
from rck.simulation.simulation import LONGEST_SLICE

Number: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e12, le=1e12)]
Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=256)]
Reply: TypeAlias = dict[str, Any]


_NOTHING = 1e-12
"""Steps shorter than this, in seconds, are none."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a service is asked; a field that it does not know is refused, for it may be misspelt."""


class EmptyRequest(Request, frozen=True):
    """Nothing."""


class MoveJointsRequest(Request, frozen=True):
    """Move joints to positions, or by so much, all together."""

    joints: Annotated[dict[Name, Number], msgspec.Meta(min_length=1, max_length=1000)]
    """In radians and metres."""
    relative: bool = False
    duration: Number | None = None
    """In seconds; without it, as quickly as the joints can, or as `robot_speed` says."""


class FollowTrajectoryRequest(Request, frozen=True):
    """Move joints through points at set times, as control_msgs/FollowJointTrajectory has it."""

    trajectory: JointTrajectory


class ToolRequest(Request, frozen=True):
    """Where a tip is to be."""

    pose: Pose
    frame_id: Name = ""
    """The item or frame that the pose is in; the world by default."""
    tip: Name = ""
    base: Name = ""
    wants: Literal["pose", "position", "axis"] = "pose"

    @property
    def goal(self) -> ToolGoal:
        """As the world knows it."""
        return ToolGoal(self.pose.matrix, self.frame_id, self.tip, self.base, self.wants)


class MoveToolRequest(ToolRequest, frozen=True):
    """Bring a tip to a pose."""

    straight: bool = False
    duration: Number | None = None


class UseGripperRequest(Request, frozen=True):
    """Close or open a gripper."""

    gripper: Name = ""
    object: Name = ""
    """What it is to take; without it, whatever it can."""


class SpeedRequest(Request, frozen=True):
    """How fast: a factor of real time, or of a robot, in rad/s or m/s."""

    speed: Number


class StopMotionRequest(Request, frozen=True):
    """End a motion, or all of one's own."""

    motion: int | None = None


class SpawnRequest(Request, frozen=True):
    """Add an object."""

    name: Name
    shape: Literal["box", "cylinder", "sphere"] = "box"
    sizes: Annotated[tuple[Number, ...], msgspec.Meta(max_length=3)] = (0.05, 0.05, 0.05)
    """Of a box along x, y and z; of a cylinder the radius and height; of a sphere the radius. In metres."""
    pose: Pose = Pose()
    colour: tuple[Number, Number, Number] = (0.9, 0.6, 0.1)
    mass: Number | None = None
    fixed: bool = False


class RemoveRequest(Request, frozen=True):
    """Take an object away."""

    name: Name


class StepRequest(Request, frozen=True):
    """Let simulated time pass while the world is paused."""

    seconds: Number = 0.01


class SetBoolRequest(Request, frozen=True):
    """std_srvs/SetBool."""

    data: bool = True


class ComputeIkRequest(ToolRequest, frozen=True):
    """Ask for joint positions that bring a tip to a pose, without moving anything."""

    most: Annotated[int, msgspec.Meta(ge=1, le=MOST_SOLUTIONS)] = 1
    budget: Annotated[float, msgspec.Meta(gt=0, le=LONGEST_SEARCH)] = 0.02


class GetPoseRequest(Request, frozen=True):
    """Ask where an item or frame is."""

    name: Name
    frame_id: Name = ""


class TypeRequest(Request, frozen=True):
    """Ask about a topic or service."""

    topic: Name = ""
    service: Name = ""


def spawn(world: ServedWorld, asked: SpawnRequest) -> None:
    """Add the object that a request describes."""
    pose = asked.pose.matrix
    item = object_item(asked.name, asked.shape, asked.sizes, pose, (*asked.colour, 1.0), asked.mass, asked.fixed)
    world.spawn(item, msgspec.to_builtins(asked))


class Caller:
    """Who asks, and what the world remembers of the client."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.robot_speed = 0.0
        """Of the joint that has farthest to go, in rad/s or m/s; 0 for as fast as the joints can."""
        self.stop_on_disconnect = True
        """Whether its motions end when it goes."""
        self.open_on_disconnect = False
        """Whether the grippers that it closed open then; else they keep what they hold."""


Handler: TypeAlias = Callable[[ServedWorld, Caller, Any], Reply | Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Service:
    """A service."""

    ros_type: str
    request: type[Request]
    run: Handler
    changes: bool = False
    """Whether it changes anything, and so belongs into a recording."""


def request_of(service: Service, args: bytes | msgspec.Raw) -> Request:
    """The typed request; arguments may be an object, or a list in the order of the fields."""
    raw = bytes(args)
    try:
        if raw.lstrip()[:1] == b"[":
            values = msgspec.json.decode(raw, type=list[msgspec.Raw])
            fields = service.request.__struct_fields__
            if len(values) > len(fields):
                raise Refused(f"it takes at most {len(fields)} arguments")
            raw = msgspec.json.encode(dict(zip(fields, values, strict=False)))
        return msgspec.json.decode(b"{}" if raw == b"null" else raw, type=service.request)
    except RecursionError:
        raise Refused("the arguments are nested too deeply") from None
    except msgspec.DecodeError as error:
        known = ", ".join(service.request.__struct_fields__) or "none"
        raise Refused(f"{error}; arguments: {known}") from None


def _started(motion: ClientMotion, duration: float, note: str = "") -> Reply:
    return {"success": True, "message": note, "motion": motion.number, "duration": round(duration, 6)}


def _done(message: str = "") -> Reply:
    return {"success": True, "message": message}


def _follow(world: ServedWorld, caller: Caller, plan: Plan) -> Reply:
    return _started(world.follow(caller.name, plan), plan.path.duration, plan.note)


def _move_joints(world: ServedWorld, caller: Caller, asked: MoveJointsRequest) -> Reply:
    speed = caller.robot_speed
    plan = world.plan_joints(asked.joints, relative=asked.relative, duration=asked.duration, speed=speed)
    return _follow(world, caller, plan)


def _follow_trajectory(world: ServedWorld, caller: Caller, asked: FollowTrajectoryRequest) -> Reply:
    return _follow(world, caller, world.plan_trajectory(asked.trajectory))


async def _move_tool(world: ServedWorld, caller: Caller, asked: MoveToolRequest) -> Reply:
    goal = asked.goal
    if not asked.straight:
        return _follow(world, caller, world.plan_tool(goal, duration=asked.duration, speed=caller.robot_speed))
    before = world.simulation.vector
    # A straight line takes many solutions: others are served meanwhile.
    planned = await asyncio.to_thread(world.plan_line(goal, duration=asked.duration))
    columns = world.arm(asked.tip, asked.base).chain.columns
    if abs(world.simulation.vector - before)[list(columns)].max(initial=0.0) > 1e-9:
        raise RckError("the arm moved while its line was worked out; ask again when it stands")
    return _follow(world, caller, planned)


def _grasp(close: bool) -> Handler:
    def run(world: ServedWorld, caller: Caller, asked: UseGripperRequest) -> Reply:
        return _started(world.grip(caller.name, asked.gripper, close, asked.object), 0.0)

    return run


def _robot_speed(world: ServedWorld, caller: Caller, asked: SpeedRequest) -> Reply:
    if asked.speed < 0:
        raise RckError("a speed is not negative; 0 is as fast as the joints can")
    caller.robot_speed = asked.speed
    return _done()


def _stop(world: ServedWorld, caller: Caller, asked: StopMotionRequest) -> Reply:
    why = f"stopped by {caller.name}"
    if asked.motion is not None:
        world.stop(asked.motion, why)
        return _done()
    numbers = world.stop_all_of(caller.name, why)
    return _done(f"{len(numbers)} motions stopped")


def _spawn(world: ServedWorld, caller: Caller, asked: SpawnRequest) -> Reply:
    spawn(world, asked)
    return _done()


def _remove(world: ServedWorld, caller: Caller, asked: RemoveRequest) -> Reply:
    world.remove(world.names.place(asked.name))
    return _done()


async def _step(world: ServedWorld, caller: Caller, asked: StepRequest) -> Reply:
    if not world.paused:
        raise RckError("the world runs by itself; pause it to step it")
    check_step(asked.seconds)
    left = asked.seconds
    while left > _NOTHING:
        world.step(min(left, LONGEST_SLICE))
        left -= LONGEST_SLICE
        # Others are served meanwhile.
        await asyncio.sleep(0)
    return {**_done(), "time": stamp(world.time)}


def _pause(world: ServedWorld, caller: Caller, asked: SetBoolRequest) -> Reply:
    world.pause(asked.data)
    return _done("paused" if asked.data else "running")


def _reset(world: ServedWorld, caller: Caller, asked: EmptyRequest) -> Reply:
    world.reset()
    return _done()


def _reinitialise(world: ServedWorld, caller: Caller, asked: EmptyRequest) -> Reply:
    return _done("reinitialised" if world.reinitialise() else "there was no emergency stop")


def _speed(world: ServedWorld, caller: Caller, asked: SpeedRequest) -> Reply:
    world.set_speed(asked.speed)
    return _done()


def _collisions(world: ServedWorld, caller: Caller, asked: EmptyRequest) -> Reply:
    pairs = world.touching()
    return {**_done(), "colliding": bool(pairs), "pairs": [list(pair) for pair in pairs]}


def _compute_ik(world: ServedWorld, caller: Caller, asked: ComputeIkRequest) -> Reply:
    arm = world.arm(asked.tip, asked.base)
    answer = arm.solve(world.target(asked.goal), world.simulation.vector, asked.wants, asked.most, asked.budget)
    return {
        "success": answer.solved,
        "message": answer.reason,
        "joints": [world.names.outside[name] for name in arm.chain.joints],
        "solutions": answer.solutions.tolist(),
        "complete": answer.complete,
    }


def _get_pose(world: ServedWorld, caller: Caller, asked: GetPoseRequest) -> Reply:
    pose = invert(world.world_from(asked.frame_id)) @ world.world_from(asked.name)
    return {**_done(), "pose": pose_message(pose)}


def _stop_on_disconnect(world: ServedWorld, caller: Caller, asked: SetBoolRequest) -> Reply:
    caller.stop_on_disconnect = asked.data
    return _done("motions end when the client goes" if asked.data else "motions outlive the client")


def _open_on_disconnect(world: ServedWorld, caller: Caller, asked: SetBoolRequest) -> Reply:
    caller.open_on_disconnect = asked.data
    return _done("grippers open when the client goes" if asked.data else "grippers keep what they hold")


def _state(world: ServedWorld, caller: Caller, asked: EmptyRequest) -> Reply:
    holds = {hand: world.simulation.grasping.held_by(hand) for hand in world.simulation.grasping.hands}
    return {
        **_done(),
        "time": stamp(world.time),
        "paused": world.paused,
        "speed": world.speed,
        "emergency": world.simulation.emergency,
        "motions": [motion.as_message() for motion in world.motions.live],
        "holds": holds,
        "objects": [thing.name for thing in world.simulation.stage.objects],
        "you": caller.name,
    }


SERVICES: Mapping[str, Service] = {
    "/move_joints": Service("rck_msgs/MoveJoints", MoveJointsRequest, _move_joints, True),
    "/follow_joint_trajectory": Service("rck_msgs/FollowTrajectory", FollowTrajectoryRequest, _follow_trajectory, True),
    "/move_tool": Service("rck_msgs/MoveTool", MoveToolRequest, _move_tool, True),
    "/close_gripper": Service("rck_msgs/UseGripper", UseGripperRequest, _grasp(True), True),
    "/open_gripper": Service("rck_msgs/UseGripper", UseGripperRequest, _grasp(False), True),
    "/robot_speed": Service("rck_msgs/Speed", SpeedRequest, _robot_speed, True),
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
"""By name. Those of `/rosapi` are the server's own."""
