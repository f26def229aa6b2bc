"""From the workbench to a scene: what is drawn solid, as a ghost, highlighted. Knows nothing of the screen."""

from dataclasses import dataclass, field
from typing import Protocol

from rck.assembly.compile import Compiled, PlacedPort, free_ports
from rck.editor.workbench import Workbench
from rck.kinematics.tip import arm_tips
from rck.model import Robot
from rck.render.figure import Figure, figure_of
from rck.render.scene import Floor, PortMark, Scene, floor_for


class SceneSource(Protocol):
    """Whatever a view can show."""

    def scene(self) -> Scene:
        """What is to be seen now."""

    def ports(self, compiled: Compiled) -> list[tuple[PlacedPort, bool]]:
        """The ports that can be clicked on, and whether each is marked."""


@dataclass(eq=False)
class Scenery:
    """Makes scenes, and remembers the figures of robots that have not changed."""

    workbench: Workbench
    live: bool = False
    """Whether a preview is shown as the robot itself, as when a joint is dragged."""
    _figures: list[tuple[Robot, Figure]] = field(default_factory=list)

    def scene(self) -> Scene:
        """What is to be seen now."""
        bench = self.workbench
        built = bench.built.value
        preview = bench.preview
        shown = preview.compiled if preview is not None and (self.live or built is None) else built
        figure = self._figure(shown.robot if shown is not None else Robot("empty", ()))
        ghosts: tuple[Figure, ...] = ()
        if preview is not None and preview.compiled is not shown and preview.ghosts:
            ghosts = (self._figure(_only(preview.compiled.robot, preview.ghosts)),)
        return Scene(
            figure,
            floor=floor_for(figure) if figure.robot.items else Floor(),
            axes=True,
            selected=self._selected(),
            colliding=frozenset[str | tuple[str, int]](bench.colliding),
            ghosts=ghosts,
            joints=frozenset(one.name for one in bench.selection if one.kind == "joint"),
            frames=frozenset(arm_tips(figure.robot)),
            cloud=bench.reached if self.live else None,
            ports=() if shown is None else tuple(_mark(port, fits) for port, fits in self.ports(shown)),
        )

    def ports(self, compiled: Compiled) -> list[tuple[PlacedPort, bool]]:
        """The ports that are shown: while placing those that fit, else the free ones of the selection.

        Where joints move there are none: nothing is placed there.
        """
        if self.live:
            return []
        placing = self.workbench.placing
        if placing is not None:
            return [(compiled.ports[end], end == placing.end) for end, _ in placing.choices if end in compiled.ports]
        chosen = set(self.workbench.selected_instances)
        named = {one.name for one in self.workbench.selection if one.kind == "port"}
        free = free_ports(compiled)
        return [
            (port, port.end in named)
            for port in compiled.ports.values()
            if port.end in named or (port.end in free and port.end.partition(".")[0] in chosen)
        ]

    def _selected(self) -> frozenset[str]:
        names = set()
        for one in self.workbench.selection:
            if one.kind in ("instance", "item"):
                names.add(one.name)
            elif one.kind == "joint":
                compiled = self.workbench.built.value
                if compiled is not None and one.name in compiled.robot.joint_index:
                    names.update(compiled.robot.joint(one.name).moves)
        return frozenset(names)

    def _figure(self, robot: Robot) -> Figure:
        for known, figure in self._figures:
            if known is robot:
                return figure
        self._figures = [*self._figures[-4:], (robot, figure_of(robot))]
        return self._figures[-1][1]


def _only(robot: Robot, names: frozenset[str]) -> Robot:
    """The named items of a robot, without joints."""
    return Robot(robot.name, tuple(item for item in robot.items if item.name in names))


def _mark(port: PlacedPort, fits: bool) -> PortMark:
    return PortMark(port.item, port.pose, fits)
