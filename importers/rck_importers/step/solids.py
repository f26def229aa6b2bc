"""Solids of STEP files as shapes of items: surfaces by colour, convex pieces, mass, and round features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import MassProperties, Moments, mass_properties
from rck.geometry.mesh import Mesh, transformed
from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.hooks import Job
from rck.importing.assets import Assets, Unavailable
from rck.importing.convex_pieces import Convexity, ConvexPieces, convex_pieces
from rck.importing.import_report import Report
from rck.importing.link_shapes import LinkShape
from rck.importing.mesh_file import Surface, decode_mesh
from rck.model.colours import from_linear
from rck_importers.step.conversion import has_opencascade, to_glb


@dataclass(frozen=True, eq=False)
class RoundPlace:
    """A round hole, shaft or slot, in metres."""

    start: Floats
    """Shape (3,)."""
    end: Floats
    """Shape (3,)."""
    radius: float
    is_hole: bool
    is_open: tuple[bool, bool]
    """At its start and end: the hole is open, or the shaft ends there."""
    radii: tuple[float, ...]
    slot: Floats | None = None
    """For a slot, the vector from the axis of one round end to that of the other. Shape (3,)."""

    def moved(self, matrix: Floats) -> "RoundPlace":
        """Return it under a rigid map or reflection; the map keeps lengths."""
        start, end = (matrix[:3, :3] @ point + matrix[:3, 3] for point in (self.start, self.end))
        return replace(self, start=start, end=end, slot=None if self.slot is None else matrix[:3, :3] @ self.slot)


@dataclass(frozen=True, eq=False)
class StepSolid:
    """A solid in the frame of its component, in metres."""

    shape: LinkShape
    features: tuple[RoundPlace, ...] = ()


@dataclass(frozen=True, eq=False)
class SolidMaker:
    """Settings for making solids of what the child process found."""

    path: Path
    convexity: Convexity
    deviation: float
    assets: Assets
    report: Report
    job: Job

    def make(self, key: str, found: Mapping[str, Any]) -> StepSolid | None:
        """Return a solid; None, with a warning, for one that cannot be used."""
        if "failure" in found:
            return self._from_opencascade(key, found)
        mesh = _mesh(found["vertices"], found["triangles"])
        surfaces = tuple(_surfaces(found, mesh))
        shape = LinkShape((str(self.path), key), surfaces, self.convexity)
        if "moments" not in found:
            return StepSolid(shape)
        area, volume, first, second = found["moments"]
        true = mass_properties(Moments(area, volume, frozen(first), frozen(second)), 1.0)
        features = tuple(
            RoundPlace(
                np.asarray(one["start"]),
                np.asarray(one["end"]),
                float(one["radius"]),
                bool(one["hole"]),
                (bool(one["open"][0]), bool(one["open"][1])),
                tuple(one["radii"]),
                None if one["slot"] is None else np.asarray(one["slot"]),
            )
            for one in found["round"]
        )
        pieces = self._pieces(found, mesh, true)
        return StepSolid(replace(shape, true_solid=true, known_pieces=pieces), features)

    def _pieces(self, found: Mapping[str, Any], mesh: Mesh, true: MassProperties) -> ConvexPieces | None:
        """Return the convex pieces for `cut`; None for other choices, which need only the surface."""
        if self.convexity.how != "cut":
            return None
        shapes: tuple[Polyhedron, ...]
        if "clouds" in found:
            shapes = tuple(convex_hull(np.asarray(cloud)) for cloud in found["clouds"])
        else:
            rough = _mesh(*found["rough"]) if "rough" in found else mesh
            cut = convex_pieces(rough, replace(self.convexity, job=self.job))
            if cut.refused or not cut.shapes:
                return cut
            shapes = cut.shapes
        excess = sum(shape.volume for shape in shapes) / true.mass - 1.0
        return ConvexPieces(shapes, abs(excess) < 1e-6, excess)

    def _from_opencascade(self, key: str, found: Mapping[str, Any]) -> StepSolid | None:
        """Return a solid that RCK cannot divide into triangles, read by OpenCASCADE."""
        name = found["name"] or found["label"]
        if not has_opencascade():
            fix = "pip install 'rck[step]' lets OpenCASCADE try"
            self.report.warn(503, self.path.name, f"{name} was ignored: {found['failure']}", fix)
            return None
        try:
            glb = to_glb(
                found["text"], f"{found['label']} of {self.path.name}", self.deviation, self.assets.limits, self.job
            )
            held = decode_mesh(glb, "glb", self.path, self.assets)
        except Unavailable as error:
            self.report.warn(503, self.path.name, f"{name} was ignored: {found['failure']}; {error}")
            return None
        if not held.surfaces:
            self.report.warn(503, self.path.name, f"{name} was ignored: {found['failure']}; OpenCASCADE finds no faces")
            return None
        self.report.note(504, self.path.name, f"{name} was read by OpenCASCADE: {found['failure']}", kind="opencascade")
        # Colours of glTF are in linear light; STEP files state sRGB colours.
        surfaces = tuple(replace(one, colour=one.colour and from_linear(one.colour)) for one in held.surfaces)
        return StepSolid(LinkShape((str(self.path), key), surfaces, self.convexity))


def moved_solid(solid: StepSolid, matrix: Floats) -> StepSolid:
    """Return a solid under a map that is not rigid: it reflects or scales."""
    shape = solid.shape
    key = (*shape.key, *np.round(matrix, 9).reshape(-1).tolist())
    surfaces = tuple(replace(one, mesh=transformed(one.mesh, matrix)) for one in shape.surfaces)
    pieces = shape.known_pieces
    if pieces is not None:
        clouds = (piece.vertices @ matrix[:3, :3].T + matrix[:3, 3] for piece in pieces.shapes)
        pieces = replace(pieces, shapes=tuple(map(convex_hull, clouds)))
    moved = LinkShape(key, surfaces, shape.convexity, known_pieces=pieces)
    scale = float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
    features = (replace(one.moved(matrix), radius=one.radius * scale) for one in solid.features)
    return StepSolid(moved, tuple(features))


def _mesh(vertices: Floats, triangles: Any) -> Mesh:
    corners = np.asarray(triangles).reshape(-1, 3)
    return Mesh(frozen(np.asarray(vertices)), np.arange(0, 3 * len(corners) + 1, 3), corners.reshape(-1))


def _surfaces(found: Mapping[str, Any], mesh: Mesh) -> list[Surface]:
    """Return the surface, divided by colour; the first has the colour of most triangles."""
    corners = mesh.face_vertices.reshape(-1, 3)
    runs: Sequence[Any] = found["colours"] or [[None, 0]]
    ends = [start for _, start in runs[1:]] + [len(corners)]
    parts: dict[tuple[float, ...] | None, list[Any]] = {}
    for (colour, start), end in zip(runs, ends, strict=True):
        parts.setdefault(None if colour is None else tuple(colour), []).append(corners[start:end])
    ordered = sorted(parts.items(), key=lambda part: -sum(map(len, part[1])))
    surfaces = []
    for colour, some in ordered:
        chosen = np.concatenate(some)
        used, numbers = np.unique(chosen, return_inverse=True)
        part = Mesh(frozen(mesh.vertices[used]), np.arange(0, 3 * len(chosen) + 1, 3), numbers.reshape(-1))
        surfaces.append(Surface(found["name"], mesh if len(ordered) == 1 else part, colour))  # type: ignore[arg-type]
    return surfaces
