"""Drawings: ezdxf finds nothing wrong, layers and joints are named, and without the recipe a robot still comes back."""

import re
from io import StringIO

import ezdxf
import pytest
import rck_plugins.exporters.dxf

from rck.geometry.transforms import translation
from rck.hooks import discover
from rck.hooks.file_exchange import read_file, require_robot
from rck.model import JointKind, Severity, build_item, build_joint, build_robot
from rck.testing.robots import box_between

CUBE = box_between((-0.05, -0.05, -0.05), (0.05, 0.05, 0.05))


def cube(name, at=(0.0, 0.0, 0.0), **settings):
    return build_item(name, [CUBE], pose=translation(at), **settings).unwrap()


def hinge(name, base, moves, at, **settings):
    start = (*at[:2], at[2])
    return build_joint(name, "revolute", base, moves, start=start, end=(at[0], at[1] + 1, at[2]), **settings).unwrap()


@pytest.mark.parametrize("faces", ["mesh", "3dface"])
def test_ezdxf_finds_nothing_wrong(exported, robot_of, faces):
    text = exported(rck_plugins.exporters.dxf, robot_of("desk-arm"), "a.dxf", faces=faces).files["a.dxf"].decode()
    document = ezdxf.read(StringIO(text))
    audit = document.audit()
    assert not audit.errors
    assert not audit.fixes
    assert document.header["$INSUNITS"] == ezdxf.units.MM
    kinds = {entity.dxftype() for entity in document.modelspace()}
    assert kinds == {"MESH" if faces == "mesh" else "3DFACE", "LINE"}
    assert "JOINT_R_waist_axis" in document.layers
    assert "JOINT_P_hand_grip" in document.layers


def test_the_same_robot_gives_the_same_bytes(exported, robot_of):
    first, second = (exported(rck_plugins.exporters.dxf, robot_of("desk-arm"), "a.dxf").files for _ in range(2))
    assert first == second


def test_items_named_like_joints_or_equal_but_for_case_get_different_layers(exported, desk):
    items = [cube("Joint"), cube("joint", (0.2, 0, 0)), cube("port-1", (0.4, 0, 0)), cube("0", (0.6, 0, 0))]
    robot = build_robot("odd", items).unwrap()
    path = desk.export(rck_plugins.exporters.dxf, robot, "odd.dxf")
    names = {item.name for item in require_robot(read_file(path, discover()), path).items}
    assert names == {"item_Joint", "item_joint_2", "item_port-1", "0_2"}


def test_without_recipe_the_lines_determine_the_items_of_a_joint(desk):
    arm = hinge("elbow", "base", "arm", (0.05, 0, 0), limits=(-1, 1))
    robot = build_robot("plain", [cube("base"), cube("arm", (0.1, 0, 0))], [arm]).unwrap()
    path = desk.export(rck_plugins.exporters.dxf, robot, "plain.dxf", recipe=False)
    back = require_robot(read_file(path, discover()), path)
    (joint,) = back.joints
    assert (joint.name, joint.kind, joint.base, joint.moves) == ("elbow", JointKind.REVOLUTE, "base", ("arm",))


def test_item_without_shape_is_replaced_by_its_rigid_group_or_refused(exported, desk):
    bare = build_item("flange", [], pose=translation((0.1, 0, 0))).unwrap()
    fixed = build_joint("bolt", "fixed", "base", "flange").unwrap()
    turn = hinge("turn", "flange", "arm", (0.1, 0, 0), limits=(-1, 1))
    robot = build_robot("r", [cube("base"), bare, cube("arm", (0.2, 0, 0))], [fixed, turn]).unwrap()
    path = desk.export(rck_plugins.exporters.dxf, robot, "shapeless.dxf")
    (joint,) = require_robot(read_file(path, discover()), path).joints
    assert (joint.base, joint.moves) == ("base", ("arm",))
    loose = build_robot("r", [cube("base"), bare, cube("arm", (0.2, 0, 0))], [turn]).unwrap()
    assert exported(rck_plugins.exporters.dxf, loose, "r.dxf").findings[0].severity is Severity.ERROR


def test_joint_position_comes_back(exported, desk):
    arm = hinge("elbow", "base", "arm", (0.1, 0, 0), limits=(0.5, 1.5), position=1.0)
    robot = build_robot("bent", [cube("base"), cube("arm", (0.2, 0, 0))], [arm]).unwrap()
    path = desk.export(rck_plugins.exporters.dxf, robot, "bent.dxf")
    (joint,) = require_robot(read_file(path, discover()), path).joints
    assert (joint.limits.lower, joint.position, joint.limits.upper) == pytest.approx((0.5, 1.0, 1.5))
    done = exported(rck_plugins.exporters.dxf, robot, "bent.dxf", recipe=False)
    (finding,) = [one for one in done.findings if "joint positions (elbow" in one.message]
    assert finding.fix == "export with recipe=yes"


def test_masses_come_back_through_the_recipe(desk):
    robot = build_robot("r", [cube("a"), cube("b", (1, 0, 0))]).unwrap()
    path = desk.export(rck_plugins.exporters.dxf, robot, "weights.dxf")
    recipe = path.with_name("weights.dxf.recipe.yaml")
    assert re.search(r"a: [\d.]+ kg", recipe.read_text())
    recipe.write_text(re.sub(r"a: [\d.]+ kg", "a: 250 g", recipe.read_text()))
    back = require_robot(read_file(path, discover()), path)
    assert back.item("a").mass == pytest.approx(0.25)
    assert back.item("b").mass == pytest.approx(robot.item("b").mass)
