"""RIB files, read by the grammar of the RenderMan Interface Specification 3.2, and looked at through their camera."""

import re
from itertools import pairwise
from math import radians, tan

import numpy as np
import pytest
import rck_plugins.exporters.rib

from rck.geometry.primitives import sphere
from rck.geometry.transforms import apply
from rck.model import RckError, Visual, build_item, build_robot, with_positions
from rck.rendering.camera import VIEWS
from rck.testing.robots import box_between, six_axis_arm

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<word>[A-Za-z]+)|(?P<open>\[)|(?P<close>\])|(?P<space>\s+)"""
)

# The arguments of the requests, after appendix C of the specification: N a number, S a string, n and s arrays of
# them, and * pairs of a string and an array.
REQUESTS = {
    "version": "N", "Display": "SSS*", "Format": "NNN", "PixelSamples": "NN", "FrameBegin": "N", "FrameEnd": "",
    "Projection": "S*", "ScreenWindow": "NNNN", "Transform": "n", "ConcatTransform": "n", "WorldBegin": "",
    "WorldEnd": "", "LightSource": "SN*", "Surface": "S*", "AttributeBegin": "", "AttributeEnd": "",
    "Attribute": "S*", "Color": "n", "Opacity": "n", "PointsPolygons": "nn*",
}  # fmt: skip
BLOCKS = {"FrameBegin": "FrameEnd", "WorldBegin": "WorldEnd", "AttributeBegin": "AttributeEnd"}


def parse(content):
    """The requests of a file, each with its arguments; anything outside the grammar is an error."""
    text = content.decode("ascii")
    assert text.startswith("##RenderMan RIB")
    tokens = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match, f"no token of RIB: {text[at : at + 30]!r}"
        at = match.end()
        if match.lastgroup not in ("space", "comment"):
            tokens.append((match.lastgroup, match[0]))
    starts = [n for n, (kind, _) in enumerate(tokens) if kind == "word"]
    assert starts[0] == 0
    requests = [(tokens[a][1], arguments(tokens[a + 1 : b])) for a, b in pairwise([*starts, len(tokens)])]
    for name, given in requests:
        assert name in REQUESTS, name
        assert re.fullmatch(REQUESTS[name].replace("*", "(S[nNsS])*"), shape(given)), (name, shape(given))
    check_blocks(name for name, _ in requests)
    return requests


def arguments(tokens):
    found, array = [], None
    for kind, text in tokens:
        if kind == "open":
            assert array is None
            array = []
        elif kind == "close":
            found.append(array)
            array = None
        else:
            (found if array is None else array).append(text[1:-1] if kind == "string" else float(text))
    assert array is None
    return found


def shape(given):
    kinds = []
    for one in given:
        listed = one if isinstance(one, list) else [one]
        assert len({type(part) for part in listed}) == 1
        letter = "S" if isinstance(listed[0], str) else "N"
        kinds.append(letter.lower() if isinstance(one, list) else letter)
    return "".join(kinds)


def check_blocks(names):
    open_blocks = []
    for name in names:
        if name in BLOCKS:
            open_blocks.append(name)
        elif name in BLOCKS.values():
            assert BLOCKS[open_blocks.pop()] == name
        elif name in ("PointsPolygons", "LightSource", "Color"):
            assert "WorldBegin" in open_blocks
        elif name in ("Display", "Format", "Projection", "ScreenWindow"):
            assert "WorldBegin" not in open_blocks
    assert open_blocks == []


def column_matrix(numbers):
    """A matrix of RenderMan, which is for row vectors, for column vectors."""
    assert len(numbers) == 16
    return np.array(numbers).reshape(4, 4).T


def items_in(requests):
    """For each item by its name: world from item, and its surfaces as points, faces and colour."""
    found, name, pose, colour = {}, "", None, None
    for request, given in requests:
        if request == "ConcatTransform":
            pose = column_matrix(given[0])
        elif request == "Attribute":
            name = given[2][0]
            found[name] = (pose, [])
        elif request == "Color":
            colour = given[0]
        elif request == "PointsPolygons":
            counts, corners, keyword, numbers = given
            assert keyword == "P"
            assert sum(counts) == len(corners)
            points = np.array(numbers).reshape(-1, 3)
            assert set(corners) == set(range(len(points)))
            ends = np.cumsum([0, *counts]).astype(int)
            found[name][1].append((points, [corners[a:b] for a, b in pairwise(ends)], colour))
    return found


def on_picture(requests):
    """Where every corner comes to lie on a picture from -1 to 1, and how far from the eye. Shape (N, 3)."""
    given = {request: values for request, values in requests if request in ("Transform", "Projection", "ScreenWindow")}
    camera_from_world = column_matrix(given["Transform"][0])
    slope = tan(radians(given["Projection"][2][0]) / 2)
    left, right, bottom, top = given["ScreenWindow"]
    assert (left, bottom) == (-right, -top)
    corners = np.concatenate(
        [apply(pose, points) for pose, surfaces in items_in(requests).values() for points, _, _ in surfaces]
    )
    x, y, z = apply(camera_from_world, corners).T
    return np.stack([x / z / slope / right, y / z / slope / top, z], axis=1)


def test_every_example_is_a_file_of_the_grammar_with_its_items_in_place(exported, robot_of):
    for name in ("desk-arm", "two-arm-cell", "gantry"):
        robot = robot_of(name)
        items = items_in(parse(exported(rck_plugins.exporters.rib, robot, "arm.rib").files["arm.rib"]))
        assert len(items) == sum(bool(item.subitems) for item in robot.items)
        for item in robot.items:
            if item.subitems:
                pose, surfaces = items[item.name.replace("/", "_")]
                assert pose == pytest.approx(item.pose, abs=1e-11)
                for subitem, (points, faces, colour) in zip(item.subitems, surfaces, strict=True):
                    assert points == pytest.approx(subitem.shape.vertices, abs=1e-11)
                    assert [tuple(face) for face in faces] == list(subitem.shape.faces)
                    assert colour == pytest.approx(subitem.colour[:3], abs=1e-5)


@pytest.mark.parametrize("view", ["home", "top", "front"])
@pytest.mark.parametrize("size", ["1280x800", "300x900"])
def test_the_robot_fills_the_picture_and_no_more(exported, view, size):
    requests = parse(
        exported(rck_plugins.exporters.rib, six_axis_arm(), "arm.rib", view=view, size=size).files["arm.rib"]
    )
    seen = on_picture(requests)
    assert seen[:, 2].min() > 0
    assert abs(seen[:, :2]).max() <= 1
    assert abs(seen[:, :2]).max() >= 0.6
    (given,) = (values for request, values in requests if request == "Format")
    assert f"{given[0]:g}x{given[1]:g}" == size


def test_up_is_up_and_right_is_right(exported):
    cubes = {"high": (0, 0, 1), "right": (1, 0, 0), "back": (0, 1, 0), "middle": (0, 0, 0)}
    items = [build_item(name, [box_between(at, np.add(at, 0.1))]).unwrap() for name, at in cubes.items()]
    requests = parse(
        exported(rck_plugins.exporters.rib, build_robot("r", items).unwrap(), "r.rib", view="front").files["r.rib"]
    )
    seen = dict(zip(items_in(requests), on_picture(requests).reshape(4, 8, 3).mean(axis=1), strict=True))
    assert seen["high"][1] > seen["middle"][1] + 0.1
    assert seen["right"][0] > seen["middle"][0] + 0.1
    assert seen["back"][2] > seen["middle"][2] + 0.9


def test_camera_is_at_the_requested_position(exported):
    options = {"eye": "2,0,500 mm", "target": "0,0,0.5", "angle": radians(50)}
    requests = parse(exported(rck_plugins.exporters.rib, six_axis_arm(), "arm.rib", **options).files["arm.rib"])
    given = dict(requests)
    camera_from_world = column_matrix(given["Transform"][0])
    assert camera_from_world[:3] @ (2, 0, 0.5, 1) == pytest.approx((0, 0, 0), abs=1e-9)
    assert camera_from_world[:3] @ (0, 0, 0.5, 1) == pytest.approx((0, 0, 2), abs=1e-9)
    assert given["Projection"] == ["perspective", "fov", [pytest.approx(50)]]


def test_a_sequence_has_a_file_for_each_frame_of_the_motion(exported):
    robot = six_axis_arm()
    done = exported(rck_plugins.exporters.rib, robot, "run.rib", frames=5.0, to="joint-2=-90, joint-3=60 deg")
    assert list(done.files) == [f"run.{n:04d}.rib" for n in range(1, 6)]
    for number, content in enumerate(done.files.values()):
        requests = parse(content)
        share = number / 4
        there = with_positions(robot, {"joint-2": -share * radians(90), "joint-3": share * radians(60)})
        for item in there.items:
            assert items_in(requests)[item.name][0] == pytest.approx(item.pose, abs=1e-11)
        assert abs(on_picture(requests)[:, :2]).max() <= 1
        assert [values for request, values in requests if request == "FrameBegin"] == [[number + 1]]
        assert [values[0] for request, values in requests if request == "Display"] == [f"run.{number + 1:04d}.tif"]


def test_orbiting_camera_keeps_the_robot_in_the_picture(exported):
    done = exported(rck_plugins.exporters.rib, six_axis_arm(), "run.rib", frames=9.0, turn=radians(360))
    eyes = []
    for content in done.files.values():
        requests = parse(content)
        assert abs(on_picture(requests)[:, :2]).max() <= 1
        (given,) = (values for request, values in requests if request == "Transform")
        eyes.append(np.linalg.inv(column_matrix(given[0]))[:3, 3])
    assert eyes[0] == pytest.approx(eyes[-1])
    assert np.ptp(np.array(eyes)[:, 2]) == pytest.approx(0, abs=1e-9)
    assert np.linalg.norm(eyes[0] - eyes[4]) > 1


def test_visual_shapes_are_drawn_and_collision_shapes_are_not(exported):
    look = Visual(sphere(0.1), (0.2, 0.4, 0.6, 0.5))
    item = build_item("ball", [box_between((-1, -1, -1), (1, 1, 1))], visuals=[look]).unwrap()
    requests = parse(exported(rck_plugins.exporters.rib, build_robot("b", [item]).unwrap(), "b.rib").files["b.rib"])
    ((points, _, colour),) = items_in(requests)["ball"][1]
    assert len(points) == len(look.surface.vertices)
    assert colour == pytest.approx((0.2, 0.4, 0.6))
    assert ("Opacity", [[0.5, 0.5, 0.5]]) in requests


def test_a_file_of_any_name_is_of_the_grammar(exported):
    (content,) = exported(rck_plugins.exporters.rib, six_axis_arm(), 'my "ärm".rib').files.values()
    assert ("Display", ["my__arm_.tif", "file", "rgba"]) in parse(content)


def test_foreign_names_are_spelled_in_ascii(exported):
    item = build_item("手/指", [box_between((0, 0, 0), (1, 1, 1))]).unwrap()
    requests = parse(
        exported(rck_plugins.exporters.rib, build_robot("ロボット", [item]).unwrap(), "b.rib").files["b.rib"]
    )
    assert list(items_in(requests)) == ["u624b_u6307"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": "big"}, "is not a width and a height"),
        ({"size": "0x0"}, "is not a width and a height"),
        ({"frames": 0.0}, "1 to 9999 frames"),
        ({"frames": 2.5}, "1 to 9999 frames"),
        ({"to": "joint-2=90"}, "needs more than one frame"),
        ({"to": "joint-2", "frames": 2.0}, "is not a joint and its position"),
        ({"to": "joint-9=1", "frames": 2.0}, "has no joint 'joint-9'"),
        ({"eye": "1,2"}, "is not three lengths"),
        ({"target": "1,2,3kg"}, "kg is a unit of mass"),
        ({"view": "hme"}, "there is no view 'hme' (did you mean home?)"),
    ],
)
def test_wrong_option_is_refused_with_an_example(exported, options, message):
    with pytest.raises(RckError, match=re.escape(message)):
        exported(rck_plugins.exporters.rib, six_axis_arm(), "arm.rib", **options)


def test_every_view_can_be_chosen():
    (exporter,) = rck_plugins.exporters.rib.rck_exporters()
    (choices,) = (option.choices for option in exporter.options if option.name == "view")
    assert choices == tuple(VIEWS)


def test_losses_of_a_picture_are_reported(exported):
    messages = [finding.message for finding in exported(rck_plugins.exporters.rib, six_axis_arm(), "arm.rib").findings]
    assert messages == ["not supported by a RIB scene: joints, frames (tool)"]


def test_empty_robot_is_an_empty_scene(exported):
    requests = parse(exported(rck_plugins.exporters.rib, build_robot("nothing", []).unwrap(), "r.rib").files["r.rib"])
    assert items_in(requests) == {}
