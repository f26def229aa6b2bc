"""Validation of parts: each is built and checked at its default, minimum and maximum parameters."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply, invert
from rck.hooks import Job
from rck.hooks.device_kinds import Served, unserved
from rck.model import Finding, Item, Port, RckError, Severity
from rck.parts.part import Part, PartFile, build_part, read_part_file

ON_SURFACE = 1e-3
"""Largest distance of a port from the surface, in metres, without a note."""


def check_files(paths: Iterable[Path], job: Job, served: Served | None = None) -> Iterator[tuple[Path, list[Finding]]]:
    """Return the findings about each manifest; `served` are the allowed kinds of devices (default: any)."""
    listed = list(paths)
    for number, path in enumerate(listed):
        job.progress(number / len(listed), path.name)
        yield path, check_file(path, served)


def check_file(path: Path, served: Served | None = None) -> list[Finding]:
    """Return the findings about a manifest; empty if it is valid."""
    try:
        file = read_part_file(path)
        findings = [finding for values in corner_values(file) for finding in _check_with(file, values, served)]
        if not file.manifest.source and not file.manifest.sources:
            findings.append(Finding(706, Severity.ERROR, file.manifest.part, "the source of the figures is missing"))
    except RckError as error:
        text = str(error)
        return [Finding(705, Severity.ERROR, "" if str(path) in text else str(path), text)]
    return _each_once(findings)


def corner_values(file: PartFile) -> list[Mapping[str, float]]:
    """Yield the default parameters, all at minimum, all at maximum, and each parameter alone at both ends."""
    corners = [file.defaults]
    for end in ("min", "max"):
        corners.append({name: getattr(one, end) for name, one in file.parameters.items()})
        for name, one in file.parameters.items():
            corners.append({**file.defaults, name: getattr(one, end)})
    unique: list[Mapping[str, float]] = []
    for corner in corners:
        if corner not in unique:
            unique.append(corner)
    return unique


def _check_with(file: PartFile, values: Mapping[str, float], served: Served | None) -> list[Finding]:
    built = build_part(file, dict(values))
    findings = list(built.findings)
    if built.value is not None:
        findings += part_findings(built.value)
        if served is not None:
            findings += unserved(built.value.robot.devices, served)
    said = ", ".join(f"{name}={value:g}" for name, value in values.items()) if values != file.defaults else ""
    part = f"{file.manifest.part}{f' with {said}' if said else ''}"
    return [Finding(f.code, f.severity, f"{part}, {f.where}", f.message, f.fix) for f in findings]


def part_findings(part: Part) -> list[Finding]:
    """Return findings about a built part that the build itself does not detect."""
    findings = []
    if not part.robot.mass_properties.mass > 0:
        findings.append(Finding(401, Severity.ERROR, "mass", "the part has no mass"))
    if not part.ports:
        findings.append(Finding(703, Severity.ERROR, "ports", "a part without ports cannot be attached"))
    for port in part.ports.values():
        findings += _port_findings(port, part.robot.item(port.item))
    return findings


def _port_findings(port: Port, item: Item) -> list[Finding]:
    if port.note:
        return []
    distance = surface_distance(item, port.pose[:3, 3])
    if distance > ON_SURFACE:
        message = f"the port is {1000 * distance:.1f} mm from the surface of {port.item}"
        return [Finding(702, Severity.ERROR, f"ports.{port.name}", message, "move it, or give the reason in a note")]
    outward = apply(port.pose, [0.0, 0.0, 2 * ON_SURFACE])
    if depth_inside(item, outward) > 0.5 * ON_SURFACE:
        message = "the port's z axis points into the part"
        return [Finding(702, Severity.ERROR, f"ports.{port.name}", message, "reverse it, or give the reason in a note")]
    return []


def depth_inside(item: Item, point: Floats) -> float:
    """Return the depth of a point, given in the frame of the part, inside an item, in metres; negative outside."""
    here = apply(invert(item.pose), point)
    depths = [float((s.shape.planes[:, 3] - s.shape.planes[:, :3] @ here).min()) for s in item.subitems]
    return max(depths, default=-np.inf)


def surface_distance(item: Item, point: Floats) -> float:
    """Return the distance of a point, given in the frame of the part, from the surface of an item, in metres."""
    here = apply(invert(item.pose), point)
    return min((distance_to_surface(s.shape, here) for s in item.subitems), default=np.inf)


def distance_to_surface(shape: Polyhedron, point: Floats) -> float:
    """Return the distance of a point from the faces of a polyhedron, from inside or outside, in metres."""
    heights = shape.planes[:, :3] @ point - shape.planes[:, 3]
    if heights.max() <= 0:
        return float(-heights.max())
    # The nearest point is inside a face that points towards the point, or on an edge.
    starts, ends = shape.vertices[shape.edges[:, 0]], shape.vertices[shape.edges[:, 1]]
    along = ends - starts
    shares = np.clip(np.einsum("ij,ij->i", point - starts, along) / np.einsum("ij,ij->i", along, along), 0.0, 1.0)
    gaps = point - starts - shares[:, None] * along
    nearest = float(np.sqrt(np.einsum("ij,ij->i", gaps, gaps).min()))
    for face in np.flatnonzero((heights > 0) & (heights < nearest)):
        foot = point - heights[face] * shape.planes[face, :3]
        # A point inside a face of a convex polyhedron is on the inner side of all other planes.
        if (shape.planes[:, :3] @ foot - shape.planes[:, 3]).max() <= 1e-9:
            return float(heights[face])
    return nearest


def _each_once(findings: list[Finding]) -> list[Finding]:
    """Return the first finding of each code and location; several parameter values often give the same one."""
    seen: dict[tuple[int | str, str], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.code, finding.where.rpartition(", ")[2]), finding)
    return list(seen.values())
