"""Rays through a stage: the kernels cast them, and Open3D at what never moves, where that is much and it is installed.

Open3D is quick once it has its tree, and slow to make one: for what moves it would have to be made anew at every
moment. Cameras do not ask here: they look through windows, which is quicker than rays.
"""

from collections.abc import Collection
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.hooks.needs import Need, refuse_missing
from rck.kernels.bodies import WORLD
from rck.model.finding import RckError
from rck.render.figure import Figure, Shapes
from rck.render.sight import Met, cast
from rck.simulation.stage import NO_OBJECT, Stage

Caster: TypeAlias = Literal["auto", "kernels", "open3d"]
LARGE = 1000
"""So many polyhedra that never move are worth the second that Open3D takes to be imported."""
MANY_RAYS = 100
"""Fewer rays at a time are left to the kernels."""
_OPEN3D = Need("open3d", "pip install 'rck[open3d]'")


class Rays:
    """The solids of a stage, ready for rays."""

    def __init__(self, stage: Stage, caster: Caster = "auto") -> None:
        self.shapes = Shapes(stage.arrays)
        self._poses = frozen(np.array(stage.poses))
        self._standing = standing_subitems(stage)
        self._caster = caster

    def cast(
        self, figure: Figure, origins: Floats, directions: Floats, farthest: float, unseen: Collection[int]
    ) -> Met:
        """What rays, shape (rays, 3) each, meet within `farthest` metres, without those items that are `unseen`."""
        items = self.shapes.arrays.solids.item_of_subitem
        seen = ~np.isin(items, list(unseen)) if unseen else np.ones(len(items), bool)
        target = self._target if len(directions) >= MANY_RAYS else None
        if target is None:
            return cast(figure, origins, directions, farthest=farthest, seen=seen, threads=1)
        lengths = np.sqrt(np.einsum("ij,ij->i", directions, directions))
        units = directions / np.where(lengths > 0, lengths, 1.0)[:, None]
        there, doubtful = target.cast(origins, units, farthest, seen)
        doubtful |= ~(lengths > 0)
        moving = cast(figure, origins, directions, farthest=farthest, seen=seen & ~self._standing, threads=1)
        nearer = moving.distance < there.distance
        _put(there, nearer, moving, nearer)
        if doubtful.any():
            again = cast(figure, origins[doubtful], directions[doubtful], farthest=farthest, seen=seen, threads=1)
            _put(there, doubtful, again, np.ones(int(doubtful.sum()), bool))
        return there

    @cached_property
    def _target(self) -> "_Target | None":
        """What never moves, for Open3D; None where the kernels are to do it."""
        if self._caster == "kernels" or (self._caster == "auto" and self._standing.sum() < LARGE):
            return None
        try:
            import open3d
        except (ImportError, OSError) as error:
            if self._caster == "open3d":
                raise RckError(f"rays by open3d need Open3D: {_OPEN3D.install} ({error})") from None
            return None
        return _Target(open3d, Figure(self.shapes, self._poses), np.flatnonzero(self._standing))


def refuse_without_open3d() -> None:
    """Say that Open3D is missing before any work is done for it."""
    refuse_missing("--rays open3d", _OPEN3D)


def standing_subitems(stage: Stage) -> Bools:
    """Which subitems never move: no joint moves them, and nobody can push or take them. Shape (subitems,)."""
    group_of_item = np.array(stage.robot.tree.group_of_item, dtype=np.int64)
    rooted = np.array([group.joint is None for group in stage.robot.tree.rigid_groups], dtype=bool)
    rooted &= stage.arrays.bodies["parent"] == WORLD
    fast = rooted[group_of_item] & (stage.object_of_item == NO_OBJECT)
    standing: Bools = fast[stage.arrays.solids.item_of_subitem]
    return standing


class _Target:
    """Solids in a scene of Open3D. It reckons in single precision; which face was met is enough to know where."""

    def __init__(self, open3d: Any, figure: Figure, subitems: Ints) -> None:
        # Anything louder writes over the terminal.
        open3d.utility.set_verbosity_level(open3d.utility.VerbosityLevel.Error)
        solids = figure.shapes.arrays.solids
        self._planes, vertices = figure.placed
        self._subitem_of_face = np.repeat(np.arange(len(solids.item_of_subitem)), np.diff(solids.plane_offsets))
        corners = np.diff(solids.face_offsets)
        faces = np.flatnonzero(np.isin(self._subitem_of_face, subitems))
        self._face_of_triangle = np.repeat(faces, corners[faces] - 2)
        firsts = solids.face_offsets[self._face_of_triangle]
        ends = np.cumsum(corners[faces] - 2)
        place = np.arange(len(self._face_of_triangle)) - np.repeat(ends - (corners[faces] - 2), corners[faces] - 2)
        fans = np.stack([firsts, firsts + place + 1, firsts + place + 2], axis=1)
        self._tensor = open3d.core.Tensor.from_numpy
        self._scene = open3d.t.geometry.RaycastingScene(nthreads=1)
        self._scene.add_triangles(
            self._tensor(vertices.astype(np.float32)), self._tensor(solids.face_vertices[fans].astype(np.uint32))
        )

    def cast(self, origins: Floats, units: Floats, farthest: float, seen: Bools) -> tuple[Met, Bools]:
        """What rays meet, and for which of them that is not certain: they began in something, or saw what is unseen."""
        rays = np.hstack([origins, units]).astype(np.float32)
        found = self._scene.cast_rays(self._tensor(rays), nthreads=1)
        met = np.isfinite(found["t_hit"].numpy())
        face = self._face_of_triangle[np.where(met, found["primitive_ids"].numpy(), 0)]
        normals = self._planes[face, :3]
        towards = np.einsum("ij,ij->i", normals, units)
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (self._planes[face, 3] - np.einsum("ij,ij->i", normals, origins)) / towards
        subitem = self._subitem_of_face[face]
        doubtful = met & ~((towards < 0) & (distance > 0) & seen[subitem])
        met &= ~doubtful & (distance <= farthest)
        return (
            Met(
                np.where(met, distance, np.inf),
                np.where(met, subitem, -1).astype(np.int32),
                np.where(met[:, None], normals, 0.0),
            ),
            doubtful,
        )


def _put(into: Met, where: Bools, other: Met, which: Bools) -> None:
    for one, array in ((into.distance, other.distance), (into.subitem, other.subitem), (into.normal, other.normal)):
        one[where] = array[which]
