"""Mates checked by geometry: refusals, warnings, screws in the bill of materials, gaps and unattached instances."""

from pathlib import Path

import msgspec
import pytest

from rck.assembly.document import Assembly, Instance, Mate
from rck.geometry.transforms import apply
from rck.hooks import Exporter, Job, discover
from rck.language.assembly_checks import check_assembly
from rck.language.session import Session, new_session, open_session
from rck.model import RckError, Severity
from rck.model.quantities import PoseSpec

ARM, PLATE = "universal-robots/ur5e", "flanges/blank-50"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return new_session(discover(), tmp_path)


def checked(session: Session) -> list[tuple[int, str]]:
    findings = check_assembly(session.assembly, session.compile().unwrap())
    return [(finding.code, finding.where) for finding in findings]


def bill(session: Session) -> list[str]:
    (exporter,) = [one for one in discover().all(Exporter) if one.name == "bom"]
    text = exporter.write(session.compile().unwrap().robot, "bom.csv", {}, Job()).files["bom.csv"].decode()
    cells = [line.split(",") for line in text.splitlines() if "Screw" in line or "Nut" in line]
    return [",".join(cell for cell in row if cell) for row in cells]


def test_new_mate_at_a_wrong_angle_is_refused_with_the_angles_that_fit(session: Session):
    session.do(f"create {ARM} arm")
    with pytest.raises(RckError, match="4 holes at 0, 90, 180 and 270°"):
        session.do(f"create {PLATE} plate --at arm.flange --turn 30")
    session.do(f"create {PLATE} plate --at arm.flange --turn 90")
    assert session.compile().findings == ()


def test_new_mate_of_unlike_flanges_is_refused_with_an_adaptor(session: Session):
    session.do(f"create {ARM} arm")
    with pytest.raises(RckError) as refused:
        session.do("create flanges/blank-31.5 plate --at arm.flange --by robot")
    assert "no holes coincide (4 x M6 on a circle of 50 mm; 4 x 5.5 mm on a circle of 31.5 mm)" in str(refused.value)
    assert "adaptors in the catalogue: flanges/adaptor-50-to-31.5" in str(refused.value)
    session.do("create flanges/blank-31.5 plate --at arm.flange --by robot --force")
    assert session.compile().findings == ()


def test_existing_document_with_such_mates_opens_with_warnings(session: Session):
    parts = {"arm": Instance(ARM), "plate": Instance(PLATE), "small": Instance("flanges/blank-31.5")}
    mates = [Mate("arm.flange", "plate.robot", turn=30.0), Mate("plate.tool", "small.robot")]
    built = session.compile(Assembly("old", parts=parts, mates=mates))
    assert [(one.code, one.severity) for one in built.findings] == [(812, Severity.WARNING)]
    wrong = [msgspec.structs.replace(mates[0], put="small.robot"), Mate("small.tool", "plate.tool")]
    built = session.compile(Assembly("old", parts=parts, mates=wrong))
    assert [one.code for one in built.findings] == [805]
    assert built.value is not None


def test_screws_follow_from_the_mate_and_the_thickness_of_the_plate(session: Session):
    session.do(f"create {ARM} arm")
    session.do(f"create {PLATE} plate thickness=8 --at arm.flange")
    assert bill(session) == ["Screw M6 x 16,4,arm.flange-plate.robot"]
    session.do("set plate thickness=12")
    assert bill(session) == ["Screw M6 x 20,4,arm.flange-plate.robot"]


def test_clear_holes_on_both_sides_need_nuts(session: Session):
    session.do("create stepperonline/23hs22-2804s motor")
    session.do("create structure/nema23-bracket bracket --at motor.face")
    lines = bill(session)
    assert [line.split(",")[0][:8].strip() for line in lines] == ["Nut M5", "Screw M5"]
    assert {line.split(",")[1] for line in lines if "Nut" in line} == {"4"}


