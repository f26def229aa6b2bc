"""MJCF files that were imported, saved and exported again are the same model in MuJoCo."""

import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rck_bench.roundtrip import CLOSE, compare_models, round_trips

from rck.exporting.export import export
from rck.hooks import discover
from rck.hooks.file_exchange import read_file
from rck.language.robot_checks import check_robot
from rck.support.finding import Severity

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

CORPUS = Path(os.environ.get("RCK_CORPUS", Path(__file__).parents[2].parent / "shared" / "corpus")) / "robots"

MODELS = Path(__file__).parent / "data" / "mjcf"

EVERYTHING = """<mujoco model="everything"><compiler angle="radian"/><option timestep="0.001" cone="elliptic"/>
<worldbody>
  <body name="a.1"><joint name="q" type="slide" armature=".2"/><joint name="s" type="ball" range="0 1" damping=".1"/>
    <geom size=".1" mass="2"/></body>
  <body name="aa" pos="0 1 0" gravcomp=".5"><joint name="h" pos=".1 0 0" ref=".3" range="-1 1" springdamper="1 1"/>
    <geom name="ga" type="capsule" size=".05 .2" mass="1" friction=".5 .01 .002" condim="4"/>
    <site name="s1" pos="0 0 .2"/>
    <body name="b" pos="0 0 .3"><joint name="h2" stiffness="2" springref=".4" axis="0 1 0" frictionloss=".1"/>
      <joint name="h3" type="slide"/><geom name="gb" size=".1" rgba="1 0 0 1"/><site name="s2"/></body></body>
  <body name="c" pos="1 0 0"><freejoint/><geom type="box" size=".1 .2 .3" contype="2" conaffinity="4"/>
    <geom type="ellipsoid" size=".1 .2 .3" contype="0" conaffinity="0" mass="0" rgba="0 1 0 .5"/>
    <camera name="cam" fovy="30"/></body>
</worldbody>
<contact><exclude body1="a.1" body2="b"/><pair geom1="ga" geom2="gb" condim="1"/></contact>
<tendon><fixed name="t" range="-1 1"><joint joint="h2" coef=".5"/><joint joint="h3" coef="-2"/></fixed>
  <spatial name="sp" stiffness="3"><site site="s1"/><site site="s2"/></spatial></tendon>
<equality><joint joint1="h2" joint2="h" polycoef="0 1 .2 0 0"/><weld body1="b" body2="c" active="false"/>
  <connect body1="b" body2="a.1" anchor=".1 0 0" solref=".01 1"/><tendon tendon1="t"/></equality>
<actuator><position joint="h" kp="10" dampratio="1"/><intvelocity joint="h2" kp="5" actrange="-1 1"/>
  <muscle tendon="sp"/>
  <general tendon="t" dyntype="filter" dynprm=".1" gainprm="3" biastype="affine" biasprm="0 -2 -1"/>
  <damper joint="h3" kv="2" ctrlrange="0 1"/><motor joint="s" gear="1 2 3"/><motor site="s2" gear="0 0 1 0 0 0"/>
  <adhesion body="c" ctrlrange="0 1" gain="4"/><cylinder joint="h3" area=".1" timeconst=".2"/>
  <velocity joint="h" kv="3" forcerange="-3 2"/></actuator>
<sensor><ballquat joint="s"/><tendonpos tendon="t"/><framepos objtype="site" objname="s1" reftype="body" refname="c"/>
  <subtreecom body="a.1"/><clock/><gyro site="s1"/><accelerometer site="s1"/></sensor>
<keyframe><key name="home" qpos=".3 1 0 0 0 .2 .1 .05 1 2 3 1 0 0 0" ctrl="1 2 3 4 .5 6 .7 8 9 10"/></keyframe>
</mujoco>"""

