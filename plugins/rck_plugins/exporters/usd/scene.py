"""The physics scene: gravity and the settings of MuJoCo."""

from xml.etree import ElementTree

import numpy as np

from rck.model import Robot
from rck_plugins.exporters.usd.kept import MJCF, keep
from rck_plugins.exporters.usd.prims import Prim, quoted, single, vector

SCENE = "PhysicsScene"
"""A sibling of the robot, so that a scene that references the robot keeps its own physics scene."""

_DOUBLES = ("timestep", "impratio", "density", "viscosity", "tolerance", "ls_tolerance", "noslip_tolerance",
            "ccd_tolerance", "o_margin")  # fmt: skip
_COUNTS = ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints")
_WORDS = ("integrator", "cone", "jacobian", "solver")


def scene_prim(robot: Robot) -> Prim:
    """Return the scene, with the options that the source file has."""
    prim = Prim("PhysicsScene", SCENE)
    keep(prim, robot.extensions, "scene")
    for option in _options(robot):
        given = {name: text for name, text in option.attrib.items() if text.strip()}
        try:
            prim.properties += _gravity(given.pop("gravity", "").split())
            lines = [f"double mjc:option:{name} = {float(given[name])!r}" for name in _DOUBLES if name in given]
            lines += [f"int mjc:option:{name} = {int(given[name])}" for name in _COUNTS if name in given]
        except ValueError:
            # A number of the file is damaged: it stays in the data of RCK only.
            continue
        lines += [f"token mjc:option:{name} = {quoted(given[name].lower())}" for name in _WORDS if name in given]
        for flags in option.findall("flag"):
            lines += [f"bool mjc:flag:{name} = {int(text == 'enable')}" for name, text in flags.attrib.items()]
        prim.properties += [f"uniform {line}" for line in lines]
        prim.apis = [*prim.apis, *(["MjcSceneAPI"] if lines and "MjcSceneAPI" not in prim.apis else [])]
    return prim


def _options(robot: Robot) -> list[ElementTree.Element]:
    text = robot.extensions.get(MJCF, {}).get("<option>", "")
    try:
        return list(ElementTree.fromstring(f"<list>{text}</list>"))[:1]
    except ElementTree.ParseError:
        return []


def _gravity(words: list[str]) -> list[str]:
    if len(words) != 3:
        return []
    along = np.array([float(word) for word in words])
    size = float(np.linalg.norm(along))
    direction = along / size if size else np.array([0.0, 0.0, -1.0])
    return [
        f"vector3f physics:gravityDirection = {vector(direction)}",
        single("float", "physics:gravityMagnitude", size),
    ]
