"""Reader of point clouds and meshes that uses Open3D."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats, extent
from rck.geometry.mesh import Mesh, transformed
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.primitives import box
from rck.geometry.transforms import apply, translation
from rck.hooks import Imported, Job, Values
from rck.importing.assets import Unavailable, read_within, refuse_more_triangles
from rck.importing.convex_pieces import small_hull
from rck.importing.file_errors import refused
from rck.importing.import_options import ImportLimits, convexity_of, limits_of
from rck.importing.import_report import Report, reported
from rck.importing.legal_names import name_of
from rck.importing.mesh_file import Surface, surface_mesh
from rck.importing.solids import SolidOptions, fastened, metres_and_up, read_solid_options, rigid_part
from rck.importing.work_budget import memory_limit, raise_limit, time_limit
from rck.model import GREY, Colour, Item, PartDefinition, Subitem
from rck.support.worker import WorkerError, run_in_child
from rck_importers.open3d import looks_like_cloud
from rck_importers.open3d.boxes import filled_cells, joined_boxes
from rck_importers.open3d.point_file import quiet_open3d, read_points, read_triangles

_CELLS_ACROSS = 50
_FEWEST_IN_GROUP = 10
_POISSON_DEPTH = 8


@dataclass(frozen=True, eq=False)
class ImportedCloud:
    """Points in metres, and their mean colour."""

    points: Floats
    colour: Colour


def read(path: Path, values: Values, job: Job) -> Imported:
    """Read the points or the mesh as solids, or return the error."""

    def make(report: Report) -> PartDefinition:
        _refuse_without_open3d(path)
        limits = limits_of(values)
        head = read_within(path, limits)[:4096]
        chosen = read_solid_options(values, "one", convexity_of(values, "cut"))
        job.progress(0.0, f"reading {path.name}")
        frame = metres_and_up(values, None, "z", "m", path.name, report)
        if looks_like_cloud(path, head):
            cloud = _cloud(path, values, limits, frame, job)
            return _solids(name_of(path), cloud, values, chosen, path.name, report, job)
        surface = _mesh(path, limits, frame, job)
        return rigid_part(name_of(path), [surface], chosen, path.name, report, job)

    return reported(path, make)


def _refuse_without_open3d(path: Path) -> None:
    if find_spec("open3d") is None:
        raise Unavailable(f"{path.name} needs Open3D, which is not installed", "pip install 'rck[open3d]'", code=510)


def _in_child(function: Callable[..., Any], path: Path, limits: ImportLimits, job: Job) -> Any:
    """Read a file with Open3D in a child process."""
    size = path.stat().st_size
    try:
        return run_in_child(
            function, str(path), library="Open3D", subject=path.name, job=job.part(0.0, 0.1, f"reading {path.name}"),
            time_limit=time_limit(limits, size), memory_limit=memory_limit(limits, size),
        )  # fmt: skip
    except WorkerError as error:
        raise refused(path.name, f"cannot be read: {error}", fix=raise_limit(error.reason)) from error


def _cloud(path: Path, values: Values, limits: ImportLimits, frame: Floats, job: Job) -> ImportedCloud:
    found = _in_child(read_points, path, limits, job)
    points = found["points"]
    if len(points) < 4:
        raise refused(path.name, f"has {len(points)} points; a solid needs at least 4")
    most = float(values.get("most-points", 2e7))
    if len(points) > most:
        fix = "raise the limit with the option most-points"
        raise refused(path.name, f"has {len(points)} points, more than the limit of {most:g}", code=509, fix=fix)
    colour = GREY
    if found["colour"] is not None:
        red, green, blue = np.clip(found["colour"], 0, 1).tolist()
        colour = (red, green, blue, 1.0)
    return ImportedCloud(apply(frame, points), colour)


def _mesh(path: Path, limits: ImportLimits, frame: Floats, job: Job) -> Surface:
    found = _in_child(read_triangles, path, limits, job)
    corners = found["corners"]
    if not len(corners):
        raise refused(path.name, "Open3D finds neither points nor triangles in the file")
    refuse_more_triangles(len(corners), path.name, limits)
    return Surface(path.stem, transformed(surface_mesh(found["vertices"], corners), frame))


def _solids(
    name: str,
    cloud: ImportedCloud,
    values: Values,
    chosen: SolidOptions,
    where: str,
    report: Report,
    job: Job,
) -> PartDefinition:
    side = values.get("grid") or extent(cloud.points) / _CELLS_ACROSS
    if not 0 < side < 1e9:
        raise refused("option grid", f"the grid size must be positive and below 1e9 m, not {side:g} m", code=104)
    groups = _groups(cloud, side, report, where) if values.get("groups") else [cloud]
    how = str(values.get("solid", "boxes"))
    if how == "boxes":
        return _boxed(name, groups, side, chosen.density, values, where, report, job)
    surfaces = []
    most_corners = chosen.convexity.most_corners
    for number, group in enumerate(groups, 1):
        job.progress(0.1 + 0.2 * number / len(groups), "surfaces")
        mesh = _hull(group.points, most_corners) if how == "hull" else _surface(group.points, side)
        if mesh is None:
            report.warn(503, where, f"group {number} encloses no volume and was ignored", kind="flat group")
            continue
        surfaces.append(Surface(f"group{number}", mesh, group.colour))
    if len(surfaces) > 1:
        chosen = replace(chosen, items="objects")
    return rigid_part(name, surfaces, chosen, where, report, job)


def _groups(cloud: ImportedCloud, side: float, report: Report, where: str) -> list[ImportedCloud]:
    """Return the clusters of points, largest first; clusters with too few points are dropped."""
    library = quiet_open3d()
    cells, number = filled_cells(cloud.points, side)
    centres = library.geometry.PointCloud(library.utility.Vector3dVector((cells + 0.5) * side))
    # The centres of adjacent cells, including those that share only a corner, are less than 1.8 sides apart.
    label = np.asarray(centres.cluster_dbscan(eps=1.8 * side, min_points=1))[number]
    sizes = np.bincount(label)
    stray = int(sizes[sizes < _FEWEST_IN_GROUP].sum())
    if stray and stray < len(cloud.points):
        report.note(502, where, f"{stray} points in groups of fewer than {_FEWEST_IN_GROUP} were ignored")
    kept = [group for group in np.argsort(-sizes, kind="stable") if sizes[group] >= _FEWEST_IN_GROUP]
    return [ImportedCloud(cloud.points[label == group], cloud.colour) for group in kept] or [cloud]


def _hull(points: Floats, most_corners: int) -> Mesh | None:
    try:
        hull = small_hull(points, most_corners)
    except ValueError:
        return None
    return Mesh(hull.vertices, hull.face_offsets, hull.face_vertices)


def _surface(points: Floats, side: float) -> Mesh | None:
    """Reconstruct a closed surface from the points (Kazhdan and Hoppe 2013)."""
    library = quiet_open3d()
    cloud = library.geometry.PointCloud(library.utility.Vector3dVector(points)).voxel_down_sample(side / 4)
    cloud.estimate_normals()
    cloud.orient_normals_consistent_tangent_plane(10)
    made, _ = library.geometry.TriangleMesh.create_from_point_cloud_poisson(cloud, depth=_POISSON_DEPTH)
    corners = np.asarray(made.triangles, dtype=np.int64)
    return surface_mesh(np.asarray(made.vertices, dtype=float), corners) if len(corners) else None


def _boxed(
    name: str,
    groups: list[ImportedCloud],
    side: float,
    density: float,
    values: Values,
    where: str,
    report: Report,
    job: Job,
) -> PartDefinition:
    """Build one item of boxes per group."""
    most = float(values.get("most-boxes", 20_000.0))
    items: list[Item] = []
    count = 0
    for number, group in enumerate(groups, 1):
        job.progress(number / (len(groups) + 1), "boxes")
        low, size = joined_boxes(filled_cells(group.points, side)[0])
        count += len(low)
        if count > most:
            fix = "make the option grid larger, or raise the limit with the option most-boxes"
            raise refused(where, f"the points need more than {most:g} boxes", code=509, fix=fix)
        subitems = tuple(
            Subitem(move_polyhedron(box(*sides), translation(centre)), group.colour, density)
            for sides, centre in zip((size * side).tolist(), (low + size / 2) * side, strict=True)
        )
        items.append(Item(name if len(groups) == 1 else f"{name}-{number}", subitems))
    message = f"{sum(len(group.points) for group in groups)} points became {count} boxes on a grid of {side:.4g} m"
    report.note(310, where, message, "set the option grid for finer or coarser boxes")
    report.note(408, where, f"the density {density:g} kg/m3 was assumed", "set the option density")
    return fastened(name, items)
