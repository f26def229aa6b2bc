"""Programs in the ROBOSIM language, run by a small interpreter, against the link files of the same robot."""

import re
from dataclasses import dataclass, field
from math import radians

import numpy as np
import pytest
import rck_importers.robosim
from rck_importers.robosim.link_file import RobosimJoint, parse
from rck_importers.robosim.prisms import prism_of

from rck.geometry.polyhedron import convex_hull
from rck.geometry.primitives import box, cylinder, sphere
from rck.geometry.transforms import apply, from_euler, rotation_about, translation
from rck.importing.tokens import Tokens
from rck.model import Severity, build_item, build_joint, build_robot, subitem_of
from rck.testing.robots import box_between, planar_arm, six_axis_arm

JOINTS = {"R": RobosimJoint.REVOLUTE, "P": RobosimJoint.PRISMATIC, "F": RobosimJoint.FIXED}


@dataclass
class Register:
    """What a register of ROBOSIM holds: solids as clouds of corners, and the frames of joints."""

    solids: list = field(default_factory=list)
    pen: list = field(default_factory=list)
    """Loops that are being drawn."""
    joints: dict = field(default_factory=dict)
    """By side, I or I+1: the kind and the frame."""

    def everything(self):
        drawn = [np.concatenate(self.pen)] if self.pen else []
        return Register([*self.solids, *drawn], [], dict(self.joints))

    def moved(self, matrix):
        there = self.everything()
        return Register(
            [apply(matrix, solid) for solid in there.solids],
            [],
            {side: (kind, matrix @ frame) for side, (kind, frame) in there.joints.items()},
        )

    def plus(self, other):
        here, there = self.everything(), other.everything()
        return Register(here.solids + there.solids, [], here.joints | there.joints)


def run(program):
    """The links that a program stores, by name, after the description of the R2 editor and its listing."""
    now, registers, links = Register(), {}, {}
    lines = [line.strip() for line in program.splitlines() if line.strip()]
    assert lines[-1] == "END"
    for line in lines:
        word, _, rest = line.partition(" ")
        values = {name: float(number) for name, number in re.findall(r"([A-Z])=([-+0-9.]+)", rest)}
        point = np.array([values.get(axis, 0.0) for axis in "XYZ"])
        if word == "CLEAR":
            now = Register()
        elif word == "STORE":
            registers[rest] = now.everything()
        elif word == "LOAD":
            now = registers[rest].everything()
        elif word == "ADD":
            now = now.plus(registers[rest])
        elif word == "STORE-LINK":
            links[rest] = now.everything()
        elif word == "ROTATE":
            ((axis, angle),) = values.items()
            now = now.moved(rotation_about(np.eye(3)["XYZ".index(axis)], radians(angle)))
        elif word == "TRANSLATE":
            now = now.moved(translation(point))
        elif word == "MOVE":
            now.pen.append(point[None])
        elif word == "DRAW":
            now.pen[-1] = np.concatenate([now.pen[-1], [point]])
        elif word == "EXTRUDE-SURFACE":
            (loop,) = now.pen
            assert (loop[0] == loop[-1]).all()
            half = np.array([0, 0, values["Z"] / 2])
            now = Register([np.concatenate([loop[:-1] - half, loop[:-1] + half])])
        elif word == "BOX":
            now = Register([np.array(box(*point).vertices)])
        elif word == "CYLINDER":
            now = Register([np.array(cylinder(values["R"], values["H"]).vertices)])
        elif match := re.fullmatch(r"([RPF])-JOINT-(I|I\+1)", word):
            now = Register(joints={match[2]: (JOINTS[match[1]], np.eye(4))})
        else:
            assert word in ("LOOK-FROM", "LOOK-AT", "VIEW", "END"), line
    return links


# Workstation Implementation of ROBOSIM, table 1: the base link of an example robot, as R2 wrote it.
REPORT = """\
LOOK-FROM X=-100., Y=100., Z=45.
LOOK-AT X=0., Y=0., Z=8.
CLEAR
STORE B
R-JOINT-I+1
ROTATE X=-45.000
ROTATE Z=90.000
TRANSLATE X=-5.000, Y=-30.000, Z=55.000
ADD B
STORE B
CLEAR
MOVE X=-10.000, Y=-10.000, Z=0.000
DRAW X=-10.000, Y=10.000, Z=0.000
DRAW X=15.000, Y=10.000, Z=0.000
DRAW X=25.000, Y=0.000, Z=0.000
DRAW X=15.000, Y=-10.000, Z=0.000
DRAW X=-10.000, Y=-10.000, Z=0.000
EXTRUDE-SURFACE Z=10.000
ROTATE X=-90.000
ROTATE Y=-90.000
TRANSLATE X=0.000, Y=-30.000, Z=35.000
ADD B
STORE B
CLEAR
F-JOINT-I
TRANSLATE X=0.000, Y=-30.000, Z=-25.000
ADD B
STORE B
CLEAR
CYLINDER R=10.000, H=50.000
TRANSLATE X=0.000, Y=-30.000, Z=0.000
ADD B
STORE B
CLEAR
LOAD B
STORE-LINK C.LOC
VIEW
END
"""


