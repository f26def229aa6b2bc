"""Surroundings for a model: a floor, light and a camera."""

from xml.etree.ElementTree import Element

import numpy as np

from rck.exporting.file_text import add
from rck.geometry.transforms import apply
from rck.model import Robot
from rck_plugins.exporters.mjcf.numbers import exact


def add_scene(root: Element, robot: Robot) -> None:
    """Add a floor under the robot, a light above it, and a camera that sees all of it."""
    low, high = _extent(robot)
    middle, size = (low + high) / 2, max(float(np.linalg.norm(high - low)), 0.1)
    assets = root.find("asset")
    if assets is None:
        assets = Element("asset")
        root.insert(1, assets)
    names = {one.get("name") for one in root.iter()}
    floor, light, camera = (_free(name, names) for name in ("floor", "light", "overview"))
    add(assets, "texture", name=floor, type="2d", builtin="checker", width="300", height="300",
        rgb1="0.35 0.4 0.45", rgb2="0.25 0.3 0.35")  # fmt: skip
    add(assets, "material", name=floor, texture=floor, texrepeat="5 5", texuniform="true", reflectance="0.1")
    world = root.find("worldbody")
    assert world is not None
    ground = float(low[2]) if _stands(robot) else min(float(low[2]), 0.0)
    add(world, "geom", name=floor, type="plane", size="0 0 0.05", material=floor, pos=exact([0.0, 0.0, ground]))
    add(world, "light", name=light, directional="true", pos=exact([*middle[:2], middle[2] + 2 * size]), dir="0 0 -1")
    eye = middle + size * np.array([1.0, -1.0, 0.6])
    toward = (eye - middle) / np.linalg.norm(eye - middle)
    right = np.cross((0.0, 0.0, 1.0), toward)
    right /= np.linalg.norm(right)
    add(world, "camera", name=camera, pos=exact(eye), xyaxes=exact([*right, *np.cross(toward, right)]))


def _stands(robot: Robot) -> bool:
    """Return True unless the robot floats: its floor may then be anywhere below it."""
    return not any(item.mobile for item in robot.items)


def _free(name: str, taken: set[str | None]) -> str:
    while name in taken:
        name += "_"
    return name


def _extent(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest coordinates of all shapes. Shapes (3,)."""
    points = [apply(item.pose, one.shape.vertices) for item in robot.items for one in item.subitems]
    points += [apply(item.pose, one.surface.vertices) for item in robot.items for one in item.visuals]
    if not points:
        return np.zeros(3), np.zeros(3)
    whole = np.concatenate(points)
    return whole.min(axis=0), whole.max(axis=0)
