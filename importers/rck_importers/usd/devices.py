"""Frames, devices and poses of a stage."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import atan, inf
from types import MappingProxyType
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import from_euler, invert
from rck.model import Device, DeviceKind, NamedPose
from rck.model.extensions import Extensions
from rck_importers.usd.joints import WORLD
from rck_importers.usd.kept import MJCF, kept
from rck_importers.usd.poses import rigid_part
from rck_importers.usd.stage import Prim, Stage, unique_names

_CAMERA_FROM_DEVICE = np.round(from_euler((np.pi, 0.0, 0.0)))
"""A camera of USD looks along -z with y up; a device looks along z with y down."""
_HOLDERS = frozenset({"visuals", "collisions", "visual", "collision", "colliders", "geometry", "geom"})
"""Names of prims that hold the shapes of a body, and are no frames even if they are empty."""
_SENSORS = {
    "IsaacImuSensor": DeviceKind.IMU,
    "IsaacContactSensor": DeviceKind.CONTACT,
    "IsaacRaycaster": DeviceKind.LIDAR_3D,
    "OmniLidar": DeviceKind.LIDAR_3D,
    "Lidar": DeviceKind.LIDAR_3D,
}
SENSORS = frozenset({"Camera", *_SENSORS})


@dataclass(slots=True)
class Frames:
    """Frames of a stage, and their names by path."""

    frames: list[tuple[str, str, Floats]] = field(default_factory=list)
    """Name, link and pose in the link."""
    names: dict[str, str] = field(default_factory=dict)
    extensions: dict[str, Extensions] = field(default_factory=dict)
    """By name."""


def is_site(prim: Prim) -> bool:
    """Return True for a marker of MuJoCo or Newton, which is a frame with a shape to show it."""
    return prim.has("MjcSiteAPI") or prim.has("NewtonSiteAPI")


def frames_of(stage: Stage, owner: Mapping[str, str], poses: Mapping[str, Floats], names: Mapping[str, str]) -> Frames:
    """Return the sites, and the empty transforms on bodies."""
    found = Frames()
    prims = [prim for prim in stage.prims if is_site(prim) or _is_frame(prim, stage, owner)]
    found.names = unique_names(prims)
    for prim in prims:
        body, name = owner[prim.path], found.names[prim.path]
        found.frames.append((name, names[body], _on_link(prim, poses[body])))
        if is_site(prim) or MJCF in prim.rck:
            found.extensions[name] = kept(prim, _SITE_READ, name=prim.name)
    return found


_SITE_READ = frozenset({"axis", "size", "radius", "height", "points", "faceVertexCounts", "faceVertexIndices"})


def _is_frame(prim: Prim, stage: Stage, owner: Mapping[str, str]) -> bool:
    return (
        prim.type == "Xform"
        and owner[prim.path] not in (WORLD, prim.path)
        and not stage.children.get(prim.path)
        and prim.name.lower() not in _HOLDERS
        and "device" not in prim.rck
    )


def _on_link(prim: Prim, world_from_link: Floats) -> Floats:
    return frozen(invert(world_from_link) @ rigid_part(prim.matrix))


def devices_of(
    stage: Stage,
    owner: Mapping[str, str],
    poses: Mapping[str, Floats],
    names: Mapping[str, str],
    joints: Mapping[str, str],
) -> list[Device]:
    """Return the cameras, the sensors of Isaac Sim, and the devices that RCK exported."""
    prims = [prim for prim in stage.prims if prim.type in SENSORS or "device" in prim.rck]
    prims.sort(key=_number)
    own_names = unique_names(prims)
    devices = []
    for prim in prims:
        body = owner[prim.path]
        pose = _on_link(prim, poses[body])
        known: dict[str, Any] = dict(prim.rck.get("device") or {})
        kind = DeviceKind(known["kind"]) if "kind" in known else _SENSORS.get(prim.type, DeviceKind.CAMERA)
        values = {str(name): float(value) for name, value in (known.get("values") or {}).items()}
        if prim.type == "Camera":
            pose = pose @ _CAMERA_FROM_DEVICE
            values = {**_camera(prim), **values}
        devices.append(
            Device(
                own_names[prim.path],
                kind,
                names[body],
                frozen(pose),
                tuple(joints[path] for path in prim.targets.get("rck:joints", ()) if path in joints),
                MappingProxyType(values),
                MappingProxyType({str(name): str(text) for name, text in (known.get("settings") or {}).items()}),
                extensions=kept(prim, prim.values),
            )
        )
    return devices


def _number(prim: Prim) -> float:
    """Return the place of a device among those of the robot that RCK wrote; the others come last."""
    return float((prim.rck.get("device") or {}).get("number", inf))


def _camera(prim: Prim) -> dict[str, float]:
    focal = prim.number("focalLength", 50.0)
    found = {}
    for name, side in (("field-of-view", "horizontal"), ("field-of-view-vertical", "vertical")):
        aperture = prim.number(f"{side}Aperture", 0.0)
        if aperture > 0 and focal > 0:
            found[name] = 2 * atan(aperture / (2 * focal))
    clipping = prim.numbers("clippingRange", 2)
    if clipping is not None and np.isfinite(clipping).all():
        found |= {"min-range": float(clipping[0]), "max-range": float(clipping[1])}
    return found


def poses_of(stage: Stage, joints: Mapping[str, str], targets: Mapping[str, float]) -> Iterator[NamedPose]:
    """Yield the poses that RCK exported, and the targets of the drives; `joints` are the names by exported name."""
    for prim in stage.prims:
        for name, positions in (prim.rck.get("poses") or {}).items():
            known = {joints[joint]: float(position) for joint, position in positions.items() if joint in joints}
            yield NamedPose(str(name), MappingProxyType(known))
    if targets:
        yield NamedPose("drive-targets", MappingProxyType(dict(targets)))
