"""Constraints of MJCF: equalities, and the pairs of bodies that MuJoCo does not test."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from xml.etree.ElementTree import Element

import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.exporting.file_text import Value, add
from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert, to_quaternion
from rck.model import Loop, LoopKind
from rck.model.subitem import ContactGroups
from rck_plugins.exporters.mjcf.bodies import reference
from rck_plugins.exporters.mjcf.model import MjcfModel
from rck_plugins.exporters.mjcf.names import data_of, make_unique, scope_of, xml_in
from rck_plugins.exporters.mjcf.numbers import exact

_STILL = -1
"""The rigid group of what does not move in the world."""
_CLOSED = 1e-9
"""Distance in metres up to which the two points of a loop coincide."""


def add_equalities(root: Element, model: MjcfModel, bodies: dict[str, Element]) -> list[str]:
    """Add mimic joints, loops, and the constraints of joints and tendons; return the names of those that were lost."""
    section = Element("equality")
    lost: list[str] = []
    for link in model.tree.links:
        if link.mimic is not None and link.joint is not None:
            leader = model.robot.joint(link.mimic.joint)
            # The constraint is about the differences from the reference positions.
            offset = link.mimic.offset - reference(link.joint) + link.mimic.ratio * reference(leader)
            kept = xml_in(link.joint.extensions, "mimic")
            data = dict(kept[0].attrib) if kept else {}
            add(section, "joint", joint1=link.joint_name, joint2=model.tree.joint_names[leader.name],
                polycoef=exact([offset, link.mimic.ratio, 0.0, 0.0, 0.0]), **data)  # fmt: skip
    poses = dict(_poses_at_reference(model))
    lost += [loop.name for loop in model.robot.loops if not _add_loop(section, loop, model, poses, bodies)]
    holders = [(one.name, one.extensions) for one in model.robot.joints]
    holders += [(one.name, one.extensions) for one in model.robot.tendons]
    for name, extensions in holders:
        for element in xml_in(extensions, "equality"):
            if model.references.resolve(element, scope_of(name)):
                section.append(element)
            else:
                lost.append(element.get("name", name))
    make_unique(section)
    if len(section):
        root.append(section)
    return lost


def _poses_at_reference(model: MjcfModel) -> Iterator[tuple[str, Floats]]:
    """Yield the pose of each item in the world, with all joints at their references."""
    world: list[Floats] = []
    for body in model.bodies:
        world.append(body.pose if body.parent is None else world[body.parent] @ body.pose)
    for number, link in enumerate(model.tree.links):
        for placed in link.items:
            yield placed.item.name, world[model.body_of_link[number]] @ placed.pose


def _add_loop(
    section: Element, loop: Loop, model: MjcfModel, poses: dict[str, Floats], bodies: dict[str, Element]
) -> bool:
    if loop.kind not in (LoopKind.CONNECT, LoopKind.WELD, LoopKind.REVOLUTE):
        return False
    data: dict[str, Value] = {**data_of(loop.extensions)}
    scope = scope_of(loop.name)
    if "site1" in data:
        ends = [model.references.find("site", str(data[end]), scope) for end in ("site1", "site2")]
        if all(ends):
            add(section, loop.kind.value, **(data | {"site1": ends[0] or "", "site2": ends[1] or ""}))
            return True
        del data["site1"], data["site2"]
    first, second = (model.item_poses[item] @ pose for item, pose in zip(loop.items, loop.poses, strict=True))
    names = [model.body_names[item] for item in loop.items]
    worlds = [poses[item] @ invert(model.item_poses[item]) for item in loop.items]
    if loop.kind is LoopKind.WELD:
        if not np.allclose(worlds[0] @ first, worlds[1] @ second, atol=_CLOSED):
            # MuJoCo takes the position of the anchor on the first body, and the orientation of the second body there.
            data["relpose"] = exact([*first[:3, 3], *to_quaternion(first @ invert(second))])
        add(section, "weld", body1=names[0], body2=names[1], anchor=exact(second[:3, 3]), **data)
        return True
    for number, offset in enumerate((0.0,) if loop.kind is LoopKind.CONNECT else (0.0, 0.1)):
        points = [pose[:3, 3] + offset * pose[:3, 2] for pose in (first, second)]
        ends_of = [apply(world, point) for world, point in zip(worlds, points, strict=True)]
        if float(np.linalg.norm(ends_of[0] - ends_of[1])) <= _CLOSED:
            add(section, "connect", body1=names[0], body2=names[1], anchor=exact(points[0]), **data)
            continue
        # MuJoCo derives the second point from the reference configuration, unless both are sites.
        sites = [f"{loop.name.replace('/', '_')}-{number}{side}" for side in "ab"]
        for site, body, point in zip(sites, names, points, strict=True):
            add(bodies[body], "site", name=site, pos=exact(point))
        add(section, "connect", site1=sites[0], site2=sites[1], **data)
    return True


def add_contacts(root: Element, option: Element, model: MjcfModel) -> list[str]:
    """Exclude the pairs of bodies that RCK does not test, and add explicit pairs; return the pairs that were lost.

    MuJoCo itself does not test bodies of one rigid group, and by default not rigid groups that a joint connects.
    """
    section = Element("contact")
    wanted = _tested_pairs(model)
    groups = _groups_of_bodies(model)
    roots, parents = _rigid_groups(model)
    meeting = cache(lambda one, other: any(a.meets(b) for a in one for b in other))
    possible = [
        (one, other)
        for one, other in combinations(sorted(groups), 2)
        if roots[one] != roots[other] and meeting(groups[one], groups[other])
    ]

    def related(one: int, other: int) -> bool:
        a, b = roots[one], roots[other]
        return _STILL not in (a, b) and (parents[one] == b or parents[other] == a)

    flag = option.find("flag")
    filters_parents = flag is None or flag.get("filterparent") != "disable"
    if filters_parents and any(pair in wanted and related(*pair) for pair in possible):
        filters_parents = False
        (add(option, "flag") if flag is None else flag).set("filterparent", "disable")
    for one, other in possible:
        if (one, other) not in wanted and not (filters_parents and related(one, other)):
            add(section, "exclude", body1=model.bodies[one].name, body2=model.bodies[other].name)
    lost = []
    for element in [*xml_in(model.robot.extensions, "exclude"), *xml_in(model.robot.extensions, "pair")]:
        if model.references.resolve(element, ""):
            section.append(element)
        else:
            lost.append(" and ".join(text for name, text in element.attrib.items() if name[:-1] in ("geom", "body")))
    make_unique(section)
    if len(section):
        root.append(section)
    return lost


def _tested_pairs(model: MjcfModel) -> set[tuple[int, int]]:
    """Return the pairs of bodies that have a pair of items that RCK tests, the lower index first."""
    body = {
        placed.number: model.body_of_link[number]
        for number, link in enumerate(model.tree.links)
        for placed in link.items
    }
    items = model.robot.items
    return {
        (min(body[a], body[b]), max(body[a], body[b]))
        for a, b in pairs_to_test(model.robot).listed.tolist()
        if items[a].subitems and items[b].subitems
    }


def _groups_of_bodies(model: MjcfModel) -> dict[int, frozenset[ContactGroups]]:
    found: dict[int, set[ContactGroups]] = {}
    for number, link in enumerate(model.tree.links):
        for placed in link.items:
            for subitem in placed.item.subitems:
                groups = subitem.contact_groups or ContactGroups()
                found.setdefault(model.body_of_link[number], set()).add(groups)
    return {number: frozenset(groups) for number, groups in found.items()}


def _rigid_groups(model: MjcfModel) -> tuple[list[int], list[int]]:
    """Return for each body the first body of its rigid group, and that of the group that it moves on."""
    roots: list[int] = []
    parents: list[int] = []
    for number, body in enumerate(model.bodies):
        above = _STILL if body.parent is None else roots[body.parent]
        moves = body.floats or any(body.movers)
        roots.append(number if moves else above)
        parents.append(above if moves or body.parent is None else parents[body.parent])
    return roots, parents
