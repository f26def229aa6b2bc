"""Joints in drawings: found by their name and place, declared by a recipe, told where they do not fit."""

import numpy as np
import pytest
from ezdxf.render import forms
from rck_importers.dxf.names import joint_name, port_name

from rck.hooks import Recipe, RecipeJoint
from rck.hooks.recipe import with_item, with_joint
from rck.model import JointKind, at_positions


def cylinder(layout, at, radius=4.0, length=30.0, axis="y", **look):
    """A cylinder along an axis, its middle at the point, as a mesh."""
    mesh = forms.cylinder(24, radius=radius, top_center=(0, 0, length))
    mesh.translate(0, 0, -length / 2)
    if axis == "y":
        mesh.rotate_x(np.pi / 2)
    elif axis == "x":
        mesh.rotate_y(np.pi / 2)
    mesh.translate(*at)
    mesh.render_mesh(layout, dxfattribs=look)


def arm(desk, joints=cylinder):
    """Base, upper arm and forearm, hinged where two of them meet."""
    document = desk.new()
    layout = document.modelspace()
    desk.add_box(layout, (60, 60, 20), (-30, -30, 0), layer="BASE", color=8)
    desk.add_box(layout, (20, 20, 100), (-10, -10, 20), layer="UPPER", color=1)
    desk.add_box(layout, (80, 20, 20), (-10, -10, 120), layer="FORE", color=5)
    joints(layout, (0, 0, 20), layer="JOINT_R_1")
    joints(layout, (0, 0, 120), layer="JOINT_R_2")
    return document


def line(layout, at, **look):
    x, y, z = at
    layout.add_line((x, y - 15, z), (x, y + 15, z), dxfattribs=look)


def circle(layout, at, **look):
    x, y, z = at
    # Looking along y, the drawing's x is the world's -x, and its y the world's z.
    layout.add_circle((-x, z, y), 4, dxfattribs={"extrusion": (0, 1, 0), **look})


@pytest.mark.parametrize("draw", [cylinder, line, circle], ids=lambda draw: draw.__name__)
def test_drawing_of_an_arm_gives_a_movable_robot(desk, draw):
    robot = desk.robot(arm(desk, draw))
    assert [item.name for item in robot.items] == ["BASE", "UPPER", "FORE"]
    first, second = robot.joints
    assert (first.name, first.base, first.moves) == ("joint1", "BASE", ("UPPER",))
    assert (second.name, second.base, second.moves) == ("joint2", "UPPER", ("FORE",))
    assert np.abs(first.direction) == pytest.approx([0, 1, 0], abs=1e-9)
    assert first.start[2] == pytest.approx(0.02)
    moved = at_positions(robot, np.array([np.pi / 2 * np.sign(first.direction[1]), 0.0]))
    # The upper arm, 100 mm tall on its axis, lies along x now.
    corners = moved.item("UPPER").pose @ np.array([0, 0, 0.12, 1])
    assert corners[:3] == pytest.approx([0.1, 0, 0.02], abs=1e-9)


def test_joint_solids_define_axes_and_are_not_part_of_items(desk):
    document = arm(desk)
    assert len(desk.robot(document).items[0].subitems) == 1
    kept = desk.robot(document, keep_axes="yes")
    assert {item.name: len(item.subitems) for item in kept.items} == {"BASE": 2, "UPPER": 2, "FORE": 1}


def test_survey_lists_solids_items_and_joints(desk):
    survey = desk.survey(arm(desk))
    found = {piece.name: (piece.layer, piece.item, len(piece.shapes)) for piece in survey.pieces}
    assert found["BASE"] == ("BASE", "BASE", 1)
    assert found["JOINT_R_1"] == ("JOINT_R_1", "", 1)
    by_name = {piece.name: piece for piece in survey.pieces}
    assert by_name["UPPER"].size * 1000 == pytest.approx([20, 20, 100])
    assert by_name["UPPER"].volume == pytest.approx(40_000e-9)
    assert by_name["UPPER"].colour == (1.0, 0.0, 0.0, 1.0)
    assert [(joint.base, joint.moves, joint.doubt) for joint in survey.joints] == [
        ("BASE", ("UPPER",), ""),
        ("UPPER", ("FORE",), ""),
    ]
    assert survey.summary.startswith("3 solids within 100 x 60 x 140 mm, 2 joints, ")


