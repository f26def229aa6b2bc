"""Units of documents.

Changing the units of a document changes how its numbers are written, never the model.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from rck.assembly.document import Assembly
from rck.assembly.native_file import format_assembly, parse_assembly
from rck.cli.main import cli
from rck.language.session import Session, open_session
from rck.model.quantities import Quantities
from rck.support.units import UNITS

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.rck"))
UNITS_OF_FILES = [
    (dimension.replace(" ", "-"), unit)
    for dimension in ("length", "angle", "mass", "torque", "force", "angular speed", "speed")
    for unit in UNITS[dimension]
]

DOCUMENT = """\
rck: 1
name: everything
units: {{length: mm, angle: deg, mass: g}}
parts:
  base:
    part: structure/round-base
    with: {{diameter: {a:.3f}}}
    place: {{at: [{b:.3f}, "1/2", "2 in"], rpy: [0, {c:.3f}, 30]}}
  shoulder: {{part: robotis/xm540-w270}}
  upper: {{part: structure/bar-link, with: {{length: {d:.2f}, width: "1 in", thickness: "(3 + 5) / 2"}}}}
  blade: {{part: blade}}
  cart: {{part: blade}}
  parcel: {{part: objects/box, with: {{mass: {e:.1f}}}, place: {{at: [300, {b:.3f}, 0], z: x}}, loose: true}}
mates:
- {{at: base.top, put: shoulder.bottom, turn: {c:.3f}, offset: {f:.4f}}}
- {{at: shoulder.horn, put: upper.a, offset: [1, {f:.4f}, 0.5], rpy: [0, 0, "0.2 rad"]}}
- at: upper.b
  put: blade.handle
  joint: {{revolute: z, name: flap, limits: [-90, {c:.3f}], speed: 30, acceleration: 40, torque: 2}}
- at: base
  put: cart
  joint: {{prismatic: x, limits: [0, {d:.2f}], speed: {e:.1f}, acceleration: "1/4", force: 12}}
joints:
  shoulder/axis: {{position: {g:.3f}, limits: [-90, "1.5 rad"], speed: 20, torque: 8}}
  cart/mate: {{position: {f:.4f}, speed: "2 m/s"}}
  flap: {{position: "15/2"}}
poses:
  up: {{shoulder/axis: {g:.3f}, flap: -10, cart/mate: {f:.4f}}}
tools:
  tip: {{on: blade.edge, offset: [0, {f:.4f}, 5], rpy: [{c:.3f}, 0, 0]}}
views:
  side: {{eye: [0, -1500, {d:.2f}], target: [0, 0, {a:.3f}]}}
pieces:
  blade:
    items:
      sheet:
        mass: {e:.1f} g
        shapes:
        - {{box: [80, 120, 6], at: [0, 60, 0]}}
    ports:
      handle: {{at: [0, 20, -3], z: -z}}
      edge: {{at: [0, 120, 0], z: y}}
"""
"""With a number in every place that a document has for one, and texts with and without units."""


def random_document(seed: int) -> Assembly:
    random = np.random.default_rng(seed)
    low, high = np.array([[120, 220], [-500, 500], [10, 80], [40, 400], [20, 900], [1, 30], [-80, 80]]).T
    numbers = dict(zip("abcdefg", random.uniform(low, high).tolist(), strict=True))
    return parse_assembly(DOCUMENT.format(**numbers))


def opened(session: Session, assembly: Assembly) -> Session:
    session.begin(assembly)
    return session


def model(session: Session) -> dict[str, Any]:
    """Return all values of the assembly in SI units; arrays and numbers by name."""
    assembly, robot = session.assembly, session.compile().unwrap().robot
    read = Quantities(assembly.units)
    found: dict[str, Any] = {}
    for item in robot.items:
        mass = item.mass_properties
        found[f"{item.name} pose"] = item.pose
        found[f"{item.name} vertices"] = np.vstack([subitem.shape.vertices for subitem in item.subitems] or [[0] * 3])
        found[f"{item.name} mass"] = [mass.mass, *mass.centre]
        found[f"{item.name} inertia"] = mass.inertia
    for joint in robot.joints:
        limits = (0.0, 0.0) if joint.limits is None else (joint.limits.lower, joint.limits.upper)
        rates = (joint.speed, joint.acceleration, joint.effort)
        found[f"{joint.name} axis"] = [joint.start, joint.end]
        found[f"{joint.name} range"] = [*limits, joint.position]
        found[f"{joint.name} rates"] = [0.0 if one is None else one for one in rates]
    found |= {f"{frame.name} frame": frame.pose for frame in robot.frames}
    for name, pose in assembly.poses.items():
        found[f"{name} pose"] = [read.joint_position(x, robot.joint(one).kind.turns) for one, x in pose.items()]
    for name, view in assembly.views.items():
        found[f"{name} view"] = [*read.point(view.eye), *read.point(view.target)]
    return found


def difference(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Return the largest difference of two models, relative to the largest number of the same quantity or 0.001."""
    assert one.keys() == other.keys()
    pairs = ((np.asarray(one[name], float), np.asarray(other[name], float)) for name in one)
    return max(float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-3)) for a, b in pairs)


