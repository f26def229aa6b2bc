"""Parser and printer of one link file: rows of four numbers, matrices for row vectors."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from math import radians

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, inertia_from_second
from rck.geometry.transforms import from_dh, invert, is_rigid
from rck.importing.tokens import Tokens
from rck.support.units import row

MOVE, DRAW = 0.0, 1.0
"""Type of a vector: move to its point with the pen up, or draw a line to it."""


_LARGEST_INERTIA = 1e18  # kg times the square of a length, which may be in micrometres


class RobosimJoint(IntEnum):
    """Types of joints, numbered in the order in which ROBOSIM's table names them."""

    NONE = 0
    REVOLUTE = 1
    PRISMATIC = 2
    FIXED = 3


@dataclass(frozen=True, eq=False)
class LinkFile:
    """Contents of a link file: lengths in the file's unit, angles in degrees, matrices for column vectors."""

    dh: tuple[float, float, float, float]
    """theta, dz, da, alpha: from the frame of the joint before to that of the joint after."""
    joint_before: RobosimJoint
    joint_after: RobosimJoint
    pseudo_inertia: Floats
    """Integral of (x, y, z, 1) (x, y, z, 1)T over the mass, in the link's coordinates. Shape (4, 4)."""
    frame_before: Floats
    """Link from the frame of the joint before, whose z is the joint's axis. Shape (4, 4)."""
    frame_after: Floats
    """Link from the frame of the joint after. Shape (4, 4)."""
    vectors: Floats
    """Rows of x, y, z and MOVE or DRAW, in the link's coordinates. Shape (n, 4)."""


def parse(tokens: Tokens, *, is_base: bool) -> LinkFile:
    """Return the link; any deviation from the format is an error.

    The base may have any pose: its four Denavit-Hartenberg parameters are not compared with its frames.
    """
    theta, dz, da, alpha = tokens.numbers(4, "theta, dz, da and alpha").tolist()
    defined = [_whole(tokens, f"whether joint {which} is defined", 1) for which in ("I", "I+1")]
    types = [
        _whole(tokens, f"the type of joint {which} (1 revolute, 2 prismatic, 3 fixed)", 3) for which in ("I", "I+1")
    ]
    for present, kind, which in zip(defined, types, ("I", "I+1"), strict=True):
        if present and not kind:
            raise tokens.refusal(f"joint {which} is defined but has no type", tokens.at - 1, code=506)
    before, after = (RobosimJoint(kind if present else 0) for present, kind in zip(defined, types, strict=True))
    pseudo_inertia = _read_inertia(tokens)
    frame_before = _read_frame(tokens, "joint frame I", defined=before is not RobosimJoint.NONE)
    frame_after = _read_frame(tokens, "joint frame I+1", defined=after is not RobosimJoint.NONE)
    a_matrix_at = tokens.at
    if RobosimJoint.NONE in (before, after):
        tokens.numbers(16, "the A matrix")
    else:
        a_matrix = _read_frame(tokens, "the A matrix", defined=True)
        if _differ(invert(frame_before) @ frame_after, a_matrix):
            message = "the A matrix does not lead from joint frame I to joint frame I+1"
            raise tokens.refusal(message, a_matrix_at, code=506)
        if not is_base and _differ(from_dh(radians(theta), dz, da, radians(alpha)), a_matrix):
            message = "theta, dz, da and alpha do not give the A matrix"
            raise tokens.refusal(message, 0, code=506, fix="theta and alpha are in degrees")
    vectors = _read_vectors(tokens)
    return LinkFile((theta, dz, da, alpha), before, after, pseudo_inertia, frame_before, frame_after, vectors)


def _whole(tokens: Tokens, what: str, high: int) -> int:
    """Read an integer, which may be printed with a decimal point."""
    value = tokens.number(what, 0, high)
    if not value.is_integer():
        raise tokens.unexpected(f"{what}, a whole number", tokens.at - 1)
    return int(value)


def _read_inertia(tokens: Tokens) -> Floats:
    start = tokens.at
    matrix = tokens.numbers(16, "the inertia matrix", -_LARGEST_INERTIA, _LARGEST_INERTIA).reshape(4, 4)
    if np.abs(matrix - matrix.T).max() > 1e-5 * np.abs(matrix).max():
        raise tokens.refusal("the inertia matrix is not symmetric", start, code=506)
    if matrix.any() and not matrix[3, 3] > 0:
        raise tokens.refusal("the inertia matrix has no mass in its last corner", start, code=506)
    return 0.5 * (matrix + matrix.T)


