"""What cannot become solid is refused by name, with what to do; the rest comes in."""

import acis_writer
import pytest
from acis_writer import AcisWriter
from ezdxf.acis.api import body_from_mesh, export_dxf
from ezdxf.render import MeshBuilder, forms
from rck_importers.dxf import rck_importers

from rck.hooks import Cancelled, Job, Recipe
from rck.hooks.file_exchange import compile_imported
from rck.model import Severity

CURVED_SAT = """700 0 1 0
@8 Autodesk @14 ACIS 7.0 Unknown @24 Thu Jan 01 00:00:00 1970
1 9.9999999999999995e-007 1e-010
body $-1 -1 $-1 $1 $-1 $-1 #
lump $-1 -1 $-1 $-1 $2 $0 #
shell $-1 -1 $-1 $-1 $-1 $3 $-1 $1 #
face $-1 -1 $-1 $-1 $-1 $2 $-1 $4 forward single #
spline-surface $-1 -1 $-1 forward { offsur summary } I I I I #
End-of-ACIS-data""".splitlines()
EMPTY_SAT = [*CURVED_SAT[:3], "body $-1 -1 $-1 $-1 $-1 $-1 #", "End-of-ACIS-data"]


def beside_a_box(desk, version="R2010"):
    document = desk.new(version)
    desk.add_box(document.modelspace(), layer="GOOD")
    return document


def curved_solid(document):
    solid = document.modelspace().add_3dsolid(dxfattribs={"layer": "BALL"})
    solid.sat = CURVED_SAT


def empty_solid(document):
    document.modelspace().add_3dsolid(dxfattribs={"layer": "BALL"}).sat = EMPTY_SAT


def damaged_solid(document):
    document.modelspace().add_3dsolid(dxfattribs={"layer": "BALL"}).sat = [*CURVED_SAT[:3], "body $7 @@ #", "lump #"]


def mesh_without_faces(document):
    with document.modelspace().add_mesh(dxfattribs={"layer": "BALL"}).edit_data() as data:
        data.vertices, data.faces = [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1)]


def empty_polyface(document):
    document.modelspace().add_polyface(dxfattribs={"layer": "BALL"})


def open_shell(document):
    tray = forms.cube()
    tray.faces = list(tray.faces)[:5]
    tray.render_mesh(document.modelspace(), dxfattribs={"layer": "BALL"})


def single_face(document):
    document.modelspace().add_3dface([(0, 0, 50), (1, 0, 50), (1, 1, 50)], dxfattribs={"layer": "BALL"})


def surface(document):
    writer = AcisWriter(700)
    acis_writer.plate(writer, (1, 2, 3))
    # Only the first face stays in the list.
    first = next(fields for kind, fields in writer.records if kind == "face")
    first[3] = acis_writer.NONE
    document.modelspace().add_surface(dxfattribs={"layer": "BALL"}).sat = writer.text()


def wrong_indices(document):
    with document.modelspace().add_mesh(dxfattribs={"layer": "BALL"}).edit_data() as data:
        data.vertices, data.faces = [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 7)]


def too_smooth(document):
    cube = forms.cube()
    mesh = document.modelspace().add_mesh(dxfattribs={"layer": "BALL", "subdivision_levels": 200})
    with mesh.edit_data() as data:
        data.vertices, data.faces = list(cube.vertices), list(cube.faces)


REFUSED = {
    curved_solid: "ACIS record 4 (spline-surface) has no B-spline (offsur)",
    empty_solid: "its ACIS data has no faces",
    damaged_solid: "ACIS record 0 (body) has '@@' in place of a reference",
    mesh_without_faces: "it is empty",
    empty_polyface: "it is empty",
    open_shell: "5 faces enclose no solid: a hole with 4 edges",
    single_face: "1 face encloses no solid",
    surface: "faces enclose no solid",
    wrong_indices: "a face refers to vertex 7 of 3",
    too_smooth: "200 levels of smoothing would give more than",
}


@pytest.mark.parametrize("draw", REFUSED, ids=lambda draw: draw.__name__)
def test_entities_without_volume_are_refused_with_name_layer_and_fix(desk, draw):
    document = beside_a_box(desk)
    draw(document)
    (error,) = desk.errors(document)
    assert REFUSED[draw] in error
    assert "on layer BALL" in error
    assert "skip=BALL" in error
    if draw in (curved_solid, empty_solid, open_shell, surface):
        assert "MESH or STL" in error


