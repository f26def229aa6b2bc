"""Shapes of SEFFAS: read, repaired where that is safe, else refused by line."""

import tracemalloc

import numpy as np
import pytest
import rck_importers.seffas
from hypothesis import given, settings
from rck_tests import codes

from rck.geometry.transforms import translation
from rck.model import build_item, build_robot
from rck.model.item import place_item
from rck.testing.robots import box_between, robots

NAME = "part.seffas"


def sample(data):
    return (data / "plate.seffas").read_bytes()


def volume(robot):
    return sum(subitem.shape.volume for item in robot.items for subitem in item.subitems)


def test_the_sample_is_a_plate_in_millimetres(desk, data):
    read = desk.open(rck_importers.seffas, data / "plate.seffas")
    (item,) = read.robot.items
    assert codes(read) == [408]
    assert item.name == "plate"
    np.testing.assert_allclose(item.subitems[0].shape.vertices.min(axis=0), (-0.4, -0.4, 0.0))
    np.testing.assert_allclose(item.subitems[0].shape.vertices.max(axis=0), (-0.35, -0.3, 0.02))
    assert item.mass == pytest.approx(0.1)


def test_unit_and_density_are_options(desk, data):
    robot = desk.open(rck_importers.seffas, data / "plate.seffas", length_unit="cm", density=2.0).robot
    assert robot.items[0].mass == pytest.approx(0.2)
    assert codes(desk.open(rck_importers.seffas, data / "plate.seffas", density=-1.0)) == [407]


@given(robot=robots(most_joints=3))
@settings(max_examples=25, deadline=None)
def test_shape_round_trip_gives_world_coordinates(desk, robot):
    # Two items of the same shape in the same place would be the same data twice.
    apart = tuple(place_item(item, translation((3 * n, 0, 0)) @ item.pose) for n, item in enumerate(robot.items))
    robot = build_robot("apart", apart).unwrap()
    written = desk.write(rck_importers.seffas, robot, NAME)
    read = desk.read(rck_importers.seffas, NAME, written.files[NAME])
    assert read.robot is not None, read.findings
    assert volume(read.robot) == pytest.approx(volume(robot), rel=1e-9)
    one, other = robot.mass_properties, read.robot.mass_properties
    np.testing.assert_allclose(one.centre, other.centre, atol=1e-9)
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-7, atol=1e-5)


def test_reading_and_writing_keeps_the_polygons(desk, data):
    read = desk.open(rck_importers.seffas, data / "plate.seffas")
    again = desk.write(rck_importers.seffas, read.robot, "plate.seffas").files["plate.seffas"]
    polygons = {frozenset(block.split("\n")) - {""} for block in again.decode().split("POLYGON { 4}")}
    assert polygons == {frozenset(block.split("\n")) - {""} for block in sample(data).decode().split("POLYGON { 4}")}


def test_polygons_are_oriented_by_their_normals(desk, data):
    blocks = sample(data).decode().split("POLYGON { 4}\n")[1:]
    turned = "".join("POLYGON { 4}\n" + "\n".join(reversed(block.splitlines())) + "\n" for block in blocks)
    read = desk.read(rck_importers.seffas, NAME, turned.encode())
    assert codes(read) == [408]
    assert volume(read.robot) == pytest.approx(1e-4)


def test_missing_braces_and_duplicate_data_are_repaired_with_one_message_each(desk, data):
    read = desk.open(rck_importers.seffas, data / "damaged.geo")
    assert codes(read) == [502, 502, 408]
    braces, twice = read.findings[:2]
    assert braces.where == "damaged.geo:1"
    assert "brace" in braces.message
    assert "twice" in twice.message
    assert volume(read.robot) == pytest.approx(1e-4)


