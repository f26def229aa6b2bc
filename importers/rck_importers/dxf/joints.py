"""Connection of the joints of a drawing: base item and moved items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import pi

import numpy as np

from rck.geometry.arrays import as_point
from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.hooks import ProposedJoint, Recipe, RecipeJoint
from rck.model import JointKind, JointLimits
from rck.model.joint_spec import convert_ratings
from rck.model.quantities import Quantities
from rck_importers.dxf.axes import DrawingAxis, touches
from rck_importers.dxf.solids import SolidBody

_RECIPE_UNITS = Quantities()
_BASE_WORDS = ("base", "ground", "floor", "foundation", "pedestal", "stand")


@dataclass(frozen=True, eq=False)
class Mark:
    """A joint marked in the drawing."""

    name: str
    kind: JointKind
    axis: DrawingAxis | None
    entity: str = ""
    """Name of the solid that marks it; empty if a curve does."""
    shapes: tuple[Polyhedron, ...] = ()


def proposed_joints(
    marks: Sequence[Mark], items: Mapping[str, Sequence[SolidBody]], tolerance: float, recipe: Recipe
) -> list[ProposedJoint]:
    """Return the joints with the items that they connect; a joint that remains unclear has a doubt."""
    hulls = cache(lambda name: [_hull(body) for body in items[name]])
    found = [_propose_joint(mark, items, hulls, tolerance, recipe.joints.get(mark.name)) for mark in marks]
    return _orient_joints(found, items, recipe)


def _hull(body: SolidBody) -> Polyhedron:
    return body.shapes[0] if len(body.shapes) == 1 else convex_hull(np.concatenate([s.vertices for s in body.shapes]))


def _propose_joint(
    mark: Mark,
    items: Mapping[str, Sequence[SolidBody]],
    hulls: Callable[[str], Sequence[Polyhedron]],
    tolerance: float,
    stated_joint: RecipeJoint | None,
) -> ProposedJoint:
    """Return the joint between the items that it touches, in any order unless the recipe names its base."""
    answer = stated_joint or RecipeJoint()
    kind = JointKind(answer.kind) if answer.kind else mark.kind
    if mark.axis is None:
        doubt = "its solid has no major axis; draw a line instead, or make the solid longer"
        return ProposedJoint(mark.name, kind, "", (), entity=mark.entity, doubt=doubt)
    axis = mark.axis.reversed() if answer.reverse else mark.axis
    stated = convert_ratings(answer, kind.turns, _RECIPE_UNITS)
    joint = ProposedJoint(
        mark.name,
        kind,
        "",
        (),
        as_point(axis.start),
        as_point(axis.end),
        stated.limits or _default_limits(kind, axis),
        _RECIPE_UNITS.joint_position(answer.position, kind.turns),
        stated.speed,
        effort=stated.effort,
        entity=mark.entity,
    )
    if answer.base or answer.moved_items:
        return _connect_from_recipe(joint, answer, items, mark, hulls, tolerance)
    touched = _find_touched_items(mark, axis, items, hulls, tolerance)
    if len(touched) == 2:
        return replace(joint, base=touched[0], moves=(touched[1],))
    names = ", ".join(touched) or "nothing"
    return replace(joint, doubt=f"it touches {names}; state which two items it connects")


def _connect_from_recipe(
    joint: ProposedJoint,
    answer: RecipeJoint,
    items: Mapping[str, Sequence[SolidBody]],
    mark: Mark,
    hulls: Callable[[str], Sequence[Polyhedron]],
    tolerance: float,
) -> ProposedJoint:
    """Return the joint between the items that the recipe names; detect a side that it does not name."""
    base, moves = answer.base, answer.moved_items
    unknown = [name for name in (base, *moves) if name and name not in items]
    if unknown:
        return replace(joint, doubt=f"the recipe names the item {unknown[0]}, which does not exist")
    if not base or not moves:
        assert mark.axis is not None
        others = [
            name for name in _find_touched_items(mark, mark.axis, items, hulls, tolerance) if name not in (base, *moves)
        ]
        if len(others) != 1:
            return replace(joint, doubt="the recipe names one side, and the other side is ambiguous")
        base, moves = (base, tuple(others)) if base else (others[0], moves)
    return replace(joint, base=base, moves=moves)


def _default_limits(kind: JointKind, axis: DrawingAxis) -> JointLimits | None:
    if kind is JointKind.REVOLUTE:
        return JointLimits(-pi, pi)
    # The drawn axis of a prismatic joint is as long as its travel.
    return JointLimits(0.0, axis.length) if kind is JointKind.PRISMATIC else None


def _find_touched_items(
    mark: Mark,
    axis: DrawingAxis,
    items: Mapping[str, Sequence[SolidBody]],
    hulls: Callable[[str], Sequence[Polyhedron]],
    tolerance: float,
) -> list[str]:
    """Return the items that the joint's solid or line touches; if not two, those whose hulls its axis crosses."""
    direct = [
        name
        for name, bodies in items.items()
        if touches(axis, mark.shapes, (shape for body in bodies for shape in body.shapes), tolerance)
    ]
    if len(direct) == 2:
        return direct
    through = [name for name in items if touches(axis, (), hulls(name), tolerance)]
    return through if len(through) == 2 or len(through) > len(direct) else direct


def _orient_joints(
    joints: list[ProposedJoint], items: Mapping[str, Sequence[SolidBody]], recipe: Recipe
) -> list[ProposedJoint]:
    """Return the joints oriented so that each base is on the side of the mechanism's base."""
    at: dict[str, list[int]] = {}
    for number, joint in enumerate(joints):
        for name in (joint.base, *joint.moves):
            if name:
                at.setdefault(name, []).append(number)
    turned = list(joints)
    reached: set[str] = set()
    walked: set[int] = set()
    for root in sorted(at, key=lambda name: _base_rank(name, items, recipe)):
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
                turned[number], new_items = _orient_from(turned[number], here, reached, recipe)
                reached.update(new_items)
                waiting += new_items
    return turned


def _orient_from(joint: ProposedJoint, here: str, reached: set[str], recipe: Recipe) -> tuple[ProposedJoint, list[str]]:
    """Return the joint with `here` as its base where possible, and the newly reached items."""
    answer = recipe.joints.get(joint.name, RecipeJoint())
    fixed = bool(answer.base or answer.moved_items)
    sides = (joint.base, *joint.moves)
    if not fixed and joint.moves == (here,):
        joint = replace(joint, base=here, moves=(joint.base,))
    others = [name for name in sides if name != here]
    closed = [name for name in others if name in reached]
    if closed and not joint.doubt:
        doubt = f"{joint.base} and {', '.join(joint.moves)} are already connected: this joint would close a loop"
        return replace(joint, doubt=doubt), []
    return joint, others


def _base_rank(name: str, items: Mapping[str, Sequence[SolidBody]], recipe: Recipe) -> tuple[bool, bool, float]:
    """Return a sort key, least for the likely base: a base in the recipe, a base by name, or the lowest item."""
    bases = {answer.base for answer in recipe.joints.values()}
    bases -= {moved for answer in recipe.joints.values() for moved in answer.moved_items}
    named = any(word in name.lower() for word in _BASE_WORDS)
    lowest = min((float(body.low[2]) for body in items.get(name, ())), default=0.0)
    return name not in bases, not named, lowest