def documents() -> Iterator[Any]:
    yield from (pytest.param(path, id=path.stem) for path in EXAMPLES)
    yield from (pytest.param(seed, id=f"random-{seed}") for seed in range(4))


@pytest.mark.parametrize("source", documents())
def test_set_units_keeps_the_model_and_converts_back_to_the_same_file(source, session, plugins, compare):
    work = open_session(plugins, source) if isinstance(source, Path) else opened(session, random_document(source))
    # Values without a unit are converted back to numbers: 1/2 becomes 0.5.
    work.do("set units length=in angle=rad mass=lb")
    work.do("set units length=mm angle=deg mass=g")
    before, text = model(work), format_assembly(work.assembly)
    worst = 0.0
    for dimension, unit in UNITS_OF_FILES:
        old = getattr(work.assembly.units, dimension.replace("-", "_"))
        work.do(f"set units {dimension}='{unit}'")
        worst = max(worst, difference(before, model(work)))
        work.do(f"set units {dimension}='{old}'")
        assert format_assembly(work.assembly) == text, (dimension, unit)
    check = "`set units` to every unit, every example and random documents"
    compare(check, "same model before", worst, 1e-12, "relative")


@pytest.mark.parametrize("seed", range(4))
def test_random_unit_changes_keep_the_model_and_round_numbers(seed, session, compare):
    work = opened(session, random_document(seed))
    work.do("set units length=m angle=rad")
    work.do("set units length=mm angle=deg")
    before, text = model(work), format_assembly(work.assembly)
    random = np.random.default_rng(seed)
    for number in random.integers(len(UNITS_OF_FILES), size=30):
        work.do("set units {}='{}'".format(*UNITS_OF_FILES[number]))
    error = difference(before, model(work))
    compare("30 changes of units in a row", "same model before", error, 1e-12, "relative")
    work.do("set units length=mm angle=deg mass=g torque='N m' force=N angular-speed=rpm speed=mm/s")
    assert format_assembly(work.assembly) == text


def test_parameters_of_parts_are_in_the_units_of_the_document(session, compare):
    session.do("set units length=in mass=lb")
    session.do("create structure/bar-link link length=30 width=1")
    session.do("create objects/box parcel length=10 width=8 height=4 mass=2")
    compiled = session.compile().unwrap()
    ends = [compiled.ports[end].world_pose(compiled.robot)[:3, 3] for end in ("link.a-top", "link.b")]
    reference = "1 in = 25.4 mm"
    error = abs(np.linalg.norm(ends[1] - ends[0]) - 0.762) / 0.762
    compare("`length=30` of a part in an inch document", reference, error, 1e-12, "relative")
    (item,) = (one for one in compiled.robot.items if one.name.startswith("parcel/"))
    sides = np.sort(np.ptp(np.vstack([one.shape.vertices for one in item.subitems]), axis=0))
    error = np.abs(sides / (np.array([4, 8, 10]) * 0.0254) - 1).max()
    compare("Sides of a box in an inch document", reference, error, 1e-12, "relative")
    error = abs(item.mass / (2 * 0.45359237) - 1)
    compare("`mass=2` of a part in a pound document", "1 lb = 0.45359237 kg", error, 1e-12, "relative")


