"""Which items the joints of a drawing connect, and which of the two stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from rck.geometry.arrays import as_point
from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.hooks import ProposedJoint, Recipe, RecipeJoint
from rck.model import JointKind, Limits
from rck_dxf.axes import Axis, touches
from rck_dxf.bodies import Body

_LOOKS_LIKE_BASE = ("base", "ground", "floor", "foundation", "pedestal", "stand")


@dataclass(frozen=True, eq=False)
class Mark:
    """Something in the drawing that means a joint."""

    name: str
    kind: JointKind
    axis: Axis | None
    piece: str = ""
    """The solid that it is, if it is one."""
    shapes: tuple[Polyhedron, ...] = ()


def proposed_joints(
    marks: Sequence[Mark], items: Mapping[str, Sequence[Body]], tolerance: float, recipe: Recipe
) -> list[ProposedJoint]:
    """The joints, each with the items that it connects, as far as they can be found out."""
    hulls = {name: [_hull(body) for body in bodies] for name, bodies in items.items()}
    found = [_proposed(mark, items, hulls, tolerance, recipe.joints.get(mark.name)) for mark in marks]
    return _rooted(found, items, recipe)


def _hull(body: Body) -> Polyhedron:
    return body.shapes[0] if len(body.shapes) == 1 else convex_hull(np.concatenate([s.vertices for s in body.shapes]))


def _proposed(
    mark: Mark,
    items: Mapping[str, Sequence[Body]],
    hulls: Mapping[str, Sequence[Polyhedron]],
    tolerance: float,
    said: RecipeJoint | None,
) -> ProposedJoint:
    """The joint with the items that it touches, in no order yet: the first is its base only if the user said so."""
    answer = said or RecipeJoint()
    kind = JointKind(answer.kind) if answer.kind else mark.kind
    if mark.axis is None:
        doubt = "its solid has no major axis: draw a line instead, or make the solid longer"
        return ProposedJoint(mark.name, kind, (0, 0, 0), (0, 0, 1), mark.piece, doubt=doubt)
    axis = mark.axis.reversed() if answer.reverse else mark.axis
    limits = _limits(kind, axis, answer)
    joint = ProposedJoint(mark.name, kind, as_point(axis.start), as_point(axis.end), mark.piece, limits=limits)
    if answer.base or answer.moved_items:
        return _as_said(joint, answer, items, mark, hulls, tolerance)
    touched = _touched(mark, axis, items, hulls, tolerance)
    if len(touched) == 2:
        return replace(joint, base=touched[0], moves=(touched[1],))
    names = ", ".join(touched) or "nothing"
    return replace(joint, doubt=f"it touches {names}; say which two items it connects")


def _as_said(
    joint: ProposedJoint,
    answer: RecipeJoint,
    items: Mapping[str, Sequence[Body]],
    mark: Mark,
    hulls: Mapping[str, Sequence[Polyhedron]],
    tolerance: float,
) -> ProposedJoint:
    """The joint between the items that the recipe names; one side may still be found."""
    base, moves = answer.base, answer.moved_items
    unknown = [name for name in (base, *moves) if name and name not in items]
    if unknown:
        return replace(joint, doubt=f"the recipe names the item {unknown[0]}, which does not exist")
    if not base or not moves:
        assert mark.axis is not None
        others = [name for name in _touched(mark, mark.axis, items, hulls, tolerance) if name not in (base, *moves)]
        if len(others) != 1:
            return replace(joint, doubt="the recipe names one side, and the other is not clear")
        base, moves = (base, tuple(others)) if base else (others[0], moves)
    return replace(joint, base=base, moves=moves)


def _limits(kind: JointKind, axis: Axis, answer: RecipeJoint) -> Limits | None:
    said = answer.limits_in_si(kind.turns)
    if said is not None:
        return Limits(*said)
    if kind is JointKind.REVOLUTE:
        return Limits(-pi, pi)
    # What slides has a drawn axis as long as its travel.
    return Limits(0.0, axis.length) if kind is JointKind.PRISMATIC else None


def _touched(
    mark: Mark,
    axis: Axis,
    items: Mapping[str, Sequence[Body]],
    hulls: Mapping[str, Sequence[Polyhedron]],
    tolerance: float,
) -> list[str]:
    """The items that the joint's solid or line touches; where that is no two, those whose bores it runs through."""
    direct = [
        name
        for name, bodies in items.items()
        if touches(axis, mark.shapes, (shape for body in bodies for shape in body.shapes), tolerance)
    ]
    if len(direct) == 2:
        return direct
    through = [name for name in items if touches(axis, (), hulls[name], tolerance)]
    return through if len(through) == 2 or len(through) > len(direct) else direct


def _rooted(joints: list[ProposedJoint], items: Mapping[str, Sequence[Body]], recipe: Recipe) -> list[ProposedJoint]:
    """The joints turned so that each stands on the side of the base of its mechanism."""
    at: dict[str, list[int]] = {}
    for number, joint in enumerate(joints):
        for name in (joint.base, *joint.moves):
            if name:
                at.setdefault(name, []).append(number)
    turned = list(joints)
    reached: set[str] = set()
    walked: set[int] = set()
    for root in sorted(at, key=lambda name: _unlikeness_to_base(name, items, recipe)):
        if root in reached:
            continue
        reached.add(root)
        waiting = [root]
        while waiting:
            here = waiting.pop(0)
            for number in at[here]:
                if number in walked:
                    continue
                walked.add(number)
                turned[number], fresh = _standing_on(turned[number], here, reached, recipe)
                reached.update(fresh)
                waiting += fresh
    return turned


def _standing_on(joint: ProposedJoint, here: str, reached: set[str], recipe: Recipe) -> tuple[ProposedJoint, list[str]]:
    """The joint seen from an item that stands; and the items that this reaches anew."""
    answer = recipe.joints.get(joint.name, RecipeJoint())
    fixed = bool(answer.base or answer.moved_items)
    sides = (joint.base, *joint.moves)
    if not fixed and joint.moves == (here,):
        joint = replace(joint, base=here, moves=(joint.base,))
    others = [name for name in sides if name != here]
    closed = [name for name in others if name in reached]
    if closed and not joint.doubt:
        doubt = f"{joint.base} and {', '.join(joint.moves)} are connected already: this joint would close a loop"
        return replace(joint, doubt=doubt), []
    return joint, others


def _unlikeness_to_base(name: str, items: Mapping[str, Sequence[Body]], recipe: Recipe) -> tuple[bool, bool, float]:
    """Least for the item that the others stand on: one that the user called a base, or named so, or the lowest."""
    said = {answer.base for answer in recipe.joints.values()}
    said -= {moved for answer in recipe.joints.values() for moved in answer.moved_items}
    named = any(word in name.lower() for word in _LOOKS_LIKE_BASE)
    lowest = min((float(body.low[2]) for body in items.get(name, ())), default=0.0)
    return name not in said, not named, lowest
