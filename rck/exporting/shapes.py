"""The shapes of a robot as files can hold them: boxes by their sides, everything else as mesh files beside the file.

A mesh is written in the frame of its item, and once, however many items look the same. The names of the mesh files
depend on the robot alone, so that exports of one robot to several formats can share them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rck.exporting.names import legal_names
from rck.geometry.arrays import Floats
from rck.geometry.boxes import Box, box_of
from rck.geometry.mesh import Faceted
from rck.geometry.mesh_bytes import obj_bytes, stl_bytes
from rck.model.item import Item
from rck.model.pose import IDENTITY
from rck.model.robot import Robot
from rck.model.subitem import Colour

MeshFormat: TypeAlias = Literal["stl", "obj"]

LARGEST_STL = 200_000
"""Triangles; MuJoCo refuses an STL file of more, which becomes an OBJ file therefore."""

_WRITERS: Mapping[MeshFormat, Callable[[Faceted], bytes]] = {"stl": stl_bytes, "obj": obj_bytes}


@dataclass(frozen=True, eq=False)
class Shape:
    """A piece of an item: what it looks like, or what it collides with, or both."""

    name: str
    """Legal, and different from those of all other shapes of the robot."""
    surface: Faceted
    """In the item's frame, in metres."""
    colour: Colour
    box: Box | None
    """Set where the shape is a box."""
    mesh: str
    """The mesh file, relative to the main file; empty for a box, and for shapes without files."""
    seen: bool
    """Whether it is part of how the item looks."""
    solid: bool
    """Whether it is part of what the item collides with, and then convex."""

    @property
    def pose(self) -> Floats:
        """Item from shape: the frame of the box, that of the item for a mesh. Shape (4, 4)."""
        return IDENTITY if self.box is None else self.box.pose


@dataclass(frozen=True, eq=False)
class Shapes:
    """The shapes of a robot's items."""

    of_item: tuple[tuple[Shape, ...], ...]
    """In the order of `Robot.items`."""
    files: Mapping[str, bytes]
    """The mesh files, by path relative to the main file."""


def shapes_of(robot: Robot, folder: str = "", mesh_format: MeshFormat = "stl") -> Shapes:
    """The shapes of all items, with their meshes in a folder beside the main file; without a folder, without files."""
    drafts = [(number, draft) for number, item in enumerate(robot.items) for draft in _drafts(item)]
    names = legal_names([draft.name for _, draft in drafts], any_case=True)
    path_of: dict[bytes, str] = {}
    found: list[list[Shape]] = [[] for _ in robot.items]
    for name, (number, draft) in zip(names, drafts, strict=True):
        mesh = ""
        if folder and draft.box is None:
            ending = _fitting(draft.surface, mesh_format)
            mesh = path_of.setdefault(_WRITERS[ending](draft.surface), f"{folder}/{name}.{ending}")
        found[number].append(Shape(name, draft.surface, draft.colour, draft.box, mesh, draft.seen, draft.solid))
    return Shapes(tuple(map(tuple, found)), {path: content for content, path in path_of.items()})


def _fitting(surface: Faceted, mesh_format: MeshFormat) -> MeshFormat:
    # A face of n corners is n - 2 triangles.
    triangles = len(surface.face_vertices) - 2 * (len(surface.face_offsets) - 1)
    return "obj" if triangles > LARGEST_STL else mesh_format


@dataclass(frozen=True, eq=False)
class _Draft:
    name: str
    surface: Faceted
    colour: Colour
    box: Box | None
    seen: bool
    solid: bool


def _drafts(item: Item) -> Sequence[_Draft]:
    drafts = [
        _Draft(f"{item.name}/{one.name or number}", one.shape, one.colour, box_of(one.shape), not item.visuals, True)
        for number, one in enumerate(item.subitems, start=1)
    ]
    drafts += [
        _Draft(f"{item.name}/{one.name or f'visual-{number}'}", one.surface, one.colour, None, True, False)
        for number, one in enumerate(item.visuals, start=1)
    ]
    return drafts