def test_recipe_with_the_proposal_gives_the_same_robot(desk):
    document = arm(desk)
    survey, recipe = desk.survey(document), Recipe(joints={"joint1": RecipeJoint(speed="30 rpm")})
    for piece in survey.pieces:
        recipe = with_item(recipe, [piece.name], piece.item)
    for joint in survey.joints:
        recipe = with_joint(recipe, joint)
    again, plain = desk.robot(document, recipe=recipe), desk.robot(document)
    assert [(one.base, one.moves, one.kind) for one in again.joints] == [
        (one.base, one.moves, one.kind) for one in plain.joints
    ]
    assert again.joints[0].speed == pytest.approx(np.pi)


def test_names_take_precedence_over_wildcards_in_recipes():
    recipe = Recipe(items={"lever": ["PLATE_*"]}, leave_out=["*"])
    assert with_item(recipe, ["PLATE_3"], "frame").item_of("PLATE_3") == "frame"
    assert with_item(recipe, ["PLATE_3"], "frame").item_of("PLATE_4") == ""
    assert with_item(with_item(recipe, ["PLATE_3"], "frame"), ["PLATE_3"], "lever").items == {
        "lever": ["PLATE_*", "PLATE_3"]
    }


def test_limits_come_from_the_recipe(desk):
    recipe = Recipe(joints={"joint1": RecipeJoint(limits=(-90, "0.5 rad"), reverse=True)})
    plain = desk.robot(arm(desk))
    robot = desk.robot(arm(desk), recipe=recipe)
    assert (robot.joints[0].limits.lower, robot.joints[0].limits.upper) == pytest.approx((-np.pi / 2, 0.5))
    assert robot.joints[0].direction == pytest.approx(-plain.joints[0].direction)
    assert robot.joints[0].base == "BASE"


def test_any_solid_can_be_declared_a_joint(desk):
    document = desk.new()
    layout = document.modelspace()
    desk.add_box(layout, (60, 60, 20), (-30, -30, 0), layer="TABLE")
    desk.add_box(layout, (10, 10, 40), (-5, -5, 10), layer="PIN")
    desk.add_box(layout, (50, 20, 20), (-10, -10, 20), layer="FLAP")
    recipe = Recipe(joints={"hinge": RecipeJoint(entity="PIN", kind="continuous")})
    robot = desk.robot(document, recipe=recipe)
    (joint,) = robot.joints
    assert (joint.name, joint.kind, joint.base, joint.moves) == ("hinge", JointKind.CONTINUOUS, "TABLE", ("FLAP",))
    assert joint.direction == pytest.approx([0, 0, 1])
    assert [item.name for item in robot.items] == ["TABLE", "FLAP"]


def test_prismatic_joint_has_the_travel_of_its_line(desk):
    document = desk.new()
    layout = document.modelspace()
    desk.add_box(layout, (100, 20, 10), layer="RAIL")
    desk.add_box(layout, (20, 20, 10), (0, 0, 10), layer="SLIDE")
    layout.add_line((10, 10, 10), (90, 10, 10), dxfattribs={"layer": "JOINT_P_drive"})
    (joint,) = desk.robot(document).joints
    assert (joint.name, joint.kind, joint.base) == ("drive", JointKind.PRISMATIC, "RAIL")
    assert (joint.limits.lower, joint.limits.upper) == pytest.approx((0, 0.08))
    assert joint.direction == pytest.approx([1, 0, 0])


def test_a_pin_through_the_bores_of_two_plates_connects_them(desk):
    document = desk.new()
    layout = document.modelspace()
    for z, layer in ((0, "LOWER"), (5, "ROD")):
        layout.add_lwpolyline(
            [(-20, -20), (60, -20), (60, 20), (-20, 20)],
            close=True,
            dxfattribs={"layer": layer, "elevation": z, "thickness": 4},
        )
        layout.add_circle((0, 0, z), 5, dxfattribs={"layer": layer, "thickness": 4})
    layout.add_line((0, 0, -1), (0, 0, 11), dxfattribs={"layer": "JOINT_R_pin"})
    (joint,) = desk.robot(document).joints
    assert (joint.base, joint.moves) == ("LOWER", ("ROD",))


