"""Imported MJCF models stand, and weigh, as they do in MuJoCo."""

import os
import runpy
from pathlib import Path

import numpy as np
import pytest
from file_reading import compiling
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_importers.mjcf.reader import read

from rck.hooks import Job
from rck.model import at_positions
from rck.model.closure import closure_of
from rck.model.joint_positions import random_vectors

mujoco = pytest.importorskip("mujoco")

CLOSE = 1e-9
CORPUS = Path(os.environ.get("RCK_CORPUS", Path(__file__).parents[2].parent / "shared" / "corpus"))
CASSIE = CORPUS / "robots" / "agility_cassie" / "cassie.xml"
# How a model of MuJoCo and a robot of RCK are laid side by side is the same for the corpus.
PEERS = runpy.run_path(str(Path(__file__).parent.parent.parent / "tools" / "corpus_peers.py"))
move_in_mujoco, mujoco_names = PEERS["move_in_mujoco"], PEERS["mujoco_names"]


def compare_poses(model, robot, count=3):
    bodies, joints = mujoco_names(model)
    data = mujoco.MjData(model)
    dice = np.random.default_rng(0)
    for _ in range(count):
        moved = at_positions(robot, dice.uniform(-2, 2, len(robot.free_joints)))
        move_in_mujoco(model, data, joints, moved)
        for number, name in enumerate(bodies[1:], 1):
            pose = moved.item(name).pose
            np.testing.assert_allclose(pose[:3, 3], data.xpos[number], atol=CLOSE)
            np.testing.assert_allclose(pose[:3, :3].ravel(), data.xmat[number], atol=CLOSE)
        sites = {model.site(number).name: number for number in range(model.nsite)}
        for frame in moved.frames:
            if frame.name in sites:
                pose = moved.item(frame.item).pose @ frame.pose
                np.testing.assert_allclose(pose[:3, 3], data.site_xpos[sites[frame.name]], atol=CLOSE)
                np.testing.assert_allclose(pose[:3, :3].ravel(), data.site_xmat[sites[frame.name]], atol=CLOSE)


def compare_masses(model, robot):
    """Masses and principal inertias, but for bodies that MuJoCo itself gives an impossible one."""
    for number, name in enumerate(mujoco_names(model)[0]):
        if number == 0 or not model.body_inertia[number].min() > 0:
            continue
        body = robot.item(name).mass_properties
        between = sum(item.mass for item in robot.items if item.name.startswith(f"{name}-on-"))
        assert body.mass + between == pytest.approx(model.body_mass[number], rel=1e-4)
        principal = np.linalg.eigvalsh(body.inertia)
        np.testing.assert_allclose(principal, np.sort(model.body_inertia[number]), rtol=2e-3)


def shipped():
    """Models of the packages mujoco and dm_control, but for the dog, whose 150 meshes take their time."""
    folders = [Path(mujoco.__file__).parent / "testdata"]
    try:
        import dm_control
    except ImportError:
        pass
    else:
        folders += [Path(dm_control.__file__).parent / name for name in ("suite", "third_party/kinova")]
    models = [path for folder in folders for path in folder.glob("*.xml") if path.stem != "dog"]
    # Some are only parts that others include, and some name assets that are not shipped.
    return sorted(path for path in models if _loads(path))


