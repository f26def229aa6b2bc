"""Edits of an import survey, before it is accepted: items, roles and joints."""

from dataclasses import fields, replace

import numpy as np

from rck.geometry.arrays import Point, as_point
from rck.geometry.polyhedron import move_polyhedron
from rck.hooks.file_exchange import FileContents
from rck.hooks.survey import ProposedJoint, Survey, SurveyPart
from rck.model import Item, Joint, JointKind, RckError, Robot
from rck.model.visual import map_visual
from rck.support.names import did_you_mean
from rck.support.units import counted


def assign_item(survey: Survey, names: frozenset[str], item: str) -> Survey:
    """Assign the named parts of the file to an item; an empty name excludes them."""
    return replace(
        survey, pieces=tuple(replace(part, item=item) if part.name in names else part for part in survey.pieces)
    )


def with_role(survey: Survey, names: frozenset[str], role: str) -> Survey:
    """Return the survey with this role of regions of its drawing."""
    if survey.drawing is None:
        return survey
    regions = tuple(replace(one, role=role, why="") if one.name in names else one for one in survey.drawing.regions)
    return replace(survey, drawing=replace(survey.drawing, regions=regions))


def with_connection(survey: Survey, changed: ProposedJoint) -> Survey:
    """Return the survey with a changed joint."""
    return replace(survey, joints=tuple(changed if joint.name == changed.name else joint for joint in survey.joints))


def declare_joint(survey: Survey, name: str) -> Survey:
    """Turn a part into a continuous joint about the part's major axis."""
    part = next(part for part in survey.pieces if part.name == name)
    if any(joint.entity == name for joint in survey.joints) or not part.shapes:
        return survey
    start, end = _major_axis(part)
    doubt = "Enter: what does it connect?"
    joint = ProposedJoint(name, JointKind.CONTINUOUS, "", (), start, end, entity=name, doubt=doubt)
    return replace(assign_item(survey, frozenset({name}), ""), joints=(*survey.joints, joint))


def _major_axis(part: SurveyPart) -> tuple[Point, Point]:
    """Return two points on the longest principal axis of a part, through its centre."""
    corners = np.concatenate([shape.vertices for shape in part.shapes])
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    spread = np.linalg.svd(corners - corners.mean(axis=0), full_matrices=False)[2][0]
    half = 0.5 * float(np.ptp(corners @ spread)) * spread
    return as_point(middle - half), as_point(middle + half)


def read_connection(text: str, joint: ProposedJoint, items: frozenset[str]) -> tuple[JointKind, str, tuple[str, ...]]:
    """Parse `[kind] base > item, item`, the items that a joint connects."""
    left, arrow, right = text.partition(">")
    words = left.split()
    moves = tuple(word.strip() for word in right.split(",") if word.strip())
    if not arrow or not words or not moves or len(words) > 2:
        raise RckError("type the base and the moving items, such as BASE > UPPER, or prismatic BASE > SLIDE")
    kind = joint.kind
    if len(words) == 2:
        try:
            kind = JointKind(words[0])
        except ValueError:
            known = ", ".join(kind.value for kind in JointKind)
            raise RckError(f"unknown joint kind {words[0]!r}; use one of {known}") from None
    for item in (words[-1], *moves):
        if item not in items:
            raise RckError(f"unknown item {item}{did_you_mean(item, items)}")
    return kind, words[-1], moves


def survey_of(contents: FileContents) -> Survey:
    """Return the survey of an importer that makes none itself: one part for each item, and the joints."""
    robot = contents.robot or Robot("nothing", ())
    joints = tuple(_survey_joint(joint) for joint in robot.joints)
    summary = f"{counted(len(robot.items), 'item')}, {counted(len(joints), 'joint')}" if robot.items else ""
    parts = tuple(_survey_part(item) for item in robot.items)
    return Survey(parts, joints, findings=contents.findings, summary=contents.summary or summary)


def _survey_joint(joint: Joint) -> ProposedJoint:
    """Return a joint whose axis is drawn on both sides of its first point, which is at the joint."""
    start = as_point(2.0 * np.array(joint.start) - joint.end)
    return replace(ProposedJoint(**{one.name: getattr(joint, one.name) for one in fields(Joint)}), start=start)


def _survey_part(item: Item) -> SurveyPart:
    shapes = tuple(move_polyhedron(subitem.shape, item.pose) for subitem in item.subitems)
    visuals = tuple(map_visual(visual, item.pose) for visual in item.visuals)
    if not shapes and not visuals:
        return SurveyPart(item.name, "frame", item=item.name)
    corners = np.concatenate([shape.vertices for shape in shapes] or [visual.surface.vertices for visual in visuals])
    return SurveyPart(
        item.name,
        "item",
        colour=item.subitems[0].colour if shapes else visuals[0].colour,
        shapes=shapes,
        visuals=visuals,
        volume=sum(shape.volume for shape in shapes),
        low=corners.min(axis=0),
        high=corners.max(axis=0),
        item=item.name,
    )
