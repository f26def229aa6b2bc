"""A robot as contiguous arrays, made once, for the kernels that move it, collide it and look at it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.sphere import Sphere
from rck.geometry.transforms import frame, rotation_about, translation
from rck.kernels.bodies import BODY, FIXED, PLACE, SLIDES, TURNS, WORLD, Table
from rck.model.joint import Joint, JointKind, bounds_of
from rck.model.pose import IDENTITY
from rck.model.robot import Robot

_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Solids:
    """The convex polyhedra of all items, one after the other, in the frames of their items.

    Whatever a subitem has a varying number of stands in one array for all subitems, with offsets of shape
    (subitems + 1,): those of subitem s are rows ``offsets[s]`` to ``offsets[s + 1]``.
    """

    vertices: Floats
    """Shape (vertices, 3), in metres."""
    vertex_offsets: Ints
    planes: Floats
    """Per face (nx, ny, nz, d), |n| = 1: inside is where n.x <= d. Shape (faces, 4)."""
    plane_offsets: Ints
    face_vertices: Ints
    """Rows of `vertices`, face after face, counter-clockwise as seen from outside."""
    face_offsets: Ints
    """Shape (faces + 1,): where each face begins in `face_vertices`."""
    edges: Ints
    """Each edge once, as two rows of `vertices`. Shape (edges, 2)."""
    spheres: Floats
    """Per subitem the bounding sphere: centre and radius. Shape (subitems, 4), in metres."""
    colours: Floats
    """Per subitem red, green, blue, opacity, 0 to 1. Shape (subitems, 4)."""
    item_of_subitem: Ints
    subitem_offsets: Ints
    """Shape (items + 1,): where the subitems of each item begin."""
    item_spheres: Floats
    """Per item the bounding sphere; the radius is -1 where there are no subitems. Shape (items, 4), in metres."""


@dataclass(frozen=True, eq=False)
class RobotArrays:
    """What the kernels know of a robot. Make one with :func:`robot_arrays`; `rck.model.forward` moves it.

    Items, joints and frames keep the order they have in the robot. Bodies are the rigid groups of its tree,
    in the order of `Tree.rigid_groups`.
    """

    robot: Robot
    bodies: Table
    """BODY records. A body that a joint carries has the joint's axis as z; any other has the frame of its item."""
    items: Table
    """PLACE records: the body of each item, and body from item."""
    frames: Table
    """PLACE records: the body of each frame, and body from frame."""
    joint_names: tuple[str, ...]
    """The free joints: what a joint vector has a number for."""
    reference: Floats
    """The joint vector at which the robot was given. Shape (free joints,), in radians or metres."""
    lower: Floats
    """Lower limits, minus infinity where there is none. Shape (free joints,)."""
    upper: Floats
    """Upper limits, infinity where there is none. Shape (free joints,)."""
    solids: Solids
    _chains: dict[int, Table] = field(default_factory=dict, repr=False)

    def chain(self, body: int) -> Table:
        """The bodies from the world to `body` alone, each the parent of the next: a smaller table to walk."""
        if body not in self._chains:
            path = [body]
            while (parent := int(self.bodies[path[-1]]["parent"])) != WORLD:
                path.append(parent)
            table = self.bodies[path[::-1]]
            table["parent"] = np.arange(len(path)) - 1
            self._chains[body] = _fixed(table)
        return self._chains[body]


def robot_arrays(robot: Robot) -> RobotArrays:
    """The arrays of a robot."""
    world_from_body = [_world_from_group(robot, number) for number in range(len(robot.tree.rigid_groups))]
    # A general inverse: the poses of items may be rigid to a millionth only.
    body_from_world: list[Floats] = [np.linalg.inv(matrix).astype(float) for matrix in world_from_body]
    item_places = [
        # What the world itself carries stays exactly where it was put: no product with an inverse.
        (body, IDENTITY if world_from_body[body] is item.pose else body_from_world[body] @ item.pose)
        for body, item in zip(robot.tree.group_of_item, robot.items, strict=True)
    ]
    frame_places = [
        (body, from_item @ tool.pose)
        for tool in robot.frames
        for body, from_item in [item_places[robot.item_index[tool.item]]]
    ]
    free = robot.free_joints
    lower, upper = bounds_of(free)
    return RobotArrays(
        robot=robot,
        bodies=_bodies(robot, world_from_body, body_from_world),
        items=_places(item_places),
        frames=_places(frame_places),
        joint_names=tuple(joint.name for joint in free),
        reference=frozen(robot.positions),
        lower=frozen(lower),
        upper=frozen(upper),
        solids=_solids(robot),
    )


