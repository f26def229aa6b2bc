"""Arms of catalogue servos, exported to MJCF with a scene, hold their poses in bare MuJoCo."""

from pathlib import Path

import numpy as np
import pytest
import rck_parts
import yaml
from rck_tests import every

from rck.exporting.export import export
from rck.hooks import discover
from rck.language.session import open_session
from rck.model.motor import motors_of

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples"
SERVOS = [
    path
    for path in sorted((Path(rck_parts.__file__).parent / "actuators").glob("*servo/*.yaml"))
    if "stall-torque" in path.read_text()
]
"""The servos whose torque is published."""
G = 9.80665
SECONDS = 5.0
SAG = 0.03
"""Rad; a servo gives way under a load, as a controller without an integral part does."""


def mjcf_of(path, folder):
    session = open_session(discover(), path)
    robot = session.compile().unwrap().robot
    written, _ = export(robot, folder / f"{path.stem}.xml", discover(), {"scene": "yes"})
    return robot, mujoco.MjModel.from_xml_path(str(written[0]))


def drift(model, keyframe):
    """The largest change of a joint position in 5 s, and the largest velocity in the last second."""
    data = mujoco.MjData(model)
    if keyframe is not None:
        mujoco.mj_resetDataKeyframe(model, data, keyframe)
    start, fastest = data.qpos.copy(), 0.0
    steps = round(SECONDS / model.opt.timestep)
    for step in range(steps):
        mujoco.mj_step(model, data)
        if step > 0.8 * steps:
            fastest = max(fastest, float(np.abs(data.qvel).max()))
    # Nothing but its servos holds the arm.
    assert all(model.geom("floor").id not in contact.geom for contact in data.contact)
    assert not any(warning.number for warning in data.warning)
    return float(np.abs(data.qpos - start).max()), fastest


@pytest.mark.parametrize("name", ["desk-arm", "desk-cell"])
def test_example_arm_holds_its_poses(name, tmp_path):
    _, model = mjcf_of(EXAMPLES / f"{name}.rck", tmp_path)
    assert {model.geom(n).name for n in range(model.ngeom)} >= {"floor"}
    for keyframe in (None, *range(model.nkey)):
        moved, fastest = drift(model, keyframe)
        assert moved < 0.005
        assert fastest < 1e-3


ARMS = sorted((Path(rck_parts.__file__).parent / "arms").glob("*.yaml"))
UNFOLDED = {
    "so-100": {"shoulder-lift": "90 deg", "elbow-flex": "-90 deg"},
    "z1": {"joint-2": "60 deg", "joint-3": "-60 deg"},
}
"""Positions of joints of arms that are drawn folded, with a link resting on another one."""


@pytest.mark.parametrize("arm", every(4, ARMS), ids=lambda path: path.stem)
def test_each_arm_of_the_catalogue_holds_its_pose(arm, tmp_path):
    part = yaml.safe_load(arm.read_text())["part"]
    path = tmp_path / "arm.rck"
    document = {
        "rck": 2,
        "name": "arm",
        "parts": {"arm": {"part": part, "place": {"at": ["0 m", "0 m", "2 m"]}}, "foot": {"part": "foot"}},
        # The scene has its floor below the lowest part, out of reach of the arm.
        "local_parts": {"foot": {"items": {"plate": {"shapes": [{"box": [100, 100, 10]}], "mass": "1 kg"}}}},
    }
    unfolded = UNFOLDED.get(arm.stem, {})
    document["joints"] = {f"arm/{joint}": {"position": position} for joint, position in unfolded.items()}
    path.write_text(yaml.safe_dump(document))
    robot, model = mjcf_of(path, tmp_path)
    assert model.nu == len(robot.free_joints)
    number_of = {model.joint(int(model.actuator_trnid[n, 0])).name: n for n in range(model.nu)}
    for joint in robot.free_joints:
        number = number_of[joint.source_name or joint.name.replace("/", "_")]
        ranges = model.actuator_forcerange if model.actuator_biastype[number] else model.actuator_ctrlrange
        assert (ranges[number] != 0).all() == (joint.effort is not None)
        if joint.effort is not None:
            assert ranges[number] == pytest.approx((-joint.effort, joint.effort))
    moved, fastest = drift(model, 0)
    assert moved < SAG
    # Arms whose efforts are not published approach their place slowly.
    assert fastest < 1e-2


def test_wheels_keep_plain_motors_and_other_joints_of_parts_hold(tmp_path):
    _, model = mjcf_of(EXAMPLES / "mobile-manipulator.rck", tmp_path)
    kinds = {model.actuator(number).name: model.actuator_biastype[number] for number in range(model.nu)}
    wheels = {name for name, kind in kinds.items() if kind == mujoco.mjtBias.mjBIAS_NONE}
    assert wheels == {name for name in kinds if name.startswith("base_") and name.endswith(("left", "right"))}
    assert len(kinds) - len(wheels) >= 6


