"""Fit of ports: holes that coincide, the angles at which they do, parts that fit, and adaptors."""

from math import degrees, pi
from pathlib import Path

import numpy as np
import pytest

from rck.geometry.transforms import rotation_about
from rck.hooks import discover
from rck.model import Port, RckError
from rck.model.fasteners import screw_length, screw_of
from rck.model.interface import Holes, Interface, Shaft
from rck.model.port_fit import (
    circle_points,
    coinciding_holes,
    describe_holes,
    describe_turns,
    fitting_turns,
    port_mismatch,
)
from rck.parts.adaptors import catalogue_port, find_adaptors, fitting_parts
from rck.parts.library import Catalogue, open_catalogue
from rck.parts.port_drawing import draw_svg, draw_text, port_type_lines
from rck.parts.port_types import read_port_types

MM = 1e-3
FACE_TO_FACE = np.diag([1.0, -1.0, -1.0, 1.0])


def ring(across: float, count: int, start: float = 0.0, **size: object) -> Interface:
    """Return holes on a circle; clear holes of 4.5 mm by default."""
    holes = {"diameter": 4.5 * MM, **size}
    return Interface((Holes(circle_points(across * MM, count, start), **holes),))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return open_catalogue(discover(), tmp_path_factory.mktemp("empty"))


def angles(one: Interface, other: Interface) -> list[tuple[int, int]]:
    return [(round(degrees(turn.angle)), turn.holes) for turn in fitting_turns(one, other)]


def test_equal_circles_fit_at_every_step_of_their_holes():
    one, other = ring(50, 4, diameter=4 * MM, thread="M4"), ring(50, 4)
    assert angles(one, other) == [(0, 4), (90, 4), (180, 4), (270, 4)]


def test_four_of_eight_holes_are_enough():
    one, other = ring(16, 8, diameter=4 * MM, thread="M4"), ring(16, 4)
    assert angles(one, other) == [(step * 45, 4) for step in range(8)]
    assert describe_turns(fitting_turns(one, ring(16, 4, pi / 8))).startswith("4 holes at 22.5, 67.5")


def test_the_turns_that_are_found_make_the_holes_coincide():
    one, other = ring(31, 6, 0.3, diameter=4 * MM, thread="M4"), ring(31, 3, 1.1)
    turns = fitting_turns(one, other)
    assert len(turns) == 6
    for turn in turns:
        matrix = rotation_about((0, 0, 1), turn.angle) @ FACE_TO_FACE
        assert len(coinciding_holes(one, other, matrix)) == turn.holes == 3


def test_other_circles_and_two_threads_do_not_fit():
    thread = ring(50, 4, diameter=4 * MM, thread="M4")
    assert fitting_turns(thread, ring(40, 4)) == ()
    assert fitting_turns(thread, thread) == ()
    assert fitting_turns(thread, ring(50, 4, diameter=3.2 * MM)) == ()


def test_slots_take_holes_along_their_length():
    slots = Interface((Holes(((20 * MM, 0.0), (-20 * MM, 0.0)), 4.5 * MM, slot=(8 * MM, 0.0)),))
    for distance, fits in ((32, True), (48, True), (52, False), (28, False)):
        pair = Interface((Holes(((distance / 2 * MM, 0.0), (-distance / 2 * MM, 0.0)), 4 * MM, "M4"),))
        assert bool(len(coinciding_holes(pair, slots, FACE_TO_FACE)) == 2) == fits, distance


def test_geometry_decides_between_ports_of_different_types():
    thread = Port("", "", type="motor", interface=ring(50, 4, diameter=4 * MM, thread="M4"))
    assert port_mismatch(thread, Port("", "", type="plate", interface=ring(50, 8))) == ""
    said = port_mismatch(thread, Port("", "", interface=ring(40, 4)))
    assert "no holes coincide (4 x M4 on a circle of 50 mm; 4 x 4.5 mm on a circle of 40 mm)" in said
    assert port_mismatch(thread, Port("", "", type="plate")) == "motor does not fit plate"
    assert port_mismatch(thread, Port("", "")) == ""


def test_shafts_fit_bores_of_their_diameter_and_teeth():
    def shaft(**figures: object) -> Port:
        return Port("", "", interface=Interface(shaft=Shaft(**figures)))  # type: ignore[arg-type]

    assert port_mismatch(shaft(diameter=6 * MM), shaft(diameter=6 * MM, is_bore=True)) == ""
    assert "shaft of 6 mm, bore of 8 mm" in port_mismatch(shaft(diameter=6 * MM), shaft(diameter=8 * MM, is_bore=True))
    assert "both are shafts" in port_mismatch(shaft(diameter=6 * MM), shaft(diameter=6 * MM))
    assert "24 teeth" in port_mismatch(shaft(teeth=25), shaft(teeth=24, is_bore=True))
    cut = shaft(diameter=6 * MM, flat=5.5 * MM, is_bore=True)
    assert "flat" in port_mismatch(shaft(diameter=6 * MM), cut)
    assert port_mismatch(shaft(diameter=6 * MM, flat=5.5 * MM), cut) == ""


def test_the_largest_screw_that_passes_both_clear_holes_is_chosen():
    clear = [Holes(((0.0, 0.0),), diameter * MM) for diameter in (6.6, 6.4, 5.5, 12.0)]
    assert screw_of(clear[0], clear[1]) == "M6"
    assert screw_of(clear[0], clear[2]) == "M5"
    assert screw_of(clear[0], clear[3]) == ""


