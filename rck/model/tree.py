"""The tree of a robot: the joint that carries each item."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rck.model.item import Item
from rck.model.joint import Joint
from rck.support.finding import Built, Finding, Severity


@dataclass(frozen=True, slots=True)
class RigidGroup:
    """Items that never move relative to each other."""

    joint: int | None
    """The movable joint that carries the group; None without one."""
    items: tuple[int, ...]
    """Item indices; the first is the first item that the joint moves."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of a robot as indices; None stands for the world."""

    joint_of_item: tuple[int | None, ...]
    """The joint that directly moves each item."""
    parent_of_item: tuple[int | None, ...]
    """The base item of that joint."""
    joint_order: tuple[int, ...]
    """All joints, each after the joint that carries its base."""
    roots: tuple[int, ...]
    """Items that no joint moves."""
    children: tuple[tuple[int, ...], ...]
    """The joints that each item carries."""
    rigid_groups: tuple[RigidGroup, ...]
    """Ordered like `joint_order`, the roots first."""
    group_of_item: tuple[int, ...]
    """Index of each item's rigid group."""
    moves: tuple[tuple[int, ...], ...]
    """The items directly on the moving side of each joint."""
    root_of_item: tuple[int, ...]
    """The root item that carries each item."""

    def carried_by(self, joint: int) -> tuple[int, ...]:
        """Return the items that move with the joint, in order."""
        found: list[int] = []
        waiting = list(self.moves[joint])
        while waiting:
            item = waiting.pop()
            found.append(item)
            for child in self.children[item]:
                waiting.extend(self.moves[child])
        return tuple(sorted(found))


def derive_tree(items: Sequence[Item], joints: Sequence[Joint]) -> Built[Tree]:
    """Derive the tree, or return the findings that prevent it."""
    index = {item.name: number for number, item in enumerate(items)}
    findings = _missing_item_findings(index, joints) + _idle_findings(joints)
    if findings:
        return Built(None, tuple(findings))
    joint_of_item: list[int | None] = [None] * len(items)
    children: list[list[int]] = [[] for _ in items]
    for number, joint in enumerate(joints):
        children[index[joint.base]].append(number)
        for name in joint.moves:
            other = joint_of_item[index[name]]
            if other is not None:
                message = f"is moved by joint {joints[other].name} and by joint {joint.name}"
                fix = "let only one joint move it; joints that carry that joint move it too"
                findings.append(Finding(203, Severity.ERROR, f"item {name}", message, fix))
            joint_of_item[index[name]] = number
    if findings:
        return Built(None, tuple(findings))
    roots = [number for number, joint_number in enumerate(joint_of_item) if joint_number is None]
    order = _walk(roots, children, index, joints)
    if len(order) < len(joints):
        ring = _ring(set(range(len(joints))).difference(order), joint_of_item, index, joints)
        message = f"joints {', '.join(ring)} form a loop"
        return Built(None, (Finding(202, Severity.ERROR, f"joint {ring[0]}", message, "remove one"),))
    bases = [index[joint.base] for joint in joints]
    parents = tuple(None if j is None else bases[j] for j in joint_of_item)
    moves = tuple(tuple(index[name] for name in joint.moves) for joint in joints)
    root_of_item = list(range(len(items)))
    for number in order:
        for item in moves[number]:
            root_of_item[item] = root_of_item[bases[number]]
    groups, group_of_item = _rigid_groups(roots, order, joints, bases, moves, len(items))
    return Built(
        Tree(
            tuple(joint_of_item),
            parents,
            tuple(order),
            tuple(roots),
            tuple(map(tuple, children)),
            groups,
            group_of_item,
            moves,
            tuple(root_of_item),
        )
    )


def _missing_item_findings(index: Mapping[str, int], joints: Sequence[Joint]) -> list[Finding]:
    return [
        Finding(201, Severity.ERROR, f"joint {joint.name}", f"there is no item {name}", "add the item, or name another")
        for joint in joints
        for name in (joint.base, *joint.moves)
        if name not in index
    ]


