"""Geoms of MJCF bodies: primitives and meshes with their poses and masses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import NO_MASS, MassProperties, moved
from rck.geometry.transforms import translation
from rck.importing import link_shapes
from rck.importing.link_masses import scaled
from rck.importing.link_shapes import LinkShape, PlacedShape
from rck.importing.robot_reader import colour_of
from rck.importing.xml_file import Element
from rck.model import Colour
from rck.model.subitem import ContactGroups
from rck_importers.mjcf.compiler import turn_z_to
from rck_importers.mjcf.extension_data import POSE, kept
from rck_importers.mjcf.fitting import fit
from rck_importers.mjcf.materials import colour_of_material, finish_of, image_of, material_of
from rck_importers.mjcf.meshes import mesh_asset
from rck_importers.mjcf.shells import primitive_shell
from rck_importers.mjcf.source import Source

_PLAIN: Colour = (0.5, 0.5, 0.5, 1.0)
"""Colour of geoms without one."""
_HIDDEN_GROUP = 3
"""First geom group that MuJoCo's viewers hide by default."""
_READ = POSE | {
    "type", "size", "fromto", "mass", "density", "shellinertia", "rgba", "mesh", "fitscale", "contype",
    "conaffinity",
}  # fmt: skip
"""The attributes of a geom that RCK interprets; the others are kept."""
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""The number of sizes of each primitive."""
_WITHOUT_SOLID = {"sdf"}


@dataclass(frozen=True, eq=False)
class Geom:
    """A shape of a body."""

    placed: PlacedShape
    touches: bool
    looks: bool
    group: int
    mass: float | None
    """Mass in kg; None if it is computed from the density."""
    density: float
    shell: bool
    """True if the mass is distributed over the surface only."""
    where: str
    hidden: bool
    """True if MuJoCo's viewers hide its group by default."""

    @property
    def body(self) -> MassProperties:
        """Mass properties in the frame of the body."""
        shape = self.placed.shape
        solid = primitive_shell(*shape.sizes) if self.shell and shape.sizes is not None else shape.solid
        mass = self.density * solid.mass if self.mass is None else self.mass
        if not solid.mass > 0 or not mass > 0:
            return NO_MASS
        return moved(replace(scaled(solid, mass / solid.mass), mass=mass), self.placed.pose)


def geom_of(element: Element, body_from_here: Floats, name: str, number: int, source: Source) -> tuple[Geom, ...]:
    """Return the geom of an element with its class attributes; an empty tuple if the shape is not supported.

    `number` is its number in the body, by which the exporter knows the visual and the subitem of one geom.
    """
    report = source.reading.report
    kind = element.get("type") or ("mesh" if element.get("mesh") else "sphere")
    if kind in _WITHOUT_SOLID:
        lose = report.lost if _touches(element, source) else report.left_out
        lose(f"geom of type {kind}", element.where)
        return ()
    segment = segment_pose(element)
    pose, half_length = segment or (source.compiler.pose(element), None)
    shape = _mesh(element, source) if element.get("mesh") else _primitive(element, kind, half_length, source)
    if shape is not None and element.get("mesh") and kind in _SIZES:
        scale = element.number("fitscale", 1.0)
        mesh_from_shape, sizes = fit(kind, shape, source.compiler.fits_bounds, scale)
        pose = pose @ mesh_from_shape
        shape = source.reading.solid(element, lambda: _of_sizes(kind, sizes))
    if shape is None:
        return ()
    group = int(element.number("group", 0))
    colour = _colour(element, source)
    frictions = element.numbers_of(element.get("friction", "1"), "friction").tolist()
    extra = {"geom": str(number)} | ({"name": name} if name else {})
    if element.get("material"):
        extra["material"] = f"{source.prefix}{element.get('material')}"
    read = _READ | ({"friction"} if len(frictions) == 1 else set())
    given = Element(element.tag, {**element.attributes, **extra}, element.file, element.line)
    material = material_of(element, source)
    image, has_points = (None, False) if material is None else image_of(material, source)
    hidden = group >= _HIDDEN_GROUP or colour[3] == 0
    touches = _touches(element, source)
    return (
        Geom(
            PlacedShape(
                shape,
                body_from_here @ pose,
                colour,
                name,
                frictions[0] if "friction" in element.attributes else None,
                _groups(element),
                material=element.get("material"),
                roughness=None if material is None else finish_of(material, "roughness"),
                metallic=None if material is None else finish_of(material, "metallic"),
                texture=image,
                maps_texture=has_points,
                extensions=kept(given, read),
            ),
            touches,
            # What neither collides nor is displayed by default is kept as a visual.
            not (hidden and touches),
            group,
            element.number("mass", 0.0) if "mass" in element.attributes else None,
            element.number("density", 1000.0),
            element.get("shellinertia") == "true",
            element.where,
            hidden,
        ),
    )


