"""Sensors of MJCF as devices."""

from collections.abc import Mapping
from types import MappingProxyType

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import identity
from rck.importing.xml_file import Element
from rck.model import Device, DeviceKind
from rck.model.extensions import extension
from rck_importers.mjcf.equalities import Places
from rck_importers.mjcf.extension_data import FORMAT, rest, xml_of
from rck_importers.mjcf.source import Source

_KINDS = {
    "accelerometer": DeviceKind.IMU,
    "gyro": DeviceKind.IMU,
    "magnetometer": DeviceKind.IMU,
    "force": DeviceKind.FORCE_TORQUE,
    "torque": DeviceKind.FORCE_TORQUE,
    "touch": DeviceKind.CONTACT,
    "jointpos": DeviceKind.ENCODER,
}
_AT_ONE_SITE = frozenset({DeviceKind.IMU, DeviceKind.FORCE_TORQUE})
"""Sensors of these kinds that follow each other at one site are one device: the order of the file stays."""


def sensors_of(
    source: Source, sites: Places, bodies: Mapping[str, Floats], joints: Mapping[str, tuple[str, ...]]
) -> list[Device]:
    """Return the sensors; `joints` are the joints of RCK that stand for each joint of the file."""
    groups: list[list[Element]] = []
    for element in source.sections("sensor"):
        full = source.full(element, "")
        if full.tag == "plugin":
            source.reading.report.lost("<plugin> sensor", full.where)
            continue
        kind = _kind(full)
        last = groups[-1][-1] if groups else None
        same = last is not None and kind in _AT_ONE_SITE and (_kind(last), last.get("site")) == (kind, full.get("site"))
        if same:
            groups[-1].append(full)
        else:
            groups.append([full])
    devices = []
    for number, elements in enumerate(groups):
        first = elements[0]
        item, pose = _place(first, sites, bodies)
        joint = first.get("joint")
        xml = "".join(xml_of(element, rest(element, ())) for element in elements)
        devices.append(
            Device(
                first.get("name") or f"{first.tag}-{number + 1}",
                _kind(first),
                item,
                pose,
                joints.get(joint, ()) if _kind(first) is DeviceKind.ENCODER else (),
                MappingProxyType(_values(first)),
                extensions=extension(FORMAT, {"<sensor>": xml}),
            )
        )
    return devices


def _kind(element: Element) -> DeviceKind:
    if element.tag == "rangefinder" and element.get("site"):
        return DeviceKind.LASER_RANGE
    return _KINDS.get(element.tag) or DeviceKind(f"mjcf-{element.tag.replace('_', '-')}")


def _values(element: Element) -> dict[str, float]:
    cutoff = element.number("cutoff", 0.0)
    return {"max-range": cutoff} if element.tag == "rangefinder" and cutoff > 0 else {}


def _place(element: Element, sites: Places, bodies: Mapping[str, Floats]) -> tuple[str, Floats]:
    """Return the body that a sensor is on, and its pose there; the world for sensors without a place."""
    site = element.get("site") or (element.get("objname") if element.get("objtype") == "site" else "")
    if site in sites:
        body, pose = sites[site]
        return body, frozen(pose)
    body = element.get("body") or element.get("objname")
    return (body if body in bodies else ""), frozen(identity())
