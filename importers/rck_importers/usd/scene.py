"""Settings of simulators in a stage, kept as data of the robot."""

from math import isfinite
from xml.etree import ElementTree

import numpy as np

from rck.model.extensions import Extensions, merge_extensions
from rck_importers.usd.kept import kept, mjcf_text
from rck_importers.usd.stage import Prim, Stage

_OPTION, _FLAG, _COMPILER = "mjc:option:", "mjc:flag:", "mjc:compiler:"
_WORDS = {"euler": "Euler", "rk4": "RK4", "pgs": "PGS", "cg": "CG", "newton": "Newton"}
"""Words of MJCF that differ from the tokens of the schema."""
_EARTH = 9.81
_READ = frozenset({"newton:timeStepsPerSecond", "newton:maxSolverIterations", "newton:gravityEnabled"})


def scene_data(stage: Stage) -> Extensions:
    """Return what the physics scenes of a stage say about the simulator."""
    scenes = [prim for prim in stage.prims if prim.type == "PhysicsScene"]
    return merge_extensions(*(_data(prim, stage) for prim in scenes))


def _data(prim: Prim, stage: Stage) -> Extensions:
    mujoco = {name for name in prim.values if name.startswith((_OPTION, _FLAG, _COMPILER))}
    option = _option(prim, stage)
    text = ElementTree.tostring(option, encoding="unicode") if option.attrib or len(option) else ""
    return kept(prim, _READ | mujoco, **{"<option>": text})


def _option(prim: Prim, stage: Stage) -> ElementTree.Element:
    option = ElementTree.Element("option")
    rate = prim.number("newton:timeStepsPerSecond", 0.0)
    if rate > 0:
        option.set("timestep", repr(1.0 / rate))
    iterations = prim.number("newton:maxSolverIterations", -1.0)
    if iterations >= 0:
        option.set("iterations", str(int(iterations)))
    size = prim.number("physics:gravityMagnitude", -1.0) * stage.units.metres
    direction = prim.numbers("physics:gravityDirection", 3)
    along = np.array([0.0, 0.0, -1.0])
    if direction is not None and direction.any():
        along = stage.world[:3, :3] @ direction
        along = along / np.linalg.norm(along)
    given = _EARTH if not isfinite(size) or size < 0 else size
    if abs(given - _EARTH) > 1e-5 or abs(along - np.array([0.0, 0.0, -1.0])).max() > 1e-6:
        option.set("gravity", mjcf_text(given * along + 0.0))
    flags = {}
    for name, value in prim.values.items():
        if name.startswith(_OPTION):
            text = mjcf_text(value)
            option.set(name.removeprefix(_OPTION), _WORDS.get(text, text))
        if name.startswith(_FLAG):
            flags[name.removeprefix(_FLAG)] = "enable" if value else "disable"
    if not prim.flag("newton:gravityEnabled", True):
        flags["gravity"] = "disable"
    if flags:
        ElementTree.SubElement(option, "flag", flags)
    return option
