"""Cameras as prims. UsdGeom knows no other sensors, and UsdPhysics no grippers."""

from collections.abc import Iterator
from math import tan

from rck.exporting import LinkTree, PlacedDevice
from rck.exporting.devices import (
    CAMERAS,
    DEVICE_FROM_BACKWARD,
    lost_devices,
    lost_figures,
    placed_devices,
    view_angles,
)
from rck.model import Finding
from rck_export_usd.prims import Prim, number, transform, vector

_FOCAL_LENGTH = 50.0
"""What USD takes where nothing is said. Only its proportion to the aperture matters."""

_KEPT = frozenset({"field-of-view", "field-of-view-vertical", "max-range", "min-range"})


def device_prim(placed: PlacedDevice) -> Prim:
    """A camera, or else the place of the device."""
    if placed.device.kind not in CAMERAS:
        return Prim("Xform", placed.name, properties=transform(placed.pose))
    prim = Prim("Camera", placed.name)
    known = placed.device.values
    near, far = known.get("min-range"), known.get("max-range")
    if near is not None and far is not None:
        prim.properties.append(f"float2 clippingRange = {vector((near, far))}")
    width, height = view_angles(placed.device)
    if width is not None or height is not None:
        prim.properties.append(f"float focalLength = {number(_FOCAL_LENGTH)}")
    for side, angle in (("horizontal", width), ("vertical", height)):
        if angle is not None:
            prim.properties.append(f"float {side}Aperture = {number(2 * _FOCAL_LENGTH * tan(angle / 2))}")
    prim.properties += transform(placed.pose @ DEVICE_FROM_BACKWARD)
    return prim


def device_losses(tree: LinkTree, where: str) -> Iterator[Finding]:
    """What of the devices USD has no place for."""
    devices = [placed for _, placed in placed_devices(tree)]
    cameras = [one for one in devices if one.device.kind in CAMERAS]
    others = [one for one in devices if one.device.kind not in CAMERAS]
    yield from lost_devices(others, where, "of sensors other than cameras, and of grippers, only the place is kept")
    blind = [one for one in cameras if view_angles(one.device)[0] is None]
    yield from lost_devices(blind, where, "the field of view is not known, USD takes that of a 50 mm lens")
    yield from lost_figures(cameras, _KEPT, where)
