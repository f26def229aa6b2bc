"""Services of the hub: lock-step and shared values, coupling with a real robot, views, and rosapi."""

from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from rck.control.hardware_feedback import FeedbackSettings
from rck.control.lockstep import THE_WORLD
from rck.control.messages import stamp
from rck.control.served_world import ServedWorld
from rck.control.services import Caller, EmptyRequest, Name, Number, Reply, Request, Service, TypeRequest
from rck.rendering.camera import Camera, angles, named_camera
from rck.support.finding import RckError

if TYPE_CHECKING:
    from rck.control.hub import Hub

LARGEST_VALUE = 65_536
"""Largest shared value, in bytes of JSON."""


class RegisterRequest(Request, frozen=True):
    """Declare on whose values the caller depends; `world` is the simulation."""

    depends_on: Annotated[list[Name], msgspec.Meta(max_length=100)] = []


class LockstepRequest(Request, frozen=True):
    """Switch lock-step on or off."""

    data: bool
    patience: Annotated[float, msgspec.Meta(gt=0, le=600)] = 1.0
    """Longest time to wait for a client, in seconds."""


class SetValueRequest(Request, frozen=True):
    """Share a value with other clients."""

    name: Name
    value: msgspec.Raw


class GetValueRequest(Request, frozen=True):
    """Read a value of another client."""

    owner: Name
    name: Name


class SeenRequest(Request, frozen=True):
    """Acknowledge the last step of the world."""


class CoupleRequest(Request, frozen=True):
    """Couple a real robot, which publishes on /feedback/joint_states."""

    mode: Literal["off", "lead", "follow", "compare"]
    lag: float | None = None
    alarm: float = 0.05
    resync: float = 0.0


class LookRequest(Request, frozen=True):
    """Set the view of all viewers: a camera preset, or eye and target in metres."""

    view: Name = ""
    eye: tuple[Number, Number, Number] | None = None
    target: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)


def sharing_services(hub: "Hub") -> Mapping[str, Service]:
    """Return the services of a hub that involve several clients."""

    def register(world: ServedWorld, caller: Caller, request: RegisterRequest) -> Reply:
        hub.lockstep.register(caller.name, request.depends_on)
        return {"success": True, "message": "", "you": caller.name}

    def lockstep(world: ServedWorld, caller: Caller, request: LockstepRequest) -> Reply:
        hub.lockstep.enabled = request.data
        hub.lockstep.patience = request.patience
        return {"success": True, "message": "lock-step on" if request.data else "lock-step off"}

    def set_value(world: ServedWorld, caller: Caller, request: SetValueRequest) -> Reply:
        content = bytes(request.value)
        if len(content) > LARGEST_VALUE:
            raise RckError(f"shared value of {len(content)} bytes is too large; the limit is {LARGEST_VALUE}")
        verdict, waiting, late = hub.lockstep.set(caller.name, request.name, content, monotonic())
        hub.publish_late(late)
        message = f"waiting for {', '.join(waiting)}" if waiting else "; ".join(map(str, late))
        return {"success": verdict == "OK", "message": message, "answer": verdict, "waiting_for": waiting}

    def get_value(world: ServedWorld, caller: Caller, request: GetValueRequest) -> Reply:
        content = hub.lockstep.get(caller.name, request.owner, request.name)
        return {"success": True, "message": "", "value": msgspec.Raw(content)}

    def seen(world: ServedWorld, caller: Caller, request: SeenRequest) -> Reply:
        hub.lockstep.get(caller.name, THE_WORLD, "step")
        return {"success": True, "message": "", "time": stamp(world.time)}

    def couple(world: ServedWorld, caller: Caller, request: CoupleRequest) -> Reply:
        hub.feedback.couple(FeedbackSettings(request.mode, request.lag, request.alarm, request.resync))
        return {"success": True, "message": request.mode}

    def look(world: ServedWorld, caller: Caller, request: LookRequest) -> Reply:
        if request.eye is None:
            # The Simulate screen takes views by name.
            camera = named_camera(request.view)
            world.simulation.camera = request.view
        else:
            camera = Camera(request.eye, request.target)
        azimuth, elevation = angles(camera)
        whole = request.eye is None
        hub.publish(
            "/view",
            {
                "azimuth": azimuth,
                "elevation": elevation,
                "target": [] if whole else list(camera.target),
                "distance": 0.0 if whole else camera.distance,
            },
        )
        return {"success": True, "message": ""}

    return {
        "/look": Service("rck_msgs/Look", LookRequest, look, True),
        "/register": Service("rck_msgs/Register", RegisterRequest, register, True),
        "/lockstep": Service("rck_msgs/Lockstep", LockstepRequest, lockstep, True),
        "/set_value": Service("rck_msgs/SetValue", SetValueRequest, set_value, True),
        "/get_value": Service("rck_msgs/GetValue", GetValueRequest, get_value),
        "/seen": Service("rck_msgs/Seen", SeenRequest, seen),
        "/feedback": Service("rck_msgs/Feedback", CoupleRequest, couple, True),
    }


def rosapi_services(hub: "Hub") -> Mapping[str, Service]:
    """Return the services of rosapi, which list topics and services."""

    def topics(world: ServedWorld, caller: Caller, request: EmptyRequest) -> Reply:
        return {"topics": list(hub.types), "types": list(hub.types.values())}

    def services(world: ServedWorld, caller: Caller, request: EmptyRequest) -> Reply:
        return {"services": list(hub.services)}

    def topic_type(world: ServedWorld, caller: Caller, request: TypeRequest) -> Reply:
        return {"type": hub.types.get(request.topic, "")}

    def service_type(world: ServedWorld, caller: Caller, request: TypeRequest) -> Reply:
        found = hub.services.get(request.service)
        return {"type": "" if found is None else found.ros_type}

    def time(world: ServedWorld, caller: Caller, request: EmptyRequest) -> Reply:
        return {"time": stamp(world.time)}

    def nodes(world: ServedWorld, caller: Caller, request: EmptyRequest) -> Reply:
        return {"nodes": ["/rck", *(f"/{name}" for name in hub.sessions)]}

    return {
        "/rosapi/topics": Service("rosapi/Topics", EmptyRequest, topics),
        "/rosapi/services": Service("rosapi/Services", EmptyRequest, services),
        "/rosapi/topic_type": Service("rosapi/TopicType", TypeRequest, topic_type),
        "/rosapi/service_type": Service("rosapi/ServiceType", TypeRequest, service_type),
        "/rosapi/get_time": Service("rosapi/GetTime", EmptyRequest, time),
        "/rosapi/nodes": Service("rosapi/Nodes", EmptyRequest, nodes),
    }
