"""Compiler settings of an MJCF file (angles, limits, folders, masses), and the orientations that depend on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, radians

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import AXES, from_quaternion, identity, rotation_about, translation
from rck.importing.xml_file import Element


@dataclass(frozen=True, slots=True)
class CompilerSettings:
    """The attributes of `compiler` that matter to a robot, with MuJoCo's defaults."""

    degrees: bool = True
    euler_order: str = "xyz"
    """Lower-case letters are body-fixed axes, upper-case letters are fixed axes."""
    auto_limits: bool = True
    mesh_folder: str = ""
    texture_folder: str = ""
    strip_path: bool = False
    inertia_from_shapes: str = "auto"
    """`true`, `false`, or `auto`: only for bodies without an inertial element."""
    inertia_groups: tuple[int, int] = (0, 5)
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balances_inertia: bool = False
    """Replace inertias that no body can have by their mean."""
    fits_bounds: bool = False
    """Fit primitives to the bounding box of a mesh instead of its inertia."""
    total_mass: float = -1.0
    """Scale all masses to this total, in kg; no scaling if negative."""

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return radians(value) if self.degrees else value

    def turn(self, element: Element) -> Floats:
        """Return the orientation of an element from any of the five orientation attributes. Shape (4, 4)."""
        if "axisangle" in element.attributes:
            x, y, z, angle = element.numbers("axisangle", 4, ()).tolist()
            return rotation_about(_axis(element, "axisangle", (x, y, z)), self.angle(angle))
        if "euler" in element.attributes:
            return self.from_euler(element.numbers("euler", 3, ()).tolist())
        if "xyaxes" in element.attributes:
            numbers = element.numbers("xyaxes", 6, ())
            x_axis = _axis(element, "xyaxes", numbers[:3])
            y_axis = _axis(element, "xyaxes", numbers[3:] - x_axis * (x_axis @ numbers[3:]))
            turned = identity()
            turned[:3, :3] = np.stack([x_axis, y_axis, np.cross(x_axis, y_axis)], axis=1)
            return turned
        if "zaxis" in element.attributes:
            return turn_z_to(_axis(element, "zaxis", element.numbers("zaxis", 3, ())))
        quaternion = element.numbers("quat", 4, (1, 0, 0, 0))
        if not np.linalg.norm(quaternion) > 1e-12:
            raise element.refusal("quat has no length", code=104)
        return from_quaternion(quaternion)

    def from_euler(self, angles: Sequence[float]) -> Floats:
        """Return the orientation for three Euler angles in the unit and order of the file. Shape (4, 4)."""
        turned = identity()
        for letter, angle in zip(self.euler_order, angles, strict=True):
            step = rotation_about(AXES[letter.lower()], self.angle(angle))
            turned = turned @ step if letter.islower() else step @ turned
        return turned

    def pose(self, element: Element) -> Floats:
        """Return the position and orientation of an element. Shape (4, 4)."""
        return translation(element.numbers("pos", 3, (0, 0, 0))) @ self.turn(element)

    def bounds(self, element: Element, what: str = "", scale: float = 1.0) -> tuple[float, float] | None:
        """Return the range of a joint or actuator multiplied by the scale; None if it has no limits."""
        lower, upper = element.numbers(f"{what}range", 2, (0, 0)).tolist()
        limited = element.get(f"{what}limited", "auto")
        if limited == "true" or (limited == "auto" and self.auto_limits and lower < upper):
            return lower * scale, upper * scale
        return None


def _axis(element: Element, name: str, vector: Sequence[float] | Floats) -> Floats:
    numbers = np.asarray(vector, dtype=float)
    length = float(np.linalg.norm(numbers))
    if not length > 1e-12:
        raise element.refusal(f"{name} of <{element.tag}> has no direction", code=205)
    return numbers / length


def turn_z_to(direction: Floats) -> Floats:
    """Return the smallest rotation that maps the z axis to a unit vector. Shape (4, 4)."""
    axis = np.cross((0.0, 0.0, 1.0), direction)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-10:
        return identity() if direction[2] > 0 else rotation_about((1.0, 0.0, 0.0), pi)
    return rotation_about(axis, float(np.arctan2(sine, direction[2])))


READ_SETTINGS = frozenset({
    "angle", "assetdir", "autolimits", "balanceinertia", "boundinertia", "boundmass", "coordinate", "eulerseq",
    "fitaabb", "inertiafromgeom", "inertiagrouprange", "meshdir", "settotalmass", "strippath", "texturedir",
    "usethread", "convexhull", "discardvisual", "saveinertial", "fusestatic",
})  # fmt: skip
"""The settings that RCK reads, or that change nothing in a model: RCK keeps visuals, and the names of fused bodies."""


def compiler_of(elements: Sequence[Element]) -> CompilerSettings:
    """Return the compiler settings; if there are several elements, later attributes override earlier ones."""
    attributes: dict[str, str] = {}
    for element in elements:
        attributes.update(element.attributes)
    if not elements:
        return CompilerSettings()
    last = elements[-1]
    merged = Element("compiler", attributes, last.file, last.line)
    order = merged.get("eulerseq", "xyz")
    if len(order) != 3 or set(order.lower()) - set("xyz"):
        raise merged.refusal(f"eulerseq {order!r} does not name three axes", code=104)
    if merged.get("coordinate", "local") != "local":
        fix = "convert the model to local coordinates with MuJoCo 2.3.3 or older"
        raise merged.refusal("global coordinates are not supported; MuJoCo removed them in 2.3.4", fix=fix)
    low, high = merged.numbers("inertiagrouprange", 2, (0, 5)).tolist()
    return CompilerSettings(
        degrees=merged.get("angle", "degree") != "radian",
        euler_order=order,
        auto_limits=merged.get("autolimits", "true") != "false",
        mesh_folder=merged.get("meshdir") or merged.get("assetdir"),
        texture_folder=merged.get("texturedir") or merged.get("assetdir"),
        strip_path=merged.get("strippath") == "true",
        inertia_from_shapes=merged.get("inertiafromgeom", "auto"),
        inertia_groups=(int(low), int(high)),
        least_mass=merged.number("boundmass", 0.0),
        least_inertia=merged.number("boundinertia", 0.0),
        balances_inertia=merged.get("balanceinertia") == "true",
        fits_bounds=merged.get("fitaabb") == "true",
        total_mass=merged.number("settotalmass", -1.0),
    )
