"""Shapes of links: primitives and meshes, with convex pieces, exact surface and mass of the exact solid."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from rck.geometry import primitives
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, combine, mass_properties, moments
from rck.geometry.mesh import Mesh, is_closed, joined_meshes
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import scaling
from rck.importing.assets import Assets, Unavailable
from rck.importing.convex_pieces import Convexity, ConvexPieces, convex_pieces
from rck.importing.mesh_file import MeshFile, Surface, read_mesh
from rck.model.extensions import Extensions, no_extensions
from rck.model.primitive import Primitive, PrimitiveKind
from rck.model.subitem import Colour, ContactGroups
from rck.model.visual import Texture


@dataclass(frozen=True, eq=False)
class LinkShape:
    """Shape in its local frame, in metres."""

    key: tuple[object, ...]
    """Key that is equal for identical shapes."""
    surfaces: tuple[Surface, ...]
    """Visual surfaces."""
    convexity: Convexity | None = None
    """Settings for making it convex; None for a primitive."""
    primitive: Polyhedron | None = None
    """Convex shape; None for a mesh."""
    sizes: tuple[PrimitiveKind, tuple[float, ...]] | None = None
    """The kind and sizes of the primitive, if it is one that the model knows."""
    true_solid: MassProperties | None = None
    """Mass properties at density 1, if they differ from those of the surface."""
    known_pieces: ConvexPieces | None = None
    """Convex pieces that follow from more than the surface."""

    @cached_property
    def pieces(self) -> ConvexPieces:
        """Convex pieces that represent it."""
        if self.known_pieces is not None:
            return self.known_pieces
        if self.primitive is not None:
            return ConvexPieces((self.primitive,), exact=True, excess=0.0)
        assert self.convexity is not None
        return convex_pieces(self._whole, self.convexity)

    @cached_property
    def solid(self) -> MassProperties:
        """Mass properties at density 1; computed from the pieces if the surface encloses no volume."""
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
class PlacedShape:
    """Shape placed on a link."""

    shape: LinkShape
    pose: Floats
    """Link from shape. Shape (4, 4)."""
    colour: Colour | None = None
    name: str = ""
    friction: float | None = None
    """Coefficient of sliding friction; None if the file gives none."""
    groups: ContactGroups | None = None
    material: str = ""
    roughness: float | None = None
    metallic: float | None = None
    texture: Texture | None = None
    """The texture of its material, instead of those of the mesh."""
    maps_texture: bool = True
    """False if the texture points of the mesh do not apply to its texture."""
    extensions: Extensions = field(default_factory=no_extensions)

    @property
    def primitive(self) -> Primitive | None:
        """The primitive in the frame of the link, if the shape is one."""
        return None if self.shape.sizes is None else Primitive(*self.shape.sizes, self.pose)

    def texture_of(self, surface: Surface) -> Texture | None:
        """Return the texture of one of its surfaces; a material with a colour replaces those of the mesh."""
        if self.texture is not None or self.colour is None:
            return self.texture or surface.texture
        return None

    @property
    def key(self) -> tuple[object, ...]:
        """Key that is equal for the same shape at the same pose."""
        return (*self.shape.key, *np.round(self.pose, 9).reshape(-1).tolist())


@lru_cache(maxsize=256)
def box(x: float, y: float, z: float) -> LinkShape:
    """Return a cuboid with these side lengths."""
    return _primitive("box", (x, y, z), primitives.box(x, y, z), PrimitiveKind.BOX)


@lru_cache(maxsize=256)
def sphere(radius: float) -> LinkShape:
    """Return a sphere."""
    return _primitive("sphere", (radius,), primitives.sphere(radius), PrimitiveKind.SPHERE)


@lru_cache(maxsize=256)
def ellipsoid(x: float, y: float, z: float) -> LinkShape:
    """Return an ellipsoid with these semi-axes."""
    return _primitive("ellipsoid", (x, y, z), primitives.ellipsoid(x, y, z), PrimitiveKind.ELLIPSOID)


@lru_cache(maxsize=256)
def cylinder(radius: float, length: float) -> LinkShape:
    """Return a cylinder along z."""
    return _primitive("cylinder", (radius, length), primitives.cylinder(radius, length), PrimitiveKind.CYLINDER)


@lru_cache(maxsize=256)
def cone(radius: float, length: float) -> LinkShape:
    """Return a cone along z with the apex up and the middle of its height at the origin."""
    return _primitive("cone", (radius, length), primitives.cone(radius, length))


@lru_cache(maxsize=256)
def capsule(radius: float, length: float) -> LinkShape:
    """Return a capsule along z: a cylinder of that length with a hemisphere at each end."""
    return _primitive("capsule", (radius, length), primitives.capsule(radius, length), PrimitiveKind.CAPSULE)


def _primitive(name: str, sizes: Sequence[float], shape: Polyhedron, kind: PrimitiveKind | None = None) -> LinkShape:
    surface = Surface(name, Mesh(shape.vertices, shape.face_offsets, shape.face_vertices))
    known = None if kind is None else (kind, tuple(map(float, sizes)))
    return LinkShape((name, *sizes), (surface,), primitive=shape, sizes=known)


Reader = Callable[[Path, Assets], MeshFile]


@dataclass(slots=True)
class MeshCache:
    """Meshes that a file refers to, each read and made convex only once."""

    assets: Assets
    convexity: Convexity
    read: Reader = read_mesh
    _files: dict[Path, MeshFile] = field(default_factory=dict)
    _shapes: dict[tuple[object, ...], LinkShape] = field(default_factory=dict)

    def file(self, path: Path) -> MeshFile:
        """Return the contents of the file."""
        if path not in self._files:
            self._files[path] = self.read(path, self.assets)
        return self._files[path]

    def shape(self, path: Path, scale: Floats, only: str = "") -> LinkShape:
        """Return the scaled mesh of a file, in metres if the file states its unit; `only` selects one surface."""
        held = self.file(path)
        stretch = scaling((held.metres or 1.0) * np.asarray(scale, dtype=float))
        chosen = [one for one in held.surfaces if not only or one.name == only] or list(held.surfaces)
        if not chosen:
            raise Unavailable(f"{path.name} contains no triangles")
        key = (str(path), only, *np.asarray(scale, dtype=float).tolist())
        return self.made(key, lambda: [one.moved(stretch) for one in chosen])

    def made(self, key: tuple[object, ...], surfaces: Callable[[], Sequence[Surface]]) -> LinkShape:
        """Return the shape with that key; create it from the surfaces on the first call."""
        if key not in self._shapes:
            self._shapes[key] = LinkShape(key, tuple(surfaces()), self.convexity)
        return self._shapes[key]

    def keep(self, shape: LinkShape) -> LinkShape:
        """Store the shape, replacing the one with the same key, and return it."""
        self._shapes[shape.key] = shape
        return shape
