"""Shapes of USD: gprims as primitives and meshes, for display and for collision."""

from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.bounding_sphere import smallest_sphere
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.transforms import from_euler, invert, translation
from rck.importing import link_shapes
from rck.importing.convex_pieces import Convexity
from rck.importing.link_shapes import LinkShape, PlacedShape
from rck.importing.mesh_file import Surface
from rck.importing.robot_reader import Reading
from rck.model.extensions import Extensions, no_extensions
from rck_importers.usd.materials import look_of
from rck_importers.usd.meshes import display_colour, mesh_surfaces
from rck_importers.usd.poses import rigid_part
from rck_importers.usd.stage import Prim, Stage

PRIMITIVES = frozenset({"Cube", "Sphere", "Cylinder", "Capsule", "Cone", "Cylinder_1", "Capsule_1"})
SHAPES = PRIMITIVES | {"Mesh"}
_SAME = 1e-6
"""Largest relative difference of scale factors that are the same."""
_TO_AXIS = {
    "X": np.round(from_euler((0.0, np.pi / 2, 0.0))),
    "Y": np.round(from_euler((-np.pi / 2, 0.0, 0.0))),
    "Z": np.eye(4),
}


@dataclass(frozen=True, eq=False)
class ShapeReader:
    """Converts the shapes of a stage; each mesh is converted once."""

    stage: Stage
    reading: Reading

    def placed(self, prim: Prim, world_from_link: Floats, extensions: Extensions | None = None) -> PlacedShape | None:
        """Return a shape on its link for display; None, with a warning, if it cannot be read."""
        return self._placed(prim, world_from_link, None, extensions)

    def collider(
        self, prim: Prim, world_from_link: Floats, moves: bool, extensions: Extensions | None = None
    ) -> PlacedShape | None:
        """Return a shape on its link for collision; None, with a warning, if it cannot be read."""
        found = self._placed(prim, world_from_link, self._convexity(prim, moves), extensions)
        if found is None or prim.text("physics:approximation") != "boundingSphere" or prim.type != "Mesh":
            return found
        ball = smallest_sphere(np.concatenate([one.mesh.vertices for one in found.shape.surfaces]))
        return replace(found, shape=link_shapes.sphere(ball.radius), pose=found.pose @ translation(ball.centre))

    def friction(self, prim: Prim) -> str:
        """Return the coefficients of friction as MJCF has them; empty if only that of sliding is not the default."""
        physics = self.stage.by_path.get(prim.physics_material)
        sliding = None if physics is None else _friction(physics)
        if physics is None or sliding is None:
            return ""
        names = (("torsionalFriction", "torsionalfriction", 0.005), ("rollingFriction", "rollingfriction", 0.0001))
        further = [physics.number(f"newton:{own}", physics.number(f"mjc:{old}", least)) for own, old, least in names]
        return "" if further == [least for _, _, least in names] else " ".join(map(repr, (sliding, *further)))

    def _placed(
        self, prim: Prim, world_from_link: Floats, convexity: Convexity | None, extensions: Extensions | None
    ) -> PlacedShape | None:
        link_from_prim = invert(world_from_link) @ prim.matrix
        pose = rigid_part(link_from_prim)
        stretch = invert(pose) @ link_from_prim
        report = self.reading.report
        if abs(np.linalg.det(stretch[:3, :3])) < 1e-30:
            report.warn(503, prim.where, "a shape with scale 0 was ignored", kind="no volume")
            return None
        if prim.type == "Mesh":
            shape = self.reading.solid(prim, lambda: self._mesh(prim, stretch, convexity))
            look = None
        else:
            turn = _TO_AXIS.get(prim.text("axis", "Z"), np.eye(4)) if prim.type not in ("Cube", "Sphere") else np.eye(4)
            pose, along = pose @ turn, turn.T @ stretch @ turn
            shape = self.reading.solid(prim, lambda: _primitive(prim, along))
            look = look_of(prim.material, prim, self.stage, report)
            if look.texture is not None:
                report.left_out("texture of a primitive", prim.where)
        if shape is None:
            return None
        physics = self.stage.by_path.get(prim.physics_material)
        return PlacedShape(
            shape,
            pose,
            None if look is None else look.colour or display_colour(prim, report),
            prim.name,
            None if physics is None else _friction(physics),
            material="" if look is None else look.name,
            roughness=None if look is None else look.roughness,
            metallic=None if look is None else look.metallic,
            extensions=no_extensions() if extensions is None else extensions,
        )

    def _mesh(self, prim: Prim, stretch: Floats, convexity: Convexity | None) -> LinkShape:
        convexity = convexity or self._convexity(prim, True)
        # Instances of one prototype may have materials of their own.
        key = (prim.source, prim.material, convexity.how, *np.round(stretch[:3, :3], 9).ravel().tolist())
        report = self.reading.report
        made = self.reading.shelf.made(key, lambda: mesh_surfaces(prim, stretch, self.stage, report))
        if not made.surfaces:
            raise ValueError("it has no faces")
        shelf = self.reading.shelf
        return made if made.convexity == convexity else shelf.keep(replace(made, convexity=convexity))

    def _convexity(self, prim: Prim, moves: bool) -> Convexity:
        """Return how a mesh becomes convex: as the options say, or as its approximation says.

        Without an approximation, simulators use the triangles of what stands still, and the hull of what moves.
        """
        wish = self.reading.shelf.convexity
        if wish.how != "file":
            return wish
        how = {
            "convexHull": "hull",
            "convexDecomposition": "cut",
            "boundingCube": "boxes",
            "boundingSphere": "hull",
        }.get(prim.text("physics:approximation"), "hull" if moves else "cut")
        if how == "cut" and find_spec("coacd") is None:
            message = "is to be cut into convex pieces, which needs CoACD; its hull was used"
            self.reading.report.warn(510, prim.where, message, "pip install 'rck[decompose]'", kind="no CoACD")
            how = "hull"
        return replace(wish, how=how)


