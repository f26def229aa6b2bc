"""The shapes of a robot for files: primitives stay primitives, other shapes become mesh files.

A mesh is in the frame of its item, and is written once even if several items use it. An item of very many pieces,
such as a plate with thousands of holes, also shares the meshes of pieces that differ by a translation. The names of
mesh files depend only on the robot, so that exports of one robot to several formats can share them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from rck.exporting.file_text import tidy_colour
from rck.geometry.arrays import Floats, frozen
from rck.geometry.box_detection import box_of
from rck.geometry.mesh import Faceted
from rck.geometry.mesh_bytes import obj_bytes, stl_bytes
from rck.geometry.transforms import translation
from rck.model.frame import IDENTITY
from rck.model.item import Item
from rck.model.primitive import Primitive, PrimitiveKind
from rck.model.robot import Robot
from rck.model.subitem import Colour, Subitem
from rck.model.visual import Texture, Visual
from rck.support.names import legal_name, legal_names

MeshFormat: TypeAlias = Literal["stl", "obj"]

LARGEST_STL = 200_000
"""Largest number of triangles in an STL file; MuJoCo refuses more. Larger meshes become OBJ files."""
MANY_PIECES = 1_000
"""Number of subitems above which an item shares the meshes of pieces that differ by a translation."""
_SAME_DIGITS = 10
"""Decimals, in metres, to which vertices of pieces are compared."""

_WRITERS: Mapping[MeshFormat, Callable[[Faceted], bytes]] = {"stl": stl_bytes, "obj": obj_bytes}


@dataclass(frozen=True, eq=False)
class ExportShape:
    """A visual or collision shape of an item, or both."""

    name: str
    """Legal, and different from the names of all other shapes of the robot."""
    surface: Faceted
    """In the item's frame, in metres."""
    colour: Colour
    primitive: Primitive | None
    """The primitive, if the shape is one that the format has."""
    mesh: str
    """The mesh file, relative to the main file; empty for a primitive, and if no files are written."""
    seen: bool
    """True if it is a visual shape."""
    solid: bool
    """True if it is a collision shape; it is convex then."""
    source: Subitem | Visual
    """The subitem or visual that it is."""
    item_from_mesh: Floats = field(default_factory=lambda: IDENTITY)
    """The translation of a shared mesh. Shape (4, 4)."""
    image: str = ""
    """The image file of its texture, relative to the main file; empty if it has none, and if no files are written."""

    @property
    def pose(self) -> Floats:
        """Item from shape: the frame of the primitive or of the mesh. Shape (4, 4)."""
        return self.item_from_mesh if self.primitive is None else self.primitive.pose


@dataclass(frozen=True, eq=False)
class MeshAssets:
    """The shapes of the items of a robot."""

    of_item: tuple[tuple[ExportShape, ...], ...]
    """In the order of `Robot.items`."""
    files: Mapping[str, bytes]
    """The mesh files, with their material libraries and images, by path relative to the main file."""


def shapes_of(
    robot: Robot,
    folder: str = "",
    mesh_format: MeshFormat = "stl",
    primitives: Collection[PrimitiveKind] = (PrimitiveKind.BOX,),
) -> MeshAssets:
    """Return the shapes of all items, with mesh files in a folder next to the main file; without a folder, no files.

    `primitives` are the primitives that the format has; others become meshes.
    """
    pieces = _PieceModels()
    drafts = [(number, draft) for number, item in enumerate(robot.items) for draft in _drafts(item, primitives, pieces)]
    names = legal_names([draft.name for _, draft in drafts], any_case=True)
    path_of: dict[bytes, str] = {}
    mesh_of: dict[_Draft, str] = {}
    images = _Images(folder)
    found: list[list[ExportShape]] = [[] for _ in robot.items]
    for name, (number, draft) in zip(names, drafts, strict=True):
        mesh, image, place = "", "", IDENTITY
        if folder and isinstance(draft.source, Visual) and draft.source.texture is not None:
            image = images.add(draft.source.texture)
        if folder and draft.primitive is None:
            if draft.model is None:
                ending, content = _mesh_file(draft, mesh_format, images, image)
                mesh = mesh_of[draft] = path_of.setdefault(content, f"{folder}/{name}.{ending}")
            else:
                mesh, place = mesh_of[draft.model], draft.from_model
        found[number].append(
            ExportShape(
                name,
                draft.surface,
                draft.source.colour,
                draft.primitive,
                mesh,
                draft.seen,
                draft.solid,
                draft.source,
                place,
                image,
            )
        )
    meshes = {path: content for content, path in path_of.items()}
    return MeshAssets(tuple(map(tuple, found)), {**meshes, **images.files})


