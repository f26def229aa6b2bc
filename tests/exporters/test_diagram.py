"""Kinematic diagrams: a box for every rigid body, a sign for every joint, nothing over anything else."""

import re
import shutil
import subprocess
from itertools import combinations
from xml.etree import ElementTree

import pytest
import rck_plugins.exporters.diagram
from hypothesis import given, settings
from rck_plugins.exporters.diagram import find_nodes, lay_out

from rck.testing.robots import robots

SVG = "{http://www.w3.org/2000/svg}"


def test_svg_has_a_box_per_body_and_a_symbol_per_joint(case, exported):
    root = ElementTree.fromstring(exported(rck_plugins.exporters.diagram, case.robot, "a.svg").files["a.svg"])
    moving = [joint for joint in case.robot.joints if joint.kind.moves]
    assert len(root.findall(f"{SVG}rect[@class='body']")) == len(case.robot.tree.rigid_groups)
    assert len(root.findall(f"{SVG}path[@class='link']")) == len(moving)
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert all(any(joint.name in text for text in texts) for joint in moving)


@settings(max_examples=20)
@given(robots(most_devices=2))
def test_boxes_never_overlap_and_children_are_below_their_parents(robot):
    nodes = find_nodes(robot)
    boxes = lay_out(nodes)
    for one, other in combinations(boxes, 2):
        beside = abs(one.x - other.x) >= (one.width + other.width) / 2 - 1e-6
        assert beside or one.bottom <= other.top or other.bottom <= one.top
    for node, box in zip(nodes, boxes, strict=True):
        assert box.x - box.width / 2 > 0
        if node.parent is not None:
            assert boxes[node.parent].bottom < box.top


def test_dot_names_every_body_and_joint(exported, robot_of):
    robot = robot_of("desk-arm")
    text = exported(rck_plugins.exporters.diagram, robot, "a.dot").files["a.dot"].decode()
    assert len(re.findall(r"^  body_\d+ \[", text, re.MULTILINE)) == len(robot.tree.rigid_groups)
    assert "P hand/left\\l0 to 42 mm\\lfollows hand/grip\\l" in text
    assert "parallel-gripper hand/hand" in text


def test_graphviz_lays_it_out(exported, robot_of):
    if shutil.which("dot") is None:
        pytest.skip("dot is not installed (Debian: graphviz)")
    text = exported(rck_plugins.exporters.diagram, robot_of("two-arm-cell"), "a.gv").files["a.gv"]
    done = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
