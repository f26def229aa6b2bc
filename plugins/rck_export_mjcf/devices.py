"""Sensors and grippers as MuJoCo has them: cameras, sites with sensors, and adhesion."""

from collections.abc import Iterator
from math import degrees, pi
from xml.etree.ElementTree import Element

from rck.exporting import LinkTree, PlacedDevice, legal_names, lost, some
from rck.exporting.devices import (
    CAMERAS,
    DEVICE_FROM_BACKWARD,
    LIDARS,
    RANGERS,
    beam_angles,
    holding_force,
    lost_devices,
    lost_figures,
    placed_devices,
    view_angles,
)
from rck.exporting.xml_text import Value, add
from rck.geometry.arrays import Floats
from rck.geometry.transforms import rotation_about
from rck.model import DeviceKind, Finding
from rck_export_mjcf.poses import pose_attributes

# A rangefinder looks along the z axis of its site, the middle beam of a scanner along x.
_BEAM = rotation_about((0.0, 1.0, 0.0), pi / 2)

_AT_SITE = {
    **dict.fromkeys(RANGERS, ("rangefinder",)),
    DeviceKind.LIDAR_2D: ("rangefinder",),
    DeviceKind.IMU: ("accelerometer", "gyro"),
    DeviceKind.FORCE_TORQUE: ("force", "torque"),
    DeviceKind.CONTACT: ("touch",),
}
"""The sensors that stand for a device and measure at a site."""

_HOLDING = frozenset({DeviceKind.VACUUM_GRIPPER, DeviceKind.MAGNET_GRIPPER})
_KEPT = frozenset({
    "angular-resolution", "field-of-view", "field-of-view-vertical", "force", "grip-force", "max-range", "moment",
    "payload", "resolution-x", "resolution-y",
})  # fmt: skip


def add_places(body: Element, devices: tuple[PlacedDevice, ...]) -> None:
    """The cameras of a body, and the sites that its sensors measure at."""
    for placed in devices:
        if placed.device.kind in CAMERAS:
            _add_camera(body, placed)
        elif placed.device.kind is DeviceKind.LIDAR_2D and (angles := beam_angles(placed.device)) is not None:
            _add_beams(body, placed, angles)
        else:
            add(body, "site", name=placed.name, **pose_attributes(placed.pose))


def _add_camera(body: Element, placed: PlacedDevice) -> None:
    values = placed.device.values
    seen: dict[str, Value] = {}
    height = view_angles(placed.device)[1]
    if height is not None:
        # Whatever the rest of the file counts in, this is in degrees.
        seen["fovy"] = degrees(height)
    if "resolution-x" in values and "resolution-y" in values:
        seen["resolution"] = (values["resolution-x"], values["resolution-y"])
    add(body, "camera", name=placed.name, **pose_attributes(placed.pose @ DEVICE_FROM_BACKWARD), **seen)


def _add_beams(body: Element, placed: PlacedDevice, angles: Floats) -> None:
    """A site for each beam of a scanner. To `replicate` one would be short, but takes MuJoCo half a minute."""
    centre = add(body, "frame", **pose_attributes(placed.pose))
    for name, angle in zip(_beam_names(placed, angles), angles.tolist(), strict=True):
        beam = rotation_about((0.0, 0.0, 1.0), angle) @ _BEAM
        add(centre, "site", name=name, **pose_attributes(beam))


def _beam_names(placed: PlacedDevice, angles: Floats) -> list[str]:
    """Numbered from the right."""
    return [f"{placed.name}/{number}" for number in range(len(angles))]


def add_sensors(root: Element, tree: LinkTree) -> None:
    """What is measured."""
    wanted = [row for _, placed in placed_devices(tree) for row in _sensors(tree, placed)]
    if not wanted:
        return
    # Beams have a stroke in their name, which is legal here and in no name of a device.
    plain = iter(legal_names([name for name, _, _ in wanted if "/" not in name]))
    names = [name if "/" in name else next(plain) for name, _, _ in wanted]
    section = add(root, "sensor")
    for name, (_, tag, attributes) in zip(names, wanted, strict=True):
        add(section, tag, name=name, **attributes)


