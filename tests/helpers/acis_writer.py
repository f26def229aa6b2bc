"""ACIS data of small solids, written record by record: text of several versions, and binary of both integer sizes."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import atan2, cos, sin, tau

Vector = tuple[float, float, float]
TEXT_VERSIONS = (106, 400, 700, 20800, 21200, 22300)
BINARY_VERSIONS = (21800, 23100)
"""With integers of 4 and of 8 bytes."""


@dataclass(frozen=True)
class Ref:
    """A reference to a record."""

    index: int


@dataclass(frozen=True)
class Flag:
    """A truth value; text states it as one of two words, or as 0 and 1."""

    value: bool
    words: tuple[str, str]


@dataclass(frozen=True)
class Place:
    """A vector, which binary data tags as a whole."""

    x: float
    y: float
    z: float
    tag: int = 19


@dataclass(frozen=True)
class Bare:
    """A word of spline data, without a length in text; a brace has a tag of its own in binary data."""

    word: str


Field = Bare | Ref | Flag | Place | float | int | str
NONE = Ref(-1)


def sense(is_reversed: bool) -> Flag:
    return Flag(is_reversed, ("forward", "reversed"))


def infinite(count: int) -> list[Field]:
    return [Flag(False, ("I", "F"))] * count


@dataclass
class AcisWriter:
    """Records of one body. Faces are lists of loops, loops are lists of edges with a direction."""

    version: int = 700
    records: list[tuple[str, list[Field]]] = field(default_factory=list)
    _edges: dict[int, list[int]] = field(default_factory=dict)

    def add(self, kind: str, *fields: Field, header: bool = True) -> int:
        start: list[Field] = [NONE]
        if self.version >= 700:
            start.append(-1)
            if header:
                start.append(NONE)
        self.records.append((kind, [*start, *fields]))
        return len(self.records) - 1

    def plane(self, origin: Vector, normal: Vector) -> int:
        x = (0.0, 1.0, 0.0) if abs(normal[0]) > 0.5 else (1.0, 0.0, 0.0)
        u = _cross(_cross(normal, x), normal)
        return self.add(
            "plane-surface", Place(*origin), Place(*normal, 20), Place(*u, 20),
            Flag(False, ("forward_v", "reverse_v")), *infinite(4),
        )  # fmt: skip

    def cone(self, centre: Vector, axis: Vector, major: Vector, ratio: float, sine: float, cosine: float) -> int:
        scale: list[Field] = [1.0] if self.version >= 400 else []
        return self.add(
            "cone-surface", Place(*centre), Place(*axis, 20), Place(*major), ratio, *infinite(2), sine, cosine,
            *scale, sense(False), *infinite(4),
        )  # fmt: skip

    def sphere(self, centre: Vector, radius: float) -> int:
        return self.add(
            "sphere-surface", Place(*centre), radius, Place(1, 0, 0, 20), Place(0, 0, 1, 20),
            Flag(False, ("forward_v", "reverse_v")), *infinite(4),
        )  # fmt: skip

    def torus(self, centre: Vector, axis: Vector, major: float, minor: float) -> int:
        return self.add(
            "torus-surface", Place(*centre), Place(*axis, 20), major, minor, Place(1, 0, 0, 20),
            Flag(False, ("forward_v", "reverse_v")), *infinite(4),
        )  # fmt: skip

    def straight(self, start: Vector, end: Vector) -> int:
        along = tuple(b - a for a, b in zip(start, end, strict=True))
        length = sum(x * x for x in along) ** 0.5
        return self.add("straight-curve", Place(*start), Place(*(x / length for x in along), tag=20), *infinite(2))

    def ellipse(self, centre: Vector, normal: Vector, major: Vector, ratio: float = 1.0) -> int:
        return self.add("ellipse-curve", Place(*centre), Place(*normal, 20), Place(*major), ratio, *infinite(2))

    def vertex(self, point: Vector) -> int:
        place = self.add("point", Place(*point))
        count: list[Field] = [0] if self.version >= 21200 else []
        return self.add("vertex", NONE, *count, Ref(place))

    def edge(self, start: int, end: int, curve: int, params: tuple[float, float] = (0.0, 1.0)) -> int:
        ends: list[Field] = [Ref(start), Ref(end)]
        if self.version >= 500:
            ends = [Ref(start), params[0], Ref(end), params[1]]
        convexity: list[Field] = ["unknown"] if self.version >= 500 else []
        number = self.add("edge", *ends, NONE, Ref(curve), sense(False), *convexity)
        self._edges[number] = []
        return number

    def face(self, surface: int, loops: Sequence[Sequence[tuple[int, bool]]], is_reversed: bool = False) -> int:
        """Add a face; each loop lists its edges with whether they are run through backwards."""
        face = self.add("face")
        after = -1
        for loop in reversed(loops):
            number = self.add("loop")
            first = len(self.records)
            count = len(loop)
            for place, (edge, backwards) in enumerate(loop):
                ring = [Ref(first + (place + 1) % count), Ref(first + (place - 1) % count)]
                owner: list[Field] = [Ref(number), NONE]
                coedge = self.add("coedge", *ring, NONE, Ref(edge), sense(backwards), *owner)
                self._edges[edge].append(coedge)
            self.records[number][1].extend([Ref(after), Ref(first), Ref(face)])
            after = number
        sides = Flag(False, ("single", "double"))
        self.records[face][1].extend([NONE, Ref(after), NONE, NONE, Ref(surface), sense(is_reversed), sides])
        return face

    def body(self, faces: Iterable[int], transform: Sequence[float] | None = None) -> None:
        """Add the body of these faces; the transform is 9 numbers of a matrix for row vectors, a shift and a scale."""
        listed = list(faces)
        link = 3 if self.version >= 700 else 1
        for face, following in pairwise(listed):
            self.records[face][1][link] = Ref(following)
        wire: list[Field] = [NONE] if self.version >= 107 else []
        shell = self.add("shell", NONE, NONE, Ref(listed[0]), *wire, NONE)
        lump = self.add("lump", NONE, Ref(shell), NONE)
        matrix = NONE
        if transform is not None:
            rows = [Place(*transform[k : k + 3], tag=20) for k in (0, 3, 6, 9)]
            flags = [Flag(False, (f"no_{word}", word)) for word in ("rotate", "reflect", "shear")]
            matrix = Ref(self.add("transform", *rows, float(transform[12]), *flags, header=False))
        self.add("body", Ref(lump), NONE, matrix)

    def text(self) -> list[str]:
        """Return the lines of the text format."""
        lines = [f"{self.version} {len(self.records)} 1 0"]
        if self.version >= 200:
            lines += ["16 Autodesk AutoCAD 8 ACIS 7.0 4 Date", "1 1e-06 1e-10"]
        lines += [" ".join([kind, *map(self._word, fields), "#"]) for kind, fields in self.records]
        return [*lines, "End-of-ACIS-data"]

    def _word(self, value: Field) -> str:
        if isinstance(value, Ref):
            return f"${value.index}"
        if isinstance(value, Flag):
            return str(int(value.value)) if self.version < 200 else value.words[value.value]
        if isinstance(value, Place):
            return f"{value.x!r} {value.y!r} {value.z!r}"
        if isinstance(value, Bare):
            return value.word
        return f"@{len(value)} {value}" if isinstance(value, str) else repr(value)

    def binary(self) -> bytes:
        """Return the binary format."""
        wide = self.version >= 23000
        form = "<q" if wide else "<i"
        data = b"ASM BinaryFile8" if wide else b"ACIS BinaryFile"
        data += b"".join(struct.pack(form, number) for number in (self.version, 0, 1, 0))
        data += b"".join(_string(7, text) for text in ("Autodesk AutoCAD", "ASM", "Date"))
        data += b"".join(b"\x06" + struct.pack("<d", number) for number in (1.0, 1e-6, 1e-10))
        for kind, fields in self.records:
            *subs, name = kind.split("-")
            data += b"".join(_string(14, sub) for sub in subs) + _string(13, name)
            data += b"".join(_binary(value, form) for value in fields) + b"\x11"
        return data + _string(14, "End") + _string(14, "of") + _string(14, "ASM") + _string(13, "data")


def _bare(value: float | int | str) -> Field:
    return Bare(value) if isinstance(value, str) else value


def _string(tag: int, text: str) -> bytes:
    return bytes([tag, len(text)]) + text.encode()


def _binary(value: Field, form: str) -> bytes:
    if isinstance(value, Ref):
        return b"\x0c" + struct.pack(form, value.index)
    if isinstance(value, Flag):
        return b"\x0a" if value.value else b"\x0b"
    if isinstance(value, Place):
        return bytes([value.tag]) + struct.pack("<3d", value.x, value.y, value.z)
    if isinstance(value, Bare):
        return {"{": b"\x0f", "}": b"\x10"}.get(value.word) or _string(13, value.word)
    if isinstance(value, str):
        return _string(7, value)
    return b"\x04" + struct.pack(form, value) if isinstance(value, int) else b"\x06" + struct.pack("<d", value)


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def ring_edge(
    writer: AcisWriter, height: float, radius: float, x: float = 0.0, y: float = 0.0, ratio: float = 1.0
) -> int:
    """Add a circle or ellipse about a vertical axis, counter-clockwise as seen from above."""
    vertex = writer.vertex((x + radius, y, height))
    return writer.edge(vertex, vertex, writer.ellipse((x, y, height), (0, 0, 1), (radius, 0, 0), ratio), (0.0, tau))


def plate(
    writer: AcisWriter,
    size: Vector,
    holes: Sequence[tuple[float, float, float]] = (),
    transform: Sequence[float] | None = None,
) -> None:
    """Write a block with a corner at the origin and vertical through holes (x, y, radius)."""
    a, b, c = size
    flat = [(0.0, 0.0), (a, 0.0), (a, b), (0.0, b)]
    points = [[(x, y, z) for x, y in flat] for z in (0.0, c)]
    vertices = [[writer.vertex(point) for point in level] for level in points]

    def line(one: tuple[int, int], other: tuple[int, int]) -> int:
        start, end = points[one[0]][one[1]], points[other[0]][other[1]]
        length = sum((q - p) ** 2 for p, q in zip(start, end, strict=True)) ** 0.5
        return writer.edge(
            vertices[one[0]][one[1]], vertices[other[0]][other[1]], writer.straight(start, end), (0.0, length)
        )

    level = [[line((z, k), (z, (k + 1) % 4)) for k in range(4)] for z in (0, 1)]
    upright = [line((0, k), (1, k)) for k in range(4)]
    rims = [(ring_edge(writer, 0.0, r, x, y), ring_edge(writer, c, r, x, y)) for x, y, r in holes]
    bottom = [[(edge, True) for edge in reversed(level[0])], *([(low, False)] for low, _ in rims)]
    top = [[(edge, False) for edge in level[1]], *([(high, True)] for _, high in rims)]
    faces = [
        writer.face(writer.plane((0, 0, 0), (0, 0, -1)), bottom),
        writer.face(writer.plane((0, 0, c), (0, 0, 1)), top),
    ]
    for k in range(4):
        (x, y), (p, q) = flat[k], flat[(k + 1) % 4]
        normal = ((q - y) / (a if y == q else b), (x - p) / (b if x == p else a), 0.0)
        loop = [(level[0][k], False), (upright[(k + 1) % 4], False), (level[1][k], True), (upright[k], True)]
        faces.append(writer.face(writer.plane((x, y, 0.0), normal), [loop]))
    for (x, y, radius), (low, high) in zip(holes, rims, strict=True):
        side = writer.cone((x, y, 0.0), (0, 0, 1), (radius, 0, 0), 1.0, 0.0, -1.0)
        faces.append(writer.face(side, [[(low, True)], [(high, False)]]))
    writer.body(faces, transform)


def frustum(
    writer: AcisWriter,
    low: float,
    high: float,
    height: float,
    ratio: float = 1.0,
    transform: Sequence[float] | None = None,
) -> None:
    """Write a cylinder, a cone (high = 0) or a frustum along z, circular or elliptic."""
    slant = atan2(high - low, height)
    side = writer.cone((0, 0, 0), (0, 0, 1), (low, 0, 0), ratio, sin(slant), cos(slant))
    bottom = ring_edge(writer, 0.0, low, ratio=ratio)
    faces = [writer.face(writer.plane((0, 0, 0), (0, 0, -1)), [[(bottom, True)]])]
    loops = [[(bottom, False)]]
    if high > 0:
        top = ring_edge(writer, height, high, ratio=ratio)
        faces.append(writer.face(writer.plane((0, 0, height), (0, 0, 1)), [[(top, False)]]))
        loops.append([(top, True)])
    faces.append(writer.face(side, loops))
    writer.body(faces, transform)


def ball(writer: AcisWriter, radius: float, transform: Sequence[float] | None = None) -> None:
    """Write a sphere."""
    writer.body([writer.face(writer.sphere((0, 0, 0), radius), [])], transform)


def ball_segment(writer: AcisWriter, radius: float, height: float) -> None:
    """Write the part of a sphere below a height, which may be negative."""
    rim = ring_edge(writer, height, (radius**2 - height**2) ** 0.5)
    cap = writer.face(writer.plane((0, 0, height), (0, 0, 1)), [[(rim, False)]])
    writer.body([writer.face(writer.sphere((0, 0, 0), radius), [[(rim, True)]]), cap])


def ring(writer: AcisWriter, major: float, minor: float, transform: Sequence[float] | None = None) -> None:
    """Write a torus about z."""
    writer.body([writer.face(writer.torus((0, 0, 0), (0, 0, 1), major, minor), [])], transform)


def half_ring(writer: AcisWriter, major: float, minor: float) -> None:
    """Write half a torus, cut by the xz plane: the part with positive y."""
    sides = []
    for x in (major, -major):
        vertex = writer.vertex((x + minor, 0.0, 0.0))
        sides.append(writer.edge(vertex, vertex, writer.ellipse((x, 0, 0), (0, 1, 0), (minor, 0, 0)), (0.0, tau)))
    faces = [writer.face(writer.plane((x, 0, 0), (0, -1, 0)), [[(edge, True)]])
             for x, edge in zip((major, -major), sides, strict=True)]  # fmt: skip
    faces.append(
        writer.face(writer.torus((0, 0, 0), (0, 0, 1), major, minor), [[(sides[0], False)], [(sides[1], False)]])
    )
    writer.body(faces)


def spline_cylinder(writer: AcisWriter, radius: float, height: float) -> None:
    """Write a cylinder whose side is a rational B-spline surface and whose rims are B-spline curves."""
    corner = 0.5**0.5
    around = [(1, 0, 1.0), (1, 1, corner), (0, 1, 1.0), (-1, 1, corner), (-1, 0, 1.0), (-1, -1, corner), (0, -1, 1.0),
              (1, -1, corner), (1, 0, 1.0)]  # fmt: skip
    knots: list[Field] = [0.0, 2, 1.0, 2, 2.0, 2, 3.0, 2, 4.0, 2]

    def row(z: float) -> list[Field]:
        return [number for x, y, w in around for number in (radius * x, radius * y, z, w)]

    def rim(z: float) -> int:
        data = ["exactcur", "full", "nurbs", 2, "closed", 5, *knots, *row(z), 0.0, "null_surface", "null_surface"]
        curve = writer.add("intcurve-curve", sense(False), Bare("{"), *map(_bare, data), Bare("}"), *infinite(2))
        vertex = writer.vertex((radius, 0.0, z))
        return writer.edge(vertex, vertex, curve, (0.0, 4.0))

    data = ["exactsur", "full", "nurbs", 2, 1, "both", "closed", "open", "none", "none", 5, 2, *knots,
            0.0, 1, height, 1, *row(0.0), *row(height), 0.0]  # fmt: skip
    side = writer.add("spline-surface", sense(False), Bare("{"), *map(_bare, data), Bare("}"), *infinite(4))
    low, high = rim(0.0), rim(height)
    faces = [
        writer.face(writer.plane((0, 0, 0), (0, 0, -1)), [[(low, True)]]),
        writer.face(writer.plane((0, 0, height), (0, 0, 1)), [[(high, False)]]),
        writer.face(side, [[(low, False)], [(high, True)]]),
    ]
    writer.body(faces)


def wavy_block(writer: AcisWriter, size: float, rise: float) -> None:
    """Write a square block with a top of degree 2 in both directions: size + 16 rise u (1 - u) v (1 - v)."""
    edge = (0.0, size / 2, size)
    flat = [(0.0, 0.0), (size, 0.0), (size, size), (0.0, size)]
    low = [writer.vertex((x, y, 0.0)) for x, y in flat]
    high = [writer.vertex((x, y, size)) for x, y in flat]

    def line(start: int, end: int, one: Vector, other: Vector) -> int:
        return writer.edge(start, end, writer.straight(one, other), (0.0, size))

    ring = range(4)
    bottom = [line(low[k], low[(k + 1) % 4], (*flat[k], 0.0), (*flat[(k + 1) % 4], 0.0)) for k in ring]
    top = [line(high[k], high[(k + 1) % 4], (*flat[k], size), (*flat[(k + 1) % 4], size)) for k in ring]
    upright = [line(low[k], high[k], (*flat[k], 0.0), (*flat[k], size)) for k in ring]
    points = [
        number for j in range(3) for i in range(3)
        for number in (edge[i], edge[j], size + (4 * rise if i == j == 1 else 0.0))
    ]  # fmt: skip
    data = [
        "exactsur",
        "full",
        "nubs",
        2,
        2,
        "open",
        "open",
        "none",
        "none",
        2,
        2,
        0.0,
        2,
        1.0,
        2,
        0.0,
        2,
        1.0,
        2,
        *points,
    ]
    lid = writer.add("spline-surface", sense(False), Bare("{"), *map(_bare, data), 0.0, Bare("}"), *infinite(4))
    faces = [
        writer.face(writer.plane((0, 0, 0), (0, 0, -1)), [[(e, True) for e in reversed(bottom)]]),
        writer.face(lid, [[(e, False) for e in top]]),
    ]
    for k in ring:
        (x, y), (p, q) = flat[k], flat[(k + 1) % 4]
        loop = [(bottom[k], False), (upright[(k + 1) % 4], False), (top[k], True), (upright[k], True)]
        faces.append(writer.face(writer.plane((x, y, 0.0), ((q - y) / size, (x - p) / size, 0.0)), [loop]))
    writer.body(faces)


def counterbored_disc(
    writer: AcisWriter, radius: float, height: float, bore: float, counterbore: float, depth: float, x: float
) -> None:
    """Write a disc with a through hole at x that is wider from the top down to a depth."""
    step = height - depth
    outer = ring_edge(writer, 0.0, radius), ring_edge(writer, height, radius)
    low, shoulder = ring_edge(writer, 0.0, bore, x), ring_edge(writer, step, bore, x)
    wide, top = ring_edge(writer, step, counterbore, x), ring_edge(writer, height, counterbore, x)

    def side(centre: float, size: float, start: int, end: int, cosine: float) -> int:
        surface = writer.cone((centre, 0.0, 0.0), (0, 0, 1), (size, 0, 0), 1.0, 0.0, cosine)
        return writer.face(surface, [[(start, cosine < 0)], [(end, cosine > 0)]])

    faces = [
        writer.face(writer.plane((0, 0, 0), (0, 0, -1)), [[(outer[0], True)], [(low, False)]]),
        writer.face(writer.plane((0, 0, height), (0, 0, 1)), [[(outer[1], False)], [(top, True)]]),
        writer.face(writer.plane((0, 0, step), (0, 0, 1)), [[(wide, False)], [(shoulder, True)]]),
        side(0.0, radius, *outer, 1.0),
        side(x, bore, low, shoulder, -1.0),
        side(x, counterbore, wide, top, -1.0),
    ]
    writer.body(faces)


def tube(writer: AcisWriter, outer: float, inner: float, height: float, bottom: float = 0.0) -> None:
    """Write a tube, or with a bottom of a thickness a cup."""
    rims = ring_edge(writer, 0.0, outer), ring_edge(writer, height, outer)
    bore = ring_edge(writer, bottom, inner), ring_edge(writer, height, inner)
    floor = [[(rims[0], True)]] if bottom else [[(rims[0], True)], [(bore[0], False)]]
    faces = [
        writer.face(writer.plane((0, 0, 0), (0, 0, -1)), floor),
        writer.face(writer.plane((0, 0, height), (0, 0, 1)), [[(rims[1], False)], [(bore[1], True)]]),
        writer.face(
            writer.cone((0, 0, 0), (0, 0, 1), (outer, 0, 0), 1.0, 0.0, 1.0), [[(rims[0], False)], [(rims[1], True)]]
        ),
        writer.face(
            writer.cone((0, 0, 0), (0, 0, 1), (inner, 0, 0), 1.0, 0.0, -1.0), [[(bore[0], True)], [(bore[1], False)]]
        ),
    ]
    if bottom:
        faces.append(writer.face(writer.plane((0, 0, bottom), (0, 0, 1)), [[(bore[0], False)]]))
    writer.body(faces)