def test_published_program_gives_a_consistent_robot():
    link = run(REPORT)["C.LOC"]
    barrel, block = sorted(link.solids, key=lambda solid: solid[:, 2].min())
    # The block stands on the barrel, in the middle of its end; extruded surfaces go half to each side.
    assert block[:, 2].min() == pytest.approx(barrel[:, 2].max()) == pytest.approx(25)
    foot = block[block[:, 2] < 25 + 1e-9].mean(axis=0)
    assert foot == pytest.approx(barrel[barrel[:, 2] > 25 - 1e-9].mean(axis=0))
    # The joint that turns is in the middle of the block's slanted face and points out of it.
    kind, frame = link.joints["I+1"]
    assert kind is RobosimJoint.REVOLUTE
    outward = (block - frame[:3, 3]) @ frame[:3, 2]
    assert outward.max() == pytest.approx(0, abs=1e-9)
    assert block[abs(outward) < 1e-9].mean(axis=0) == pytest.approx(frame[:3, 3])
    assert link.joints["I"][1][:3, 3].tolist() == [0, -30, -25]


def link_files_of(exported, robot, **options):
    done = exported(rck_importers.robosim, robot, "arm.loc", **options)
    return [parse(Tokens(name, data), is_base=n == 0) for n, (name, data) in enumerate(done.files.items())]


def same_points(some, others, within=1e-6):
    """Whether two clouds, shapes (n, 3) and (m, 3), have their points in the same places."""
    gaps = np.linalg.norm(some[:, None] - others, axis=2)
    return max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) <= within


def rounded_solids():
    """A sliding and a turning joint, with a cylinder, a ball, a wedge and a box that stand askew."""
    turned = translation((0.1, 0.2, 0.3)) @ from_euler((0.3, -0.5, 1.1))
    wedge = convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 0.3), (1, 0, 0.3), (0, 1, 0.3)])
    shapes = [cylinder(0.1, 0.4, segments=7), sphere(0.1, segments=6), wedge, box(0.1, 0.2, 0.3)]
    items = [
        build_item(f"i{n}", [subitem_of(shape, density=700.0).unwrap()], pose=turned).unwrap()
        for n, shape in enumerate(shapes)
    ]
    joints = [
        build_joint("slide", "prismatic", "i0", "i1", start=(0, 0, 0), end=(1, 2, 3), limits=(0, 1)).unwrap(),
        build_joint("held", "fixed", "i1", "i2").unwrap(),
        build_joint("turn", "continuous", "i2", "i3", start=(0.3, 0, 0), end=(0.3, 1, 0)).unwrap(),
    ]
    return build_robot("odd", items, joints).unwrap()


@pytest.mark.parametrize("robot", [six_axis_arm(), planar_arm(3), rounded_solids()], ids=lambda robot: robot.name)
@pytest.mark.parametrize("unit", ["mm", "in"])
def test_the_links_of_the_program_are_those_of_the_link_files(exported, robot, unit):
    text = exported(rck_importers.robosim, robot, "arm.robosim", length_unit=unit).files["arm.robosim"].decode("ascii")
    links = run(text)
    files = link_files_of(exported, robot, length_unit=unit)
    assert list(links) == ["ARM.LOC", *(f"ARM.{n}" for n in range(1, len(files)))]
    for link, file in zip(links.values(), files, strict=True):
        assert same_points(np.concatenate(link.solids), file.vectors[:, :3])
        for side, kind, frame in (
            ("I", file.joint_before, file.frame_before),
            ("I+1", file.joint_after, file.frame_after),
        ):
            if kind is RobosimJoint.NONE:
                assert side not in link.joints
            else:
                assert link.joints[side][0] is kind
                assert link.joints[side][1] == pytest.approx(frame, abs=1e-6)


def test_boxes_and_prisms_stay_boxes_and_prisms(exported):
    text = exported(rck_importers.robosim, rounded_solids(), "arm.robosim").files["arm.robosim"].decode()
    assert text.count("EXTRUDE-SURFACE") == 2
    assert text.count("BOX X=100., Y=200., Z=300.") == 1
    assert text.splitlines()[-2:] == ["VIEW", "END"]


@pytest.mark.parametrize("segments", [3, 5, 24])
def test_prism_is_recognised_and_upright(segments):
    shape = cylinder(0.2, 0.5, segments=segments)
    prism = prism_of(shape)
    assert prism.height == pytest.approx(0.5)
    assert prism.pose == pytest.approx(np.eye(4), abs=1e-9)
    ends = [np.insert(prism.contour, 2, z, axis=1) for z in (-0.25, 0.25)]
    assert same_points(np.concatenate(ends), shape.vertices)


@pytest.mark.parametrize(
    "shape",
    [
        sphere(0.1),
        convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
        convex_hull([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]),
    ],
)
def test_other_shapes_are_not_recognised_as_prisms(shape):
    assert prism_of(shape) is None


def test_branching_robot_is_refused(exported):
    items = [build_item(name, [box_between((0, 0, 0), (1, 1, 1))]).unwrap() for name in "abc"]
    joints = [build_joint(f"to-{name}", "continuous", "a", name).unwrap() for name in "bc"]
    done = exported(rck_importers.robosim, build_robot("r", items, joints).unwrap(), "r.robosim")
    assert done.files == {}
    assert [(finding.code, finding.severity) for finding in done.findings] == [(507, Severity.ERROR)]


def test_losses_of_a_program_are_reported(exported):
    messages = [finding.message for finding in exported(rck_importers.robosim, rounded_solids(), "r.robosim").findings]
    assert "units are not supported by ROBOSIM programs: lengths are in mm, angles in degrees" in messages
    assert "not supported by ROBOSIM: names, masses" in messages
    assert "not supported by ROBOSIM: joint limits (slide)" in messages
    assert "the items of a rigid group are exported as one link" in messages


def test_the_same_robot_gives_the_same_program(exported):
    first, second = (exported(rck_importers.robosim, rounded_solids(), "r.robosim").files for _ in range(2))
    assert first == second
