"""Shapes of links: primitives and meshes, each with convex pieces, a true surface and the mass of the true solid."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from rck.geometry import primitives
from rck.geometry.arrays import Floats
from rck.geometry.mass import MassProperties, combine, mass_properties, moments
from rck.geometry.mesh import Mesh, is_closed, joined_meshes, transformed
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import scaling
from rck.importing.assets import Assets, Unavailable
from rck.importing.convex import Convexity, Pieces, convex_pieces
from rck.importing.mesh_file import MeshFile, Surface, read_mesh
from rck.model.subitem import Colour


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape in a frame of its own, in metres."""

    key: tuple[object, ...]
    """Equal for shapes that are the same."""
    surfaces: tuple[Surface, ...]
    """What it looks like."""
    convexity: Convexity | None = None
    """How it becomes convex; None for a primitive."""
    primitive: Polyhedron | None = None
    """A shape that is convex as it is."""
    true_solid: MassProperties | None = None
    """Filled with density one, where that is not what the surface says."""

    @cached_property
    def pieces(self) -> Pieces:
        """The convex pieces that stand for it."""
        if self.primitive is not None:
            return Pieces((self.primitive,), exact=True, excess=0.0)
        assert self.convexity is not None
        return convex_pieces(self._whole, self.convexity)

    @cached_property
    def solid(self) -> MassProperties:
        """Of the shape filled with density one; from the pieces where the surface encloses nothing."""
        if self.true_solid is not None:
            return self.true_solid
        if self.primitive is not None:
            return mass_properties(self.primitive.moments, 1.0)
        whole = self._whole
        if len(whole.face_offsets) > 4 and is_closed(whole):
            integrals = moments(whole)
            if integrals.volume > 0:
                return mass_properties(integrals, 1.0)
        return combine(mass_properties(piece.moments, 1.0) for piece in self.pieces.shapes)

    @property
    def _whole(self) -> Mesh:
        return joined_meshes([surface.mesh for surface in self.surfaces])


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape on a link."""

    shape: Shape
    pose: Floats
    """Link from shape. Shape (4, 4)."""
    colour: Colour | None = None
    name: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for the same shape in the same place."""
        return (*self.shape.key, *np.round(self.pose, 9).reshape(-1).tolist())


def box(x: float, y: float, z: float) -> Shape:
    """A cuboid with these sides."""
    return _primitive("box", (x, y, z), primitives.box(x, y, z))


def sphere(radius: float) -> Shape:
    """A ball."""
    return _primitive("sphere", (radius,), primitives.sphere(radius))


def ellipsoid(x: float, y: float, z: float) -> Shape:
    """A ball stretched to these half axes."""
    return _primitive("ellipsoid", (x, y, z), primitives.ellipsoid(x, y, z))


def cylinder(radius: float, length: float) -> Shape:
    """A round bar along z."""
    return _primitive("cylinder", (radius, length), primitives.cylinder(radius, length))


def cone(radius: float, length: float) -> Shape:
    """A cone along z, the tip up, the middle of its height at the origin."""
    return _primitive("cone", (radius, length), primitives.cone(radius, length))


def capsule(radius: float, length: float) -> Shape:
    """A bar of that length along z with a half ball on either end."""
    return _primitive("capsule", (radius, length), primitives.capsule(radius, length))


def _primitive(kind: str, sizes: Sequence[float], shape: Polyhedron) -> Shape:
    surface = Surface(kind, Mesh(shape.vertices, shape.face_offsets, shape.face_vertices))
    return Shape((kind, *sizes), (surface,), primitive=shape)


Reader = Callable[[Path, Assets], MeshFile]


@dataclass(slots=True)
class MeshShelf:
    """The meshes that a file names, each read once and made convex once."""

    assets: Assets
    convexity: Convexity
    read: Reader = read_mesh
    _files: dict[Path, MeshFile] = field(default_factory=dict)
    _shapes: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def file(self, path: Path) -> MeshFile:
        """What the file holds."""
        if path not in self._files:
            self._files[path] = self.read(path, self.assets)
        return self._files[path]

    def shape(self, path: Path, scale: Floats, only: str = "") -> Shape:
        """The mesh of a file, in metres where the file says its unit, stretched; `only` names one surface of it."""
        held = self.file(path)
        stretch = scaling((held.metres or 1.0) * np.asarray(scale, dtype=float))
        chosen = [one for one in held.surfaces if not only or one.name == only] or list(held.surfaces)
        if not chosen:
            raise Unavailable(f"{path.name} holds no triangles")
        key = (str(path), only, *np.asarray(scale, dtype=float).tolist())
        return self.made(key, lambda: [replace(one, mesh=transformed(one.mesh, stretch)) for one in chosen])

    def made(self, key: tuple[object, ...], surfaces: Callable[[], Sequence[Surface]]) -> Shape:
        """The shape of that key, made of the surfaces if there is none yet."""
        if key not in self._shapes:
            self._shapes[key] = Shape(key, tuple(surfaces()), self.convexity)
        return self._shapes[key]

    def keep(self, shape: Shape) -> Shape:
        """The shape in place of the one with its key."""
        self._shapes[shape.key] = shape
        return shape