def _touches(element: Element, source: Source) -> bool:
    masks = _groups(element)
    has_masks = masks is None or bool(masks.member_of or masks.tests)
    return has_masks or element.get("name") in source.paired


def _groups(element: Element) -> ContactGroups | None:
    """Return the contact groups of a geom; None if they are MuJoCo's default."""
    groups = ContactGroups(int(element.number("contype", 1)), int(element.number("conaffinity", 1)))
    return None if groups == ContactGroups() else groups


def segment_pose(element: Element) -> tuple[Floats, float] | None:
    """Return the midpoint pose of `fromto`, with z towards the first point, and half the segment length."""
    if "fromto" not in element.attributes:
        return None
    numbers = element.numbers("fromto", 6, ())
    along = numbers[:3] - numbers[3:]
    length = float(np.linalg.norm(along))
    if not length > 1e-12:
        raise element.refusal("the two points of fromto coincide", code=205)
    return translation((numbers[:3] + numbers[3:]) / 2) @ turn_z_to(along / length), length / 2


def _primitive(element: Element, kind: str, half_length: float | None, source: Source) -> LinkShape | None:
    sizes = element.numbers_of(element.get("size", "0"), "size").tolist()
    if half_length is not None:
        # With fromto, size gives only the dimension across the segment.
        across = sizes[0]
        sizes = [across, across, half_length] if kind in ("box", "ellipsoid") else [across, half_length]
    if kind not in _SIZES:
        raise element.refusal(f"unknown geom type {kind!r}", code=104, fix=f"use {', '.join(_SIZES)} or mesh")
    if len(sizes) < _SIZES[kind]:
        raise element.refusal(f"a {kind} takes {_SIZES[kind]} sizes, not {len(sizes)}", code=104)
    return source.reading.solid(element, lambda: _of_sizes(kind, sizes))


def _of_sizes(kind: str, sizes: Sequence[float]) -> LinkShape:
    """Return a primitive by the sizes of its geom: radii, half lengths and half sides."""
    a, b, c = (*sizes, 0.0, 0.0)[:3]
    if kind == "sphere":
        return link_shapes.sphere(a)
    if kind == "ellipsoid":
        return link_shapes.ellipsoid(a, b, c)
    if kind == "box":
        return link_shapes.box(2 * a, 2 * b, 2 * c)
    return (link_shapes.capsule if kind == "capsule" else link_shapes.cylinder)(a, 2 * b)


def _mesh(element: Element, source: Source) -> LinkShape | None:
    name = element.require("mesh")
    asset = mesh_asset(name, source)
    if asset is None:
        raise element.refusal(f"there is no mesh {name} among the assets", code=201)
    return source.reading.solid(element, asset)


def _colour(element: Element, source: Source) -> Colour:
    if "rgba" in element.attributes:
        return colour_of(element.numbers("rgba", 4, ()))
    return colour_of_material(element, source) or _PLAIN
