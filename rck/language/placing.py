"""Where things are and where they go: world poses of instances, and mates or places that give a wanted pose."""

from rck.assembly.document import Assembly
from rck.assembly.edit import change_mate, mate_putting, set_instance
from rck.assembly.ends import parse_end
from rck.assembly.mates import mate_reaching, place_in
from rck.assembly.standing import Standing
from rck.catalogue.manifest import Place
from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, is_rigid
from rck.language.session import Session
from rck.model import RckError


def standing(session: Session, assembly: Assembly) -> Standing:
    """Where the instances of an assembly stand, which need not be the session's own."""
    return Standing(assembly, lambda name: session.body(assembly, name))


def world_pose(session: Session, assembly: Assembly, name: str) -> Floats:
    """World from instance, as the item that it stands on is now. Shape (4, 4)."""
    return standing(session, assembly).world_from_part(name)


def place_of(pose: Floats, assembly: Assembly) -> Place | None:
    """The place, in the assembly's units, that stands for a pose; None for the origin."""
    return place_in(pose, assembly.units)


def put_at(session: Session, assembly: Assembly, name: str, pose: Floats) -> Assembly:
    """The assembly with the instance at a pose in the world; a mated one keeps its mate, offset and turned."""
    if not is_rigid(pose):
        raise RckError("that would stretch or mirror the instance; `scale` and `mirror` do that")
    mate = mate_putting(assembly, name)
    if mate is None:
        return set_instance(assembly, name, place=place_of(pose, assembly))
    stand = standing(session, assembly)
    at, put = stand.ends(mate)
    # The pose is that of the item which the part stands on; the mate holds the one that the put end is on.
    moved = pose @ invert(stand.world_from_part(name)) @ stand.world_from_part(name, put.item)
    base = stand.world_from_part(parse_end(mate.at).instance, at.item) @ stand.moved_by_joint(mate, at) @ at.pose
    reached = mate_reaching(mate, at, put, invert(base) @ moved @ put.pose, assembly.units)
    return change_mate(assembly, name, offset=reached.offset, rpy=reached.rpy)
