"""Visibility: the subitem and face at each pixel of a viewport, and the first hits of rays."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rck.geometry.arrays import Bools, Floats
from rck.kernels.parallel import run_in_chunks
from rck.kernels.rasterisation import draw_meshes, interpolate_normals
from rck.kernels.raycast import aim, cast_rows
from rck.kernels.rays import build_tree, cast_rays
from rck.rendering.posed_robot import PosedRobot
from rck.rendering.viewport import Viewport, nearness, project

Int32s = NDArray[np.int32]
Float32s = NDArray[np.float32]

# Minimum work per thread: plane clips, and rays.
_MIN_CLIPS = 2_000_000
_MIN_RAYS = 2_000


@dataclass(frozen=True, eq=False)
class VisibilityBuffer:
    """The visible subitem, face and depth of each pixel. Arrays have the shape (height, width)."""

    window: Viewport
    figure: PosedRobot
    nearness: Floats
    """See `rck.rendering.viewport.nearness`; the minimum value for the background."""
    subitem: Int32s
    """Index of the visible subitem, or -1."""
    face: Int32s
    """Index of the visible face; -1 for the background and where the near plane cuts a solid."""
    slopes: Floats
    """Nearness of each face as a function of the pixel: ``s[0] * x + s[1] * y + s[2]``. Shape (faces, 3)."""
    weights: Float32s
    """The triangle of the face, and the shares of its second and third corner, at pixels that show a mesh. Shape
    (height, width, 3), or (0, 0, 3) if the figure has no meshes."""
    mesh_normals: Float32s
    """Unit normal at pixels that show a mesh, otherwise zero. Shape as that of `weights`."""

    @cached_property
    def depth(self) -> Floats:
        """Depth along the viewing direction in metres; infinite for the background."""
        depth = -self.nearness if self.window.camera.parallel else nearness(self.window, self.nearness)
        return np.where(self.subitem < 0, np.inf, depth)

    @cached_property
    def item(self) -> Int32s:
        """Index of the visible item, or -1."""
        # The last entry of the table is for subitem -1.
        table = np.append(self.figure.shapes.solids.item_of_subitem, -1).astype(np.int32)
        return table[self.subitem]

    @cached_property
    def normal(self) -> Floats:
        """Outward normal of the visible surface, zero for the background. Shape (height, width, 3)."""
        planes = self.figure.placed[0]
        table = np.concatenate([planes[:, :3], -self.window.lens[4:5]])
        return np.where(self.subitem[..., None] < 0, 0.0, table[self.face])


def look(
    figure: PosedRobot, window: Viewport, drawn: Bools | None = None, *, threads: int | None = None
) -> VisibilityBuffer:
    """Compute the visible surfaces of a figure, or of the subitems in the mask `drawn`, shape (subitems,).

    A solid that contains the eye is invisible. Uses all cores by default.
    """
    solids = figure.shapes.solids
    planes, vertices = figure.placed
    count, faces = len(solids.item_of_subitem), len(planes)
    parallel, width, height = window.camera.parallel, window.width, window.height
    slopes, order = np.empty((faces, 3)), np.empty(faces, np.int64)
    entered, bounds, closest = np.empty(count, np.int64), np.empty((count, 4), np.int64), np.empty(count)
    surfaces = figure.shapes.surfaces
    wanted = np.ones(count, bool) if drawn is None else np.ascontiguousarray(drawn, bool)
    shown = wanted.copy()
    shown[surfaces.first_mesh :] = False
    meshes = surfaces.meshes[wanted[surfaces.first_mesh :]]
    aim(
        planes,
        solids.plane_offsets,
        vertices,
        solids.vertex_offsets,
        shown,
        window.lens,
        parallel,
        width,
        height,
        slopes,
        order,
        entered,
        bounds,
        closest,
    )
    visible = np.flatnonzero(bounds[:, 3] > bounds[:, 2])
    sequence = visible[np.argsort(-closest[visible], kind="stable")]
    farthest = -np.inf if parallel else 0.0
    near = np.empty((height, width))
    subitem, face = np.empty((height, width), np.int32), np.empty((height, width), np.int32)

    def work(rows: slice) -> None:
        cast_rows(
            rows.start,
            rows.stop,
            sequence,
            slopes,
            solids.plane_offsets,
            order,
            entered,
            bounds,
            closest,
            window.nearest,
            farthest,
            near,
            subitem,
            face,
        )
        if len(meshes):
            draw_meshes(
                rows.start,
                rows.stop,
                meshes,
                solids.plane_offsets,
                solids.face_offsets,
                solids.face_vertices,
                projected,
                slopes,
                window.nearest,
                near,
                subitem,
                face,
                weights,
            )
            interpolate_normals(
                rows.start,
                rows.stop,
                subitem,
                face,
                weights,
                surfaces.first_mesh,
                surfaces.first_corner,
                solids.face_offsets,
                surfaces.corner_normals,
                solids.item_of_subitem,
                np.ascontiguousarray(figure.poses),
                normals,
            )

    weights = np.zeros((height, width, 3) if len(meshes) else (0, 0, 3), np.float32)
    normals = np.zeros_like(weights)
    projected = project(window, vertices)
    if len(meshes):
        projected[:, 2] = 1.0 if parallel else np.where(projected[:, 2] > 0, 1.0 / projected[:, 2], 0.0)
    sides = np.diff(bounds[visible].reshape(-1, 2, 2), axis=2)[..., 0].prod(axis=1)
    clips = int((sides * np.diff(solids.plane_offsets)[visible]).sum()) + width * height
    run_in_chunks(work, height, smallest=max(1, height * _MIN_CLIPS // max(clips, 1)), threads=threads)
    return VisibilityBuffer(window, figure, near, subitem, face, slopes, weights, normals)


@dataclass(frozen=True, eq=False)
class RayHits:
    """The first hit of each ray. Arrays have one row per ray."""

    distance: Floats
    """Distance in metres; infinite without a hit."""
    subitem: Int32s
    """Index of the subitem, or -1."""
    normal: Floats
    """Outward normal at the hit, zero without a hit. Shape (rays, 3)."""


def cast(
    figure: PosedRobot,
    origins: ArrayLike,
    directions: ArrayLike,
    *,
    farthest: float = np.inf,
    seen: Bools | None = None,
    threads: int | None = None,
) -> RayHits:
    """Find the first hit of each ray within `farthest` metres, on all subitems or those in the mask `seen`.

    `origins` and `directions` have shape (rays, 3), or (3,) if all rays share one; directions need not be unit
    vectors. A ray that starts inside a solid passes through that solid, so a sensor does not see its own housing. A
    ray with a zero direction hits nothing.
    """
    starts, along = np.broadcast_arrays(np.asarray(origins, float), np.asarray(directions, float))
    starts, along = np.ascontiguousarray(starts.reshape(-1, 3)), along.reshape(-1, 3)
    lengths = np.sqrt(np.einsum("ij,ij->i", along, along))
    invalid = ~(np.isfinite(starts).all(axis=1) & (lengths > 0.0) & (lengths < np.inf))
    units = along / np.where(invalid, 1.0, lengths)[:, None]
    units[invalid] = (0.0, 0.0, 1.0)
    solids = figure.shapes.solids
    planes, vertices = figure.placed
    order = np.arange(len(solids.item_of_subitem)) if seen is None else np.flatnonzero(seen)
    boxes, nodes = np.empty((2 * len(order), 6)), np.empty((2 * len(order), 2), np.int64)
    build_tree(vertices, solids.vertex_offsets, order, boxes, nodes)
    distance = np.empty(len(starts))
    subitem, face = np.empty(len(starts), np.int32), np.empty(len(starts), np.int32)

    def work(part: slice) -> None:
        cast_rays(
            planes,
            solids.plane_offsets,
            boxes,
            nodes,
            starts[part],
            units[part],
            farthest,
            distance[part],
            subitem[part],
            face[part],
        )

    run_in_chunks(work, len(starts), smallest=_MIN_RAYS, threads=threads)
    distance[invalid], subitem[invalid], face[invalid] = np.inf, -1, -1
    table = np.concatenate([planes[:, :3], np.zeros((1, 3))])
    return RayHits(distance, subitem, table[face])
