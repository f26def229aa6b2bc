"""Scenes for the views, built from the workbench: the robot, ghosts of a preview, highlights, ports."""

from dataclasses import dataclass, field
from typing import Protocol

from rck.assembly.compiler import Compiled, PlacedPort, free_ports
from rck.editor.overlay_layers import with_layers
from rck.editor.workbench import Workbench
from rck.kinematics.tip import arm_tips
from rck.model import Robot
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.posed_robot import PosedRobot, pose_robot
from rck.rendering.scene import Floor, PortMark, Scene, floor_for


class SceneSource(Protocol):
    """Provider of the scene that a view shows."""

    def scene(self) -> Scene:
        """Return the current scene."""

    def ports(self, compiled: Compiled) -> list[tuple[PlacedPort, bool]]:
        """Return the ports that can be clicked, and whether each is highlighted."""


@dataclass(eq=False)
class SceneBuilder:
    """The scene of the workbench; caches the posed robots."""

    workbench: Workbench
    live: bool = False
    """Show a preview as the robot itself instead of as a ghost, as when a joint is dragged."""
    _figures: list[tuple[Robot, PosedRobot]] = field(default_factory=list)
    _rest: tuple[Robot, str, Robot] | None = None
    """A robot, an instance, and the robot without it."""

    def scene(self) -> Scene:
        """Return the current scene."""
        bench = self.workbench
        built = bench.built.value
        preview = bench.preview
        shown = preview.compiled if preview is not None and (self.live or built is None) else built
        figure = self._figure(self._without_mounted(shown) if shown is not None else Robot("empty", ()))
        ghosts: tuple[PosedRobot, ...] = ()
        if preview is not None and preview.compiled is not shown and preview.ghosts:
            robot = preview.compiled.robot
            items = tuple(item for item in robot.items if item.name in preview.ghosts)
            ghosts = (self._figure(Robot(robot.name, items)),)
        scene = Scene(
            figure,
            floor=floor_for(figure) if figure.robot.items else Floor(),
            axes=True,
            selected=self._selected(),
            colliding=frozenset[str | tuple[str, int]](bench.colliding),
            ghosts=ghosts,
            joints=frozenset(thing.name for thing in bench.selection if thing.kind == "joint"),
            frames=frozenset(arm_tips(figure.robot)),
            clouds=(bench.reach_cloud,) if self.live and bench.reach_cloud is not None else (),
            ports=()
            if shown is None
            else tuple(PortMark(port.item, port.pose, marked) for port, marked in self.ports(shown)),
        )
        return with_layers(scene, bench.layers.values())

    def _without_mounted(self, compiled: Compiled) -> Robot:
        """Return the robot without the instance that is being mounted, of which only the ghost is shown."""
        placing, robot = self.workbench.placing, compiled.robot
        if placing is None or placing.part or self.workbench.preview is None:
            return robot
        if self._rest is None or self._rest[0] is not robot or self._rest[1] != placing.name:
            items = tuple(item for item in robot.items if compiled.instance_of_item[item.name] != placing.name)
            self._rest = (robot, placing.name, Robot(robot.name, items))
        return self._rest[2]

    def ports(self, compiled: Compiled) -> list[tuple[PlacedPort, bool]]:
        """Return the visible ports: while placing those that fit, else the free ones of the selection.

        There are none on the Move screen, where nothing is placed.
        """
        if self.live:
            return []
        placing = self.workbench.placing
        if placing is not None:
            return [(compiled.ports[end], end == placing.end) for end, _ in placing.choices if end in compiled.ports]
        chosen = set(self.workbench.selected_instances)
        named = {thing.name for thing in self.workbench.selection if thing.kind == "port"}
        free = free_ports(compiled)
        return [
            (port, port.end in named)
            for port in compiled.ports.values()
            if port.end in named or (port.end in free and port.end.partition(".")[0] in chosen)
        ]

    def _selected(self) -> frozenset[str]:
        names = set()
        compiled = self.workbench.built.value
        for thing in self.workbench.selection:
            if thing.kind in ("instance", "item"):
                names.add(thing.name)
            elif thing.kind == "joint" and compiled is not None and thing.name in compiled.robot.joint_index:
                names.update(compiled.robot.joint(thing.name).moves)
        return frozenset(names)

    def _figure(self, robot: Robot) -> PosedRobot:
        for known, figure in self._figures:
            if known is robot:
                return figure
        self._figures = [*self._figures[-4:], (robot, pose_robot(robot, geometry=Geometry.VISUAL))]
        return self._figures[-1][1]
