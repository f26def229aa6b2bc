"""Units of an assembly: bare numbers in commands, and conversion by `set units`."""

import ezdxf
import numpy as np
import pytest

from rck.assembly.edits import set_pose
from rck.assembly.native_file import format_assembly, parse_assembly
from rck.language.commands.set_commands import PROPERTIES
from rck.language.completion import complete
from rck.language.session import Session
from rck.model import RckError
from rck.model.quantities import Units
from rck.parts.library import read_catalogue
from rck.support.units import dimension_of

CRATE = """\
part: local/crate
name: Crate
category: objects
summary: A crate whose parameters are in unusual units
source: the test's own
parameters:
  length: {default: 20, min: 5, max: 100, unit: cm}
  weight: {default: 500, min: 1, max: 5000, unit: g}
  tilt: {default: 0, min: -1, max: 1, unit: rad}
  stiffness: {default: 1, min: 0.1, max: 10, unit: bar}
  slats: {default: 2, min: 1, max: 50, step: 1}
items:
  body:
    mass: "${weight} g"
    shapes:
    - {box: ["${10*length}", 10, 10], rpy: [0, 0, "${tilt*180/pi}"], repeat: "${slats}", by: [0, 20, 0]}
"""


def model(session):
    return [(item.name, item.mass, item.pose, item.subitems) for item in session.compile().unwrap().robot.items]


