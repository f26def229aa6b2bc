"""Collision rules of USD: filtered pairs, collision groups, articulations, and the bodies of a joint."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

from rck.importing.import_report import Report
from rck.model import PairRule
from rck_importers.usd.joints import WORLD, UsdJoint
from rck_importers.usd.stage import Prim, Stage

Pair = frozenset[str]


def collision_rules(
    stage: Stage,
    names: Mapping[str, str],
    colliders: Mapping[str, Sequence[str]],
    owner: Mapping[str, str],
    joints: Sequence[UsdJoint],
    report: Report,
) -> Iterator[PairRule]:
    """Yield for each pair of bodies whether simulators test it, except for pairs that nothing speaks against.

    Bodies are given by path. `colliders` has the paths of the shapes of each body that can collide.
    """
    solid = [path for path, shapes in colliders.items() if shapes]
    untested = {
        *_filtered_pairs(stage, colliders, owner, report),
        *_filtered_groups(stage, colliders, solid, report),
        *_articulations(stage, owner, joints),
    }
    jointed: dict[Pair, bool] = {}
    for joint in joints:
        if WORLD not in joint.ends:
            pair = frozenset(joint.ends)
            jointed[pair] = jointed.get(pair, True) and joint.prim.flag("physics:collisionEnabled", False)
    for one, other in combinations(solid, 2):
        pair = frozenset((one, other))
        tested = pair not in untested and jointed.get(pair, True)
        if not tested or pair in jointed or WORLD in pair:
            yield PairRule((names[one], names[other]), tested)


def _filtered_pairs(
    stage: Stage, colliders: Mapping[str, Sequence[str]], owner: Mapping[str, str], report: Report
) -> Iterator[Pair]:
    for prim in stage.prims:
        targets = prim.targets.get("physics:filteredPairs", ())
        for path in targets if prim.has("PhysicsFilteredPairsAPI") else ():
            ones, others = (_bodies(end, colliders, owner, stage, report) for end in (prim.path, path))
            yield from (frozenset(pair) for pair in product(ones, others) if pair[0] != pair[1])


def _bodies(
    path: str, colliders: Mapping[str, Sequence[str]], owner: Mapping[str, str], stage: Stage, report: Report
) -> Iterable[str]:
    """Return the bodies that a filter at a path is about: a body, that of a shape, or all below it."""
    if path in colliders:
        return [path]
    body = owner.get(path, WORLD)
    if path in colliders.get(body, ()):
        if len(colliders[body]) > 1:
            report.lost("filter of a single shape of a body", stage.by_path[path].where)
            return []
        return [body]
    return [one for one in colliders if one.startswith(f"{path}/")]


def _filtered_groups(
    stage: Stage, colliders: Mapping[str, Sequence[str]], solid: Sequence[str], report: Report
) -> Iterator[Pair]:
    """Yield the pairs of bodies all of whose shapes are in groups that do not collide."""
    groups = [prim for prim in stage.prims if prim.type == "PhysicsCollisionGroup"]
    if not groups:
        return
    groups_of: dict[str, set[str]] = {}
    for group in groups:
        for path in group.members:
            groups_of.setdefault(path, set()).add(group.path)
    merged: dict[str, set[str]] = {}
    for group in groups:
        if name := group.text("physics:mergeGroup"):
            merged.setdefault(name, set()).add(group.path)
    together = {path: paths for paths in merged.values() for path in paths}
    blocked = {(group.path, other) for group in groups for other in _blocked_by(group, [one.path for one in groups])}
    blocked |= {
        (a, b) for one, other in blocked for a in together.get(one, {one}) for b in together.get(other, {other})
    }

    def filtered(one: str, other: str) -> bool:
        pairs = product(groups_of.get(one, ()), groups_of.get(other, ()))
        return any((a, b) in blocked or (b, a) in blocked for a, b in pairs)

    for one, other in combinations(solid, 2):
        found = [filtered(a, b) for a, b in product(colliders[one], colliders[other])]
        if all(found):
            yield frozenset((one, other))
        elif any(found):
            report.lost("collision group of single shapes of a body", groups[0].where)


def _blocked_by(group: Prim, groups: Sequence[str]) -> Iterable[str]:
    named = set(group.targets.get("physics:filteredGroups", ()))
    if group.flag("physics:invertFilteredGroups", False):
        return [path for path in groups if path not in named]
    return named


def _articulations(stage: Stage, owner: Mapping[str, str], joints: Sequence[UsdJoint]) -> Iterator[Pair]:
    """Yield the pairs of articulations whose bodies do not collide with each other."""
    for prim in stage.prims:
        if not prim.has("PhysicsArticulationRootAPI"):
            continue
        default = prim.flag("physxArticulation:enabledSelfCollisions", True)
        if prim.flag("newton:selfCollisionEnabled", default):
            continue
        below = {
            body for path, body in owner.items() if body and (path == prim.path or path.startswith(f"{prim.path}/"))
        }
        ends = {end for joint in joints if joint.prim.path == prim.path for end in joint.ends}
        members = _connected(below | ends, joints)
        yield from (frozenset(pair) for pair in combinations(sorted(members - {WORLD}), 2))


def _connected(start: set[str], joints: Sequence[UsdJoint]) -> set[str]:
    """Return the bodies that joints connect to some bodies, other than through the world."""
    neighbours: dict[str, list[str]] = {}
    for joint in joints:
        if WORLD not in joint.ends:
            neighbours.setdefault(joint.base, []).append(joint.moves)
            neighbours.setdefault(joint.moves, []).append(joint.base)
    found, waiting = set(start), list(start)
    while waiting:
        for body in neighbours.get(waiting.pop(), ()):
            if body not in found:
                found.add(body)
                waiting.append(body)
    return found
