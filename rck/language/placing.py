"""Where things are and where they go: world poses of instances, and mates or places that give a wanted pose."""

import msgspec
import numpy as np

from rck.assembly.compile import at_from_put
from rck.assembly.document import Assembly, Mate
from rck.assembly.edit import change_mate, mate_putting, set_instance
from rck.assembly.ends import EndFrame, end_frame, parse_end
from rck.catalogue.manifest import Place, Triple
from rck.catalogue.quantities import Quantities
from rck.geometry.arrays import Floats
from rck.geometry.transforms import identity, invert, is_rigid, to_euler
from rck.language.session import Session
from rck.model import RckError
from rck.model.units import from_si

_DIGITS = 9


def world_pose(session: Session, assembly: Assembly, name: str) -> Floats:
    """World from instance, with all joints where the parts' drawings have them. Shape (4, 4)."""
    chain: list[Mate] = []
    here = name
    while (mate := mate_putting(assembly, here)) is not None:
        chain.append(mate)
        here = parse_end(mate.at).instance
        if len(chain) > len(assembly.mates):
            raise RckError(f"{name} stands on itself")
    read = Quantities(assembly.units)
    place = assembly.parts[here].place
    pose = identity() if place is None else read.frame(place)
    for mate in reversed(chain):
        pose = pose @ _part_from_put_part(session, assembly, mate, read)
    return pose


def _part_from_put_part(session: Session, assembly: Assembly, mate: Mate, read: Quantities) -> Floats:
    at, put = _ends(session, assembly, mate)
    return at.pose @ at_from_put(mate, at, put, read) @ invert(put.pose)


def _ends(session: Session, assembly: Assembly, mate: Mate) -> tuple[EndFrame, EndFrame]:
    frames = []
    for text in (mate.at, mate.put):
        end = parse_end(text)
        body = session.compiler.pieces.body(assembly.parts[end.instance], assembly)
        frames.append(end_frame(end, body.robot, body.ports))
    return frames[0], frames[1]


def place_of(pose: Floats, assembly: Assembly) -> Place | None:
    """The place, in the assembly's units, that stands for a pose; None for the origin."""
    if np.allclose(pose, np.eye(4), rtol=0, atol=1e-12):
        return None
    rpy = _angles(pose, assembly)
    return Place(at=_lengths(pose[:3, 3], assembly), rpy=None if not any(rpy) else rpy)


def _lengths(vector: Floats, assembly: Assembly) -> Triple:
    x, y, z = (_tidy(from_si(float(one), "length", assembly.units.length)) for one in vector)
    return x, y, z


def _angles(matrix: Floats, assembly: Assembly) -> Triple:
    r, p, y = (_tidy(from_si(one, "angle", assembly.units.angle)) for one in to_euler(matrix))
    return r, p, y


def _tidy(number: float) -> float:
    return round(number, _DIGITS) + 0.0


def put_at(session: Session, assembly: Assembly, name: str, pose: Floats) -> Assembly:
    """The assembly with the instance at a pose in the world; a mated one keeps its mate, offset and turned."""
    if not is_rigid(pose):
        raise RckError("that would stretch or mirror the piece; `scale` and `mirror` do that")
    mate = mate_putting(assembly, name)
    if mate is None:
        return set_instance(assembly, name, place=place_of(pose, assembly))
    at, put = _ends(session, assembly, mate)
    base = world_pose(session, assembly, parse_end(mate.at).instance)
    wanted = invert(base @ at.pose) @ pose @ put.pose
    plain = msgspec.structs.replace(mate, offset=0.0, rpy=None)
    turned = invert(at_from_put(plain, at, put, Quantities(assembly.units)))[:3, :3] @ wanted[:3, :3]
    rest = np.eye(4)
    rest[:3, :3] = turned
    rpy = _angles(rest, assembly)
    x, y, z = _lengths(wanted[:3, 3], assembly)
    offset = z if not x and not y else (x, y, z)
    return change_mate(assembly, name, offset=offset, rpy=rpy if any(rpy) else None)
