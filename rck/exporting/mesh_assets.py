"""The shapes of a robot for files: boxes stay boxes, other shapes become mesh files.

A mesh is in the frame of its item, and is written once even if several items use it. The names of mesh files depend
only on the robot, so that exports of one robot to several formats can share them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rck.geometry.arrays import Floats
from rck.geometry.box_detection import Box, box_of
from rck.geometry.mesh import Faceted
from rck.geometry.mesh_bytes import obj_bytes, stl_bytes
from rck.model.frame import IDENTITY
from rck.model.item import Item
from rck.model.robot import Robot
from rck.model.subitem import Colour
from rck.support.names import legal_names

MeshFormat: TypeAlias = Literal["stl", "obj"]

LARGEST_STL = 200_000
"""Largest number of triangles in an STL file; MuJoCo refuses more. Larger meshes become OBJ files."""

_WRITERS: Mapping[MeshFormat, Callable[[Faceted], bytes]] = {"stl": stl_bytes, "obj": obj_bytes}


@dataclass(frozen=True, eq=False)
class ExportShape:
    """A visual or collision shape of an item, or both."""

    name: str
    """Legal, and different from the names of all other shapes of the robot."""
    surface: Faceted
    """In the item's frame, in metres."""
    colour: Colour
    box: Box | None
    """The box, if the shape is one."""
    mesh: str
    """The mesh file, relative to the main file; empty for a box, and if no files are written."""
    seen: bool
    """True if it is a visual shape."""
    solid: bool
    """True if it is a collision shape; it is convex then."""

    @property
    def pose(self) -> Floats:
        """Item from shape: the frame of the box, or the frame of the item for a mesh. Shape (4, 4)."""
        return IDENTITY if self.box is None else self.box.pose


@dataclass(frozen=True, eq=False)
class MeshAssets:
    """The shapes of the items of a robot."""

    of_item: tuple[tuple[ExportShape, ...], ...]
    """In the order of `Robot.items`."""
    files: Mapping[str, bytes]
    """The mesh files, by path relative to the main file."""


def shapes_of(robot: Robot, folder: str = "", mesh_format: MeshFormat = "stl") -> MeshAssets:
    """Return the shapes of all items, with mesh files in a folder next to the main file; without a folder, no files."""
    drafts = [(number, draft) for number, item in enumerate(robot.items) for draft in _drafts(item)]
    names = legal_names([draft.name for _, draft in drafts], any_case=True)
    path_of: dict[bytes, str] = {}
    found: list[list[ExportShape]] = [[] for _ in robot.items]
    for name, (number, draft) in zip(names, drafts, strict=True):
        mesh = ""
        if folder and draft.box is None:
            ending = _fitting_format(draft.surface, mesh_format)
            mesh = path_of.setdefault(_WRITERS[ending](draft.surface), f"{folder}/{name}.{ending}")
        found[number].append(ExportShape(name, draft.surface, draft.colour, draft.box, mesh, draft.seen, draft.solid))
    return MeshAssets(tuple(map(tuple, found)), {path: content for content, path in path_of.items()})


def _fitting_format(surface: Faceted, mesh_format: MeshFormat) -> MeshFormat:
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
