"""Parser and printer of the polygons of a SEFFAS file, with repair of known damage."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import Job
from rck.importing.file_errors import refused
from rck.importing.tokens import Tokens
from rck.model import Finding, Severity
from rck.support.units import row

_WORD = b"POLYGON"


@dataclass(frozen=True, eq=False)
class Polygon:
    """A face of the file, in the file's length unit."""

    vertices: Floats
    """Shape (n, 3)."""
    normals: Floats
    """One per vertex. Shape (n, 3)."""


def split_tokens(name: str, data: bytes) -> Tokens:
    """Return the tokens of the file; braces and commas are separate tokens."""
    for mark in (b"{", b"}", b","):
        data = data.replace(mark, b" " + mark + b" ")
    return Tokens(name, data)


def parse(tokens: Tokens, job: Job) -> tuple[list[Polygon], list[Finding]]:
    """Return the polygons, and a finding for each repair."""
    polygons: list[Polygon] = []
    bare: list[int] = []
    findings: list[Finding] = []
    while tokens.left:
        start = tokens.at
        job.progress(0.5 * start / (start + tokens.left), "polygons")
        tokens.word(_WORD, "POLYGON" if not polygons else "POLYGON or another vertex")
        announced, braced = _read_count(tokens)
        if not braced:
            bare.append(start)
        polygon = _read_polygon(tokens, announced)
        found = len(polygon.vertices)
        if found != announced:
            message = f"a polygon declares {announced} vertices but has {found}; all {found} were used"
            findings.append(_repair(tokens.where(start), message))
        polygons.append(polygon)
    if not polygons:
        raise refused(tokens.name, "the file has no polygons")
    if bare:
        others = f" (and {len(bare) - 1} others)" if len(bare) > 1 else ""
        message = f"a polygon{others} lacks a brace around its vertex count; added"
        findings.insert(0, _repair(tokens.where(bare[0]), message))
    if _is_twice_the_same(polygons):
        polygons = polygons[: len(polygons) // 2]
        message = f"the file contains all its data twice; the second {len(polygons)} polygons were ignored"
        findings.append(_repair(tokens.name, message))
    return polygons, findings


def _read_count(tokens: Tokens) -> tuple[int, bool]:
    """Read the vertex count, and whether it is in braces."""
    opened = tokens.skip(b"{")
    count = tokens.integer("the number of vertices of a polygon", low=3)
    closed = tokens.skip(b"}")
    return count, opened and closed


def _read_polygon(tokens: Tokens, announced: int) -> Polygon:
    vertices, normals = [], []
    while tokens.left and tokens.peek() != _WORD:
        vertices.append(_read_triple(tokens, "a vertex"))
        tokens.word(b"N", "N and the normal of the vertex")
        normals.append(_read_triple(tokens, "a normal"))
    if not tokens.left and len(vertices) < announced:
        # Too few vertices in the last polygon mean a truncated file, not a wrong count.
        raise tokens.unexpected(f"vertex {len(vertices)} of the {announced} of the last polygon", tokens.at)
    if len(vertices) < 3:
        raise tokens.unexpected("a vertex: a polygon has at least 3", tokens.at)
    return Polygon(np.array(vertices), np.array(normals))


def _read_triple(tokens: Tokens, what: str) -> tuple[float, float, float]:
    x = tokens.number(f"x of {what}")
    tokens.word(b",", f"a comma after x of {what}")
    y = tokens.number(f"y of {what}")
    tokens.word(b",", f"a comma after y of {what}")
    return x, y, tokens.number(f"z of {what}")


def _is_twice_the_same(polygons: list[Polygon]) -> bool:
    half, odd = divmod(len(polygons), 2)
    return not odd and all(
        np.array_equal(one.vertices, other.vertices) and np.array_equal(one.normals, other.normals)
        for one, other in zip(polygons[:half], polygons[half:], strict=True)
    )


def _repair(where: str, message: str) -> Finding:
    return Finding(502, Severity.WARNING, where, message)


def print_polygons(polygons: Iterable[Polygon]) -> str:
    """Return the text of a polygon file."""
    lines = []
    for polygon in polygons:
        lines.append(f"POLYGON {{ {len(polygon.vertices)}}}")
        for vertex, normal in zip(polygon.vertices, polygon.normals, strict=True):
            lines.append(f"{_triple(vertex)} N {_triple(normal)}")
    return "\n".join(lines) + "\n"


def _triple(numbers: Floats) -> str:
    return row(numbers).replace(" ", ",")
