"""Move instances to a pose in the world."""

from rck.assembly.edits import change_mate, mate_putting, set_instance
from rck.assembly.mates import at_from_put, mate_reaching, place_in
from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, is_rigid
from rck.language.document import Document
from rck.model import RckError
from rck.model.quantities import PoseSpec, Quantities


def present_place(document: Document, name: str) -> PoseSpec | None:
    """Return the present pose of an instance in the world, in the units of the assembly; None for the origin."""
    return place_in(document.poses.world_from_part(name), document.units)


def put_at(document: Document, name: str, pose: Floats) -> Document:
    """Move an instance to a pose in the world, shape (4, 4); a mated instance keeps its mate, with an offset."""
    if not is_rigid(pose):
        raise RckError("the move would stretch or mirror the instance; use `scale` or `mirror`")
    assembly = document.assembly
    mate = mate_putting(assembly, name)
    if mate is None:
        return document.with_assembly(set_instance(assembly, name, place=place_in(pose, assembly.units)))
    poses = document.poses
    at, put = poses.ends(mate)
    # The pose is that of the root item of the part; the mate holds the item of the put end.
    moved = pose @ invert(poses.world_from_part(name)) @ poses.world_from_part(name, put.item)
    world_from_put = poses.world_from_part(name, put.item) @ put.pose
    world_from_at = world_from_put @ invert(at_from_put(mate, at, put, Quantities(assembly.units)))
    reached = mate_reaching(mate, at, put, invert(world_from_at) @ moved @ put.pose, assembly.units)
    return document.with_assembly(change_mate(assembly, name, offset=reached.offset, rpy=reached.rpy))
