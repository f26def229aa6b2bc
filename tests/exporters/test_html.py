"""The HTML page, opened in Chromium: it needs no network, shows the robot, and moves it as RCK does."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
import rck_plugins.exporters.html

from rck.exporting import link_tree
from rck.model import JointLimits, Mimic, Robot, at_positions, build_item, build_joint, build_robot
from rck.testing.robots import box_between, six_axis_arm

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def page_of(exported, robot):
    return exported(rck_plugins.exporters.html, robot, "arm.html").files["arm.html"].decode()


def scene_of(page):
    return json.loads(re.search(r'<script type="application/json" id="scene">(.*?)</script>', page, re.DOTALL)[1])


def browse(address, profile, *arguments):
    """Run Chromium without a window, with WebGL in software; what it prints."""
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
            "--hide-scrollbars", "--window-size=1000,900", "--virtual-time-budget=2000", f"--user-data-dir={profile}",
            *arguments, address,
        ],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    return done.stdout


def with_followers():
    """A base with an arm that turns, a slide on it, and a finger that follows the slide."""
    cube = box_between((-0.05, -0.05, -0.05), (0.05, 0.05, 0.05))
    items = [build_item(name, [cube]).unwrap() for name in ("base", "arm", "slide", "finger")]
    joints = [
        build_joint("turn", "continuous", "base", "arm", start=(0.1, 0, 0), end=(0.1, 1, 1)).unwrap(),
        build_joint("lift", "prismatic", "arm", "slide", end=(0, 0, 1), limits=(-0.2, 0.3), position=0.1).unwrap(),
        build_joint(
            "close", "prismatic", "slide", "finger", end=(1, 0, 0), position=-0.15, mimic=Mimic("lift", -2.0, 0.05)
        ).unwrap(),
    ]
    return build_robot("followers", items, joints).unwrap()


# What a user does, as a script at the end of the page: joints to many positions, a slider to its end.
DRIVEN = """
<script>
const found = { poses: [], webgl: painter !== null };
for (const vector of VECTORS) {
  let next = 0;
  scene.joints.forEach((joint, number) => { if (joint.leader === undefined) positions[number] = vector[next++]; });
  found.poses.push(worldFromLinks());
}
const slider = document.querySelector("input[type=range]");
slider.value = slider.max;
slider.dispatchEvent(new Event("input"));
found.slid = positions[0];
found.output = document.querySelector("output").textContent;
document.title = JSON.stringify(found);
</script>
"""


@needs_chromium
@pytest.mark.slow
@pytest.mark.parametrize("name", ["desk-arm", "followers"])
def test_page_moves_the_robot_as_rck_does(exported, robot_of, tmp_path, name):
    robot = with_followers() if name == "followers" else robot_of(name)
    vectors = np.random.default_rng(5).uniform(-1.0, 1.0, (20, len(robot.free_joints)))
    page = page_of(exported, robot).replace("</body>", DRIVEN.replace("VECTORS", json.dumps(vectors.tolist())))
    (tmp_path / "arm.html").write_text(page)
    html = browse(f"file://{tmp_path}/arm.html", tmp_path / "profile", "--dump-dom")
    found = json.loads(re.search("<title>(.*?)</title>", html)[1])
    assert found["webgl"]
    links = link_tree(robot).links
    for vector, poses in zip(vectors, found["poses"], strict=True):
        there = at_positions(robot, vector)
        for link, columns in zip(links, poses, strict=True):
            world_from_link = np.array(columns).reshape(4, 4).T
            for placed in link.items:
                expected = there.items[placed.number].pose
                assert world_from_link @ placed.pose == pytest.approx(expected, abs=1e-9)
    first = robot.free_joints[0]
    assert found["slid"] == pytest.approx(first.limits.upper if first.limits else np.pi)
    assert found["output"].startswith(f"{np.degrees(found['slid']):.1f}")


@needs_chromium
@pytest.mark.slow
def test_page_shows_the_robot_at_the_joint_positions_of_its_address(exported, robot_of, tmp_path):
    Image = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    (tmp_path / "arm.html").write_text(page_of(exported, robot_of("desk-arm")))
    pictures = []
    for number, bend in enumerate(("", "#shoulder/axis=80")):
        shot = tmp_path / f"{number}.png"
        browse(f"file://{tmp_path}/arm.html{bend}", tmp_path / "profile", f"--screenshot={shot}")
        pictures.append(np.asarray(Image.open(shot).convert("RGB")).astype(int))
    # The gripper of the arm is yellow, and nothing else on the page is.
    yellow = [(rgb[..., 0] > 100) & (rgb[..., 1] > 70) & (rgb[..., 2] < 80) for rgb in pictures]
    for seen in yellow:
        assert 500 < seen.sum() < 100_000
    middles = [np.argwhere(seen).mean(axis=0) for seen in yellow]
    assert np.linalg.norm(middles[0] - middles[1]) > 50


class Links(HTMLParser):
    """Collect the addresses that a browser would load."""

    def __init__(self):
        super().__init__()
        self.fetched = []

    def handle_starttag(self, tag, attributes):
        self.fetched += [value for name, value in attributes if name in ("src", "href", "action", "poster", "data")]


def test_page_loads_nothing_from_the_network(exported, robot_of):
    page = page_of(exported, robot_of("desk-arm"))
    reader = Links()
    reader.feed(page)
    assert reader.fetched == []
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(", page)


def test_page_lists_the_data_of_the_robot(exported, robot_of):
    robot = robot_of("desk-arm")
    page = page_of(exported, robot)
    assert f"<dt>mass</dt><dd>{robot.mass_properties.mass:.4g} kg</dd>" in page
    joint = replace(
        robot.joint("shoulder/axis"), limits=JointLimits(-np.pi / 2, np.pi), speed=np.pi, effort=10.6, mimic=None
    )
    others = tuple(one for one in robot.joints if one.name != joint.name)
    page = page_of(exported, replace(robot, joints=(*others, joint)))
    assert "<td>shoulder/axis</td><td>revolute</td><td>-90°</td><td>180°</td><td>180°/s</td><td>10.6 N m</td>" in page
    assert "<td>waist/body</td><td>XM540-W270</td><td>ROBOTIS</td>" in page


def test_names_cannot_break_out_of_the_page(exported):
    # The model allows no such names; a plugin can bypass it, but must not break the page.
    item = replace(build_item("x", [box_between((0, 0, 0), (1, 1, 1))]).unwrap(), name="</script><b>&")
    page = page_of(exported, Robot("a", (item,)))
    assert page.count("<script") == page.count("</script>") == 2
    assert "<b>" not in page


def test_equal_surfaces_are_in_the_page_once(exported):
    cube = box_between((0, 0, 0), (0.1, 0.1, 0.1))
    items = [build_item(f"i{n}", [cube]).unwrap() for n in range(30)]
    scene = scene_of(page_of(exported, build_robot("many", items).unwrap()))
    assert (len(scene["meshes"]), len(scene["drawn"])) == (1, 30)


def test_the_same_robot_gives_the_same_page(exported, robot_of):
    assert page_of(exported, robot_of("gantry")) == page_of(exported, robot_of("gantry"))


def test_empty_robot_gives_an_empty_scene(exported):
    scene = scene_of(page_of(exported, build_robot("nothing", []).unwrap()))
    assert scene == {"name": "nothing", "links": [], "joints": [], "frames": [], "meshes": [], "drawn": []}


def test_inertias_are_not_on_the_page(exported):
    arm = six_axis_arm()
    weighed = replace(arm, items=(replace(arm.items[0], given_mass=arm.items[0].mass_properties), *arm.items[1:]))
    messages = [finding.message for finding in exported(rck_plugins.exporters.html, weighed, "arm.html").findings]
    assert messages == ["not supported by an HTML page: centres of mass and inertias (base)"]
