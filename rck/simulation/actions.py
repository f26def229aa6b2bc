"""The built-in types of actions."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import degrees, isfinite
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rck.geometry.transforms import invert
from rck.hooks import Wants, world_from
from rck.hooks.actions import (
    Announce,
    Condition,
    DefineGrasp,
    MoveJoint,
    MoveJoints,
    MoveToGrasp,
    MoveTool,
    Relation,
    RunFile,
    SetSpeed,
    SwitchCamera,
    SwitchSensor,
    UseGripper,
    Wait,
    WaitFor,
)
from rck.kinematics.motion import joint_by_joint
from rck.model.robot import Robot
from rck.rendering.camera import named_camera
from rck.simulation.action_types import ACTION_TYPES, ActionType, Execution, InstructionReply, action_type, register
from rck.simulation.arms import arm_named, arms_of
from rck.simulation.events import Event, FollowPath
from rck.simulation.kinematic_state import NO_OBJECT
from rck.simulation.state import Fall
from rck.simulation.trajectory_generator import plan_joints
from rck.support.finding import Built, Finding, RckError, Severity
from rck.support.names import full_name
from rck.support.units import format_number, format_quantity, from_si, parse_quantity, position_unit, round_in_unit

if TYPE_CHECKING:
    from rck.model.quantities import Units
    from rck.simulation.active_motion import ActiveMotion
    from rck.simulation.instruction_executor import InstructionExecutor
    from rck.simulation.simulation import Simulation

__all__ = ["ACTION_TYPES", "RELATIONS", "action_type", "register"]

FULL = 6
"""Number of joints that an arm needs to reach any pose."""
RELATIONS: Mapping[Relation, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@register(MoveJoint)
class _MoveJoint(ActionType[MoveJoint]):
    """A motion of one joint."""

    is_motion = True
    row = {"move": str, "by": float | str, "until": float}
    verbs = ("move",)
    usage = "JOINT CHANGE START FINISH"

    def describe(self, action: MoveJoint) -> str:
        return action.joint

    def amount(self, action: MoveJoint, robot: Robot, units: "Units") -> str:
        dimension, unit = units.position_unit(robot.joint(action.joint).kind.turns)
        mark = "°" if unit == "deg" else f" {unit}"
        return f"{from_si(action.change, dimension, unit):.4g}{mark}"

    def check(self, simulation: "Simulation", action: MoveJoint) -> Built[MoveJoint]:
        where, robot = f"joint {action.joint}", simulation.robot
        findings = _joint_errors([action.joint], robot)
        if not isfinite(action.change) or not 0 <= action.duration < np.inf:
            message = "needs a finite change and a duration that is not negative"
            findings += (Finding(104, Severity.ERROR, where, message),)
        if findings:
            return Built(None, findings)
        joint = robot.joint(action.joint)
        needed = abs(action.change) / joint.speed if joint.speed else 0.0
        if action.duration >= needed * (1.0 - 1e-9):
            return Built(action)
        change = f"{degrees(action.change):.6g}°" if joint.kind.turns else f"{1000 * action.change:.6g} mm"
        message = f"exceeds the velocity limit: {change} takes {needed:.4g} s instead of {action.duration:.4g} s"
        warning = Finding(903, Severity.WARNING, where, message, "allow more time")
        return Built(replace(action, duration=needed), (warning,))

    def begin(self, simulation: "Simulation", event: Event, action: MoveJoint) -> None:
        simulation.begin_motion(event)

    def joints(self, simulation: "Simulation", action: MoveJoint) -> frozenset[str]:
        return frozenset((action.joint,))

    def from_row(self, row: Mapping[str, Any], robot: Robot) -> MoveJoint:
        if "by" not in row or "until" not in row:
            raise RckError("a motion needs `by` and `until`")
        joint = full_name(row["move"], (joint.name for joint in robot.free_joints), "movable joint")
        change = parse_quantity(str(row["by"]), *position_unit(robot.joint(joint).kind.turns))
        return MoveJoint(joint, change, row["until"] - row["at"])

    def to_row(self, event: Event, action: MoveJoint, robot: Robot) -> dict[str, Any]:
        by = format_quantity(action.change, *position_unit(robot.joint(action.joint).kind.turns), digits=15)
        return {"until": round(event.start + action.duration, 12), "move": action.joint, "by": by}

    def from_line(self, words: Sequence[str], robot: Robot, units: "Units") -> Event | None:
        if len(words) != 4:
            return None
        joint = full_name(words[0], (joint.name for joint in robot.free_joints), "movable joint")
        change = parse_quantity(words[1], *units.position_unit(robot.joint(joint).kind.turns))
        start = _seconds(words[2])
        return Event(start, MoveJoint(joint, change, _seconds(words[3]) - start))

    def to_line(self, event: Event, action: MoveJoint, robot: Robot, units: "Units") -> str:
        unit = units.position_unit(robot.joint(action.joint).kind.turns)
        change = format_number(round_in_unit(action.change, *unit, digits=6))
        return f"{action.joint} {change} {event.start:.6g} {event.start + action.duration:.6g}"


@register(FollowPath)
class _FollowPath(ActionType[FollowPath]):
    """A motion along a path."""

    is_motion = True

    def describe(self, action: FollowPath) -> str:
        return f"path of {len(action.path.joints)} joints"

    def check(self, simulation: "Simulation", action: FollowPath) -> Built[FollowPath]:
        findings = _joint_errors(action.path.joints, simulation.robot)
        return Built(None if findings else action, findings)

    def begin(self, simulation: "Simulation", event: Event, action: FollowPath) -> None:
        simulation.begin_motion(event)

    def joints(self, simulation: "Simulation", action: FollowPath) -> frozenset[str]:
        return frozenset(action.path.joints)


@register(UseGripper)
class _UseGripper(ActionType[UseGripper]):
    """Closing and opening of a gripper. The fingers move; a gripper without fingers acts at once."""

    row = {"close": str, "open": str, "take": str}
    verbs = ("close", "open")
    words = ("close", "open")
    usage = "close/open GRIPPER START [OBJECT]"

    def describe(self, action: UseGripper) -> str:
        return f"{'close' if action.close else 'open'} {action.gripper}"

    def check(self, simulation: "Simulation", action: UseGripper) -> Built[UseGripper]:
        hands, name = simulation.grasps.grippers, action.gripper
        if name not in hands:
            kind = next((device.kind.value for device in simulation.robot.devices if device.name == name), None)
            if kind is not None:
                raise RckError(f"no plugin supports {name}, a device of kind {kind}")
            raise RckError(f"there is no gripper {name}; grippers: {', '.join(hands) or 'none'}")
        return Built(action)

    def begin(self, simulation: "Simulation", event: Event, action: UseGripper) -> None:
        number, why = NO_OBJECT, ""
        if action.close:
            chosen, why = simulation.grasps.choose(action.gripper, simulation.view, action.object)
            number = NO_OBJECT if chosen is None else chosen
        else:
            freed = simulation.grasps.release(action.gripper)
            if simulation.forces is None:
                simulation.state.falls += map(Fall, freed)
        fingers = simulation.grasps.grippers[action.gripper].fingers
        if fingers is None:
            self._complete(simulation, event, simulation.time, number, why)
            return
        here = simulation.vector[simulation.kinematics.arrays.joint_names.index(fingers.joint)]
        change = (fingers.closed if action.close else fingers.at_opening(action.opening)) - float(here)
        running = simulation.begin_motion(event, MoveJoint(fingers.joint, change, abs(change) / fingers.speed))
        running.closing_on, running.why = number, why

    def finish(self, simulation: "Simulation", running: "ActiveMotion") -> None:
        self._complete(simulation, running.event, running.started, running.closing_on, running.why)

    def _complete(self, simulation: "Simulation", event: Event, started: float, number: int, why: str) -> None:
        action = event.action
        assert isinstance(action, UseGripper)
        if number != NO_OBJECT:
            name = simulation.kinematics.objects[number].name
            simulation.grasps.take(action.gripper, number)
            simulation.tell("gripped", f"{action.gripper} holds {name}", name)
        elif action.close:
            simulation.tell("refused", f"{action.gripper} holds nothing: {why}")
        else:
            simulation.grasps.part(action.gripper, frozenset(fall.object for fall in simulation.state.falls))
            simulation.tell("released", f"{action.gripper} is open")
        simulation.complete(event, why, started)

    def joints(self, simulation: "Simulation", action: UseGripper) -> frozenset[str]:
        hand = simulation.grasps.grippers.get(action.gripper)
        return frozenset() if hand is None or hand.fingers is None else frozenset((hand.fingers.joint,))

    def execute(self, executor: "InstructionExecutor", action: UseGripper) -> Execution:
        robot, name = executor.simulation.robot, action.gripper
        if name in arms_of(robot) or name not in executor.simulation.grasps.grippers:
            arm = arm_named(robot, name)
            if not arm.gripper:
                raise RckError(f"robot {arm.name} has no gripper")
            action = replace(action, gripper=arm.gripper)
        return (yield from executor.schedule(action))

    def from_row(self, row: Mapping[str, Any], robot: Robot) -> UseGripper:
        name = full_name(row.get("close") or row.get("open") or "", _devices(robot, grippers=True), "gripper")
        return UseGripper(name, "close" in row, row.get("take", ""))

    def to_row(self, event: Event, action: UseGripper, robot: Robot) -> dict[str, Any]:
        taken = {"take": action.object} if action.object else {}
        return {"close" if action.close else "open": action.gripper, **taken}

    def from_line(self, words: Sequence[str], robot: Robot, units: "Units") -> Event | None:
        if len(words) < 3:
            return None
        name = full_name(words[1], _devices(robot, grippers=True), "gripper")
        return Event(_seconds(words[2]), UseGripper(name, words[0] == "close", " ".join(words[3:])))

    def to_line(self, event: Event, action: UseGripper, robot: Robot, units: "Units") -> str:
        return f"{self.describe(action)} {event.start:.6g} {action.object}".rstrip()


@register(Announce)
class _Announce(ActionType[Announce]):
    """A message."""

    row = {"say": str}
    verbs = ("say",)
    words = ("say",)
    usage = "say START TEXT"

    def describe(self, action: Announce) -> str:
        return f"say {action.text}"

    def begin(self, simulation: "Simulation", event: Event, action: Announce) -> None:
        simulation.tell("message", action.text)
        simulation.complete(event)

    def execute(self, executor: "InstructionExecutor", action: Announce) -> Execution:
        return (yield from executor.schedule(Announce(action.text or executor.status())))

    def from_row(self, row: Mapping[str, Any], robot: Robot) -> Announce:
        return Announce(row["say"])

    def to_row(self, event: Event, action: Announce, robot: Robot) -> dict[str, Any]:
        return {"say": action.text}

    def from_line(self, words: Sequence[str], robot: Robot, units: "Units") -> Event | None:
        return Event(_seconds(words[1]), Announce(" ".join(words[2:]))) if len(words) >= 3 else None

    def to_line(self, event: Event, action: Announce, robot: Robot, units: "Units") -> str:
        return f"say {event.start:.6g} {action.text}"


@register(SwitchCamera)
class _SwitchCamera(ActionType[SwitchCamera]):
    """A change of the view."""

    row = {"camera": str}
    verbs = ("camera",)
    words = ("view",)
    usage = "view START NAME"

    def describe(self, action: SwitchCamera) -> str:
        return f"view {action.camera}"

    def check(self, simulation: "Simulation", action: SwitchCamera) -> Built[SwitchCamera]:
        named_camera(action.camera, simulation.cameras)
        return Built(action)

    def begin(self, simulation: "Simulation", event: Event, action: SwitchCamera) -> None:
        simulation.camera = action.camera
        simulation.tell("camera", action.camera)
        simulation.complete(event)

    def from_row(self, row: Mapping[str, Any], robot: Robot) -> SwitchCamera:
        return SwitchCamera(row["camera"])

    def to_row(self, event: Event, action: SwitchCamera, robot: Robot) -> dict[str, Any]:
        return {"camera": action.camera}

    def from_line(self, words: Sequence[str], robot: Robot, units: "Units") -> Event | None:
        return Event(_seconds(words[1]), SwitchCamera(words[2])) if len(words) == 3 else None

    def to_line(self, event: Event, action: SwitchCamera, robot: Robot, units: "Units") -> str:
        return f"view {event.start:.6g} {action.camera}"


@register(SwitchSensor)
class _SwitchSensor(ActionType[SwitchSensor]):
    """Switching a sensor on and off."""

    row = {"sensor-on": str, "sensor-off": str}
    verbs = ("sensor-on", "sensor-off")
    words = ("on", "off")
    usage = "on/off SENSOR START"

    def describe(self, action: SwitchSensor) -> str:
        return f"{action.sensor} {'on' if action.on else 'off'}"

    def check(self, simulation: "Simulation", action: SwitchSensor) -> Built[SwitchSensor]:
        name = full_name(action.sensor, simulation.sensors, "sensor")
        return Built(action if name == action.sensor else replace(action, sensor=name))

    def begin(self, simulation: "Simulation", event: Event, action: SwitchSensor) -> None:
        simulation.sensors[action.sensor].on = action.on
        simulation.tell("sensor", self.describe(action))
        simulation.complete(event)

    def from_row(self, row: Mapping[str, Any], robot: Robot) -> SwitchSensor:
        name = full_name(row.get("sensor-on") or row.get("sensor-off") or "", _devices(robot), "sensor")
        return SwitchSensor(name, "sensor-on" in row)

    def to_row(self, event: Event, action: SwitchSensor, robot: Robot) -> dict[str, Any]:
        return {"sensor-on" if action.on else "sensor-off": action.sensor}

    def from_line(self, words: Sequence[str], robot: Robot, units: "Units") -> Event | None:
        if len(words) != 3:
            return None
        return Event(_seconds(words[2]), SwitchSensor(full_name(words[1], _devices(robot), "sensor"), words[0] == "on"))

    def to_line(self, event: Event, action: SwitchSensor, robot: Robot, units: "Units") -> str:
        return f"{'on' if action.on else 'off'} {action.sensor} {event.start:.6g}"


@register(Wait)
class _Wait(ActionType[Wait]):
    """A pause: later events are delayed, and a program lets time pass."""

    holds_back = True

    def describe(self, action: Wait) -> str:
        return f"wait {action.seconds:g} s"

    def poll(self, simulation: "Simulation", action: Wait, waited: float) -> str | None:
        return "" if waited >= action.seconds - 1e-9 else None

    def execute(self, executor: "InstructionExecutor", action: Wait) -> Execution:
        until = executor.simulation.time + action.seconds
        while executor.simulation.time < until - 1e-9:
            yield min(executor.seconds, until - executor.simulation.time)
        return InstructionReply(True)


@register(WaitFor)
class _WaitFor(ActionType[WaitFor]):
    """Waiting for a sensor."""

    holds_back = True
    row = {"wait": str, "patience": float}
    verbs = ("wait",)
    words = ("wait",)
    usage = "wait START SENSOR.CHANNEL < VALUE [PATIENCE]"

    def describe(self, action: WaitFor) -> str:
        return f"wait for {action.condition}"

    def check(self, simulation: "Simulation", action: WaitFor) -> Built[WaitFor]:
        if action.patience is not None and not action.patience >= 0:
            message = f"patience must be 0 s or more, not {action.patience:g}"
            fix = "leave it out to wait for ever"
            return Built(None, (Finding(104, Severity.ERROR, self.describe(action), message, fix),))
        name = full_name(action.condition.sensor, simulation.sensors, "sensor")
        if name == action.condition.sensor:
            return Built(action)
        return Built(replace(action, condition=replace(action.condition, sensor=name)))

    def poll(self, simulation: "Simulation", action: WaitFor, waited: float) -> str | None:
        if _is_met(action.condition, simulation):
            return ""
        if action.patience is None or waited < action.patience - 1e-9:
            return None
        return f"{action.condition} did not happen within {action.patience:g} s"

    def from_row(self, row: Mapping[str, Any], robot: Robot) -> WaitFor:
        return WaitFor(_parse_condition(row["wait"], robot), row.get("patience"))

    def to_row(self, event: Event, action: WaitFor, robot: Robot) -> dict[str, Any]:
        patience = {} if action.patience is None else {"patience": action.patience}
        return {"wait": str(action.condition), **patience}

    def from_line(self, words: Sequence[str], robot: Robot, units: "Units") -> Event | None:
        if len(words) not in (5, 6):
            return None
        patience = _seconds(words[5]) if len(words) == 6 else None
        return Event(_seconds(words[1]), WaitFor(_parse_condition(" ".join(words[2:5]), robot), patience))

    def to_line(self, event: Event, action: WaitFor, robot: Robot, units: "Units") -> str:
        patience = "" if action.patience is None else f" {action.patience:.6g}"
        return f"wait {event.start:.6g} {action.condition}{patience}"


@register(MoveJoints)
class _MoveJoints(ActionType[MoveJoints]):
    """A move of all joints of an arm."""

    def execute(self, executor: "InstructionExecutor", action: MoveJoints) -> Execution:
        arm = arm_named(executor.simulation.robot, action.robot)
        here, values = arm.chain.of_robot(executor.simulation.vector), np.array(action.values)
        if values.shape != here.shape:
            names = ", ".join(arm.chain.joints)
            raise RckError(f"robot {arm.name} takes {len(here)} joint values, not {len(values)}: {names}")
        goal = here + values if action.relative else values
        timing = executor.timing(arm)
        if action.one_by_one:
            path = joint_by_joint(timing.limits, here, goal, profile=timing.profile).unwrap()
        else:
            path = plan_joints(here, goal, timing).path
        return (yield from executor.follow(path))


@register(MoveTool)
class _MoveTool(ActionType[MoveTool]):
    """A move of the tool of an arm."""

    def execute(self, executor: "InstructionExecutor", action: MoveTool) -> Execution:
        simulation = executor.simulation
        arm = arm_named(simulation.robot, action.robot)
        generator = executor.trajectory_generator(arm)
        pose = action.pose
        wants: Wants = "pose"
        if action.keep_orientation:
            pose = generator.tip(simulation.vector).copy()
            pose[:3, 3] = action.pose[:3, 3]
            # An arm with fewer joints cannot keep the orientation.
            wants = "pose" if len(arm.chain.joints) >= FULL else "position"
        if action.straight:
            plan = generator.plan_line(pose, simulation.vector, executor.timing(arm), wants)
        else:
            plan = generator.plan(simulation, pose, executor.timing(arm), wants)
        return (yield from executor.follow(plan.path))


@register(DefineGrasp)
class _DefineGrasp(ActionType[DefineGrasp]):
    """A grasp for later moves."""

    def execute(self, executor: "InstructionExecutor", action: DefineGrasp) -> Execution:
        yield from ()
        executor.first_item_of(action.object)
        executor.grasps[action.object] = action
        return InstructionReply(True)


@register(MoveToGrasp)
class _MoveToGrasp(ActionType[MoveToGrasp]):
    """Opening the gripper and moving it to a grasp."""

    def execute(self, executor: "InstructionExecutor", action: MoveToGrasp) -> Execution:
        simulation = executor.simulation
        arm = arm_named(simulation.robot, action.robot)
        hand = simulation.grasps.grippers.get(arm.gripper)
        if hand is None:
            raise RckError(f"robot {arm.name} has no gripper")
        held = simulation.grasps.held_by(hand.name)
        if held:
            raise RckError(f"{hand.name} already holds {', '.join(held)}")
        item = executor.first_item_of(action.object)
        if action.object not in executor.grasps:
            raise RckError(f"no grasp is defined for {action.object}: use define_grasp first")
        grasp = executor.grasps[action.object]
        opened = yield from executor.schedule(UseGripper(hand.name, close=False, opening=grasp.opening))
        if not opened:
            return opened
        hand_from_tool = invert(world_from(simulation.view, hand.mount)) @ executor.tool_pose(arm)
        pose = simulation.kinematics.poses[item] @ grasp.pose @ hand_from_tool
        return (yield from executor.carry_out(MoveTool(arm.name, pose)))


@register(SetSpeed)
class _SetSpeed(ActionType[SetSpeed]):
    """A speed for later moves."""

    def execute(self, executor: "InstructionExecutor", action: SetSpeed) -> Execution:
        yield from ()
        name = arm_named(executor.simulation.robot, action.robot).name
        if not action.speed > 0:
            raise RckError(
                f"speed of {name} must be positive, not {action.speed:g} rad/s; use `full` for the velocity limits"
            )
        executor.speeds.pop(name, None)
        if isfinite(action.speed):
            executor.speeds[name] = action.speed
        return InstructionReply(True)


@register(RunFile)
class _RunFile(ActionType[RunFile]):
    """Another program; a reader of files replaces it by the lines of that program."""

    def execute(self, executor: "InstructionExecutor", action: RunFile) -> Execution:
        yield from ()
        raise RckError(f"{action.file} can only be run by a program that is in a file itself")


def _joint_errors(names: Sequence[str], robot: Robot) -> tuple[Finding, ...]:
    """Return an error for each joint that does not exist or cannot be moved by itself."""
    free = [joint.name for joint in robot.free_joints]
    findings = []
    for name in names:
        if name in free:
            continue
        if name not in robot.joint_index:
            message, fix = f"does not exist; joints that can be moved: {', '.join(free) or 'none'}", ""
        elif (mimic := robot.joint(name).mimic) is not None:
            message, fix = f"follows {mimic.joint}", "move the joint that it follows"
        else:
            message, fix = "does not move", ""
        findings.append(Finding(911, Severity.ERROR, f"joint {name}", message, fix))
    return tuple(findings)


def _devices(robot: Robot, grippers: bool = False) -> list[str]:
    """Return the names of the grippers or of the sensors."""
    return [device.name for device in robot.devices if device.kind.grips == grippers]


def _parse_condition(text: str, robot: Robot) -> Condition:
    """Return a comparison such as `eye.distance < 0.2` with a sensor of the robot."""
    words = text.split()
    sensor, _, channel = words[0].rpartition(".") if words else ("", "", "")
    try:
        if len(words) != 3 or words[1] not in RELATIONS or not sensor:
            raise ValueError
        value = float(words[2])
    except ValueError:
        raise RckError(f"{text!r} is not a comparison such as `eye.distance < 0.2`") from None
    return Condition(full_name(sensor, _devices(robot), "sensor"), channel, cast(Relation, words[1]), value)


def _is_met(condition: Condition, simulation: "Simulation") -> bool:
    """Return True if the first number of the channel satisfies a condition; a sensor without reading does not."""
    sensor = simulation.sensors.get(condition.sensor)
    values = None if sensor is None or not sensor.on else sensor.reading.get(condition.channel)
    if values is None or values.size == 0:
        return False
    return RELATIONS[condition.relation](float(values.flat[0]), condition.value)


def _seconds(text: str) -> float:
    return parse_quantity(text, "time", "s")
