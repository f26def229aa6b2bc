"""Joints of USD: their frames and degrees of freedom, and the tree and the loops that they form."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_quaternion
from rck.importing.import_report import Report
from rck_importers.usd.poses import rigid_part
from rck_importers.usd.stage import Prim, Stage

WORLD = ""
"""The path that stands for the world as the body of a joint."""
AXES = {"X": 0, "Y": 1, "Z": 2}
_FREEDOMS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
_TYPES = {
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
    "PhysicsFixedJoint": "fixed",
    "PhysicsSphericalJoint": "ball",
    "PhysicsJoint": "free axes",
}


@dataclass(frozen=True, slots=True)
class Freedom:
    """A degree of freedom of a joint."""

    turns: bool
    axis: int
    """The number of the axis of the joint frame."""
    instance: str
    """The name of its drive and limit: `angular`, `linear`, `rotX`, ..."""

    @property
    def direction(self) -> Floats:
        """Its unit vector in the joint frame. Shape (3,)."""
        return np.asarray(np.eye(3)[self.axis])


@dataclass(frozen=True, eq=False)
class UsdJoint:
    """A joint between two bodies, given by path; :data:`WORLD` is the world."""

    prim: Prim
    kind: str
    """`revolute`, `prismatic`, `fixed`, `ball` or `free axes`."""
    base: str
    moves: str
    base_frame: Floats
    """World from the joint frame on the base. Shape (4, 4)."""
    moving_frame: Floats
    """World from the joint frame on the body that it moves. Shape (4, 4)."""
    freedoms: tuple[Freedom, ...]
    excluded: bool
    """True if it is not a part of the articulation, so that it closes a loop."""
    is_reversed: bool = False
    """True if base and moving body are exchanged: it moves the other way round."""

    @property
    def ends(self) -> tuple[str, str]:
        """The paths of the base and of the body that it moves."""
        return self.base, self.moves

    def turned_round(self) -> "UsdJoint":
        """Return the joint with base and moving body exchanged."""
        return replace(
            self,
            base=self.moves,
            moves=self.base,
            base_frame=self.moving_frame,
            moving_frame=self.base_frame,
            freedoms=self.freedoms[::-1],
            is_reversed=not self.is_reversed,
        )

    def direction(self, freedom: Freedom) -> Floats:
        """Return the axis along which a positive position moves the body that it moves, in its frames. Shape (3,)."""
        return -freedom.direction if self.is_reversed else freedom.direction

    def freedom_name(self, name: str, freedom: Freedom) -> str:
        """Return the name of the joint for one freedom of a joint with that name."""
        if len(self.freedoms) == 1:
            return name
        return f"{name}-{'xyz'[freedom.axis] if self.kind == 'ball' else freedom.instance}"


def joints_of(stage: Stage, owner: Mapping[str, str], report: Report) -> list[UsdJoint]:
    """Return the joints of a stage; `owner` has the body of each prim, by path."""
    found = []
    for prim in stage.prims:
        kind = _TYPES.get(prim.type)
        if kind is None:
            continue
        if not prim.flag("physics:jointEnabled", True):
            report.note(503, prim.where, "a disabled joint was ignored", kind="disabled joint")
            continue
        joint = _joint(prim, kind, stage, owner)
        if joint.base == joint.moves:
            message = "joins a body to itself" if joint.base else "joins the world to itself"
            report.warn(503, prim.where, f"the joint {message} and was ignored", kind="joint of one body")
        elif len(joint.freedoms) == len(_FREEDOMS):
            report.note(503, prim.where, "a joint that leaves all axes free was ignored", kind="free joint")
        else:
            found.append(joint)
    return found


def _joint(prim: Prim, kind: str, stage: Stage, owner: Mapping[str, str]) -> UsdJoint:
    ends = [_end(prim, side, stage, owner) for side in (0, 1)]
    (base, base_frame), (moves, moving_frame) = ends
    excluded = prim.flag("physics:excludeFromArticulation", False)
    return UsdJoint(prim, kind, base, moves, base_frame, moving_frame, _freedoms(prim, kind), excluded)


def _end(prim: Prim, side: int, stage: Stage, owner: Mapping[str, str]) -> tuple[str, Floats]:
    """Return the body at an end of a joint, and the pose of the joint frame there in the world."""
    path = prim.target(f"physics:body{side}")
    target = stage.by_path.get(path)
    if path and target is None:
        raise prim.refusal(f"physics:body{side} is {path}, which does not exist", code=201)
    place = prim.numbers(f"physics:localPos{side}", 3)
    turn = prim.numbers(f"physics:localRot{side}", 4)
    world_from_target = stage.world if target is None else target.matrix
    frame = rigid_part(world_from_target)
    if place is not None:
        frame[:3, 3] = world_from_target[:3, :3] @ place + world_from_target[:3, 3]
    if turn is not None and np.linalg.norm(turn) > 1e-6:
        frame = frame @ from_quaternion(turn)
    return owner.get(path, WORLD), frame


def _freedoms(prim: Prim, kind: str) -> tuple[Freedom, ...]:
    if kind in ("revolute", "prismatic"):
        turns = kind == "revolute"
        axis = prim.text("physics:axis", "X")
        if axis not in AXES:
            raise prim.refusal(f"physics:axis is {axis!r}", fix="use X, Y or Z")
        return (Freedom(turns, AXES[axis], "angular" if turns else "linear"),)
    if kind == "ball":
        return tuple(Freedom(True, axis, "") for axis in range(3))
    if kind == "fixed":
        return ()
    return tuple(
        Freedom(name.startswith("rot"), AXES[name[-1]], name) for name in _FREEDOMS if not _is_locked(prim, name)
    )


def _is_locked(prim: Prim, name: str) -> bool:
    """Return True if the limits of an axis of a generic joint leave it no freedom."""
    low = prim.number(f"limit:{name}:physics:low", -np.inf)
    high = prim.number(f"limit:{name}:physics:high", np.inf)
    return low > high or low == high


def stacked(joints: Sequence[UsdJoint], stage: Stage) -> Iterator[list[UsdJoint]]:
    """Yield the joints, those together that add their freedom between the same two bodies, in their order.

    Joints of a converted MuJoCo body do so. Other joints between the same bodies constrain each other.
    """
    groups: dict[tuple[str, str], list[UsdJoint]] = {}
    for joint in joints:
        groups.setdefault(joint.ends, []).append(joint)
    for group in groups.values():
        if len(group) > 1 and all(_adds_mobility(joint, stage) for joint in group):
            yield group
        else:
            yield from ([joint] for joint in group)


def _adds_mobility(joint: UsdJoint, stage: Stage) -> bool:
    if joint.excluded or joint.kind not in ("revolute", "prismatic"):
        return False
    roots = stage.ancestors(joint.prim.path)
    return joint.prim.has("MjcJointAPI") or any(prim.flag("newton:jointsAddMobility", False) for prim in roots)


@dataclass(frozen=True, eq=False)
class JointTree:
    """Joints that form a tree, each after the one that carries it, and those that close loops."""

    tree: tuple[tuple[UsdJoint, ...], ...]
    """The joints between two bodies; there are several if they add their freedoms."""
    loops: tuple[UsdJoint, ...]


def joint_tree(joints: Sequence[UsdJoint], still: Sequence[str], bodies: Sequence[Prim], stage: Stage) -> JointTree:
    """Return the tree from the world, from the bodies that stand still, and from a root of each robot that floats.

    Joints keep their direction where they can, and those of the articulations come first.
    """
    groups = list(stacked(joints, stage))
    rank = {path: number for number, path in enumerate(_roots(joints, bodies, stage))}
    inside = [group for group in groups if not group[0].excluded]
    outside = [group for group in groups if group[0].excluded]
    reached: set[str] = set()
    tree: list[tuple[UsdJoint, ...]] = []
    used: set[int] = set()
    for root in (WORLD, *still, *rank):
        _grow(root, inside, reached, tree, used)
    # A joint that is excluded, but is all that holds a body, is a part of the tree.
    for group in outside:
        if id(group[0]) in used:
            continue
        one, other = group[0].ends
        if not _connected(one, other, tree):
            joint = group[0] if _is_root(other, tree) else group[0].turned_round()
            if _is_root(joint.moves, tree):
                tree.append((joint,))
                used.add(id(group[0]))
    loops = tuple(joint for group in groups if id(group[0]) not in used for joint in group)
    return JointTree(tuple(tree), loops)


def _grow(
    root: str,
    groups: Sequence[Sequence[UsdJoint]],
    reached: set[str],
    tree: list[tuple[UsdJoint, ...]],
    used: set[int],
) -> None:
    """Add the joints that are reached from a root: first those that lead away from it, then reversed ones."""
    if root in reached:
        return
    at: dict[str, list[Sequence[UsdJoint]]] = {}
    for group in groups:
        for end in group[0].ends:
            at.setdefault(end, []).append(group)
    reached.add(root)
    forward: deque[tuple[Sequence[UsdJoint], str]] = deque()
    backward: deque[tuple[Sequence[UsdJoint], str]] = deque()

    def meet(body: str) -> None:
        for group in at.get(body, ()):
            (forward if group[0].base == body else backward).append((group, body))

    meet(root)
    while forward or backward:
        group, base = (forward or backward).popleft()
        if id(group[0]) in used:
            continue
        one = group[0] if group[0].base == base else group[0].turned_round()
        if one.moves in reached or one.moves == WORLD:
            continue
        used.add(id(group[0]))
        reached.add(one.moves)
        tree.append(tuple(group) if one is group[0] else tuple(each.turned_round() for each in reversed(group)))
        meet(one.moves)


def _roots(joints: Sequence[UsdJoint], bodies: Sequence[Prim], stage: Stage) -> list[str]:
    """Return the bodies in the order in which they are tried as roots of robots that float."""
    moved = {joint.moves for joint in joints if not joint.excluded}
    articulated = {prim.path for prim in stage.prims if prim.has("PhysicsArticulationRootAPI")}

    def rank(body: Prim) -> tuple[bool, bool]:
        return body.path not in articulated, body.path in moved

    return [body.path for body in sorted(bodies, key=rank)]


def _connected(one: str, other: str, tree: Sequence[tuple[UsdJoint, ...]]) -> bool:
    carrier = {group[-1].moves: group[0].base for group in tree}

    def root(body: str) -> str:
        while body in carrier:
            body = carrier[body]
        return body

    return root(one) == root(other)


def _is_root(body: str, tree: Sequence[tuple[UsdJoint, ...]]) -> bool:
    return body != WORLD and all(group[-1].moves != body for group in tree)


def loop_pose(joint: UsdJoint, world_from_joint: Floats) -> Floats:
    """Return a frame of a loop with z along the axis of its joint. Shape (4, 4)."""
    if not joint.freedoms or joint.kind == "ball":
        return world_from_joint
    along = np.eye(4)
    along[:3, :3] = np.roll(np.eye(3), 2 - joint.freedoms[0].axis, axis=1)
    return world_from_joint @ along