@pytest.fixture
def crates(plugins, tmp_path):
    """Return a session with one part whose parameter units differ from the document units."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "crate.yaml").write_text(CRATE, encoding="utf-8")
    return Session(plugins, read_catalogue([tmp_path / "parts"]), tmp_path)


def size_and_mass(session):
    (item,) = session.compile().unwrap().robot.items
    return np.ptp(item.subitems[0].shape.vertices, axis=0).max(), item.mass, len(item.subitems)


def test_bare_parameter_uses_the_document_unit_of_its_dimension(crates):
    crates.do("create local/crate crate length=300 weight=2 slats=3 stiffness=3")
    assert size_and_mass(crates) == pytest.approx((0.3, 2.0, 3))
    crates.do("set units length=in mass=lb angle=deg")
    assert crates.assembly.parts["crate"].with_["slats"] == 3
    assert crates.assembly.parts["crate"].with_["stiffness"] == 3, "documents have no unit of pressure"
    assert size_and_mass(crates) == pytest.approx((0.3, 2.0, 3), rel=1e-14)
    crates.do("set crate length=20 weight=3")
    assert size_and_mass(crates) == pytest.approx((0.508, 3 * 0.45359237, 3))
    crates.do("set crate length='30 cm' weight=1/2")
    assert size_and_mass(crates) == pytest.approx((0.3, 0.45359237 / 2, 3))
    with pytest.raises(RckError, match="length = 127 cm is not within 5 to 100 cm"):
        crates.do("set crate length=50")


def test_defaults_of_parameters_do_not_depend_on_the_units(crates):
    crates.do("set units length=in mass=lb angle=rev")
    crates.do("create local/crate crate")
    assert size_and_mass(crates) == pytest.approx((0.2, 0.5, 2))


def test_every_parameter_of_the_shipped_library_is_a_count_or_in_a_default_unit(shipped_catalogue):
    units = Units()
    for part in shipped_catalogue.entries:
        for name, parameter in shipped_catalogue.file(part).parameters.items():
            default = units.of(dimension_of(parameter.unit)) or ""
            assert parameter.unit == default, f"{part} {name}: files that say nothing else would be read in {default}"


def test_set_units_converts_bare_numbers_and_keeps_values_with_units(arm):
    arm.do("set upper length=254 width=2in thickness=(2+3)*2")
    arm.do("set mate upper turn=90 offset='1 in'")
    arm.do("set units length=in angle=rad")
    upper = arm.assembly.parts["upper"]
    assert upper.with_ == {"length": 10.0, "width": "2in", "thickness": 10 / 25.4}
    mate = next(mate for mate in arm.assembly.mates if mate.put == "upper.a")
    assert (mate.turn, mate.offset) == (np.pi / 2, "1 in")
    assert arm.assembly.views["front"].eye == (0.0, -900 / 25.4, 300 / 25.4)
    arm.do("set units length=default angle=default")
    assert arm.assembly.parts["upper"].with_ == {"length": 254.0, "width": "2in", "thickness": 10.0}


def test_set_units_undoes_to_the_same_file_and_the_same_model(arm):
    before, text = model(arm), format_assembly(arm.assembly)
    arm.do("set units length=ft angle=rev mass=oz")
    model(arm)
    arm.do("undo")
    assert format_assembly(arm.assembly) == text
    for one, other in zip(before, model(arm), strict=True):
        assert one[:2] == other[:2]
        np.testing.assert_array_equal(one[2], other[2])


def test_same_numbers_in_other_units_give_another_model(arm):
    arm.do("set upper length=20")
    arm.do("set base diameter=60mm")
    text = format_assembly(arm.assembly).replace("length: mm", "length: in")
    before = arm.compile(arm.assembly).unwrap().bodies["upper"].ports["b"].pose[0, 3]
    after = arm.compile(parse_assembly(text)).unwrap().bodies["upper"].ports["b"].pose[0, 3]
    assert (before, after) == pytest.approx((0.02, 0.508))


def test_every_document_unit_accepts_the_completed_values(arm):
    for key in PROPERTIES["units"]:
        _, offered = complete(arm, f"set units {key}=")
        assert offered
        for word in offered:
            arm.do(f"set units {word}")
    assert arm.compile().value is not None


def test_set_units_is_refused_if_numbers_cannot_be_converted(arm):
    whole = arm.assembly
    for broken, why in (
        (format_assembly(whole).replace("structure/bar-link", "structure/bar-lonk"), "parameters of upper .*bar-lonk"),
        (format_assembly(whole).replace("{length: 200}", "{lenth: 200}"), "parameters of upper .*did you mean length"),
        (format_assembly(set_pose(whole, "odd", {"gone/axis": 30.0})), "pose odd cannot be converted: .*gone/axis"),
    ):
        arm.begin(parse_assembly(broken))
        with pytest.raises(RckError, match=why):
            arm.do("set units length=in")
        assert arm.assembly.units == Units()


def test_unknown_unit_can_be_corrected(arm):
    text = format_assembly(arm.assembly)
    arm.begin(parse_assembly(text.replace("length: mm", "length: smoot")))
    assert arm.compile().value is None
    arm.do("set units length=mm")
    assert format_assembly(arm.assembly) == text


def test_item_mass_uses_the_units_of_the_assembly_not_of_the_part(arm):
    arm.do("set units mass=g")
    arm.do("set item plate/body mass=250")
    assert arm.compile().unwrap().robot.item("plate/body").mass == pytest.approx(0.25)
    arm.do("set item plate/body mass=1/2")
    assert arm.compile().unwrap().robot.item("plate/body").mass == pytest.approx(0.0005)
    arm.do("make box crate size=10,10,10 mass=30")
    arm.do("set units mass=lb")
    assert arm.compile().unwrap().robot.item("crate/body").mass == pytest.approx(0.03)
    arm.do("set item crate/body mass=2")
    assert arm.compile().unwrap().robot.item("crate/body").mass == pytest.approx(2 * 0.45359237)


def test_payload_uses_the_units_of_the_assembly(arm):
    said = arm.do("loads 453.59237g").message
    arm.do("set units mass=lb")
    assert arm.do("loads 1").message.splitlines()[:-1] == said.splitlines()[:-1]


def test_importer_options_use_the_units_of_the_assembly(session, tmp_path):
    drawing = ezdxf.new(units=4)
    drawing.modelspace().add_lwpolyline([(0, 0), (100, 0), (100, 50), (0, 50)], close=True)
    drawing.saveas(tmp_path / "plate.dxf")
    session.do("set units length=in")
    for name, given in (("bare", "thickness=1/4"), ("stated", "thickness=6.35mm")):
        session.do(f"import plate.dxf {name} {given}")
    for item in session.compile().unwrap().robot.items:
        heights = np.ptp(np.vstack([one.shape.vertices for one in item.subitems]), axis=0)
        assert heights.min() == pytest.approx(0.00635)
    with pytest.raises(RckError, match="thick"):
        session.do("import plate.dxf other thickness=thick")


@pytest.mark.parametrize("unit", ["km", "in", "um"])
def test_poses_keep_their_precision_in_every_unit(arm, unit):
    arm.do(f"set units length={unit} angle=rev")
    arm.do("move table 12.3456789mm,0,0 --to")
    arm.do("rotate table --angle 12.3456789deg")
    pose = arm.compile().unwrap().robot.item("table/body").pose
    assert pose[0, 3] == pytest.approx(0.0123456789, abs=2e-12)
    assert np.arctan2(pose[1, 0], pose[0, 0]) == pytest.approx(np.radians(12.3456789), abs=2e-11)