def _world_from_group(robot: Robot, number: int) -> Floats:
    """The frame of a rigid group as the robot stands. Shape (4, 4)."""
    group = robot.tree.rigid_groups[number]
    if group.joint is None:
        return robot.items[group.items[0]].pose
    joint = robot.joints[group.joint]
    return frame(joint.start, z=joint.direction)


def _bodies(robot: Robot, world_from_body: Sequence[Floats], body_from_world: Sequence[Floats]) -> Table:
    vector_index = {joint.name: index for index, joint in enumerate(robot.free_joints)}
    table = np.zeros(len(world_from_body), BODY)
    for number, group in enumerate(robot.tree.rigid_groups):
        if group.joint is None:
            table[number] = (WORLD, FIXED, 0, 0.0, 0.0, world_from_body[number][:3])
            continue
        joint = robot.joints[group.joint]
        parent = robot.tree.group_of_item[robot.item_index[joint.base]]
        leader, ratio, offset = joint.name, 1.0, 0.0
        if joint.mimic is not None:
            leader, ratio, offset = joint.mimic.joint, joint.mimic.ratio, joint.mimic.offset
        parent_from_body = body_from_world[parent] @ world_from_body[number] @ _back_to_zero(joint)
        motion = TURNS if joint.kind.turns else SLIDES
        table[number] = (parent, motion, vector_index[leader], ratio, offset, parent_from_body[:3])
    return _fixed(table)


def _back_to_zero(joint: Joint) -> Floats:
    """The motion along or about z that takes a joint from where it stands to its position zero."""
    if joint.kind is JointKind.PRISMATIC:
        return translation((0.0, 0.0, -joint.position))
    return rotation_about((0.0, 0.0, 1.0), -joint.position)


def _places(places: Sequence[tuple[int, Floats]]) -> Table:
    table = np.zeros(len(places), PLACE)
    for number, (body, body_from_place) in enumerate(places):
        table[number] = (body, body_from_place[:3])
    return _fixed(table)


def _solids(robot: Robot) -> Solids:
    subitems = [subitem for item in robot.items for subitem in item.subitems]
    shapes = [subitem.shape for subitem in subitems]
    vertex_offsets = _offsets(len(shape.vertices) for shape in shapes)
    face_sizes = [np.diff(shape.face_offsets) for shape in shapes]
    counts = [len(item.subitems) for item in robot.items]
    return Solids(
        vertices=_stacked([shape.vertices for shape in shapes], 3),
        vertex_offsets=vertex_offsets,
        planes=_stacked([shape.planes for shape in shapes], 4),
        plane_offsets=_offsets(map(len, face_sizes)),
        face_vertices=_indices([shape.face_vertices for shape in shapes], vertex_offsets),
        face_offsets=_offsets(np.concatenate(face_sizes) if face_sizes else ()),
        edges=_indices([shape.edges for shape in shapes], vertex_offsets, 2),
        spheres=_spheres([shape.sphere for shape in shapes]),
        colours=_floats([subitem.colour for subitem in subitems], len(subitems), 4),
        item_of_subitem=frozen(np.repeat(np.arange(len(counts)), counts)),
        subitem_offsets=_offsets(counts),
        item_spheres=_spheres([item.sphere for item in robot.items]),
    )


def _spheres(spheres: Sequence[Sphere | None]) -> Floats:
    rows = [(0.0, 0.0, 0.0, -1.0) if ball is None else (*ball.centre, ball.radius) for ball in spheres]
    return _floats(rows, len(rows), 4)


def _offsets(counts: Iterable[int]) -> Ints:
    return frozen(np.cumsum([0, *counts], dtype=np.int64))


def _stacked(arrays: Sequence[Floats], width: int) -> Floats:
    return frozen(np.concatenate([*arrays, np.empty((0, width))]))


def _indices(arrays: Sequence[Ints], shifts: Ints, *width: int) -> Ints:
    """Vertex indices of each subitem, shifted to where its vertices begin."""
    shifted = [array + shift for array, shift in zip(arrays, shifts[:-1], strict=True)]
    return frozen(np.concatenate([*shifted, np.empty((0, *width), dtype=np.int64)]))


def _floats(rows: ArrayLike, *shape: int) -> Floats:
    return frozen(np.array(rows, dtype=float).reshape(shape))


def _fixed(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    array.setflags(write=False)
    return array
