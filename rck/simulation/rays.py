"""Ray casting for sensors: by kernels, and by Open3D for large sets of fixed items if it is installed.

Open3D is fast once it has built its tree, which takes long: it is only used for items that never move. Cameras do not
cast rays; they rasterise, which is faster.
"""

from collections.abc import Collection
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.kernels.body_tables import WORLD
from rck.rendering.posed_robot import PosedRobot, RenderShapes
from rck.rendering.visibility import RayHits, cast
from rck.simulation.kinematic_state import NO_OBJECT, KinematicState
from rck.support.finding import RckError
from rck.support.requirements import Need, refuse_missing

Caster: TypeAlias = Literal["auto", "kernels", "open3d"]
LARGE = 1000
"""Number of fixed polyhedra from which Open3D is worth the second that its import takes."""
MANY_RAYS = 100
"""Kernels cast fewer rays than this."""
_OPEN3D = Need("open3d", "pip install 'rck[open3d]'")


class Rays:
    """Ray caster for the solids of a kinematic state."""

    def __init__(self, kinematics: KinematicState, caster: Caster = "auto") -> None:
        self.shapes = RenderShapes(kinematics.arrays)
        self._poses = frozen(np.array(kinematics.poses))
        self._standing = standing_subitems(kinematics)
        self._caster = caster

    def cast(
        self, figure: PosedRobot, origins: Floats, directions: Floats, farthest: float, unseen: Collection[int]
    ) -> RayHits:
        """Return the first hits of rays, shape (rays, 3) each, within `farthest` metres; `unseen` items are ignored."""
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
        """The fixed items for Open3D; None if the kernels cast all rays."""
        if self._caster == "kernels" or (self._caster == "auto" and self._standing.sum() < LARGE):
            return None
        try:
            import open3d
        except (ImportError, OSError) as error:
            if self._caster == "open3d":
                raise RckError(f"ray casting by open3d needs Open3D: {_OPEN3D.install} ({error})") from None
            return None
        return _Target(open3d, PosedRobot(self.shapes, self._poses), np.flatnonzero(self._standing))


def refuse_without_open3d() -> None:
    """Raise an error if Open3D is not installed."""
    refuse_missing("--rays open3d", _OPEN3D)


def standing_subitems(kinematics: KinematicState) -> Bools:
    """Return which subitems never move: they belong neither to a moving joint nor to an object. Shape (subitems,)."""
    group_of_item = np.array(kinematics.robot.tree.group_of_item, dtype=np.int64)
    rooted = np.array([group.joint is None for group in kinematics.robot.tree.rigid_groups], dtype=bool)
    rooted &= kinematics.arrays.bodies["parent"] == WORLD
    fast = rooted[group_of_item] & (kinematics.object_of_item == NO_OBJECT)
    standing: Bools = fast[kinematics.arrays.solids.item_of_subitem]
    return standing


class _Target:
    """Solids in an Open3D scene. It has single precision, so that only the face of a hit is used."""

    def __init__(self, open3d: Any, figure: PosedRobot, subitems: Ints) -> None:
        # Other messages would overwrite the terminal.
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

    def cast(self, origins: Floats, units: Floats, farthest: float, seen: Bools) -> tuple[RayHits, Bools]:
        """Return the hits of rays, and which are uncertain: those from inside an item or of an unseen one."""
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
            RayHits(
                np.where(met, distance, np.inf),
                np.where(met, subitem, -1).astype(np.int32),
                np.where(met[:, None], normals, 0.0),
            ),
            doubtful,
        )


def _put(into: RayHits, where: Bools, other: RayHits, which: Bools) -> None:
    for one, array in ((into.distance, other.distance), (into.subitem, other.subitem), (into.normal, other.normal)):
        one[where] = array[which]
