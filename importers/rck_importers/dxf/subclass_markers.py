"""Subclass markers of text files: AutoCAD 2000 and later need them, and some programs leave them out."""

from collections.abc import Iterator

_COMMON = frozenset({5, 6, 8, 48, 60, 62, 67, 92, 102, 284, 310, 330, 347, 348, 360, 370, 380, 390, 410, 420, 430, 440})
"""Group codes of the attributes that all entities share."""
_MARKERS = {
    "3DFACE": ("AcDbFace",),
    "ARC": ("AcDbCircle", "AcDbArc"),
    "ATTDEF": ("AcDbText", "AcDbAttributeDefinition"),
    "ATTRIB": ("AcDbText", "AcDbAttribute"),
    "BLOCK": ("AcDbBlockBegin",),
    "CIRCLE": ("AcDbCircle",),
    "ELLIPSE": ("AcDbEllipse",),
    "ENDBLK": ("AcDbBlockEnd",),
    "INSERT": ("AcDbBlockReference",),
    "LINE": ("AcDbLine",),
    "LWPOLYLINE": ("AcDbPolyline",),
    "MTEXT": ("AcDbMText",),
    "POINT": ("AcDbPoint",),
    "POLYLINE": ("AcDb2dPolyline",),
    "SOLID": ("AcDbTrace",),
    "SPLINE": ("AcDbSpline",),
    "TEXT": ("AcDbText",),
    "TRACE": ("AcDbTrace",),
    "VERTEX": ("AcDbVertex", "AcDb2dVertex"),
}
"""Subclasses of each type after AcDbEntity."""
_OF_SECOND = {"ARC": frozenset({50, 51})}
"""Group codes of the second subclass."""
_MARKER = 100

_Tag = tuple[bytes, bytes]


def lacks_markers(data: bytes) -> bool:
    """Return True if a text file of AutoCAD R13 or later has no subclass markers on its entities."""
    version = data.find(b"$ACADVER")
    start = data.find(b"ENTITIES")
    if version < 0 or start < 0 or b"AC1009" in data[version : version + 40]:
        return False
    return b"AcDbEntity" not in data[start:] and b"AC10" in data[version : version + 40]


def add_markers(data: bytes) -> bytes:
    """Return a text file with the subclass markers of common entities added; without objects that lack theirs."""
    lines = data.splitlines()
    tags = list(zip(lines[::2], lines[1::2], strict=False))
    written: list[_Tag] = []
    for section, members in _sections(tags):
        if section in (b"ENTITIES", b"BLOCKS"):
            for entity in _entities(members):
                written += _marked(entity)
        elif section not in (b"OBJECTS", b"CLASSES") or any(_code(tag) == _MARKER for tag in members):
            written += members
    return b"".join(b"%s\n%s\n" % tag for tag in written)


def _code(tag: _Tag) -> int:
    text = tag[0].strip()
    return int(text) if text.lstrip(b"-").isdigit() else -1


def _sections(tags: list[_Tag]) -> Iterator[tuple[bytes, list[_Tag]]]:
    """Yield the name and the tags of each section, up to and including its end; tags between sections have no name."""
    name = b""
    members: list[_Tag] = []
    for number, tag in enumerate(tags):
        if _code(tag) == 0 and tag[1].strip() == b"SECTION":
            if members:
                yield name, members
            name, members = (tags[number + 1][1].strip() if number + 1 < len(tags) else b""), []
        members.append(tag)
        if _code(tag) == 0 and tag[1].strip() == b"ENDSEC":
            yield name, members
            name, members = b"", []
    if members:
        yield name, members


def _entities(tags: list[_Tag]) -> Iterator[list[_Tag]]:
    entity: list[_Tag] = []
    for tag in tags:
        if _code(tag) == 0 and entity:
            yield entity
            entity = []
        entity.append(tag)
    yield entity


def _marked(entity: list[_Tag]) -> list[_Tag]:
    kind = entity[0][1].strip().decode("ascii", "replace")
    subclasses = _MARKERS.get(kind)
    if subclasses is None or any(_code(tag) == _MARKER for tag in entity):
        return entity
    common = [tag for tag in entity[1:] if _code(tag) in _COMMON]
    own = [tag for tag in entity[1:] if _code(tag) not in _COMMON]
    second = _OF_SECOND.get(kind, frozenset())
    parts = [[tag for tag in own if _code(tag) not in second], [tag for tag in own if _code(tag) in second]]
    # The handle and the owner precede the first marker.
    first = [tag for tag in common if _code(tag) in (5, 330)]
    marked = [entity[0], *first, (b"100", b"AcDbEntity"), *(tag for tag in common if tag not in first)]
    for number, subclass in enumerate(subclasses):
        marked.append((b"100", subclass.encode()))
        if number == 0 and (second or len(subclasses) == 1):
            marked += parts[0]
        elif number == 1:
            marked += parts[1] if second else own
    return marked
