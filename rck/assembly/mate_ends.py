"""Ends of mates: `instance.port`, `instance.frame`, `instance.item#subitem.face`, or an instance."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from rck.assembly.reroot import root_of
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import apply, frame, identity
from rck.model import Port, RckError, Robot
from rck.model.interface import Interface
from rck.support.names import did_you_mean

_FACE = re.compile(r"(.+)#([0-9]{1,9})\.([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class End:
    """A parsed end; `place` is the port, frame or face, and empty for the frame of the instance."""

    instance: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.instance}.{self.place}" if self.place else self.instance


@lru_cache(maxsize=1 << 14)
def parse_end(text: str) -> End:
    """Parse the text of an end."""
    instance, dot, place = text.partition(".")
    if not instance or (dot and not place):
        raise RckError(
            f"{text!r} is not a valid end; write instance.port, instance.frame, instance.item#subitem.face or instance"
        )
    return End(instance, place)


@dataclass(frozen=True, slots=True, eq=False)
class EndFrame:
    """The frame of an end on its part."""

    item: str
    pose: Floats
    """Part from end. Shape (4, 4)."""
    type: str
    gender: str | None
    interface: Interface | None
    faces: bool
    """True if its z axis points out of the part; two such ends are mated face to face."""


def end_frame(end: End, robot: Robot, ports: Mapping[str, Port]) -> EndFrame:
    """Return the frame of an end on a compiled part."""
    if not end.place:
        return EndFrame(root_of(robot), identity(), "any", None, None, faces=False)
    if end.place in ports:
        port = ports[end.place]
        return EndFrame(port.item, port.pose, port.type, port.gender, port.interface, faces=True)
    if end.place in robot.frame_names:
        place = robot.frame(end.place)
        pose = frozen(robot.item(place.item).pose @ place.pose)
        return EndFrame(place.item, pose, "any", None, None, faces=True)
    face = _FACE.fullmatch(end.place)
    if face and face[1] in robot.item_index:
        return EndFrame(
            face[1], _face_frame(end, robot, face[1], int(face[2]), int(face[3])), "any", None, None, faces=True
        )
    known = ", ".join(ports) or "none"
    hint = did_you_mean(end.place, [*ports, *robot.frame_names])
    raise RckError(f"{end.instance} has no port or frame {end.place!r}{hint}; its ports: {known}")


def _face_frame(end: End, robot: Robot, item_name: str, subitem: int, face: int) -> Floats:
    """Return the frame at the centre of a face, z along its normal, x along its first edge. Shape (4, 4)."""
    item = robot.item(item_name)
    if subitem >= len(item.subitems):
        raise RckError(f"{end}: {item_name} has {len(item.subitems)} subitems, numbered from 0")
    shape = item.subitems[subitem].shape
    if face >= len(shape.faces):
        raise RckError(f"{end}: subitem {subitem} has {len(shape.faces)} faces, numbered from 0")
    ring = shape.faces[face]
    corners = apply(item.pose, shape.vertices[list(ring)])
    normal = item.pose[:3, :3] @ shape.planes[face, :3]
    start, along = _first_edge(ring)
    x = apply(item.pose, shape.vertices[along]) - apply(item.pose, shape.vertices[start])
    return frame(_area_centre(corners, normal), z=normal, x=x)


def _first_edge(ring: tuple[int, ...]) -> tuple[int, int]:
    """Return the edge with the lowest vertex indices, lower first.

    It is the same for a mirror image, whose faces have the opposite orientation.
    """
    return min((min(edge), max(edge)) for edge in pairwise((*ring, ring[0])))


def _area_centre(corners: Floats, normal: Floats) -> Floats:
    first = corners[0]
    a, b = corners[1:-1] - first, corners[2:] - first
    areas = np.cross(a, b) @ normal
    centre: Floats = first + (areas[:, None] * (a + b)).sum(axis=0) / (3 * areas.sum())
    return centre
