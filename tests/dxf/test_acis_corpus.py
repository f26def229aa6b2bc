"""Every ACIS solid of the drawings below the folder that RCK_CORPUS names; without it, nothing is tried."""

import os
from math import pi
from pathlib import Path

import pytest
from rck_importers.dxf.acis.source import bodies_of
from rck_importers.dxf.document import open_drawing

from rck.geometry.brep.tessellation import tessellate
from rck.geometry.mass_properties import map_moments, moments
from rck.hooks import Job

FOLDER = Path(os.environ.get("RCK_CORPUS") or "there is no folder of this name")
DRAWINGS = sorted(path for path in FOLDER.rglob("*") if path.suffix.lower() == ".dxf")
SOLIDS = ("3DSOLID", "BODY", "REGION")
TORUS, BALL, CUBE = 2 * pi**2 * 32 * 100, 4 / 3 * pi * 8, 125.0
VOLUMES = {
    ("ezdxf_torus_r2000.dxf", "9C"): TORUS,
    ("gdal_3d.dxf", "EEFE3"): BALL,
    ("acadsharp_ac1015_ascii.dxf", "D65"): CUBE,
    ("acadsharp_ac1032_binary.dxf", "D65"): CUBE,
}
"""Volumes in cubic drawing units, by file and handle, of solids with a closed form."""

pytestmark = pytest.mark.skipif(not DRAWINGS, reason="RCK_CORPUS names no folder with drawings")


def entities(path):
    """Return the entities with ACIS data in a drawing, which may need recovery."""
    document = open_drawing(path, 1e9, True, Job()).document
    return [entity for entity in document.entitydb.values() if entity.dxftype() in SOLIDS]


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: path.name)
def test_every_solid_is_watertight_and_keeps_its_volume(path):
    for entity in entities(path):
        handle = str(entity.dxf.handle)
        for body in bodies_of(entity):
            for lump in body.lumps:
                if entity.dxftype() == "REGION":
                    assert len(lump.faces) > 0
                    continue
                found = tessellate(lump, 0.1)
                assert found.is_closed, handle
                true = map_moments(found.moments, body.matrix)
                assert abs(moments(found.mesh).volume - found.moments.volume) <= 0.1 * found.moments.area
                expected = VOLUMES.get((path.name, handle), true.volume)
                assert true.volume == pytest.approx(expected, rel=1e-5)