def _sensors(tree: LinkTree, placed: PlacedDevice) -> Iterator[tuple[str, str, dict[str, Value]]]:
    """Name, element and attributes of each sensor that stands for a device."""
    device = placed.device
    if device.kind is DeviceKind.ENCODER:
        for joint in _measured_joints(tree, placed):
            yield placed.name, "jointpos", {"joint": tree.joint_names[joint]}
        return
    tags = _AT_SITE.get(device.kind, ())
    sites = [placed.name]
    if device.kind is DeviceKind.LIDAR_2D:
        angles = beam_angles(device)
        sites = [] if angles is None else _beam_names(placed, angles)
    if device.kind is DeviceKind.IMU and device.values.get("channels") == 9:
        tags = (*tags, "magnetometer")
    for tag in tags:
        reach: dict[str, Value] = {}
        if tag == "rangefinder" and "max-range" in device.values:
            reach["cutoff"] = device.values["max-range"]
        elif tag in ("force", "torque") and (most := device.values.get("moment" if tag == "torque" else "force")):
            reach["cutoff"] = most
        for site in sites:
            yield site if len(tags) == 1 else f"{site}_{tag}", tag, {"site": site, **reach}


def _measured_joints(tree: LinkTree, encoder: PlacedDevice) -> list[str]:
    """The joints of an encoder that MJCF has: a fixed joint is no element of its own there."""
    return [joint for joint in encoder.device.joints if tree.robot.joint(joint).kind.moves]


def adhesions(tree: LinkTree) -> list[tuple[str, str, float | None]]:
    """What sucks or attracts: its name, that of its body, and its force in newtons where that is known."""
    holding = [(link, placed) for link, placed in placed_devices(tree) if placed.device.kind in _HOLDING]
    # Motors have the names of joints.
    names = legal_names([placed.name for _, placed in holding], taken=tree.joint_names.values())
    return [
        (name, link.name, holding_force(placed.device)) for name, (link, placed) in zip(names, holding, strict=True)
    ]


def device_losses(tree: LinkTree, where: str) -> Iterator[Finding]:
    """What of the devices MuJoCo has no place for."""
    devices = [placed for _, placed in placed_devices(tree)]
    blind = [one for one in devices if one.device.kind in CAMERAS and view_angles(one.device)[1] is None]
    yield from lost_devices(blind, where, "the field of view is not known, MuJoCo takes 45 degrees")
    scanners = [
        one
        for one in devices
        if one.device.kind in LIDARS and (one.device.kind is DeviceKind.LIDAR_3D or beam_angles(one.device) is None)
    ]
    yield from lost_devices(scanners, where, "the beams of scanners are left out, a site has their place")
    cones = [one for one in devices if one.device.kind in RANGERS and one.device.values.get("field-of-view")]
    yield from lost_devices(cones, where, "what measures a distance in a cone does so along its axis")
    idle = [one for one in devices if one.device.kind is DeviceKind.ENCODER and not _measured_joints(tree, one)]
    yield from lost_devices(idle, where, "encoders without a joint that moves are exported as sites")
    if weak := [name for name, _, force in adhesions(tree) if force is None]:
        yield lost(where, f"how strongly a gripper holds is not known; 1 N was written: {some(weak)}", matters=True)
    written = [one for one in devices if one not in scanners]
    yield from lost_figures(written, _KEPT, where)


def add_adhesions(actuators: Element, tree: LinkTree) -> None:
    """Grippers that suck or attract hold what their body touches; 0 lets go and 1 holds with all force."""
    for name, body, force in adhesions(tree):
        add(actuators, "adhesion", name=name, body=body, ctrlrange=(0.0, 1.0), gain=1.0 if force is None else force)