@pytest.mark.parametrize(
    ("thread", "stack", "depth", "has_nut", "length"),
    [
        ("M6", 8, None, False, 16),  # 8 mm + 6 mm of thread
        ("M6", 8, 6, False, None),  # neither 14 nor less in steps of screws between 8 and 14 mm that engages: 10, 12
        ("M6", 10, None, True, 16),  # 10 mm + nut of 5.2 mm
        ("M3", 3, 4.5, False, 6),
        ("M3", None, None, False, None),
    ],
)
def test_length_of_screws(thread, stack, depth, has_nut, length):
    found = screw_length(thread, None if stack is None else stack * MM, None if depth is None else depth * MM, has_nut)
    if length is None and stack is not None:
        # No standard length of a screw engages over its whole diameter: the longest that does not bottom.
        assert found == pytest.approx(12 * MM)
    else:
        assert found == (None if length is None else pytest.approx(length * MM))


def test_port_types_of_the_catalogue_fit_themselves_by_their_geometry(catalogue: Catalogue):
    types = catalogue.port_types
    wrong = []
    for name in types.names:
        male, female = (types.interface(name.replace("-N", "-10"), side) for side in ("male", "female"))
        gendered = types.find(name.replace("-N", "-10"))[0].male  # type: ignore[index]
        if gendered and male and female and male.hole_count > 1 and not fitting_turns(male, female):
            wrong.append(name)
    assert wrong == []


def test_parts_that_fit_a_robot_flange_have_four_holes_at_right_angles(catalogue: Catalogue):
    found = fitting_parts(catalogue, catalogue_port(catalogue, "universal-robots/ur5e:flange"))
    by_id = {part.entry.id: part for part in found}
    assert by_id["flanges/blank-50"].port == "robot"
    assert describe_turns(by_id["flanges/blank-50"].turns) == "4 holes at 0, 90, 180 and 270°"
    assert "flanges/blank-80" not in by_id
    assert "universal-robots/ur10e" not in by_id


def test_an_adaptor_bridges_two_flanges(catalogue: Catalogue):
    one = catalogue_port(catalogue, "universal-robots/ur5e:flange")
    other = catalogue_port(catalogue, "iso9409-1-31.5-4-m5:female")
    (found,) = find_adaptors(catalogue, [one], [other])
    assert (found.part, found.first, found.second) == ("flanges/adaptor-50-to-31.5", "robot", "tool")


def test_unknown_port_is_refused_with_the_forms(catalogue: Catalogue):
    for text, said in (
        ("nothing", "write FILE.rck:INSTANCE.PORT"),
        ("universal-robots/ur5e:nose", "has no port 'nose'; its ports: "),
    ):
        with pytest.raises(RckError, match=said):
            catalogue_port(catalogue, text)


def test_family_of_port_types_has_the_size_in_its_name(catalogue: Catalogue):
    types = catalogue.port_types
    shaft = types.interface("shaft-6.35", "male")
    assert shaft is not None
    assert shaft.shaft == Shaft(6.35 * MM)
    spline = types.interface("spline-25t", "female")
    assert spline is not None
    assert spline.shaft == Shaft(teeth=25, is_bore=True)
    assert types.find("shaft-x") is None


def test_project_overrides_port_types_and_mistakes_name_file_and_line(tmp_path: Path):
    folder = tmp_path / "port_types"
    folder.mkdir()
    text = "port-types:\n  mine:\n    summary: my face\n    sources: [my drawing]\n    holes:\n      - {HOLES}\n"
    (folder / "mine.yaml").write_text(text.replace("HOLES", "circle: 40, count: 6, thread: M5, depth: 12"))
    interface = read_port_types([tmp_path]).interface("mine", "male")
    assert interface is not None
    assert describe_holes(interface) == "6 x M5 on a circle of 40 mm"
    for wrong, said in (
        ("circle: 40, count: 6, thread: M7", "unknown thread 'M7'"),
        ("circle: 40, thread: M5", "whole number"),
        ("grid: [2, 2], thread: M5", "needs a pitch"),
        ("circle: 40, count: 6", "need a diameter or a thread"),
        ("circle: 40, cuont: 6", "did you mean"),
        ("thread: M5", "one of circle, grid and at"),
        ("circle: -40, count: 6, thread: M5", "not a positive length"),
    ):
        (folder / "mine.yaml").write_text(text.replace("HOLES", wrong))
        with pytest.raises(RckError, match=said):
            read_port_types([tmp_path])
    (folder / "mine.yaml").write_text(text.replace("HOLES", "circle: 4, count: 6, thread: M2").replace("sources", "x-"))
    with pytest.raises(RckError, match=r"mine\.yaml"):
        read_port_types([tmp_path])


def test_drawing_shows_each_hole_and_the_pin(catalogue: Catalogue):
    interface = catalogue.port_types.interface("iso9409-1-50-4-m6", "male")
    assert interface is not None
    drawing = "\n".join(draw_text(interface))
    assert (drawing.count("●"), drawing.count("+")) == (4, 1)
    svg = draw_svg("flange", interface)
    assert (svg.count('class="thread"'), svg.count('class="pin"'), svg.count('class="pilot"')) == (4, 1, 1)
    lines = port_type_lines(catalogue.port_types, "iso9409-1-50-4-m6")
    assert "male geometry: 4 x M6 on a circle of 50 mm, recess of 31.5 mm, pin of 6 mm at 0°" in lines
    with pytest.raises(RckError, match="unknown port type"):
        port_type_lines(catalogue.port_types, "iso9409")
