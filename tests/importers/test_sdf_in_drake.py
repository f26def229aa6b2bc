"""Imported SDF models stand where Drake, which parses with libsdformat, puts them."""

import logging
from pathlib import Path

import numpy as np
import pytest

from rck.model import at_positions

pytest.importorskip("pydrake")

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

CLOSE = 1e-9
MASS = (
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"
    "</inertial>"
)


def compare(path, robot, folder=None):
    """Poses of all bodies at random positions; models inside models have :: in Drake where RCK has /."""
    logging.getLogger("drake").setLevel(logging.CRITICAL)
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    if folder is not None:
        parser.package_map().PopulateFromFolder(str(folder))
    instances = parser.AddModels(str(path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    alone = len([one for one in instances if "::" not in plant.GetModelInstanceName(one)]) == 1

    def named(instance, name):
        scopes = plant.GetModelInstanceName(instance).split("::")
        return "/".join([*(scopes[1:] if alone else scopes), name])

    dice = np.random.default_rng(0)
    compared = 0
    for _ in range(4):
        moved = at_positions(robot, dice.uniform(-1, 1, len(robot.free_joints)))
        for instance in instances:
            for index in plant.GetJointIndices(instance):
                there = plant.get_joint(index)
                if there.num_positions() == 1:
                    plant.SetPositions(
                        context, _with(plant, context, there, moved.joint(named(instance, there.name())))
                    )
        for instance in instances:
            for index in plant.GetBodyIndices(instance):
                body = plant.get_body(index)
                pose = plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4()
                np.testing.assert_allclose(moved.item(named(instance, body.name())).pose, pose, atol=CLOSE)
                compared += 1
    assert compared


def _with(plant, context, there, joint):
    positions = plant.GetPositions(context).copy()
    positions[there.position_start()] = joint.position
    return positions


TRICKY = f"""<sdf version="1.9"><model name="m"><pose degrees="true">1 2 3 10 20 30</pose>
  <frame name="f" attached_to="b"><pose relative_to="a">.1 .2 .3 .4 .5 .6</pose></frame>
  <link name="a"><pose rotation_format="quat_xyzw">0 0 1 .1 .2 .3 .9273618495495704</pose>{MASS}</link>
  <link name="b"><pose relative_to="j">0 .1 0 .3 0 0</pose>{MASS}</link>
  <link name="c"><pose relative_to="f">0 0 .5 0 1 0</pose>{MASS}</link>
  <joint name="j" type="revolute"><pose relative_to="a">0 0 .5 .2 .4 .6</pose><parent>a</parent><child>b</child>
    <axis><xyz expressed_in="__model__">1 1 0</xyz><limit><lower>-3</lower><upper>3</upper></limit></axis></joint>
  <joint name="k" type="prismatic"><parent>f</parent><child>c</child>
    <axis><xyz expressed_in="f">0 1 1</xyz><limit><lower>-3</lower><upper>3</upper></limit></axis></joint>
  <model name="inner" placement_frame="grip"><pose relative_to="c">0 .2 0 0 0 .7</pose>
    <link name="a"><pose>.1 0 0 0 .1 0</pose>{MASS}</link>
    <frame name="grip" attached_to="a"><pose>0 0 .3 .5 0 0</pose></frame>
  </model>
  <joint name="weld" type="fixed"><parent>c</parent><child>inner::a</child></joint>
</model></sdf>"""


def test_relative_poses_and_nested_models_match_drake(read, written):
    path = written("tricky.sdf", TRICKY)
    robot = read("sdf", path).robot
    compare(path, robot)
    frame = next(one for one in robot.frames if one.name == "f")
    assert frame.item == "b"


def test_world_of_included_models_matches_drake(read, written, tmp_path):
    written("arm/package.xml", "<package><name>arm</name></package>")
    written("arm/arm.sdf", TRICKY)
    include = "<include><uri>package://arm/arm.sdf</uri><name>{}</name><pose>{} 0 0 0 0 .5</pose>{}</include>"
    text = include.format("one", 0, "") + include.format("two", 3, "<placement_frame>f</placement_frame>")
    path = written("world.sdf", f'<sdf version="1.9"><world name="w">{text}</world></sdf>')
    compare(path, read("sdf", path).robot, tmp_path)


def shipped():
    """SDF files that come with Drake."""
    import pydrake

    return sorted((Path(pydrake.__file__).parent / "share").rglob("*.sdf"))


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_drake_models_have_the_same_poses(path, read):
    compare(path, read("sdf", path, {"allow-outside": "yes", "visuals": "no"}).robot)