class _Images:
    """The images of textures, and the materials of OBJ files that use them."""

    def __init__(self, folder: str) -> None:
        self.files: dict[str, bytes] = {}
        self._folder = folder
        self._path_of: dict[bytes, str] = {}

    def add(self, texture: Texture) -> str:
        """Return the path of the image, relative to the main file."""
        if texture.content not in self._path_of:
            ending = texture.name.rpartition(".")[2].lower()
            stem = legal_name(texture.name.rpartition(".")[0] or "texture")
            path = self._free(f"{self._folder}/{stem}", ending)
            self._path_of[texture.content] = path
            self.files[path] = texture.content
        return self._path_of[texture.content]

    def material(self, image: str, colour: Colour) -> tuple[str, str]:
        """Return the name of a material library next to the meshes, and that of its material."""
        red, green, blue, opacity = tidy_colour(colour).tolist()
        name = image.rpartition("/")[2]
        text = f"newmtl textured\nKd {red:g} {green:g} {blue:g}\nd {opacity:g}\nmap_Kd {name}\n".encode()
        if text not in self._path_of:
            path = self._free(image.rpartition(".")[0], "mtl")
            self._path_of[text] = path
            self.files[path] = text
        return self._path_of[text].rpartition("/")[2], "textured"

    def _free(self, stem: str, ending: str) -> str:
        path, number = f"{stem}.{ending}", 2
        while path in self.files:
            path, number = f"{stem}-{number}.{ending}", number + 1
        return path


def _mesh_file(draft: "_Draft", mesh_format: MeshFormat, images: _Images, image: str) -> tuple[str, bytes]:
    """Return the ending and the content of the mesh file of a shape; only OBJ files have texture points."""
    source = draft.source
    if image and isinstance(source, Visual) and source.texture_points is not None:
        return "obj", obj_bytes(draft.surface, source.texture_points, images.material(image, source.colour))
    ending = _fitting_format(draft.surface, mesh_format)
    return ending, _WRITERS[ending](draft.surface)


def _fitting_format(surface: Faceted, mesh_format: MeshFormat) -> MeshFormat:
    # A face of n corners is n - 2 triangles.
    triangles = len(surface.face_vertices) - 2 * (len(surface.face_offsets) - 1)
    return "obj" if triangles > LARGEST_STL else mesh_format


@dataclass(frozen=True, eq=False)
class _Draft:
    name: str
    surface: Faceted
    primitive: Primitive | None
    seen: bool
    solid: bool
    source: Subitem | Visual
    model: "_Draft | None" = None
    """An earlier one that differs by a translation, and whose mesh it shares."""
    from_model: Floats = field(default_factory=lambda: IDENTITY)
    """The translation. Shape (4, 4)."""


class _PieceModels:
    """The first of each group of pieces that differ by a translation, in items of very many."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[_Draft, Floats]] = {}
        """By key of the shape: the model, and its lowest coordinates."""

    def drafts(
        self, pieces: Sequence[Subitem], names: Sequence[str], kinds: Collection[PrimitiveKind], seen: bool
    ) -> Iterator[_Draft]:
        for piece, name, (corner, key) in zip(pieces, names, _shape_keys(pieces), strict=True):
            model, place = self._known.get(key, (None, corner))
            if model is None or piece.primitive is not None:
                made = _Draft(name, piece.shape, _solid_primitive(piece, kinds), seen, True, piece)
                if piece.primitive is None:
                    self._known[key] = made, corner
                yield made
                continue
            shift = translation(corner - place)
            box = model.primitive and replace(model.primitive, pose=frozen(shift @ model.primitive.pose))
            yield _Draft(name, piece.shape, box, seen, True, piece, model, shift)


def _shape_keys(pieces: Sequence[Subitem]) -> Iterator[tuple[Floats, bytes]]:
    """Yield the lowest coordinates of each piece, shape (3,), and a key of its shape without its place."""
    counts = [len(piece.shape.vertices) for piece in pieces]
    starts = np.cumsum([0, *counts[:-1]])
    points = np.concatenate([piece.shape.vertices for piece in pieces])
    corners = np.minimum.reduceat(points, starts, axis=0)
    piece_of = np.arange(len(pieces)).repeat(counts)
    rows = np.round(points - corners[piece_of], _SAME_DIGITS) + 0.0
    # The vertices determine a convex surface, in any order.
    rows = rows[np.lexsort((*rows.T, piece_of))]
    for corner, some in zip(corners, np.split(rows, starts[1:]), strict=True):
        yield corner, some.tobytes()


def _drafts(item: Item, kinds: Collection[PrimitiveKind], pieces: _PieceModels) -> Sequence[_Draft]:
    seen = not item.visuals
    names = [f"{item.name}/{one.name or number}" for number, one in enumerate(item.subitems, start=1)]
    if len(names) > MANY_PIECES:
        drafts = list(pieces.drafts(item.subitems, names, kinds, seen))
    else:
        drafts = [
            _Draft(name, one.shape, _solid_primitive(one, kinds), seen, True, one)
            for name, one in zip(names, item.subitems, strict=True)
        ]
    drafts += [
        _Draft(
            f"{item.name}/{one.name or f'visual-{number}'}", one.surface, _known(one.primitive, kinds), True, False, one
        )
        for number, one in enumerate(item.visuals, start=1)
    ]
    return drafts


def _known(primitive: Primitive | None, kinds: Collection[PrimitiveKind]) -> Primitive | None:
    return primitive if primitive is not None and primitive.kind in kinds else None


def _solid_primitive(subitem: Subitem, kinds: Collection[PrimitiveKind]) -> Primitive | None:
    """Return the primitive of a subitem; a polyhedron that is a box is one, too."""
    if subitem.primitive is not None or PrimitiveKind.BOX not in kinds:
        return _known(subitem.primitive, kinds)
    box = box_of(subitem.shape)
    return None if box is None else Primitive(PrimitiveKind.BOX, tuple(box.sides.tolist()), box.pose)
