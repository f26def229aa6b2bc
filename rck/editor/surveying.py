"""Deciding what becomes of an imported file: the survey as a value that is edited before it is accepted."""

from dataclasses import dataclass, field, replace

import numpy as np

from rck.assembly.compile import Compiled, PlacedPort
from rck.geometry.arrays import Point, as_point
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.transforms import identity
from rck.hooks import Imported
from rck.hooks.survey import FoundPiece, ProposedJoint, Survey
from rck.model import Item, JointKind, RckError, Robot
from rck.model.names import did_you_mean
from rck.model.subitem import Subitem
from rck.render.figure import Figure, figure_of
from rck.render.scene import Floor, Scene, floor_for


def assigned(survey: Survey, pieces: frozenset[str], item: str) -> Survey:
    """The survey with the named pieces in an item; an empty name leaves them out."""
    return replace(
        survey, pieces=tuple(replace(one, item=item) if one.name in pieces else one for one in survey.pieces)
    )


def connected(survey: Survey, joint: str, kind: JointKind, base: str, moves: tuple[str, ...]) -> Survey:
    """The survey with a joint between these items."""
    return replace(
        survey,
        joints=tuple(
            replace(one, kind=kind, base=base, moves=moves, doubt="") if one.name == joint else one
            for one in survey.joints
        ),
    )


def marked_as_joint(survey: Survey, name: str) -> Survey:
    """The survey with a piece declared a joint that turns: its major axis becomes the joint's."""
    piece = next(one for one in survey.pieces if one.name == name)
    if any(joint.piece == name for joint in survey.joints) or not piece.shapes:
        return survey
    start, end = _major_axis(piece)
    joint = ProposedJoint(name, JointKind.CONTINUOUS, start, end, piece=name, doubt="say what it connects: base > item")
    return replace(assigned(survey, frozenset({name}), ""), joints=(*survey.joints, joint))


def _major_axis(piece: FoundPiece) -> tuple[Point, Point]:
    """Two points on the longest principal axis of a piece, through its middle."""
    corners = np.concatenate([shape.vertices for shape in piece.shapes])
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    spread = np.linalg.svd(corners - corners.mean(axis=0), full_matrices=False)[2][0]
    half = 0.5 * float(np.ptp(corners @ spread)) * spread
    return as_point(middle - half), as_point(middle + half)


def read_connection(text: str, joint: ProposedJoint, items: frozenset[str]) -> tuple[JointKind, str, tuple[str, ...]]:
    """`[kind] base > item, item`: what a joint connects, as users type it."""
    left, arrow, right = text.partition(">")
    words = left.split()
    moves = tuple(word.strip() for word in right.split(",") if word.strip())
    if not arrow or not words or not moves or len(words) > 2:
        raise RckError("write what stays and what moves, such as BASE > UPPER, or prismatic BASE > SLIDE")
    kind = joint.kind
    if len(words) == 2:
        try:
            kind = JointKind(words[0])
        except ValueError:
            raise RckError(f"{words[0]!r} is no kind of joint: {', '.join(one.value for one in JointKind)}") from None
    for item in (words[-1], *moves):
        if item not in items:
            raise RckError(f"there is no item {item}{did_you_mean(item, items)}")
    return kind, words[-1], moves


def piece_line(piece: FoundPiece) -> tuple[str, str, str, str, str]:
    """A piece as a row: name, what it is, layer, size, item."""
    x, y, z = (1000 * piece.size).tolist()
    state = piece.refused or piece.item or "left out"
    return piece.name, piece.content, piece.layer, f"{x:.4g} x {y:.4g} x {z:.4g}", state


def joint_line(joint: ProposedJoint) -> tuple[str, str, str]:
    """A joint as a row: name, kind, what it connects."""
    return joint.name, joint.kind.value, joint.doubt or f"{joint.base} → {', '.join(joint.moves)}"


@dataclass(eq=False)
class SurveyScenery:
    """Shows the pieces of a survey, those that are chosen highlighted."""

    survey: Survey = field(default_factory=Survey)
    chosen: frozenset[str] = frozenset()
    _figure: tuple[Survey, Figure] | None = None

    def scene(self) -> Scene:
        """What is to be seen now."""
        if self._figure is None or self._figure[0] is not self.survey:
            self._figure = (self.survey, figure_of(_robot(self.survey)))
        figure = self._figure[1]
        floor = floor_for(figure) if figure.robot.items else Floor()
        return Scene(figure, floor=floor, axes=True, selected=self.chosen)

    def ports(self, compiled: Compiled) -> list[tuple[PlacedPort, bool]]:
        """None: an import has no ports to fasten things to yet."""
        return []


def _robot(survey: Survey) -> Robot:
    items = [
        Item(piece.name, tuple(Subitem(shape, piece.colour) for shape in piece.shapes), identity())
        for piece in survey.pieces
        if piece.shapes
    ]
    return Robot("import", tuple(items))


def survey_of(imported: Imported) -> Survey:
    """What an importer that asks no questions would bring, item by item."""
    robot = imported.robot or Robot("nothing", ())
    return Survey(tuple(_found(item) for item in robot.items), findings=imported.findings)


def _found(item: Item) -> FoundPiece:
    shapes = tuple(move_polyhedron(subitem.shape, item.pose) for subitem in item.subitems)
    if not shapes:
        return FoundPiece(item.name, "frame", item=item.name)
    corners = np.concatenate([shape.vertices for shape in shapes])
    return FoundPiece(
        item.name,
        "item",
        colour=item.subitems[0].colour,
        shapes=shapes,
        volume=sum(shape.volume for shape in shapes),
        low=corners.min(axis=0),
        high=corners.max(axis=0),
        item=item.name,
    )
