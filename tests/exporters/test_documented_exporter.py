"""The exporter that docs/plugins/exporter.md walks through, run unchanged."""

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from rck.exporting import Merge
from rck.exporting.losses import derive_losses
from rck.geometry.transforms import identity, rotation_about, translation
from rck.hooks import Job
from rck.model import RckError, Severity, flatten
from rck.model.world import build_world
from rck.testing.robots import planar_arm, six_axis_arm

PAGE = Path(__file__).parents[2] / "docs" / "plugins" / "exporter.md"
TOKEN = re.compile(r'"[^"]*"|[{}\[\]]|[^\s,{}\[\]]+')
LINKS = {"merge": Merge.FIXED, "identifiers": True}


@pytest.fixture(scope="module")
def webots():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    module = ModuleType("rck_webots")
    exec(compile("\n\n".join(blocks), str(PAGE), "exec"), module.__dict__)
    return module


class Node(dict):
    """A node of a PROTO file: its fields by name."""

    def __init__(self, kind):
        self.kind = kind


def parsed(text):
    """The node in the body of a PROTO file."""
    body = text.split("]\n{", 1)[1]
    tokens = TOKEN.findall(re.sub(r"#[^\n]*", "", body))[::-1]
    found = value(tokens)
    assert tokens == ["}"], "braces do not match"
    return found


def value(tokens):
    token = tokens.pop()
    if token == "[":
        listed = []
        while tokens[-1] != "]":
            listed.append(value(tokens))
        tokens.pop()
        return listed
    if token == "DEF":
        tokens.pop()
        return value(tokens)
    if token == "IS":
        return tokens.pop()
    if token.startswith('"'):
        return token.strip('"')
    if tokens[-1] == "{":
        tokens.pop()
        node = Node(token)
        while tokens[-1] != "}":
            name = tokens.pop()
            assert name not in node
            node[name] = value(tokens)
        tokens.pop()
        return node
    numbers = [float(token)]
    while re.fullmatch(r"[-+\d.e]+", tokens[-1]):
        numbers.append(float(tokens.pop()))
    return numbers


def pose_in(node):
    *axis, angle = node["rotation"]
    return translation(node["translation"]) @ rotation_about(axis, angle)


def walk(node, world_from_node, positions, found):
    """World from solid, by name, with the motors at the given positions."""
    for child in node["children"]:
        if child.kind in ("HingeJoint", "SliderJoint"):
            about = child["jointParameters"]
            here = positions[child["device"]["name"]]
            if child.kind == "HingeJoint":
                motion = rotation_about(about["axis"], here, about["anchor"])
            else:
                motion = translation(here * np.array(about["axis"]))
            end = child["endPoint"]
            found[end["name"]] = world_from_node @ motion @ pose_in(end)
            walk(end, found[end["name"]], positions, found)
    return found


@pytest.mark.parametrize("name", ["desk-arm", "stanford-arm", "ur5e", "cobra-s600"])
def test_documented_exporter_gives_the_item_poses_of_rck(webots, robot_of, make_case, name):
    case = make_case(name, robot_of(name), 5)
    text = webots.write(case.robot, "Arm.proto", {}, Job()).files["Arm.proto"].decode()
    robot = parsed(text)
    tree = case.tree(**LINKS)
    links = np.tile(identity(), (len(case.vectors), len(tree.links), 1, 1))
    for row, positions in enumerate(case.positions):
        named = {tree.joint_names[joint]: at for joint, at in positions.items()}
        found = walk(robot, tree.links[0].pose, named, {tree.links[0].name: tree.links[0].pose})
        links[row] = [found[link.name] for link in tree.links]
    case.assert_items_agree(tree, links, metres=1e-9, turn=1e-9)


def test_documented_exporter_has_name_and_extension(webots):
    (exporter,) = webots.rck_exporters()
    assert (exporter.name, exporter.endings, exporter.takes) == ("webots", (".proto",), "robot")
    webots.test_every_joint_is_written()


def test_losses_are_reported_and_impossible_exports_are_refused(webots, robot_of):
    (exporter,) = webots.rck_exporters()
    found = list(derive_losses(robot_of("desk-arm"), exporter, "Arm.proto"))
    assert {finding.code for finding in found} == {503}
    severity = {
        word: one.severity for one in found for word in ("mimic", "grippers", "positions") if word in one.message
    }
    assert severity == {"mimic": Severity.WARNING, "grippers": Severity.NOTE, "positions": Severity.NOTE}
    two = flatten(build_world("cell", [planar_arm(1), six_axis_arm()]).unwrap())
    (refusal,) = webots.write(two, "Cell.proto", {}, Job()).findings
    assert refusal.code == 507
    with pytest.raises(RckError, match="Webots names a robot after its file"):
        webots.write(six_axis_arm(), "my-arm.proto", {}, Job())
