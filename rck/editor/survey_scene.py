"""The 3D scene of an import survey: its parts, the chosen ones highlighted, and the axes of its joints."""

from dataclasses import dataclass, field

from rck.assembly.compiler import Compiled, PlacedPort
from rck.geometry.transforms import identity
from rck.hooks.survey import Survey
from rck.model import Item, Robot
from rck.model.subitem import Subitem
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.posed_robot import PosedRobot, pose_robot
from rck.rendering.scene import Floor, Scene, floor_for


@dataclass(eq=False)
class SurveySceneBuilder:
    """The scene of a survey, with the chosen parts highlighted."""

    survey: Survey = field(default_factory=Survey)
    chosen: frozenset[str] = frozenset()
    _figure: tuple[Survey, PosedRobot] | None = None

    def scene(self) -> Scene:
        """Return the current scene."""
        if self._figure is None or self._figure[0] is not self.survey:
            self._figure = (self.survey, pose_robot(_robot(self.survey), geometry=Geometry.VISUAL))
        figure = self._figure[1]
        floor = floor_for(figure) if figure.robot.items else Floor()
        joints = tuple(joint for joint in self.survey.joints if joint.kind.moves and joint.start != joint.end)
        return Scene(figure, floor=floor, axes=True, selected=self.chosen, world_joints=joints)

    def ports(self, compiled: Compiled) -> list[tuple[PlacedPort, bool]]:
        """Return no ports: an import has none yet."""
        return []


def _robot(survey: Survey) -> Robot:
    return Robot(
        "import",
        tuple(
            Item(
                part.name,
                tuple(Subitem(shape, part.colour) for shape in part.shapes),
                identity(),
                visuals=part.visuals,
            )
            for part in survey.pieces
            if part.shapes or part.visuals
        ),
    )