@pytest.mark.parametrize("draw", REFUSED, ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("how", ["option", "all", "recipe"])
def test_refused_entities_can_be_skipped_and_are_still_reported(desk, draw, how):
    document = beside_a_box(desk)
    draw(document)
    recipe = Recipe(leave_out=["BALL"]) if how == "recipe" else None
    options = {"option": {"skip": "BALL"}, "all": {"skip": "refused"}, "recipe": {}}[how]
    imported = desk.read(document, recipe=recipe, **options)
    assert [item.name for item in imported.robot.items] == ["GOOD"]
    assert "BALL" in desk.said(imported)


def test_refused_entities_are_listed_in_the_survey(desk):
    document = beside_a_box(desk)
    open_shell(document)
    found = {piece.name: piece for piece in desk.survey(document).pieces}
    assert found["GOOD"].refused == ""
    assert found["BALL"].refused.startswith("5 faces enclose no solid")
    assert found["BALL"].size * 1000 == pytest.approx([1, 1, 1])


def test_acis_faces_with_holes_are_divided(desk):
    # A frame: two faces with a hole, four walls outside, four inside; written as a mesh of convex faces.
    document = desk.new("R2010")
    ring = [(0, 0), (10, 0), (10, 10), (0, 10)], [(3, 3), (7, 3), (7, 7), (3, 7)]
    mesh = MeshBuilder()
    for z, turn in ((0, -1), (2, 1)):
        for k in range(4):
            (a, b), (c, d) = (ring[0][k], ring[0][(k + 1) % 4]), (ring[1][(k + 1) % 4], ring[1][k])
            mesh.add_face([(*p, z) for p in (a, b, c, d)][::turn])
    for outline, turn in ((ring[0], 1), (ring[1], -1)):
        for k in range(4):
            a, b = outline[k], outline[(k + 1) % 4]
            mesh.add_face([(*a, 0), (*b, 0), (*b, 2), (*a, 2)][::turn])
    export_dxf(document.modelspace().add_3dsolid(), [body_from_mesh(mesh)])
    assert desk.volume(desk.robot(document)) == pytest.approx((100 - 16) * 2)


def test_drawing_without_solids_is_refused(desk):
    document = desk.new()
    document.modelspace().add_text("nothing here")
    (error,) = desk.errors(document)
    assert "the drawing contains no solids" in error


def test_annotation_is_counted_in_one_note(desk):
    document = beside_a_box(desk)
    for k in range(3):
        document.modelspace().add_text("x", dxfattribs={"insert": (k, 0)})
    document.modelspace().add_point((0, 0))
    (note,) = [one for one in desk.read(document).findings if one.code == 503]
    assert note.severity is Severity.NOTE
    assert note.message == "ignored: 3 TEXT, 1 POINT"


def test_paper_space_is_ignored(desk):
    document = beside_a_box(desk)
    desk.add_box(document.paperspace(), layer="PAPER")
    assert [item.name for item in desk.robot(document).items] == ["GOOD"]


def test_progress_is_reported_and_import_can_be_cancelled(desk):
    path = desk.save(beside_a_box(desk))
    (importer,) = rck_importers()
    shares = []
    importer.read(path, {}, Job(lambda share, what: shares.append(share)))
    assert len(shares) > 3
    assert shares[-1] == 1.0
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        importer.read(path, {}, job)


def test_plate_with_many_holes_reports_progress_and_can_be_cancelled(desk):
    document = desk.new()
    space = document.modelspace()
    space.add_lwpolyline([(0, 0), (160, 0), (160, 160), (0, 160)], close=True)
    for number in range(256):
        space.add_circle((5 + number % 16 * 10, 5 + number // 16 * 10), 3)
    path = desk.save(document)
    (importer,) = rck_importers()
    told = []
    job = Job(lambda share, what: told.append((share, what)))
    plate = compile_imported(importer.read(path, {"thickness": 0.003}, job), path).robot
    cutting = [share for share, what in told if "256 holes" in what]
    assert len(set(cutting)) > 10
    assert cutting == sorted(cutting)
    assert len(plate.items[0].subitems) > 256

    def stop_half_way(share, what):
        if share > 0.65:
            stopped.cancel()

    stopped = Job(stop_half_way)
    with pytest.raises(Cancelled):
        importer.read(path, {"thickness": 0.003}, stopped)


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b"0\nSECTION\n2\nHEADER\n", True),
        (b"  0\r\nSECTION\r\n  2\r\nENTITIES\r\n", True),
        (b"999\nmade by hand\n  0\nSECTION\n  2\nHEADER\n", True),
        (b"AutoCAD Binary DXF\r\n\x1a\x00\x00\x00SECTION", True),
        (b"solid cube\n", False),
        (b"0\nSOMETHING\n", False),
        (b"", False),
        (b"AC1015 dwg", False),
    ],
)
def test_drawings_are_recognised_by_content(desk, head, known):
    (importer,) = rck_importers()
    assert importer.probe(desk.folder / "x.txt", head) is known
