"""Services that concern all clients: who depends on whom, a real robot, where to look from; those of rosapi besides."""

from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from rck.control.dependence import THE_WORLD
from rck.control.feedback import Settings
from rck.control.messages import stamp
from rck.control.services import Caller, EmptyRequest, Name, Number, Reply, Request, Service, TypeRequest
from rck.control.world import ServedWorld
from rck.model.finding import RckError
from rck.render.camera import Camera, angles, named_camera

if TYPE_CHECKING:
    from rck.control.hub import Hub

LARGEST_VALUE = 65_536
"""In bytes of JSON."""


class RegisterRequest(Request, frozen=True):
    """Declare whose values one depends on; `world` is the simulation."""

    depends_on: Annotated[list[Name], msgspec.Meta(max_length=100)] = []


class LockstepRequest(Request, frozen=True):
    """Whether values, and simulated time, wait for those who depend on them."""

    data: bool
    patience: Annotated[float, msgspec.Meta(gt=0, le=600)] = 1.0
    """How long for, in seconds."""


class SetValueRequest(Request, frozen=True):
    """Share a value with other clients."""

    name: Name
    value: msgspec.Raw


class GetValueRequest(Request, frozen=True):
    """Read a value of another client."""

    owner: Name
    name: Name


class SeenRequest(Request, frozen=True):
    """Say that one has seen the world as it is at this step, so that it may go on."""


class CoupleRequest(Request, frozen=True):
    """Couple a real robot: it reports on /feedback/joint_states, and is sent what the simulation is told."""

    mode: Literal["off", "lead", "follow", "compare"]
    lag: float | None = None
    alarm: float = 0.05
    resync: float = 0.0


class LookRequest(Request, frozen=True):
    """Have everybody look at the world from one of the usual sides, or from a place at a place, in metres."""

    view: Name = ""
    eye: tuple[Number, Number, Number] | None = None
    target: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)


def sharing_services(hub: "Hub") -> Mapping[str, Service]:
    """The services of a hub that concern several clients."""

    def register(world: ServedWorld, caller: Caller, asked: RegisterRequest) -> Reply:
        hub.dependence.register(caller.name, asked.depends_on)
        return {"success": True, "message": "", "you": caller.name}

    def lockstep(world: ServedWorld, caller: Caller, asked: LockstepRequest) -> Reply:
        hub.dependence.lockstep = asked.data
        hub.dependence.patience = asked.patience
        return {"success": True, "message": "lock-step" if asked.data else "free-running"}

    def set_value(world: ServedWorld, caller: Caller, asked: SetValueRequest) -> Reply:
        content = bytes(asked.value)
        if len(content) > LARGEST_VALUE:
            raise RckError(f"a shared value has at most {LARGEST_VALUE} bytes, not {len(content)}")
        verdict, waiting, late = hub.dependence.set(caller.name, asked.name, content, monotonic())
        hub.tell_late(late)
        message = f"waiting for {', '.join(waiting)}" if waiting else "; ".join(map(str, late))
        return {"success": verdict == "OK", "message": message, "answer": verdict, "waiting_for": waiting}

    def get_value(world: ServedWorld, caller: Caller, asked: GetValueRequest) -> Reply:
        content = hub.dependence.get(caller.name, asked.owner, asked.name)
        return {"success": True, "message": "", "value": msgspec.Raw(content)}

    def seen(world: ServedWorld, caller: Caller, asked: SeenRequest) -> Reply:
        hub.dependence.get(caller.name, THE_WORLD, "step")
        return {"success": True, "message": "", "time": stamp(world.time)}

    def couple(world: ServedWorld, caller: Caller, asked: CoupleRequest) -> Reply:
        hub.feedback.couple(Settings(asked.mode, asked.lag, asked.alarm, asked.resync))
        return {"success": True, "message": asked.mode}

    def look(world: ServedWorld, caller: Caller, asked: LookRequest) -> Reply:
        if asked.eye is None:
            # The Simulate screen knows views by name.
            camera = named_camera(asked.view)
            world.simulation.camera = asked.view
        else:
            camera = Camera(asked.eye, asked.target)
        azimuth, elevation = angles(camera)
        whole = asked.eye is None
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
    """What rosapi answers: which topics and services there are."""

    def topics(world: ServedWorld, caller: Caller, asked: EmptyRequest) -> Reply:
        return {"topics": list(hub.types), "types": list(hub.types.values())}

    def services(world: ServedWorld, caller: Caller, asked: EmptyRequest) -> Reply:
        return {"services": list(hub.services)}

    def topic_type(world: ServedWorld, caller: Caller, asked: TypeRequest) -> Reply:
        return {"type": hub.types.get(asked.topic, "")}

    def service_type(world: ServedWorld, caller: Caller, asked: TypeRequest) -> Reply:
        found = hub.services.get(asked.service)
        return {"type": "" if found is None else found.ros_type}

    def time(world: ServedWorld, caller: Caller, asked: EmptyRequest) -> Reply:
        return {"time": stamp(world.time)}

    def nodes(world: ServedWorld, caller: Caller, asked: EmptyRequest) -> Reply:
        return {"nodes": ["/rck", *(f"/{name}" for name in hub.sessions)]}

    return {
        "/rosapi/topics": Service("rosapi/Topics", EmptyRequest, topics),
        "/rosapi/services": Service("rosapi/Services", EmptyRequest, services),
        "/rosapi/topic_type": Service("rosapi/TopicType", TypeRequest, topic_type),
        "/rosapi/service_type": Service("rosapi/ServiceType", TypeRequest, service_type),
        "/rosapi/get_time": Service("rosapi/GetTime", EmptyRequest, time),
        "/rosapi/nodes": Service("rosapi/Nodes", EmptyRequest, nodes),
    }
