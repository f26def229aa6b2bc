"""The shapes of MJCF bodies: primitives and meshes, where they stand, what they weigh."""

from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass import NO_MASS, MassProperties, moved
from rck.geometry.transforms import translation
from rck.importing import shapes
from rck.importing.masses import scaled
from rck.importing.robots import colour_of
from rck.importing.shapes import Placed, Shape
from rck.importing.xml_file import Element
from rck.model import Colour
from rck_mjcf.compiler import turn_z_to
from rck_mjcf.meshes import mesh_asset
from rck_mjcf.source import Source

_HIDDEN_GROUP = 3
"""MuJoCo's viewers show groups below it unless asked."""
_WITHOUT_SOLID = {"plane", "hfield", "sdf"}


@dataclass(frozen=True, eq=False)
class Geom:
    """A shape of a body."""

    placed: Placed
    touches: bool
    looks: bool
    group: int
    mass: float | None
    """In kg, where it is given; else it follows from the density."""
    density: float
    shell: bool
    """Whether the mass is in the surface alone."""
    where: str

    @property
    def body(self) -> MassProperties:
        """Its mass properties in the frame of the body."""
        solid = self.placed.shape.solid
        mass = self.density * solid.mass if self.mass is None else self.mass
        if not solid.mass > 0 or not mass > 0:
            return NO_MASS
        return moved(replace(scaled(solid, mass / solid.mass), mass=mass), self.placed.pose)


def geom_of(element: Element, body_from_here: Floats, name: str, source: Source) -> tuple[Geom, ...]:
    """The geom that an element with the attributes of its class describes; none where RCK has no such shape."""
    report = source.reading.report
    kind = element.get("type") or ("mesh" if element.get("mesh") else "sphere")
    if kind in _WITHOUT_SOLID:
        report.left_out(f"geom of type {kind}", element.where)
        return ()
    if element.get("mesh") and kind != "mesh":
        message = f"a {kind} fitted to a mesh became the mesh"
        report.note(504, element.where, message, kind="fitted")
        kind = "mesh"
    segment = segment_pose(element)
    pose, half_length = segment or (source.compiler.pose(element), None)
    shape = _mesh(element, source) if kind == "mesh" else _primitive(element, kind, half_length, source)
    if shape is None:
        return ()
    group = int(element.number("group", 0))
    colour = _colour(element, source)
    touches = element.number("contype", 1) != 0 or element.number("conaffinity", 1) != 0
    return (
        Geom(
            Placed(shape, body_from_here @ pose, colour, name),
            touches or element.get("name") in source.paired,
            group < _HIDDEN_GROUP and (colour is None or colour[3] > 0),
            group,
            element.number("mass", 0.0) if "mass" in element.attributes else None,
            element.number("density", 1000.0),
            element.get("shellinertia") == "true",
            element.where,
        ),
    )


def segment_pose(element: Element) -> tuple[Floats, float] | None:
    """From `fromto`: the pose halfway, its z axis towards the first point, and half the distance."""
    if "fromto" not in element.attributes:
        return None
    numbers = element.numbers("fromto", 6, ())
    along = numbers[:3] - numbers[3:]
    length = float(np.linalg.norm(along))
    if not length > 1e-12:
        raise element.refusal("the two points of fromto are one", code=205)
    return translation((numbers[:3] + numbers[3:]) / 2) @ turn_z_to(along / length), length / 2


def _primitive(element: Element, kind: str, half_length: float | None, source: Source) -> Shape | None:
    sizes = element.numbers_of(element.get("size", "0"), "size").tolist()
    if half_length is not None:
        # The size gives what lies across the segment.
        across = sizes[0]
        sizes = [across, across, half_length] if kind in ("box", "ellipsoid") else [across, half_length]
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
    if kind not in needed:
        raise element.refusal(f"{kind!r} is no type of geom", code=104, fix=f"use {', '.join(needed)} or mesh")
    if len(sizes) < needed[kind]:
        raise element.refusal(f"a {kind} takes {needed[kind]} sizes, not {len(sizes)}", code=104)
    a, b, c = (*sizes, 0.0, 0.0)[:3]
    makers = {
        "sphere": lambda: shapes.sphere(a),
        "capsule": lambda: shapes.capsule(a, 2 * b),
        "cylinder": lambda: shapes.cylinder(a, 2 * b),
        "ellipsoid": lambda: shapes.ellipsoid(a, b, c),
        "box": lambda: shapes.box(2 * a, 2 * b, 2 * c),
    }
    return source.reading.solid(element, makers[kind])


def _mesh(element: Element, source: Source) -> Shape | None:
    name = element.require("mesh")
    asset = mesh_asset(name, source)
    if asset is None:
        raise element.refusal(f"there is no mesh {name} among the assets", code=201)
    return source.reading.solid(element, asset)


def _colour(element: Element, source: Source) -> Colour | None:
    if "rgba" in element.attributes:
        return colour_of(element.numbers("rgba", 4, ()))
    material = source.assets.get(("material", element.get("material")))
    return None if material is None else colour_of(source.full(material, "").numbers("rgba", 4, (1, 1, 1, 1)))
