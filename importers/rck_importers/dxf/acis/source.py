"""ACIS bodies of DXF entities, whichever form their data has."""

from typing import Any

from rck.geometry.brep.topology import BrepBody
from rck_importers.dxf.acis.builder import build_bodies
from rck_importers.dxf.acis.records import AcisError
from rck_importers.dxf.acis.sab import SIGNATURES, parse_sab
from rck_importers.dxf.acis.sat import parse_sat


def bodies_of(entity: Any) -> tuple[BrepBody, ...]:
    """Return the bodies of a DXF entity that carries ACIS data."""
    return bodies_of_data(bytes(entity.sab) if entity.has_binary_data else "\n".join(entity.sat))


def bodies_of_data(data: bytes | str) -> tuple[BrepBody, ...]:
    """Return the bodies of a text or binary stream; one without faces is an error."""
    if not data or (isinstance(data, str) and not data.strip()):
        raise AcisError("it has no ACIS data")
    if isinstance(data, bytes) and not data.startswith(SIGNATURES):
        data = data.decode("utf-8", "replace")
    bodies = build_bodies(parse_sab(data) if isinstance(data, bytes) else parse_sat(data))
    if not any(body.lumps for body in bodies):
        raise AcisError("its ACIS data has no faces")
    return bodies
