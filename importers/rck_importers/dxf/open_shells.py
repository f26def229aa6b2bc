"""Solids and visuals from open shells: surfaces that enclose nothing, and that the user wants nevertheless."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, Ints, frozen, lengths
from rck.geometry.mass_properties import Moments, moments
from rck.geometry.mesh import Mesh, triangles
from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.importing.file_errors import refused
from rck.model import RckError
from rck.support.units import parse_quantity

HULL, THICKEN, VISUAL = "hull", "thicken", "visual"
ANSWERS = {
    "its convex hull": {"open": HULL},
    "a sheet of 2 mm, half on either side": {"open": f"{THICKEN}=2mm"},
    "a surface without mass and collision": {"open": VISUAL},
}
"""Options by what becomes of the open shells of a drawing."""
_LONGEST_MITRE = 3.0
"""Maximum distance of a corner of a thick sheet from its middle, as a multiple of half the thickness."""


@dataclass(frozen=True, slots=True)
class OpenShells:
    """Use of open shells, from the option `open`."""

    use: str
    thickness: float = 0.0
    """Thickness of a sheet, in metres."""


@dataclass(frozen=True, eq=False)
class ShellPieces:
    """Convex pieces of an open shell, or only its surface."""

    pieces: tuple[Polyhedron, ...]
    done: str
    """Description of the conversion, for the report."""
    moments: Moments | None = None
    """Moments of the solid that the pieces approximate; None without pieces."""


def parse_open(text: str) -> OpenShells | None:
    """Parse `hull`, `thicken=2mm` or `visual`; an empty text is None."""
    word, _, quantity = text.strip().partition("=")
    if not text.strip():
        return None
    if word in (HULL, VISUAL) and not quantity:
        return OpenShells(word)
    try:
        thickness = parse_quantity(quantity, "length", "mm") if word == THICKEN else 0.0
    except RckError as error:
        raise refused("option open", f"{text}: {error}", code=104) from error
    if not 0 < thickness <= 1e3:
        raise refused("option open", f"{text} is not hull, thicken=2mm or visual", code=104)
    return OpenShells(THICKEN, thickness)


def pieces_of_shell(shell: Mesh, wanted: OpenShells) -> ShellPieces:
    """Return what becomes of an open shell; ValueError if its hull is flat."""
    count = len(shell.face_offsets) - 1
    if wanted.use == VISUAL:
        return ShellPieces((), f"{count} faces enclose no solid and are only displayed, without mass or collision")
    if wanted.use == HULL:
        done = f"{count} faces enclose no solid and were replaced by their hull"
        hull = convex_hull(shell.vertices)
        return ShellPieces((hull,), done, hull.moments)
    done = f"{count} faces enclose no solid and became a sheet of {wanted.thickness * 1000:.4g} mm"
    pieces, true = _sheet(shell.vertices, _oriented(triangles(shell)), wanted.thickness)
    return ShellPieces(pieces, done, true)


def _oriented(corners: Ints) -> Ints:
    """Return the triangles with those on both sides of an edge oriented alike, as far as possible. Shape (T, 3)."""
    beside: dict[tuple[int, int], list[int]] = {}
    for number, (a, b, c) in enumerate(corners.tolist()):
        for one, other in ((a, b), (b, c), (c, a)):
            beside.setdefault((min(one, other), max(one, other)), []).append(number)
    found = corners.copy()
    done = np.zeros(len(corners), dtype=bool)
    for first in range(len(corners)):
        waiting = deque([] if done[first] else [first])
        done[first] = True
        while waiting:
            number = waiting.popleft()
            a, b, c = found[number].tolist()
            for one, other in ((a, b), (b, c), (c, a)):
                for neighbour in beside[min(one, other), max(one, other)]:
                    if done[neighbour]:
                        continue
                    p, q, r = found[neighbour].tolist()
                    if (one, other) in ((p, q), (q, r), (r, p)):
                        found[neighbour] = (p, r, q)
                    done[neighbour] = True
                    waiting.append(neighbour)
    return found


def _sheet(points: Floats, corners: Ints, thickness: float) -> tuple[tuple[Polyhedron, ...], Moments]:
    """Return one convex piece for each triangle, and the moments of the sheet with mitred edges."""
    a, b, c = (points[corners[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    size = lengths(areas)
    sound = size > 0
    corners, normals = corners[sound], areas[sound] / size[sound, None]
    away = _mitres(len(points), corners, normals, points) * (thickness / 2)
    pieces = [
        convex_hull(np.concatenate([points[three] + away[three], points[three] - away[three]]))
        for three in corners.tolist()
    ]
    if not pieces:
        raise ValueError("its faces have no area")
    return tuple(pieces), _sheet_moments(points, corners, away)


def _sheet_moments(points: Floats, corners: Ints, away: Floats) -> Moments:
    """Return the moments between both sides of a sheet, whose rim is closed with two triangles for each edge."""
    count = len(points)
    sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    ordered = np.sort(sides, axis=1)
    _, index, uses = np.unique(ordered, axis=0, return_inverse=True, return_counts=True)
    u, v = sides[uses[index.reshape(-1)] == 1].T
    rim = np.concatenate([np.stack([v, u, u + count], axis=1), np.stack([v, u + count, v + count], axis=1)])
    skin = np.concatenate([corners, corners[:, ::-1] + count, rim])
    surface = Mesh(np.concatenate([points + away, points - away]), np.arange(0, 3 * len(skin) + 1, 3), skin.reshape(-1))
    return moments(surface)


def _mitres(count: int, corners: Ints, normals: Floats, points: Floats) -> Floats:
    """Return for each vertex the shift that keeps the planes round it at a distance of 1. Shape (V, 3)."""
    sums = np.zeros((count, 3))
    for k in range(3):
        here, after, before = (points[corners[:, (k + step) % 3]] for step in (0, 1, 2))
        ahead, back = after - here, before - here
        cosine = (ahead * back).sum(axis=1) / np.maximum(lengths(ahead) * lengths(back), 1e-300)
        np.add.at(sums, corners[:, k], normals * np.arccos(np.clip(cosine, -1, 1))[:, None])
    directions = sums / np.maximum(lengths(sums), 1e-300)[:, None]
    least = np.ones(count)
    for k in range(3):
        np.minimum.at(least, corners[:, k], (directions[corners[:, k]] * normals).sum(axis=1))
    return frozen(directions / np.maximum(least, 1.0 / _LONGEST_MITRE)[:, None])
