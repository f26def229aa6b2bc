"""Drawings that other people made, in the folder `dxf` of that of RCK_CORPUS; without it, nothing is tried."""

import os
import shutil
from collections import Counter
from pathlib import Path
from re import fullmatch

import pytest
from file_reading import compiling
from rck_importers.dxf import reader

import rck
from rck.hooks import Job
from rck.support.finding import errors_of

read = compiling(reader.read)

FOLDER = Path(os.environ.get("RCK_CORPUS") or Path(rck.__file__).parents[2] / "shared" / "corpus") / "dxf"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="there is no folder of drawings")

THICK = {"thickness": 0.004}


@pytest.fixture
def imported(tmp_path):
    def run(name, **options):
        shutil.copy(FOLDER / name, tmp_path / name)
        return read(tmp_path / name, {**THICK, **options}, Job())

    return run


@pytest.mark.parametrize(
    ("name", "told", "bores"),
    [
        (
            "trimesh_125_cycloidal.DXF",
            "4 plates within 117.1 x 65.83 x 4 mm, 19 holes (4 x 0.7938, ",
            [3, 3, 6, 7],
        ),
        ("trimesh_apu-mount.DXF", "2 plates within 200.9 x 114.3 x 4 mm, 14 holes (", None),
        (
            "trimesh_sliding-base.dxf",
            "4 plates within 483 x 364.1 x 4 mm, 4 holes (3 x 13.11, 1 x 38.1), ",
            None,
        ),
        ("trimesh_loose.dxf", "1 plate 173.2 x 173.2 x 4 mm, ", None),
    ],
)
def test_machine_parts_have_the_expected_summary_and_bores(imported, name, told, bores):
    result = imported(name)
    assert errors_of(result.findings) == ()
    assert result.summary.startswith(told)
    if bores is not None:
        ports = [port for part in result.parts for port in part.ports]
        found = Counter(port.item for port in ports if fullmatch(r"hole\d+-top", port.name))
        assert sorted(found.values()) == bores


def test_bolt_circles_of_a_machine_part_are_ports(imported):
    ports = [port for part in imported("trimesh_125_cycloidal.DXF").parts for port in part.ports]
    circles = {port.item: port.note for port in ports if fullmatch(r"circle\d+-top", port.name)}
    assert circles == {
        "plate": "6 bores of 6.665 mm on a circle of 20.35 mm",
        "plate-3": "6 bores of 2.946 mm on a circle of 19.05 mm",
    }


def test_drawing_gives_the_same_result_in_every_version(imported):
    names = [f"trimesh_ae.{version}.dxf" for version in ("r14a", "r2000b", "r2004a", "r2010b", "r2013a")]
    summaries = {imported(name).summary for name in names}
    assert summaries == {"4 plates within 90.09 x 200.1 x 4 mm, 1 hole (1 x 12.7), 0.0404 kg aluminium"}


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("ezdxf_uncommon.dxf", ["it is empty: it has no faces"]),
        ("netdxf_sample.dxf", ["3 faces enclose no solid", "324 faces enclose no solid"]),
        ("ezdxf_3dface.dxf", ["28 faces enclose no solid"]),
    ],
)
def test_entities_without_volume_are_refused_and_can_be_skipped(imported, name, refused):
    errors = "\n".join(str(finding) for finding in errors_of(imported(name, hull=True).findings))
    assert all(said in errors for said in refused)
    # ezdxf_3dface.dxf has nothing else than a table of captions: a title block, unless regions are read as they are.
    rest = imported(name, skip="refused", hull=True, recognise=name != "ezdxf_3dface.dxf")
    assert errors_of(rest.findings) == ()
    assert rest.robot.items


def test_table_of_captions_is_refused_as_a_plate(imported):
    findings = imported("ezdxf_3dface.dxf", skip="refused").findings
    assert [finding.message for finding in errors_of(findings)] == ["the drawing contains no solids"]
    assert any("read as title block, not as a part: it is a table of 5 cells" in str(finding) for finding in findings)