def test_mates_with_moving_joints_have_no_screws_and_fit_at_every_angle(session: Session):
    session.do(f"create {ARM} arm")
    session.do(f"create {PLATE} plate --at arm.flange --turn 30 --joint continuous")
    assert bill(session) == []
    assert session.compile().findings == ()


def test_camera_that_floats_near_the_flange_is_a_warning(session: Session):
    session.do(f"create {ARM} arm")
    session.do(f"create {PLATE} plate --at arm.flange")
    session.do("create intel/realsense-d435 eye --at plate.tool --by back --force")
    assert checked(session) == []
    session.do("detach eye")
    assert checked(session) == [(813, "eye")]
    session.do("set eye loose=yes")
    assert checked(session) == []
    session.do("set eye loose=no")
    session.do("mate plate.tool eye.back --offset 60")
    assert checked(session) == [(814, "mate plate.tool eye.back")]
    (finding,) = check_assembly(session.assembly, session.compile().unwrap())
    assert "the gap is 60 mm" in finding.message


def test_part_on_the_floor_is_not_unattached(session: Session):
    parts = {
        "table": Instance("objects/table"),
        "box": Instance("structure/plate", place=PoseSpec(at=(0.0, 0.0, 2000.0))),
    }
    session.apply("two", Assembly("two", parts=parts))
    assert checked(session) == [(813, "box")]


def test_larger_plain_face_on_a_small_one_is_a_warning(session: Session):
    session.do("create structure/plate small length=40 width=40 thickness=5")
    session.do("create structure/plate large length=200 width=200 thickness=5 --at small.top --by bottom")
    assert checked(session) == [(815, "mate small.top large.bottom")]
    session.do("remove large")
    session.do("set small length=200 width=200")
    session.do("create structure/plate large length=40 width=40 thickness=5 --at small.top --by bottom")
    assert checked(session) == []


PLATE_WITH_HOLES = """\
rck: 1
name: kit
local_parts:
  plate:
    items: {plate: {mass: 1, shapes: [{box: [80, 60, 4]}]}}
    ports:
      top:
        {at: [0, 0, 2], z: z, x: x, interface: {holes: [{at: [[0, 0], [20, 5], [10, 15]], diameter: 4.4}]}}
  link:
    items:
      left: {mass: 1, shapes: [{box: [80, 60, 4]}]}
      right: {mass: 1, shapes: [{box: [10, 10, 4], at: [90, 0, 0]}]}
    joints: {hinge: {continuous: z, base: left, moves: right, at: [60, 0, 0]}}
    ports:
      top:
        {on: left, at: [0, 0, 2], z: z, x: x, interface: {holes: [{at: [[0, 0], [20, 5], [10, 15]], diameter: 4.4}]}}
parts:
  plate: {part: plate}
  other: {part: plate, mirror: x, place: {at: [0, 0, 100]}}
  arm: {part: link, place: {at: [0, 0, 200]}}
"""


def test_mirrored_port_keeps_its_holes(tmp_path: Path):
    path = tmp_path / "kit.rck"
    path.write_text(PLATE_WITH_HOLES)
    compiled = open_session(discover(), path).compile().unwrap()
    ports = compiled.ports
    plain, mirrored = ports["plate.top"], ports["other.top"]
    assert plain.interface is not None
    assert mirrored.interface is not None
    for port, sign in ((plain, 1), (mirrored, -1)):
        pose = port.world_pose(compiled.robot)
        points = [apply(pose, (*centre, 0.0))[:2].round(9).tolist() for centre in port.interface.holes[0].centres]
        assert points == [[0.0, 0.0], [sign * 0.02, 0.005], [sign * 0.01, 0.015]]


def test_exploded_link_keeps_the_holes_of_its_ports(tmp_path: Path):
    path = tmp_path / "kit.rck"
    path.write_text(PLATE_WITH_HOLES)
    session = open_session(discover(), path)
    before = session.compile().unwrap().ports["arm.top"].interface
    session.do("explode arm")
    after = session.compile().unwrap().ports["left.top"].interface
    assert before is not None
    assert after == before
