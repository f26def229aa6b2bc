"""What each pixel of a window sees, and what rays meet."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rck.geometry.arrays import Bools, Floats
from rck.render.figure import Figure
from rck.render.window import Window, nearness

Int32s = NDArray[np.int32]

# Planes clipped by pixels, and rays, below which a further thread does not pay.
_SMALLEST_PART = 2_000_000
_FEWEST_RAYS = 2_000


@dataclass(frozen=True, eq=False)
class Sight:
    """What the pixels of a window see. Arrays have the shape (height, width)."""

    window: Window
    figure: Figure
    nearness: Floats
    """What `rck.render.window.nearness` makes of the depth; the least there is where nothing is seen."""
    subitem: Int32s
    """The number of the subitem that is seen, or -1."""
    face: Int32s
    """The number of its face; -1 where nothing is seen, and where a solid is cut open."""
    slopes: Floats
    """Per face, its nearness as a function of the pixel: ``s[0] * x + s[1] * y + s[2]``. Shape (faces, 3)."""

    @cached_property
    def depth(self) -> Floats:
        """Metres from the eye along the direction of view; infinite where nothing is seen."""
        depth = -self.nearness if self.window.camera.parallel else nearness(self.window, self.nearness)
        return np.where(self.subitem < 0, np.inf, depth)

    @cached_property
    def item(self) -> Int32s:
        """The number of the item that is seen, or -1."""
        # The last place of the table serves subitem -1.
        table = np.append(self.figure.shapes.arrays.solids.item_of_subitem, -1).astype(np.int32)
        return table[self.subitem]

    @cached_property
    def normal(self) -> Floats:
        """The outward normal of what is seen, zero where nothing is. Shape (height, width, 3)."""
        planes = self.figure.placed[0]
        table = np.concatenate([planes[:, :3], -self.window.lens[4:5]])
        return np.where(self.subitem[..., None] < 0, 0.0, table[self.face])


def look(figure: Figure, window: Window, drawn: Bools | None = None, *, threads: int | None = None) -> Sight:
    """What each pixel of the window sees of the figure, or of those subitems that are `drawn`, shape (subitems,).

    A solid that holds the eye is not seen. Runs on all cores unless `threads` says on how many.
    """
    from rck.kernels.parallel import run_in_chunks
    from rck.kernels.raycast import aim, cast_rows

    solids = figure.shapes.arrays.solids
    planes, vertices = figure.placed
    count, faces = len(solids.item_of_subitem), len(planes)
    parallel, width, height = window.camera.parallel, window.width, window.height
    slopes, order = np.empty((faces, 3)), np.empty(faces, np.int64)
    entered, bounds, closest = np.empty(count, np.int64), np.empty((count, 4), np.int64), np.empty(count)
    shown = np.ones(count, bool) if drawn is None else np.ascontiguousarray(drawn, bool)
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

    sides = np.diff(bounds[visible].reshape(-1, 2, 2), axis=2)[..., 0].prod(axis=1)
    clips = int((sides * np.diff(solids.plane_offsets)[visible]).sum()) + width * height
    run_in_chunks(work, height, smallest=max(1, height * _SMALLEST_PART // max(clips, 1)), threads=threads)
    return Sight(window, figure, near, subitem, face, slopes)


@dataclass(frozen=True, eq=False)
class Met:
    """What rays met first. Arrays have one row per ray."""

    distance: Floats
    """In metres; infinite where nothing was met."""
    subitem: Int32s
    """The number of the subitem, or -1."""
    normal: Floats
    """The outward normal there, zero where nothing was met. Shape (rays, 3)."""


def cast(
    figure: Figure,
    origins: ArrayLike,
    directions: ArrayLike,
    *,
    farthest: float = np.inf,
    seen: Bools | None = None,
    threads: int | None = None,
) -> Met:
    """What rays meet first, within `farthest` metres, of the figure or of those subitems that can be `seen`.

    `origins` and `directions` have shape (rays, 3), or (3,) where all rays share one; directions need no length of
    one. A ray that starts inside a solid does not see that solid, so a sensor does not see its own housing; one
    without direction meets nothing.
    """
    from rck.kernels.parallel import run_in_chunks
    from rck.kernels.rays import build_tree, cast_rays

    starts, along = np.broadcast_arrays(np.asarray(origins, float), np.asarray(directions, float))
    starts, along = np.ascontiguousarray(starts.reshape(-1, 3)), along.reshape(-1, 3)
    lengths = np.sqrt(np.einsum("ij,ij->i", along, along))
    aimless = ~(np.isfinite(starts).all(axis=1) & (lengths > 0.0) & (lengths < np.inf))
    units = along / np.where(aimless, 1.0, lengths)[:, None]
    units[aimless] = (0.0, 0.0, 1.0)
    solids = figure.shapes.arrays.solids
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

    run_in_chunks(work, len(starts), smallest=_FEWEST_RAYS, threads=threads)
    distance[aimless], subitem[aimless], face[aimless] = np.inf, -1, -1
    table = np.concatenate([planes[:, :3], np.zeros((1, 3))])
    return Met(distance, subitem, table[face])
