"""Sensors and grippers in MJCF: cameras, sites with sensors, and adhesion actuators."""

from collections.abc import Iterator
from math import degrees, pi
from xml.etree.ElementTree import Element

from rck.exporting import LinkTree, PlacedDevice, legal_names
from rck.exporting.device_data import (
    CAMERAS,
    DEVICE_FROM_BACKWARD,
    RANGERS,
    beam_angles,
    holding_force,
    placed_devices,
    view_angles,
)
from rck.exporting.file_text import Value, add, element
from rck.geometry.arrays import Floats
from rck.geometry.transforms import rotation_about, to_quaternion
from rck.model import Device, DeviceKind
from rck_plugins.exporters.mjcf.names import References, data_of, make_unique, scope_of, xml_in
from rck_plugins.exporters.mjcf.numbers import exact

# A rangefinder measures along the z axis of its site, the middle beam of a lidar along x.
_BEAM = rotation_about((0.0, 1.0, 0.0), pi / 2)

_AT_SITE = {
    **dict.fromkeys(RANGERS, ("rangefinder",)),
    DeviceKind.LIDAR_2D: ("rangefinder",),
    DeviceKind.IMU: ("accelerometer", "gyro"),
    DeviceKind.FORCE_TORQUE: ("force", "torque"),
    DeviceKind.CONTACT: ("touch",),
}
"""The MuJoCo sensors, at a site, of each kind of device."""

_HOLDING = frozenset({DeviceKind.VACUUM_GRIPPER, DeviceKind.MAGNET_GRIPPER})


def pose_attributes(pose: Floats) -> dict[str, Value]:
    """Return the attributes of a pose, without those that have their default."""
    position, quaternion = _clean(pose[:3, 3]), _clean(to_quaternion(pose))
    attributes: dict[str, Value] = {}
    if any(position):
        attributes["pos"] = exact(position)
    if any(quaternion[1:]):
        attributes["quat"] = exact(quaternion)
    return attributes


def _clean(numbers: Floats) -> list[float]:
    """Return the numbers, with those that only rounding made different from 0 set to 0."""
    return [0.0 if abs(number) < 1e-15 else number for number in numbers.tolist()]


def add_devices(body: Element, devices: tuple[PlacedDevice, ...]) -> None:
    """Add the cameras of a body, and the sites of its other devices."""
    for placed in devices:
        if kept_sensors(placed.device):
            # The elements name the sites, joints or bodies that they measure.
            continue
        if placed.device.kind in CAMERAS:
            _add_camera(body, placed)
        elif placed.device.kind is DeviceKind.LIDAR_2D and (angles := beam_angles(placed.device)) is not None:
            _add_beams(body, placed, angles)
        else:
            add(body, "site", name=placed.name, **pose_attributes(placed.pose))


def _add_camera(body: Element, placed: PlacedDevice) -> None:
    values = placed.device.values
    seen: dict[str, Value] = {}
    kept = {key: text for key, text in data_of(placed.device.extensions).items() if key not in ("name", "target")}
    height = view_angles(placed.device)[1]
    # MuJoCo refuses both a field of view and a sensor.
    if height is not None and "sensorsize" not in kept:
        # In degrees, even if other angles of the file are in radians.
        seen["fovy"] = degrees(height)
    if "resolution-x" in values and "resolution-y" in values:
        seen["resolution"] = (values["resolution-x"], values["resolution-y"])
    add(body, "camera", name=placed.name, **pose_attributes(placed.pose @ DEVICE_FROM_BACKWARD), **seen | kept)


def _add_beams(body: Element, placed: PlacedDevice, angles: Floats) -> None:
    """Add a site for each beam of a lidar. A `replicate` element would be shorter, but takes MuJoCo half a minute."""
    centre = add(body, "frame", **pose_attributes(placed.pose))
    for name, angle in zip(_beam_names(placed, angles), angles.tolist(), strict=True):
        beam = rotation_about((0.0, 0.0, 1.0), angle) @ _BEAM
        add(centre, "site", name=name, **pose_attributes(beam))


def _beam_names(placed: PlacedDevice, angles: Floats) -> list[str]:
    """Return a name for each beam, numbered from the right."""
    return [f"{placed.name}/{number}" for number in range(len(angles))]


def kept_sensors(device: Device) -> list[Element]:
    """Return the sensor elements of the MJCF file that a device comes from."""
    return xml_in(device.extensions, "sensor")


def add_sensors(root: Element, tree: LinkTree, references: References) -> list[str]:
    """Add the sensors of all devices; return the names of those that were lost."""
    section = element("sensor")
    lost = []
    # Programs know the readings by their order.
    for device in tree.robot.devices:
        for sensor in kept_sensors(device):
            if references.resolve(sensor, scope_of(device.name)):
                section.append(sensor)
            else:
                lost.append(sensor.get("name", device.name))
    make_unique(section)
    _add_new_sensors(section, tree)
    if len(section):
        root.append(section)
    return lost


def _add_new_sensors(section: Element, tree: LinkTree) -> None:
    wanted = [row for _, placed in placed_devices(tree) for row in _sensors(tree, placed)]
    # The names of beams contain a slash, which is legal in MJCF and cannot occur in names of devices.
    taken = [one.get("name", "") for one in section]
    plain = iter(legal_names([name for name, _, _ in wanted if "/" not in name], taken=taken))
    names = [name if "/" in name else next(plain) for name, _, _ in wanted]
    for name, (_, tag, attributes) in zip(names, wanted, strict=True):
        add(section, tag, name=name, **attributes)


def _sensors(tree: LinkTree, placed: PlacedDevice) -> Iterator[tuple[str, str, dict[str, Value]]]:
    """Yield the name, element and attributes of each sensor of a device."""
    device = placed.device
    if kept_sensors(device):
        return
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
    """Return the moving joints of an encoder; fixed joints are no elements in MJCF."""
    return [joint for joint in encoder.device.joints if tree.robot.joint(joint).kind.moves]


def adhesions(tree: LinkTree) -> list[tuple[str, str, float | None]]:
    """Return the name, the body and the force in newtons, if known, of each vacuum or magnet gripper."""
    holding = [(link, placed) for link, placed in placed_devices(tree) if placed.device.kind in _HOLDING]
    # Motors are named like their joints.
    names = legal_names([placed.name for _, placed in holding], taken=tree.joint_names.values())
    return [
        (name, link.name, holding_force(placed.device)) for name, (link, placed) in zip(names, holding, strict=True)
    ]


def add_adhesions(actuators: Element, tree: LinkTree) -> None:
    """Add the vacuum and magnet grippers, which hold what their body touches; 0 releases, 1 holds with full force."""
    for name, body, force in adhesions(tree):
        add(actuators, "adhesion", name=name, body=body, ctrlrange=(0.0, 1.0), gain=1.0 if force is None else force)
