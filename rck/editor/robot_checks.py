"""Checks of the compiled robot that run in the background: findings, overlaps, and contacts while joints move."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from rck.assembly.compiler import Compiled
from rck.assembly.document import Assembly
from rck.collision.backend import DEFAULT, Contact, MeasuringScene, backend_named
from rck.collision.overlaps import overlaps
from rck.collision.scene import HullScene
from rck.editor.engines import Engine
from rck.hooks import Plugins
from rck.hooks.options import make_scene
from rck.language.assembly_checks import check_assembly
from rck.language.robot_checks import check_robot
from rck.model import Finding, RckError, Robot

RESTING_DEPTH = 1e-4
"""Contacts up to this depth, in metres, are ignored: faces that lie on each other."""


@dataclass(frozen=True, eq=False, slots=True)
class CheckResults:
    """Findings and overlaps of one robot."""

    robot: Robot
    findings: tuple[Finding, ...]
    contacts: tuple[Contact, ...]
    """The deepest contact of each pair of overlapping items, deepest pair first; neighbours on a joint are excluded."""

    def overlaps_of(self, items: Collection[str]) -> list[tuple[str, float]]:
        """Return the other items that overlap one of these items, with the depth in metres, deepest first."""
        depths: dict[str, float] = {}
        for contact in self.contacts:
            others = [name for name in contact.items if name not in items]
            if len(others) == 1:
                depths.setdefault(others[0], contact.depth)
        return list(depths.items())


def run_checks(assembly: Assembly, compiled: Compiled, plugins: Plugins) -> CheckResults:
    """Check an assembly and its robot; takes tens of milliseconds, or longer if the robot is large."""
    robot = compiled.robot
    try:
        contacts = overlaps(robot, RESTING_DEPTH)
    except RckError:
        contacts = []
    findings = (*check_robot(robot, plugins), *check_assembly(assembly, compiled))
    return CheckResults(robot, findings, tuple(contacts))


class PoseChecker:
    """Finds contacts while a robot moves; reuses the collision scene as long as only joints move."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._scene: HullScene | None = None

    def deepest_contacts(self, robot: Robot, backend: Engine) -> tuple[Contact, ...]:
        """Return the deepest contact of each pair of items in contact, without faces that lie on each other.

        Neighbours on a joint are excluded. The depth is NaN if the collision backend cannot measure it.
        """
        if not robot.items:
            return ()
        contacts = self._hull_contacts(robot) if backend.name == DEFAULT else self._backend_contacts(backend, robot)
        deepest: dict[tuple[str, str], Contact] = {}
        for contact in contacts:
            if contact.depth <= RESTING_DEPTH:
                continue
            if contact.items not in deepest or contact.depth > deepest[contact.items].depth:
                deepest[contact.items] = contact
        return tuple(deepest.values())

    def _hull_contacts(self, robot: Robot) -> Sequence[Contact]:
        if self._scene is None or not has_same_structure(self._scene.robot, robot):
            self._scene = HullScene(robot)
        return self._scene.contacts(np.array([item.pose for item in robot.items]))

    def _backend_contacts(self, backend: Engine, robot: Robot) -> Sequence[Contact]:
        """Use a new scene each time: a backend takes joint positions, but items may have moved in other ways."""
        scene = make_scene(backend_named(self._plugins, backend.name), robot, (), backend.given)
        if isinstance(scene, MeasuringScene):
            return scene.contacts(robot.positions)
        origin = (0.0, 0.0, 0.0)
        return [Contact((a, b), (0, 0), origin, origin, nan) for a, b in scene.touching(robot.positions)]


def has_same_structure(one: Robot, other: Robot) -> bool:
    """Return True if two robots differ only in poses: same items, same joints, same allowed collisions."""
    if len(one.items) != len(other.items) or len(one.joints) != len(other.joints) or one.rules != other.rules:
        return False
    return all(
        a.name == b.name and a.subitems is b.subitems for a, b in zip(one.items, other.items, strict=True)
    ) and all(
        a.name == b.name and a.kind is b.kind and a.base == b.base
        for a, b in zip(one.joints, other.joints, strict=True)
    )