def two_link_arm(servo, path):
    """Write an arm of two such servos with horizontal axes; gravity takes 30 % of the stall torque of the first."""
    manifest = yaml.safe_load(servo.read_text())
    peak = manifest["joints"]["axis"]["torque"]
    output = next(name for name in ("horn", "output") if name in manifest["ports"])
    carrier = manifest["joints"]["axis"]["base"]
    mass = 1e-3 * manifest["items"][carrier]["mass"]
    reach = 0.1
    rod = 0.1 * peak / (0.5 * reach * G)
    # The second servo and its rod hang at the end of the first rod.
    tip = max((0.2 * peak / G - mass * reach) / (1.5 * reach), 0.001)
    rods = {
        name: {
            "items": {"rod": {"shapes": [{"capsule": {"diameter": 8, "length": 90}, "z": "x"}], "mass": f"{kg} kg"}},
            "ports": {"a": {"at": [-50, 0, -30], "z": "-z"}, "b": {"at": [50, 0, 4], "z": "z"}},
        }
        for name, kg in (("upper", rod), ("fore", tip))
    }
    rods["foot"] = {"items": {"plate": {"shapes": [{"box": [100, 100, 10]}], "mass": "1 kg"}}}
    document = {
        "rck": 2,
        "name": "arm",
        "units": {"length": "mm", "angle": "deg", "mass": "g"},
        "parts": {
            "shoulder": {"part": manifest["part"], "place": {"at": [0, 0, 500], "z": "y", "x": "x"}},
            # The scene has its floor below the lowest part, out of reach of the arm.
            "foot": {"part": "foot"},
            "upper": {"part": "upper"},
            "elbow": {"part": manifest["part"]},
            "fore": {"part": "fore"},
        },
        "local_parts": rods,
        "mates": [
            {"at": f"shoulder.{output}", "put": "upper.a"},
            {"at": "upper.b", "put": f"elbow.{next(p for p in ('back', 'bottom') if p in manifest['ports'])}"},
            {"at": f"elbow.{output}", "put": "fore.a"},
        ],
    }
    path.write_text(yaml.safe_dump(document))


@pytest.mark.parametrize("servo", every(6, SERVOS), ids=lambda path: path.stem)
def test_arm_of_each_catalogue_servo_holds_its_pose(servo, tmp_path):
    path = tmp_path / "arm.rck"
    two_link_arm(servo, path)
    robot, model = mjcf_of(path, tmp_path)
    assert model.nu == 2
    for number in range(model.nu):
        motor = motors_of(robot)[("shoulder/axis", "elbow/axis")[number]]
        assert model.actuator_biastype[number] == mujoco.mjtBias.mjBIAS_AFFINE
        assert model.actuator_forcerange[number] == pytest.approx((-motor.peak, motor.peak))
    moved, fastest = drift(model, 0)
    assert 1e-4 < moved < SAG
    assert fastest < 1e-3


def test_servo_runs_freely_at_its_no_load_speed(tmp_path):
    path = tmp_path / "servo.rck"
    path.write_text("rck: 2\nname: servo\nparts: {waist: {part: robotis/xm540-w270}}\n")
    _, model = mjcf_of(path, tmp_path)
    model.opt.timestep = 1e-4
    model.jnt_limited[:] = 0
    model.actuator_ctrllimited[:] = 0
    # A flywheel, so that it speeds up slowly.
    model.dof_armature[:] = 0.5
    data = mujoco.MjData(model)
    data.ctrl[:] = 1000.0
    speeds, efforts = [], []
    for _ in range(20_000):
        mujoco.mj_step(model, data)
        speeds.append(data.qvel[0])
        efforts.append(data.qfrc_actuator[0] + data.qfrc_passive[0])
    no_load = 30 * 2 * np.pi / 60
    assert speeds[-1] == pytest.approx(no_load, rel=1e-3)
    # Its power on the way is at most a quarter of stall torque times no-load speed: 8.3 W.
    assert max(np.multiply(speeds, efforts)) <= 10.6 * no_load / 4 * 1.01


@pytest.mark.parametrize("part", ["pololu/4741", "maxon/ec45-flat-70w"])
def test_dc_motor_of_the_catalogue_follows_its_torque_speed_line(part, tmp_path):
    path = tmp_path / "motor.rck"
    path.write_text(f"rck: 2\nname: motor\nparts: {{motor: {{part: {part}}}}}\n")
    robot = open_session(discover(), path).compile().unwrap().robot
    figures = robot.actuators[0].values
    written, _ = export(robot, tmp_path / "motor.xml", discover())
    text = written[0].read_text()
    assert "<dcmotor" in text
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for share in (1.0, -0.5):
        data.ctrl[0] = share * figures["voltage"]
        data.qvel[:] = 0.0
        mujoco.mj_forward(model, data)
        assert data.qfrc_actuator[0] == pytest.approx(share * figures["stall-torque"])
        for _ in range(500):
            mujoco.mj_step(model, data)
        assert data.qvel[0] == pytest.approx(share * figures["speed"], rel=1e-3)
    assert not any(warning.number for warning in data.warning)