SCRIPT = """\
create structure/round-base base diameter={6}
create robotis/xm540-w270 shoulder --at base.top --offset {0.25}
create structure/bar-link upper length={10} width={1} --at shoulder.horn --by a
make box plate size={3},{2},{0.5} material=steel
mate upper.b plate.bottom --offset {0.1},{0.2},{0.3} --joint prismatic --limits {-1}..{4} --name slide
make cylinder post diameter={2} length={12}
move post {20},{-3},{0}
rotate post --angle 40 --axis x --about {5},{0},{1}
copy post other --by {0},{30},{0}
pattern other line 3 --by {4},{0},{0}
pattern base circle 3 --about {100},{0},{0}
tool grip plate.top --offset {0},{0},{1.5}
drive slide {2}
pose there slide={1}
set joint slide speed={7} limits={-0.5}..{3}
view front --eye {0},{-40},{10} --target {0},{0},{2}
set upper length={12}
set mate shoulder offset={0.5}
set tool grip offset={0},{1},{1}
"""
"""Every command that takes a length, each in braces."""


def test_a_script_in_inches_gives_the_same_model_as_in_millimetres(plugins, shipped_catalogue, tmp_path, compare):
    models = []
    for units, factor in (("length=mm speed=mm/s", 25.4), ("length=in speed=in/s", 1.0)):
        session = Session(plugins, shipped_catalogue, tmp_path)
        numbers = re.sub(r"{(\S+?)}", lambda found, factor=factor: repr(factor * float(found[1])), SCRIPT)
        session.run_script(f"set units {units}\n{numbers}", "script")
        models.append(model(session))
    error = difference(*models)
    compare("Script of every command with lengths, in inches", "the same in millimetres", error, 1e-12, "relative")


def test_a_subassembly_may_be_in_other_units_than_its_parent(plugins, shipped_catalogue, tmp_path, compare):
    hand = Session(plugins, shipped_catalogue, tmp_path)
    hand.run_script("create structure/bar-link palm length=100\ntool grip palm.b --offset 0,0,12.7", "hand")
    models = []
    for units in ("length=mm", "length=in angle=rad", "length=ft mass=oz"):
        hand.do(f"set units {units}")
        hand.save(tmp_path / "hand.rck")
        arm = Session(plugins, shipped_catalogue, tmp_path)
        arm.run_script("set units length=in\ncreate structure/bar-link arm length=20\n", "arm")
        arm.do("create ./hand.rck hand --at arm.b --by palm/a")
        models.append(model(arm))
    found = models[0]["hand/grip frame"]
    compare("Tool of a millimetre assembly in an inch assembly", "12.7 mm", abs(found[2, 3] - 0.0157), 1e-12, "m")
    error = max(difference(models[0], one) for one in models[1:])
    compare("Assembly in other units than its parent", "the same in millimetres", error, 1e-12, "relative")


@pytest.mark.parametrize("path", EXAMPLES[:3], ids=lambda path: path.stem)
def test_output_and_exports_do_not_depend_on_the_units(path, plugins, tmp_path, compare):
    for example in EXAMPLES:
        copyfile(example, tmp_path / example.name)
    file, out = tmp_path / path.name, tmp_path / "robot.xml"
    work = open_session(plugins, file)
    joint = work.compile().unwrap().robot.free_joints[0].name
    commands = (f"show {file}", f"fk {file} --pose={joint}=10", f"check {file}", f"export {file} {out}")
    said, exported = [], []
    for units in ("length=mm", "length=in angle=rad mass=lb"):
        work.do(f"set units {units}")
        work.save()
        results = [CliRunner().invoke(cli, command.split()) for command in commands]
        assert [result.exit_code for result in results] == [0] * 4, results
        said.append([result.output for result in results])
        exported.append(re.split(r"(-?\d+\.?\d*(?:e-?\d+)?)", out.read_text(encoding="utf-8")))
    assert said[0] == said[1]
    assert exported[0][::2] == exported[1][::2]
    numbers = [np.array(one[1::2], float) for one in exported]
    error = np.abs(numbers[0] - numbers[1]).max() / np.abs(numbers[0]).max()
    compare("MJCF of a document in other units", "the same in millimetres", error, 1e-12, "relative")