def _friction(physics: Prim) -> float | None:
    value = physics.number("physics:dynamicFriction", physics.number("physics:staticFriction", -1.0))
    return value if 0 <= value < 1e6 else None


def _primitive(prim: Prim, stretch: Floats) -> LinkShape:
    """Return a primitive along z under a linear map; a mesh if the map makes it another shape."""
    linear = stretch[:3, :3]
    factors = abs(np.diag(linear))
    straight = abs(linear - np.diag(np.diag(linear))).max() <= _SAME * factors.max()
    x, y, z = factors.tolist()
    is_round = straight and abs(x - y) <= _SAME * x
    is_uniform = is_round and abs(x - z) <= _SAME * x
    radius, height = prim.number("radius", 0.5 if "Capsule" in prim.type else 1.0), _height(prim)
    if prim.type in ("Cylinder_1", "Capsule_1"):
        radius = _one_radius(prim)
    if prim.type == "Cube":
        side = prim.number("size", 2.0)
        made = link_shapes.box(side, side, side)
        return link_shapes.box(side * x, side * y, side * z) if straight else _moved(made, stretch)
    if prim.type == "Sphere":
        if is_uniform:
            return link_shapes.sphere(radius * x)
        made = link_shapes.sphere(radius)
        return link_shapes.ellipsoid(radius * x, radius * y, radius * z) if straight else _moved(made, stretch)
    if prim.type in ("Capsule", "Capsule_1"):
        made = link_shapes.capsule(radius, height)
        return link_shapes.capsule(radius * x, height * x) if is_uniform else _moved(made, stretch)
    make = link_shapes.cone if prim.type == "Cone" else link_shapes.cylinder
    return make(radius * x, height * z) if is_round else _moved(make(radius, height), stretch)


def _height(prim: Prim) -> float:
    return prim.number("height", 1.0 if prim.type == "Capsule" else 2.0)


def _one_radius(prim: Prim) -> float:
    bottom, top = prim.number("radiusBottom", 1.0), prim.number("radiusTop", 1.0)
    if prim.type == "Capsule_1":
        bottom, top = prim.number("radiusBottom", 0.5), prim.number("radiusTop", 0.5)
    if bottom != top:
        raise ValueError(f"a {prim.type} with two radii is not supported")
    return bottom


def _moved(shape: LinkShape, stretch: Floats) -> LinkShape:
    """Return a primitive under a linear map, as a polyhedron."""
    assert shape.primitive is not None
    solid = move_polyhedron(shape.primitive, stretch)
    surface = Surface(shape.surfaces[0].name, replace(shape.surfaces[0].mesh, vertices=solid.vertices,
                      face_offsets=solid.face_offsets, face_vertices=solid.face_vertices))  # fmt: skip
    return LinkShape((*shape.key, *np.round(stretch[:3, :3], 9).ravel().tolist()), (surface,), primitive=solid)
