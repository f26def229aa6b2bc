"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.hooks.numbers import length_unit
from rck.model import Robot

SHAPES = Option("shapes", "what is seen, or the convex solids that collide", "choice", "seen", ("seen", "solid"))


def _glb(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_mesh.glb import write

    return write(robot, name, values, job)


def _stl(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_mesh.one_piece import write_stl

    return write_stl(robot, name, values, job)


def _obj(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_mesh.one_piece import write_obj

    return write_obj(robot, name, values, job)


def _ply(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_mesh.one_piece import write_ply

    return write_ply(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writers of GLB, STL, OBJ and PLY."""
    options = (SHAPES, length_unit("m"))
    return [
        Exporter("glb", "glTF in one binary file: the tree, with colours", (".glb",), _glb, options=(SHAPES,)),
        Exporter("stl", "all triangles as the robot stands", (".stl",), _stl, options=options),
        Exporter("obj", "Wavefront OBJ: a group per item, with colours", (".obj",), _obj, options=options),
        Exporter("ply", "binary PLY: all triangles, with colours", (".ply",), _ply, options=options),
    ]