def _loads(path):
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("path", shipped(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_mujoco_and_dm_control_models_have_the_same_poses_and_masses(path, read):
    model = mujoco.MjModel.from_xml_path(str(path))
    robot = read("mjcf", path, {"visuals": "no", "allow-outside": "yes"}).robot
    compare_poses(model, robot)
    compare_masses(model, robot)


TRICKY = """<mujoco>
  <compiler angle="radian" eulerseq="ZyX" boundmass="0.01" boundinertia="0.001"/>
  <default><default class="a"><geom type="ellipsoid" size=".1 .2 .3" density="700"/></default></default>
  <worldbody>
    <frame pos="1 2 3" euler=".1 .2 .3" childclass="a">
      <body name="one" axisangle="1 2 3 .5"><geom/><joint name="j1" axis="1 1 0" pos=".1 0 .2"/>
        <frame pos=".1 .2 .3" xyaxes="0 1 0 -1 0 .1"><joint name="j2" type="slide" axis="0 1 1"/></frame>
        <body name="two" zaxis="1 1 1" pos="0 0 .5">
          <joint name="s" type="ball" pos="0 .1 0"/><geom type="box" fromto="0 0 0 .1 .2 .3" size=".02"/>
          <site name="p" fromto="0 0 0 .3 -.2 .1" type="capsule" size=".01"/>
          <inertial pos=".1 .2 .3" euler=".3 .2 .1" mass="2" diaginertia=".1 .2 .25"/>
        </body>
      </body>
    </frame>
    <replicate count="3" offset=".5 0 0" euler="0 .3 .2" sep="_">
      <body name="leg" pos="0 1 0"><joint name="hip" ref=".3"/><geom type="capsule" size=".05 .2"/></body>
    </replicate>
    <body name="bare" mocap="true" pos="5 5 5"/>
  </worldbody>
</mujoco>"""


def test_frames_replicas_and_all_orientation_formats_match_mujoco(read, written):
    path = written("tricky.xml", TRICKY)
    model = mujoco.MjModel.from_xml_path(str(path))
    robot = read("mjcf", path).robot
    compare_poses(model, robot, 10)
    compare_masses(model, robot)


def test_attached_model_has_the_pose_of_mujoco(read, written):
    written(
        "wheel.xml",
        """<mujoco model="w"><compiler angle="radian"/><worldbody><body name="hub" pos="0 0 .2" euler=".5 0 0">
        <joint name="spin" axis="0 1 0"/><geom size=".1"/><body name="rim" pos=".1 0 0"><geom size=".1"/></body>
        </body></worldbody></mujoco>""",
    )
    path = written(
        "cart.xml",
        """<mujoco><asset><model name="w" file="wheel.xml"/></asset><worldbody><body name="cart" euler="0 0 30">
        <geom size=".1"/><frame pos="0 .3 0" euler="90 0 0"><attach model="w" body="hub" prefix="left-"/></frame>
        <frame pos="0 -.3 0"><attach model="w" body="hub" prefix="right-"/></frame></body></worldbody></mujoco>""",
    )
    robot = read("mjcf", path).robot
    assert [joint.name for joint in robot.free_joints] == ["left-spin", "right-spin"]
    compare_poses(mujoco.MjModel.from_xml_path(str(path)), robot)


def test_masses_of_obj_files_are_those_of_mujoco_to_all_digits(read, written):
    corners = np.random.default_rng(0).normal(size=(4, 3)) + 3.0
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners.tolist()]
    written("lump.obj", "\n".join([*lines, "f 1 3 2", "f 1 2 4", "f 2 3 4", "f 3 1 4", ""]))
    path = written(
        "lump.xml",
        """<mujoco><asset><mesh name="lump" file="lump.obj"/></asset>
        <worldbody><body name="lump"><geom type="mesh" mesh="lump"/></body></worldbody></mujoco>""",
    )
    model = mujoco.MjModel.from_xml_path(str(path))
    body = read("mjcf", path).robot.item("lump").mass_properties
    assert body.mass == pytest.approx(model.body_mass[1], rel=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(body.inertia), np.sort(model.body_inertia[1]), rtol=1e-9)


@pytest.mark.skipif(not CASSIE.exists(), reason="the corpus is not here")
def test_robot_whose_loops_do_not_close_at_zero_starts_at_home(read):
    # The knees and foot cranks of Cassie cannot be at zero.
    imported = read("mjcf", CASSIE)
    robot = imported.robot
    assert any("at its pose home" in found.message for found in imported.findings)
    closure = closure_of(robot)
    assert closure.is_closed
    assert bool(closure.closes(np.array([robot.positions]))[0])
    assert len(random_vectors(robot, 50)) == 50


@st.composite
def models(draw):
    """A random tree of bodies with up to three joints each."""
    number = st.floats(-1, 1).map(lambda x: round(x, 3))
    triple = st.tuples(number, number, number).map(lambda three: " ".join(map(str, three)))
    axis = triple.filter(lambda three: np.linalg.norm([float(x) for x in three.split()]) > 0.1)
    text, depth = "", 0
    for body in range(draw(st.integers(1, 5))):
        while depth and draw(st.booleans()):
            text, depth = text + "</body>", depth - 1
        text += f'<body name="b{body}" pos="{draw(triple)}" euler="{draw(triple)}"><geom size=".1"/>'
        depth += 1
        for joint in range(draw(st.integers(0, 3))):
            kind = draw(st.sampled_from(["hinge", "slide", "ball"]))
            text += f'<joint name="b{body}j{joint}" type="{kind}" pos="{draw(triple)}" axis="{draw(axis)}"'
            text += f' ref="{draw(number)}"/>' if kind != "ball" else "/>"
    return f'<mujoco><compiler angle="radian"/><worldbody>{text}{"</body>" * depth}</worldbody></mujoco>'


@given(text=models())
@settings(max_examples=25, deadline=None)
def test_random_models_have_the_poses_of_mujoco(text, tmp_path_factory):
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return  # MuJoCo does not allow a ball joint together with another rotational joint
    path = tmp_path_factory.mktemp("random") / "random.xml"
    path.write_text(text, encoding="utf-8")
    compare_poses(model, compiling(read)(path, {}, Job()).robot, 2)