def test_discs_and_rods_rotate_about_their_axis_of_symmetry(desk):
    for radius, length in ((20, 4), (2, 40)):
        document = desk.new()
        layout = document.modelspace()
        desk.add_box(layout, (60, 60, 20), (-30, -30, -20), layer="BASE")
        desk.add_box(layout, (60, 60, 20), (-30, -30, 0), layer="TOP")
        cylinder(layout, (0, 0, 0), radius, length, "z", layer="JOINT_R_1")
        (joint,) = desk.robot(document).joints
        assert joint.direction == pytest.approx([0, 0, 1], abs=1e-6)


def test_a_cube_has_no_major_axis(desk):
    document = desk.new()
    desk.add_box(document.modelspace(), layer="BASE")
    desk.add_box(document.modelspace(), (5, 5, 5), (0, 0, 30), layer="JOINT_R_1")
    (error,) = desk.errors(document)
    assert "joint joint1: its solid has no major axis" in error


def test_joint_in_contact_with_one_item_is_refused_with_a_fix(desk):
    document = desk.new()
    desk.add_box(document.modelspace(), layer="BASE")
    document.modelspace().add_line((5, 5, 0), (5, 5, 50), dxfattribs={"layer": "JOINT_R_1"})
    (error,) = desk.errors(document)
    assert "joint1: it touches BASE; state which two items it connects" in error
    assert "drawing.dxf.recipe.yaml" in error


def test_loop_closing_joints_are_reported(desk):
    document = arm(desk, line)
    document.modelspace().add_line((5, -15, 20), (5, 15, 20), dxfattribs={"layer": "JOINT_R_3"})
    (error,) = desk.errors(document)
    assert "joint joint3: BASE and UPPER are already connected: this joint would close a loop" in error


def test_recipe_with_unknown_items_is_reported(desk):
    recipe = Recipe(joints={"joint1": RecipeJoint(base="BASE", moves="UPER")})
    (error,) = desk.errors(arm(desk), recipe=recipe)
    assert "the recipe names the item UPER, which does not exist" in error


def test_base_is_the_item_named_base_or_the_lowest_item(desk):
    document = desk.new()
    layout = document.modelspace()
    desk.add_box(layout, (20, 20, 20), (0, 0, 100), layer="CEILING_BASE")
    desk.add_box(layout, (20, 20, 100), (0, 0, 0), layer="ARM")
    layout.add_line((10, -5, 100), (10, 25, 100), dxfattribs={"layer": "JOINT_R_1"})
    assert desk.robot(document).joints[0].base == "CEILING_BASE"


def test_joints_in_blocks_are_found(desk):
    document = desk.new()
    layout = document.modelspace()
    desk.add_box(layout, (60, 60, 20), (-30, -30, 0), layer="BASE")
    desk.add_box(layout, (20, 20, 100), (-10, -10, 20), layer="UPPER")
    block = document.blocks.new("JOINT_R_hip")
    block.add_line((0, -15, 0), (0, 15, 0))
    layout.add_blockref("JOINT_R_hip", (0, 0, 20))
    (joint,) = desk.robot(document).joints
    assert (joint.name, joint.base, joint.moves) == ("hip", "BASE", ("UPPER",))


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("JOINT", "revolute", ""),
        ("JOINT1", "revolute", "joint1"),
        ("JOINT_R_1", "revolute", "joint1"),
        ("joint_p_lift", "prismatic", "lift"),
        ("JOINT_C_wheel left", "continuous", "wheel-left"),
        ("JOINT_F_weld", "fixed", "weld"),
        ("JOINT_Pan", "revolute", "Pan"),
    ],
)
def test_joint_names_are_parsed(text, kind, name):
    said = joint_name(text)
    assert (said.kind.value, said.name) == (kind, name)


def test_port_names_are_parsed():
    assert port_name("PORT_tool@iso9409-1-50-4-m6").kind == "iso9409-1-50-4-m6"
    assert port_name("PORT_tool").kind == "any"
    assert port_name("port_left hand").name == "left-hand"