@pytest.mark.parametrize("count", [b"POLYGON { 4", b"POLYGON 4}", b"POLYGON 4"])
def test_one_missing_brace_is_repaired(desk, data, count):
    read = desk.read(rck_importers.seffas, NAME, sample(data).replace(b"POLYGON { 4}", count, 1))
    assert codes(read) == [502, 408]
    assert volume(read.robot) == pytest.approx(1e-4)


@pytest.mark.parametrize("count", [b"3", b"5", b"900000000"])
def test_wrong_vertex_count_is_repaired(desk, data, count):
    read = desk.read(rck_importers.seffas, NAME, sample(data).replace(b"{ 4}", b"{ " + count + b"}", 1))
    assert codes(read) == [502, 408]
    assert read.findings[0].where == f"{NAME}:1"
    assert volume(read.robot) == pytest.approx(1e-4)


def test_surface_with_a_missing_face_is_refused_with_the_line(desk, data):
    whole = sample(data)
    (finding,) = desk.read(rck_importers.seffas, NAME, whole[: whole.rindex(b"POLYGON")]).findings
    assert finding.code == 304
    assert "-400" in finding.message


def test_nonconvex_solid_is_decomposed_or_replaced_by_its_hull(desk):
    outline = [(0, 0), (20, 0), (20, 10), (10, 10), (10, 20), (0, 20)]
    faces = [[(x, y, 10) for x, y in outline], [(x, y, 0) for x, y in reversed(outline)]]
    for (x, y), (u, v) in zip(outline, outline[1:] + outline[:1], strict=True):
        faces.append([(x, y, 0), (u, v, 0), (u, v, 10), (x, y, 10)])
    text = ""
    for face in faces:
        a, b, c = np.array(face[:3], dtype=float)
        normal = ",".join(f"{n:g}" for n in np.sign(np.cross(b - a, c - b)))
        text += f"POLYGON {{ {len(face)}}}\n" + "".join(f"{x},{y},{z} N {normal}\n" for x, y, z in face)
    cut = desk.read(rck_importers.seffas, NAME, text.encode())
    assert 310 in codes(cut)
    assert len(cut.robot.items[0].subitems) > 1
    assert volume(cut.robot) == pytest.approx(3e-6, rel=0.02)
    hull = desk.read(rck_importers.seffas, NAME, text.encode(), hull=True)
    assert 310 in codes(hull)
    assert len(hull.robot.items[0].subitems) == 1
    assert volume(hull.robot) == pytest.approx(3.5e-6)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (b"POLYGON", b"POLYGONE", 1, "expected POLYGON, found 'POLYGONE'"),
        (b"{ 4}", b"{ four}", 1, "expected the number of vertices of a polygon, found 'four'"),
        (b"{ 4}", b"{ 2}", 1, "expected the number of vertices of a polygon, at least 3, found '2'"),
        (b"-400,-400,0 N", b"-400,-400 N", 2, "expected a comma after y of a vertex, found 'N'"),
        (b"-400,-400,0 N", b"-400,x,0 N", 2, "expected y of a vertex, found 'x'"),
        (b"-400,-400,0 N", b"-400,nan,0 N", 2, "expected y of a vertex"),
        (b"-400,-400,0 N", b"-400,-400,0", 2, "expected N and the normal of the vertex, found '0'"),
    ],
)
def test_other_damage_is_refused_with_the_line(desk, data, old, new, line, message):
    read = desk.read(rck_importers.seffas, NAME, sample(data).replace(old, new, 1))
    assert desk.is_refused_or_whole(read, NAME)
    assert read.findings[0].where == f"{NAME}:{line}"
    assert read.findings[0].message.startswith(message)


def test_a_file_cut_off_after_any_token_is_one_error(desk, data):
    tokens = sample(data).replace(b",", b" , ").replace(b"{", b" { ").replace(b"}", b" } ").split()
    for kept in range(len(tokens)):
        read = desk.read(rck_importers.seffas, NAME, b" ".join(tokens[:kept]))
        assert read.robot is None
        assert len(read.findings) == 1
        assert read.findings[0].where.startswith(NAME)