def _idle_findings(joints: Sequence[Joint]) -> list[Finding]:
    return [
        Finding(
            204, Severity.ERROR, f"joint {joint.name}", "moves nothing", "name the items that it moves, or remove it"
        )
        for joint in joints
        if not joint.moves
    ]


def _walk(
    roots: Sequence[int], children: Sequence[Sequence[int]], index: Mapping[str, int], joints: Sequence[Joint]
) -> list[int]:
    """Return the joints reached from the roots, each after the one that carries it."""
    order: list[int] = []
    waiting = list(reversed(roots))
    while waiting:
        item = waiting.pop()
        order.extend(children[item])
        for number in reversed(children[item]):
            waiting.extend(index[name] for name in reversed(joints[number].moves))
    return order


def _ring(
    unreached: Iterable[int],
    joint_of_item: Sequence[int | None],
    index: Mapping[str, int],
    joints: Sequence[Joint],
) -> list[str]:
    """Return the joints of a loop, each carried by the next, starting from a joint that no root reaches."""
    path: list[int] = []
    number = min(unreached)
    while number not in path:
        path.append(number)
        carrier = joint_of_item[index[joints[number].base]]
        assert carrier is not None  # a base that nothing moves is a root, and its joints are reached
        number = carrier
    return [joints[number].name for number in path[path.index(number) :]]


def _rigid_groups(
    roots: Sequence[int],
    order: Sequence[int],
    joints: Sequence[Joint],
    bases: Sequence[int],
    moves: Sequence[Sequence[int]],
    item_count: int,
) -> tuple[tuple[RigidGroup, ...], tuple[int, ...]]:
    carriers: list[int | None] = [None] * len(roots)
    members: list[list[int]] = [[root] for root in roots]
    group_of_item = [-1] * item_count
    for number, root in enumerate(roots):
        group_of_item[root] = number
    for number in order:
        if joints[number].kind.moves:
            group = len(members)
            members.append([])
            carriers.append(number)
        else:
            group = group_of_item[bases[number]]
        for item in moves[number]:
            members[group].append(item)
            group_of_item[item] = group
    groups = tuple(RigidGroup(c, tuple(m)) for c, m in zip(carriers, members, strict=True))
    return groups, tuple(group_of_item)


def direct_moves(
    names: Sequence[str], bases: Sequence[str], moved: Sequence[Sequence[str]]
) -> Built[tuple[tuple[str, ...], ...]]:
    """Derive the items directly on the moving side of each joint from lists of all items that it moves.

    Files like those of the seed simulator list all items that each joint carries. An item belongs to the joint with the
    shortest list that names it. A list must include everything that its items carry, and of two joints that list the
    same item, one must carry the other.
    """
    owner: dict[str, int] = {}
    for number in sorted(range(len(moved)), key=lambda n: (len(moved[n]), n)):
        for item in moved[number]:
            owner.setdefault(item, number)
    direct = tuple(tuple(item for item in listed if owner[item] == n) for n, listed in enumerate(moved))
    findings = []
    for number, listed in enumerate(moved):
        where = f"joint {names[number]}"
        present = set(listed)
        for other, base in enumerate(bases):
            lost = sorted(set(moved[other]) - present) if other != number and base in present else []
            if lost:
                message = f"moves {base} but not {', '.join(lost)}, which joint {names[other]} attaches to it"
                findings.append(Finding(208, Severity.ERROR, where, message, "add them to its list"))
        for other in sorted({owner[item] for item in listed} - {number}):
            if bases[other] not in present:
                shared = ", ".join(item for item in listed if owner[item] == other)
                message = f"moves {shared}, as does joint {names[other]}, and neither carries the other"
                fix = f"let it move {bases[other]} too, or put an item between the two joints"
                findings.append(Finding(203, Severity.ERROR, where, message, fix))
    return Built(None if findings else direct, tuple(findings))
