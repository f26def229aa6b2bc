"""Exporters of meshes: GLB with the tree of links, and STL, OBJ and PLY with the whole robot as one mesh."""

from collections.abc import Mapping

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.hooks.options import length_unit
from rck.model import Feature, Gap, Robot

SHAPES = Option("shapes", "visual shapes (seen) or collision shapes (solid)", "choice", "seen", ("seen", "solid"))

_GEOMETRY = frozenset({Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.VISUALS})
_COLOURED = _GEOMETRY | {Feature.COLOURS, Feature.OPACITY, Feature.SUBITEM_COLOURS}
_ONE_KIND: Mapping[Feature | Gap, tuple[str, ...]] = {
    Feature.VISUALS: ("shapes=seen",),
    Feature.COLLISION_SHAPES: ("shapes=solid",),
}
_GLB = frozenset({
    *(_COLOURED - {Feature.COLLISION_SHAPES}), Feature.NAMES, Feature.FRAMES, Feature.DEVICES, Feature.CAMERAS,
    Feature.TEXTURES, Feature.SURFACE_FINISH,
})  # fmt: skip


def _glb(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.mesh.glb import write

    return write(robot, name, values, job)


def _stl(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.mesh.single_mesh import write_stl

    return write_stl(robot, name, values, job)


def _obj(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.mesh.single_mesh import write_obj

    return write_obj(robot, name, values, job)


def _ply(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.mesh.single_mesh import write_ply

    return write_ply(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporters of GLB, STL, OBJ and PLY."""
    options = (SHAPES, length_unit("m"))
    glb = "glTF in one binary file: the tree of links, with colours"
    obj = "Wavefront OBJ: an object per item, with colours"
    named = _COLOURED | {Feature.NAMES}
    ply = "binary PLY: triangles with colours"
    return [
        Exporter("glb", glb, (".glb",), _glb, "robot", (SHAPES,), _GLB, "glTF", _ONE_KIND),
        Exporter("stl", "triangles of the whole robot", (".stl",), _stl, "robot", options, _GEOMETRY, "STL", _ONE_KIND),
        Exporter("obj", obj, (".obj",), _obj, "robot", options, named, "OBJ", _ONE_KIND),
        Exporter("ply", ply, (".ply",), _ply, "robot", options, _COLOURED, "PLY", _ONE_KIND),
    ]
