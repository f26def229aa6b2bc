"""Public flat drawings: expected sizes and holes, and areas as found by Shapely's polygoniser."""

import os
from pathlib import Path

import numpy as np
import pytest
from rck_importers.dxf import rck_importers
from rck_importers.dxf.document import open_drawing
from rck_importers.dxf.options import settings_of
from rck_importers.dxf.proposal import open_with, propose

import rck
from rck.hooks import Job, Recipe
from rck.hooks.file_exchange import import_values

CORPUS = Path(os.environ.get("RCK_CORPUS") or Path(rck.__file__).parents[2] / "shared" / "corpus") / "dxf"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the folder of RCK_CORPUS does not exist")

EXPECTED = {
    "amany_chassis.dxf": (1, [119.9, 120], 29),
    "chairbot_base.dxf": (1, [400, 500], 5),
    "iorodeo_lid.dxf": (1, [1299, 336], 0),
    "mvr_chassis.dxf": (5, [295.7, 292.2], 60),
    "openbionics_left_hand_4mm.dxf": (20, [175, 190.9], 84),
    "plasmarouter_arr2.dxf": (3, [180, 190], 49),
    "plasmarouter_cover.dxf": (1, [45, 100], 2),
    "robotarmorg_arms.dxf": (2, [490.2, 59.94], 14),
    "trimesh_apu-mount.DXF": (2, [200.9, 114.3], 17),
    "triscope_flat_ring.dxf": (1, [193, 164], 11),
    "whiteout5_arm.dxf": (1, [104.8, 85.97], 9),
}
"""Number of plates, width and height in mm, number of holes."""


def proposal_of(name):
    (importer,) = rck_importers()
    values = import_values(importer, CORPUS / name, {"thickness": "4mm"}, Recipe())
    settings = settings_of(values)
    return propose(open_with(open_drawing, CORPUS / name, settings, Job()), settings, Job())


@pytest.mark.parametrize("name", EXPECTED)
def test_drawing_has_the_expected_plates_and_the_areas_of_shapely(name):
    shapely = pytest.importorskip("shapely")
    proposal = proposal_of(name)
    bodies = [entity.body for entity in proposal.entities if entity.item]
    plates, size, holes = EXPECTED[name]
    low = np.min([body.low for body in bodies], axis=0)
    high = np.max([body.high for body in bodies], axis=0)
    assert len(bodies) == plates
    assert ((high - low)[:2] * 1000).tolist() == pytest.approx(size, rel=1e-3)
    assert sum(len(body.openings) for body in bodies) == holes
    for outlines, roots in proposal.drawing.planes:
        lines = [shapely.LineString(path.points) for path in outlines.paths]
        # Shapely joins only equal coordinates: round them to micrometres.
        faces = shapely.get_parts(shapely.polygonize([shapely.unary_union(lines, grid_size=1e-6)]))
        whole = shapely.unary_union(faces).area
        assert sum(root.area for root in roots) == pytest.approx(whole, rel=2e-3)