def test_junk_for_any_token_is_read_or_refused_without_exception(desk, data):
    tokens = sample(data).replace(b",", b" , ").replace(b"{", b" { ").replace(b"}", b" } ").split()
    for index in range(0, len(tokens), 2):
        for junk in (b"abc", b"nan", b"1e999", b"\xff", b"7", b"", b"POLYGON", b"}"):
            read = desk.read(rck_importers.seffas, NAME, b" ".join([*tokens[:index], junk, *tokens[index + 1 :]]))
            assert (read.robot is None) == (len(read.findings) == 1 and read.findings[0].severity.name == "ERROR")


def test_huge_count_allocates_no_memory(desk, data):
    text = b"POLYGON { 900000000}\n0,0,0 N 0,0,1\n"
    tracemalloc.start()
    read = desk.read(rck_importers.seffas, NAME, text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert desk.is_refused_or_whole(read, NAME)
    assert peak < 1_000_000


def test_polygons_without_volume_are_refused(desk):
    flat = b"POLYGON { 3}\n0,0,0 N 0,0,1\n1,0,0 N 0,0,1\n0,1,0 N 0,0,1\n"
    assert codes(desk.read(rck_importers.seffas, NAME, flat)) == [304]
    assert codes(desk.read(rck_importers.seffas, NAME, flat.replace(b"1", b"0"))) == [305]
    assert codes(desk.read(rck_importers.seffas, NAME, b" \n")) == [505]


def test_a_robot_without_shapes_cannot_be_written(desk):
    robot = build_robot("r", [build_item("empty", []).unwrap()]).unwrap()
    assert codes(desk.write(rck_importers.seffas, robot, NAME)) == [507]


@pytest.mark.parametrize(
    "second",
    [
        box_between((1, 0, 0), (2, 1, 1)),  # a whole wall shared
        box_between((1, 0, 0), (2, 0.5, 1)),  # half a wall
        box_between((1, 0.5, 0.5), (2, 1.5, 1.5)),
        box_between((0.2, 0.2, 1), (0.4, 0.4, 2)),  # a peg on a plate
        box_between((0.5, 0, 0), (1.5, 1, 1)),  # overlapping
        box_between((0.2, 0.2, 0.2), (0.8, 0.8, 0.8)),  # one inside the other
    ],
)
def test_solids_in_contact_or_overlapping_stay_separate(desk, second):
    pair = build_item("pair", [box_between((0, 0, 0), (1, 1, 1)), second]).unwrap()
    robot = build_robot("r", [pair]).unwrap()
    read = desk.read(rck_importers.seffas, NAME, desk.write(rck_importers.seffas, robot, NAME).files[NAME])
    assert [subitem.shape.volume for subitem in read.robot.items[0].subitems] == pytest.approx(
        [1.0, second.shape.volume]
    )


def test_polygons_in_any_order_are_welded(desk, data):
    blocks = sample(data).decode().split("POLYGON { 4}\n")[1:]
    other = [block.replace("-4", "4").replace("-3", "3") for block in blocks]
    mixed = [block for pair in zip(blocks, other, strict=True) for block in pair]
    text = "".join("POLYGON { 4}\n" + block for block in mixed)
    read = desk.read(rck_importers.seffas, NAME, text.encode())
    assert len(read.robot.items[0].subitems) == 2
    assert volume(read.robot) == pytest.approx(2e-4)


def test_files_of_this_format_are_recognised_by_content(data):
    (importer,) = rck_importers.seffas.rck_importers()
    assert importer.probe(data / "x.txt", sample(data))
    assert importer.probe(data / "x.txt", (data / "damaged.geo").read_bytes())
    for other in (b"", b"POLYGON", b"POLYGON {x}", (data / "simple.robot").read_bytes(), b"ply\nformat ascii 1.0"):
        assert not importer.probe(data / "plate.seffas", other)
