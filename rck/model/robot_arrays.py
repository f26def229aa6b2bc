"""A robot as contiguous arrays for the kernels of kinematics, collision and ray casting."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.bounding_sphere import Sphere
from rck.kernels.array_table import ArrayTable
from rck.kernels.body_tables import FRAME, WORLD, Table
from rck.model.body_table import body_table
from rck.model.closure import Closure, closure_of
from rck.model.joint import bounds_of
from rck.model.robot import Robot
from rck.model.subitem import Subitem

_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Solids:
    """The convex polyhedra of all items in sequence, in the frames of their items.

    Vertices, faces and edges of all subitems share one array each, with offsets of shape (subitems + 1,): those of
    subitem s are rows ``offsets[s]`` to ``offsets[s + 1]``.
    """

    vertices: Floats
    """Shape (vertices, 3), in metres."""
    vertex_offsets: Ints
    planes: Floats
    """Per face (nx, ny, nz, d), |n| = 1: inside is where n.x <= d. Shape (faces, 4)."""
    plane_offsets: Ints
    face_vertices: Ints
    """Rows of `vertices`, face by face, counter-clockwise seen from outside."""
    face_offsets: Ints
    """Start of each face in `face_vertices`. Shape (faces + 1,)."""
    edges: Ints
    """Each edge once, as two rows of `vertices`. Shape (edges, 2)."""
    spheres: Floats
    """Bounding sphere of each subitem: centre and radius. Shape (subitems, 4), in metres."""
    colours: Floats
    """Red, green, blue and opacity of each subitem, 0 to 1. Shape (subitems, 4)."""
    item_of_subitem: Ints
    subitem_offsets: Ints
    """First subitem of each item. Shape (items + 1,)."""
    item_spheres: Floats
    """Bounding sphere of each item; the radius is -1 without subitems. Shape (items, 4), in metres."""


@dataclass(frozen=True, eq=False)
class RobotArrays:
    """A robot as the kernels read it. Make one with :func:`robot_arrays`; `rck.model.forward_kinematics` uses it.

    Items, joints and frames are in the order of the robot. Bodies are the rigid groups of its tree, in the order of
    `Tree.rigid_groups`.
    """

    robot: Robot
    bodies: Table
    """BODY records. The z axis of a body is that of its joint; a body without joint has the frame of its item."""
    items: Table
    """FRAME records: the body of each item and body from item."""
    frames: Table
    """FRAME records: the body of each frame and body from frame."""
    joint_names: tuple[str, ...]
    """The free joints, in the order of joint vectors."""
    reference: Floats
    """The joint vector of the robot. Shape (free joints,), in radians or metres."""
    lower: Floats
    """Lower limits, minus infinity without a limit. Shape (free joints,)."""
    upper: Floats
    """Upper limits, infinity without a limit. Shape (free joints,)."""
    solids: Solids
    closure: Closure | None
    """The solver of the loops; None for open chains. `bodies` then take the positions that it completes."""
    _chains: dict[int, Table] = field(default_factory=dict, repr=False)
    _chain_tables: dict[int, ArrayTable] = field(default_factory=dict, repr=False)

    @cached_property
    def poses_shape(self) -> tuple[int, int, int]:
        """The shape of the poses of all items."""
        return len(self.items), 4, 4

    @cached_property
    def body_poses_shape(self) -> tuple[int, int, int]:
        """The shape of the poses of all bodies."""
        return len(self.bodies), 4, 4

    @cached_property
    def vector_shape(self) -> tuple[int]:
        """The shape of a joint vector."""
        return (len(self.reference),)

    @cached_property
    def item_table(self) -> ArrayTable:
        """Bodies and items as the kernels of single queries take them."""
        return ArrayTable(self.bodies, self.items)

    @cached_property
    def frame_table(self) -> ArrayTable:
        """Bodies and frames as the kernels of single queries take them."""
        return ArrayTable(self.bodies, self.frames)

    def chain_table(self, item: int) -> ArrayTable:
        """Return the bodies from the world to an item, and the items, as the kernels of single queries take them."""
        table = self._chain_tables.get(item)
        if table is None:
            chain = self.chain(self.robot.tree.group_of_item[item])
            table = self._chain_tables[item] = ArrayTable(chain, self.items)
        return table

    def chain(self, body: int) -> Table:
        """Return the bodies from the world to `body`, each the parent of the next."""
        if body not in self._chains:
            path = [body]
            while (parent := int(self.bodies[path[-1]]["parent"])) != WORLD:
                path.append(parent)
            table = self.bodies[path[::-1]]
            table["parent"] = np.arange(len(path)) - 1
            self._chains[body] = _fixed(table)
        return self._chains[body]


def robot_arrays(robot: Robot) -> RobotArrays:
    """Build the arrays of a robot."""
    bodies, item_frames = body_table(robot)
    named_frames = [
        (body, from_item @ tool.pose)
        for tool in robot.frames
        for body, from_item in [item_frames[robot.item_index[tool.item]]]
    ]
    free = robot.free_joints
    lower, upper = bounds_of(free)
    return RobotArrays(
        robot=robot,
        bodies=bodies,
        items=_frame_table(item_frames),
        frames=_frame_table(named_frames),
        joint_names=tuple(joint.name for joint in free),
        reference=frozen(robot.positions),
        lower=frozen(lower),
        upper=frozen(upper),
        solids=solids_of([item.subitems for item in robot.items], [item.sphere for item in robot.items]),
        closure=closure_of(robot),
    )


def _frame_table(frames: Sequence[tuple[int, Floats]]) -> Table:
    table = np.zeros(len(frames), FRAME)
    for number, (body, body_from_frame) in enumerate(frames):
        table[number] = (body, body_from_frame[:3])
    return _fixed(table)


def solids_of(subitems_of_item: Sequence[Sequence[Subitem]], item_spheres: Sequence[Sphere | None]) -> Solids:
    """Return the arrays of subitems, given by item, with the bounding sphere of each item."""
    subitems = [subitem for of_item in subitems_of_item for subitem in of_item]
    shapes = [subitem.shape for subitem in subitems]
    vertex_offsets = _offsets(len(shape.vertices) for shape in shapes)
    face_sizes = [np.diff(shape.face_offsets) for shape in shapes]
    counts = [len(of_item) for of_item in subitems_of_item]
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
        item_spheres=_spheres(item_spheres),
    )


def _spheres(spheres: Sequence[Sphere | None]) -> Floats:
    rows = [(0.0, 0.0, 0.0, -1.0) if sphere is None else (*sphere.centre, sphere.radius) for sphere in spheres]
    return _floats(rows, len(rows), 4)


def _offsets(counts: Iterable[int]) -> Ints:
    return frozen(np.cumsum([0, *counts], dtype=np.int64))


def _stacked(arrays: Sequence[Floats], width: int) -> Floats:
    return frozen(np.concatenate([*arrays, np.empty((0, width))]))


def _indices(arrays: Sequence[Ints], shifts: Ints, *width: int) -> Ints:
    """Return the vertex indices of all subitems, each shifted by its first vertex."""
    shifted = [array + shift for array, shift in zip(arrays, shifts[:-1], strict=True)]
    return frozen(np.concatenate([*shifted, np.empty((0, *width), dtype=np.int64)]))


def _floats(rows: ArrayLike, *shape: int) -> Floats:
    return frozen(np.array(rows, dtype=float).reshape(shape))


def _fixed(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    array.setflags(write=False)
    return array