SURROUNDINGS = """<mujoco model="surroundings"><compiler angle="degree"/><option density="1000" viscosity=".1"/>
<default><geom friction=".7"/><tendon rgba="1 0 0 1" width=".02"/><default class="ground"><geom type="plane"/></default>
</default>
<asset><material name="grass" rgba="0 .6 0 1"/></asset>
<worldbody>
  <light name="sun" pos="0 0 3" dir="0 .3 -1"/>
  <geom name="floor" class="ground" size="1 1 .1" pos="0 0 -.2" material="grass"/>
  <frame euler="0 20 0"><geom name="ramp" class="ground" size="2 2 .1" pos="0 0 -1"/></frame>
  <body name="cart"><joint name="x" type="slide" axis="1 0 0" springref=".2"/>
    <geom name="box" type="box" size=".1 .1 .1"/>
    <site name="front" pos=".1 0 0"/><site name="back" pos="-.1 0 0"/>
    <body name="tray" pos="0 0 .3" euler="0 0 30"><joint name="h"/><geom name="plate" type="cylinder" size=".1 .01"/>
      <light target="cart" mode="targetbody" pos="0 0 1"/></body></body>
  <body name="wall" pos="1 0 0" euler="0 0 30"><geom size=".1"/>
    <geom name="shield" type="plane" size=".1 .1 .01" pos="0 0 .1" euler="90 0 0" contype="0"/></body>
  <body name="tracker" mocap="true"><geom size=".02" contype="0" conaffinity="0"/></body>
  <body name="ball" pos="0 0 2"><freejoint/><geom name="ball" size=".05"/><geom size=".05" contype="0" conaffinity="0"/>
    <camera name="eye"/><site name="eye"/></body>
  <body name="skew" pos="0 3 0" quat=".9 .1 .2 .3"><joint type="ball"/>
    <inertial pos="0 0 0" mass="1" diaginertia=".3 .2 .4"/><geom size=".1"/></body>
</worldbody>
<equality><weld body1="cart" body2="ball" anchor="0 0 .1" solref=".02 1"/>
<weld body1="tray" body2="ball" anchor="0 0 .1" relpose=".1 .2 .3 .9 .1 .2 .3" torquescale="2"/></equality>
<contact><pair geom1="floor" geom2="plate"/></contact>
<tendon><fixed name="t"><joint joint="x" coef="1"/></fixed></tendon>
<actuator><general joint="x" biastype="affine"/><position joint="h" forcelimited="false" forcerange="-3 3"/></actuator>
<sensor><touch name="front" site="front"/><touch name="back" site="back"/><rangefinder name="far" site="front"/>
<gyro site="eye"/>
<framepos name="tray" objtype="geom" objname="floor"/></sensor>
</mujoco>"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "original.xml"
    path.write_text(text)
    return path


def corpus_files() -> list[Path]:
    known = [path for path in sorted(CORPUS.glob("*/*.xml")) if not path.stem.startswith(("scene", "keyframes"))]
    return [path for path in known if path.stem not in ("barkour_v0_mjx", "left_hand")]


@pytest.mark.parametrize("text", [EVERYTHING, SURROUNDINGS], ids=["everything", "surroundings"])
def test_every_element_survives_directly_and_through_the_native_file(text: str, tmp_path: Path) -> None:
    found = list(round_trips(written(tmp_path, text), tmp_path, discover()))
    assert [one.way for one in found] == ["direct", ".rck", "exploded"]
    for one in found:
        assert one.comparison.differences == (), one.way
        assert one.comparison.is_equal, one


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.xml")), ids=lambda path: path.stem)
def test_small_model_of_one_feature_survives(path: Path, tmp_path: Path) -> None:
    for one in round_trips(path, tmp_path, discover()):
        assert one.comparison.differences == (), one.way
        assert one.comparison.is_equal, one


def test_planes_and_lights_move_with_the_bodies_that_carry_them(tmp_path: Path) -> None:
    list(round_trips(written(tmp_path, SURROUNDINGS), tmp_path, discover()))
    models = [mujoco.MjModel.from_xml_path(str(tmp_path / name)) for name in ("original.xml", "direct.xml", "rck.xml")]
    seen = []
    for model in models:
        data = mujoco.MjData(model)
        data.qpos[:2] = 0.3, 0.7
        mujoco.mj_forward(model, data)
        planes = [*(data.geom(name).xmat.reshape(3, 3)[:, 2] for name in ("floor", "ramp", "shield")),
                  *(data.geom(name).xpos for name in ("floor", "ramp", "shield"))]  # fmt: skip
        order = np.lexsort(data.light_xpos.T)
        seen.append(np.concatenate([planes, data.light_xpos[order], data.light_xdir[order]]))
        assert tuple(model.mat_rgba[model.geom("floor").matid[0]]) == pytest.approx((0, 0.6, 0, 1))
    np.testing.assert_allclose(seen[1], seen[0], atol=1e-9)
    np.testing.assert_allclose(seen[2], seen[0], atol=1e-9)


@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: path.stem)
def test_robots_of_the_corpus_survive(path: Path, tmp_path: Path) -> None:
    for one in round_trips(path, tmp_path, discover()):
        assert one.comparison.differences == (), one.way
        assert one.comparison.is_equal, one


def test_shared_properties_of_joints_and_actuators_are_default_classes(tmp_path: Path) -> None:
    text = "".join(
        f'<body><joint name="j{n}" damping="{n // 2}" armature=".1" range="0 {n + 1}"/><geom size=".1"/></body>'
        for n in range(4)
    ) + "</worldbody><actuator>" + "".join(
        f'<position joint="j{n}" kp="7" ctrlrange="0 {n + 1}"/>' for n in range(4)
    )  # fmt: skip
    path = written(tmp_path, f'<mujoco><compiler angle="radian"/><worldbody>{text}</actuator></mujoco>')
    one = next(iter(round_trips(path, tmp_path, discover())))
    assert one.comparison.is_equal, one
    root = ElementTree.parse(tmp_path / "direct.xml").getroot()
    classes = {made.get("class"): dict(made[0].items()) for made in root.iterfind("default/default")}
    assert classes["joint1"] == {"armature": "0.1"}
    assert classes["joint2"] == {"armature": "0.1", "damping": "1"}
    assert classes["position"] == {"kp": "7"}
    assert [joint.get("class") for joint in root.iter("joint")][-4:] == ["joint1", "joint1", "joint2", "joint2"]


def test_sensor_that_only_mujoco_has_is_no_loss_for_mjcf_and_one_note_in_checks(tmp_path: Path) -> None:
    plugins = discover()
    imported = read_file(written(tmp_path, EVERYTHING), plugins)
    assert imported.robot is not None
    _, exported = export(imported.robot, tmp_path / "again.xml", plugins)
    assert not [one for one in exported.findings if "sensors" in one.message]
    (kept,) = [one for one in check_robot(imported.robot, plugins) if one.code == 608]
    assert kept.severity is Severity.NOTE
    assert "mjcf-ballquat" in kept.message


def test_comparison_finds_a_lost_armature_and_a_lost_actuator(tmp_path: Path) -> None:
    original = mujoco.MjModel.from_xml_string(EVERYTHING)
    without = mujoco.MjModel.from_xml_string(EVERYTHING.replace('armature=".2"', ""))
    assert compare_models(original, without).mass_matrix > CLOSE
    fewer = mujoco.MjModel.from_xml_string(EVERYTHING.replace('<velocity joint="h" kv="3" forcerange="-3 2"/>', "")
                                           .replace(" 8 9 10", " 8 9"))  # fmt: skip
    assert "actuators: 10, not 9" in compare_models(original, fewer).differences