def _read_frame(tokens: Tokens, what: str, *, defined: bool) -> Floats:
    """Read a matrix printed for row vectors; return the identity if the flags mark it as undefined."""
    start = tokens.at
    matrix = tokens.numbers(16, what).reshape(4, 4).T
    if not defined:
        return np.eye(4)
    if not is_rigid(matrix, tolerance=1e-4):
        fix = "write matrices for row vectors, with the translation in the last row"
        raise tokens.refusal(f"{what} is not a rigid motion", start, code=309, fix=fix)
    # Use the nearest rotation: rounding in the file must not scale or shear a chain of many links.
    left, _, right = np.linalg.svd(matrix[:3, :3])
    rigid = np.eye(4)
    rigid[:3, :3] = left @ right
    rigid[:3, 3] = matrix[:3, 3]
    return rigid


def _differ(one: Floats, other: Floats) -> bool:
    """Return True if two frames differ by more than the rounding of printed numbers."""
    return bool(np.abs(one - other).max() > 1e-4 * max(1.0, float(np.abs(other[:3, 3]).max())))


def _read_vectors(tokens: Tokens) -> Floats:
    count_at = tokens.at
    count = _whole(tokens, "the number of vectors", 10**9)
    tokens.numbers(3, "three unused numbers")
    if 4 * count > tokens.left:
        message = f"{count} vectors need {4 * count} more numbers; {tokens.left} are left"
        raise tokens.refusal(message, count_at)
    start = tokens.at
    vectors = tokens.numbers(4 * count, "a vector").reshape(-1, 4)
    wrong = np.flatnonzero((vectors[:, 3] != MOVE) & (vectors[:, 3] != DRAW))
    if len(wrong):
        raise tokens.unexpected("0 (move) or 1 (draw)", start + 4 * int(wrong[0]) + 3)
    if count and vectors[0, 3] != MOVE:
        raise tokens.refusal("the first vector must be a move, not a draw", start)
    tokens.end("raise the number of vectors, or remove the rest")
    return vectors


def print_link(link: LinkFile) -> str:
    """Return the text of a link file."""
    return "\n".join(map(row, _rows(link))) + "\n"


def _rows(link: LinkFile) -> Iterator[Floats | tuple[float, ...]]:
    types = (link.joint_before, link.joint_after)
    yield link.dh
    yield (*(float(kind is not RobosimJoint.NONE) for kind in types), *map(float, types))
    yield from link.pseudo_inertia
    yield from _tidy(link.frame_before).T
    yield from _tidy(link.frame_after).T
    yield from _tidy(invert(link.frame_before) @ link.frame_after).T
    yield (float(len(link.vectors)), 0.0, 0.0, 0.0)
    yield from link.vectors


def _tidy(frame: Floats) -> Floats:
    """Return the frame with rounding errors removed from its rotation, so that zeros print as zeros."""
    tidy = frame.copy()
    tidy[:3, :3] = np.round(frame[:3, :3], 15)
    return tidy


def pseudo_inertia(body: MassProperties, per_metre: float) -> Floats:
    """Return the second moments, first moments and mass of a body, with lengths in the file's unit. Shape (4, 4)."""
    about_centre = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
    matrix = np.empty((4, 4))
    matrix[:3, :3] = (about_centre + body.mass * np.outer(body.centre, body.centre)) * per_metre**2
    matrix[:3, 3] = matrix[3, :3] = body.mass * body.centre * per_metre
    matrix[3, 3] = body.mass
    return matrix


def mass_properties(pseudo_inertia: Floats, per_metre: float) -> MassProperties | None:
    """Return the mass properties for a pseudo-inertia matrix; None if its mass is zero."""
    mass = float(pseudo_inertia[3, 3])
    if not mass:
        return None
    centre = pseudo_inertia[:3, 3] / mass / per_metre
    about_centre = pseudo_inertia[:3, :3] / per_metre**2 - mass * np.outer(centre, centre)
    return MassProperties(mass, centre, inertia_from_second(about_centre))
