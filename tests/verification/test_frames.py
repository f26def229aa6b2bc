"""Frames of items.

Each robot goes through a saved assembly in which it is attached to something that turns, copied, and mirrored. Its
links must be where pinocchio (URDF export), MuJoCo (MJCF export) and, for imports, MuJoCo with the original file have
them. Answers of inverse kinematics are checked by both programs.
"""

import json
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import rck_parts
from click.testing import CliRunner
from rck_plugins.exporters.mjcf.model import model_of
from rck_tests import every

from rck.cli.main import cli
from rck.control.served_world import ServedWorld
from rck.control.topics import transforms
from rck.editor.widgets.robot_figures import figures_text
from rck.exporting import link_tree, shapes_of
from rck.exporting.export import export
from rck.geometry.transforms import from_euler, from_quaternion, invert, to_quaternion, translation
from rck.hooks import Goal, discover
from rck.kinematics.chain import chain_between, tip_pose
from rck.kinematics.solver_choice import solver_for
from rck.kinematics.tip import arm_tips, root_of
from rck.language.session import new_session, open_session
from rck.model.forward_kinematics import forward_batch
from rck.model.joint_positions import at_positions, joint_positions
from rck.model.robot_arrays import robot_arrays
from rck.simulation.recording import Recorder, Replay

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
pinocchio = pytest.importorskip("pinocchio", reason="pinocchio is not installed")

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("RCK_CORPUS", ROOT.parent / "shared" / "corpus")) / "robots"
ARMS = sorted(path.stem for path in (Path(rck_parts.__file__).parent / "arms").glob("*.yaml"))
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.rck"))
ROBOTS = sorted(path for path in CORPUS.glob("*/*.xml") if not path.stem.startswith(("scene", "keyframes")))
VECTORS = 50
CELL = (
    "make box desk size=200,200,100",
    "create {} arm --at desk.body#0.5 --by base --turn 30 --joint revolute --limits -90..90 --axis x --force",
    "copy arm second --by 3000,200,100",
    "copy arm third --by 0,3000,0 --mirror y",
)


@lru_cache
def part_of(name):
    return next(line for line in _manifest(name) if line.startswith("part:")).partition(":")[2].strip()


def _manifest(name):
    return (Path(rck_parts.__file__).parent / "arms" / f"{name}.yaml").read_text(encoding="utf-8").splitlines()


def saved_and_opened(session, path):
    """Return the robot of the session's assembly after a file round trip."""
    session.save(path)
    return open_session(discover(), path).compile().unwrap().robot


def vectors_of(robot, seed=3):
    spans = [(j.limits.lower, j.limits.upper) if j.limits else (-np.pi, np.pi) for j in robot.free_joints]
    low, high = np.array(spans, dtype=float).reshape(-1, 2).T
    return np.random.default_rng(seed).uniform(low, high, (VECTORS, len(spans)))


def largest(ours, theirs):
    return float(np.abs(ours - theirs).max(initial=0.0))


class InPinocchio:
    """URDF export of a robot, loaded by pinocchio."""

    def __init__(self, robot, folder):
        self.robot = robot
        export(robot, folder / "robot.urdf", discover(), {"srdf": "no"})
        self.model = pinocchio.buildModelFromUrdf(str(folder / "robot.urdf"))
        self.data = self.model.createData()
        self.names = {link.items[0].item.name: link.name for link in self._tree.links}
        self.names |= {one.frame.name: one.name for link in self._tree.links for one in link.frames}

    @property
    def _tree(self):
        return link_tree(self.robot, taken=("world",))

    def poses(self, vector, places):
        q = pinocchio.neutral(self.model)
        for name, position in joint_positions(self.robot, vector).items():
            joint = self.model.joints[self.model.getJointId(self._tree_joint(name))]
            row = slice(joint.idx_q, joint.idx_q + joint.nq)
            q[row] = (np.cos(position), np.sin(position)) if joint.nq == 2 else position
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        frames = [self.model.getFrameId(self.names[place], pinocchio.FrameType.BODY) for place in places]
        return np.array([self.data.oMf[frame].homogeneous for frame in frames])

    def _tree_joint(self, name):
        if not hasattr(self, "_joints"):
            self._joints = self._tree.joint_names
        return self._joints[name]


class InMujoco:
    """MJCF export of a robot, loaded by MuJoCo."""

    def __init__(self, robot, folder):
        self.robot = robot
        export(robot, folder / "robot.xml", discover(), name="mjcf")
        self.model = mujoco.MjModel.from_xml_path(str(folder / "robot.xml"))
        self.data = mujoco.MjData(self.model)
        tree = link_tree(robot, taken=("world",))
        self.joints = tree.joint_names
        self.mjcf = model_of(tree, shapes_of(robot))
        self.bodies, self.sites = self.mjcf.body_names, self.mjcf.sites

    def poses(self, vector, places):
        positions = joint_positions(self.robot, vector)
        for name, position in positions.items():
            if name not in self.mjcf.ball_hinges:
                self.data.qpos[self.model.joint(self.joints[name]).qposadr[0]] = position
        for name, ball in self.mjcf.balls.items():
            angles = [positions[name.removesuffix("x") + letter] for letter in "xyz"]
            first = self.model.joint(ball).qposadr[0]
            self.data.qpos[first : first + 4] = to_quaternion(from_euler(angles, "XYZ"))
        mujoco.mj_kinematics(self.model, self.data)
        return np.array([self._pose(place) for place in places])

    def _pose(self, place):
        there = self.data.site(self.sites[place]) if place in self.sites else self.data.body(self.bodies[place])
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = there.xmat.reshape(3, 3), there.xpos
        return pose


def assert_links_agree(robot, folder, compare, what):
    """Compare all items and frames in both programs, and return the programs."""
    programs = [(InPinocchio(robot, folder), "pinocchio"), (InMujoco(robot, folder), "MuJoCo")]
    vectors = vectors_of(robot)
    items = [item.name for item in robot.items]
    # MuJoCo has one body for an item with several joints and those between its joints.
    whole = [n for n, item in enumerate(robot.items) if "split-from" not in item.extensions.get("mjcf", {})]
    frames = [frame.name for frame in robot.frames]
    poses = forward_batch(robot_arrays(robot), vectors)
    floating = [item.name for item in robot.items if item.mobile]
    for loaded, label in programs:
        worst = 0.0
        for vector, ours in zip(vectors, poses, strict=True):
            # URDF has one root, so a floating robot is at the origin.
            theirs = loaded.poses(vector, items)
            if floating and label == "pinocchio" and len(robot.tree.roots) == 1:
                root = robot.tree.roots[0]
                theirs = ours[root] @ invert(theirs[root]) @ theirs
            worst = max(worst, largest(ours[whole], theirs[whole]))
        moved = at_positions(robot, vectors[0])
        theirs = loaded.poses(vectors[0], frames)
        ours = np.array([moved.world_from(name) for name in frames]).reshape(-1, 4, 4)
        if not floating:
            worst = max(worst, largest(ours, theirs.reshape(-1, 4, 4)))
        export_format = "URDF" if label == "pinocchio" else "MJCF"
        compare(f"Link frames of {what}", f"{label}, {export_format} export", worst, 1e-9, "m, rad")
    return programs


@pytest.fixture
def cell(tmp_path):
    def make(part, setup=()):
        session = new_session(discover(), tmp_path, "cell")
        for line in (*setup, *(line.format(part) for line in CELL)):
            session.do(line)
        return saved_and_opened(session, tmp_path / "cell.rck")

    return make


@pytest.mark.parametrize("name", every(5, ARMS))
def test_link_poses_of_catalogue_arms_match_other_programs(name, cell, tmp_path, compare):
    robot = cell(part_of(name))
    programs = assert_links_agree(robot, tmp_path, compare, "catalogue arms, attached, copied and mirrored")
    assert_answers_are_confirmed(robot, programs, compare)


@pytest.mark.parametrize("name", EXAMPLES)
def test_link_poses_of_examples_match_other_programs(name, tmp_path, compare):
    robot = open_session(discover(), ROOT / "examples" / f"{name}.rck").compile().unwrap().robot
    assert_links_agree(robot, tmp_path, compare, "the examples")


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_link_poses_of_imported_robots_match_other_programs(path, cell, tmp_path, compare):
    robot = cell("robot", setup=(f"import {path} robot", "remove part robot"))
    assert_links_agree(robot, tmp_path, compare, "imported robots, attached, copied and mirrored")
    assert_original_agrees(robot, "arm", path, compare)


def assert_original_agrees(robot, instance, path, compare):
    """Compare link poses of an instance, relative to its root, with MuJoCo and the original file."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    own = {item.name.removeprefix(f"{instance}/"): n for n, item in enumerate(robot.items)}
    bodies = [(number, body) for number in range(1, model.nbody) if (body := model.body(number).name) in own]
    assert len(bodies) == model.nbody - 1
    hinges = {model.joint(n).name: n for n in range(model.njnt) if model.jnt_type[n] in (2, 3)}
    # Three hinges replace a ball joint.
    balls = {model.joint(n).name: model.jnt_qposadr[n] for n in range(model.njnt) if model.jnt_type[n] == 1}
    movable = {*hinges, *(f"{ball}-{letter}" for ball in balls for letter in "xyz")}
    known = np.array([joint.name.removeprefix(f"{instance}/") in movable for joint in robot.free_joints])
    worst = 0.0
    for vector in np.where(known, vectors_of(robot), robot.positions):
        positions = joint_positions(robot, vector)
        for name, position in positions.items():
            if (joint := hinges.get(name.removeprefix(f"{instance}/"))) is not None:
                data.qpos[model.jnt_qposadr[joint]] = position
        for ball, first in balls.items():
            angles = [positions[f"{instance}/{ball}-{letter}"] for letter in "xyz"]
            data.qpos[first : first + 4] = to_quaternion(from_euler(angles, "XYZ"))
        mujoco.mj_kinematics(model, data)
        (ours,) = forward_batch(robot_arrays(robot), vector[None])
        first = bodies[0]
        root_ours, root_theirs = invert(ours[own[first[1]]]), invert(_body(data, first[0]))
        for number, body in bodies:
            worst = max(worst, largest(root_ours @ ours[own[body]], root_theirs @ _body(data, number)))
    compare("Link frames of imported robots", "MuJoCo, original file", worst, 1e-9, "m, rad")


def _body(data, number):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = data.xmat[number].reshape(3, 3), data.xpos[number]
    return pose


def assert_answers_are_confirmed(robot, programs, compare):
    """Check in both programs that inverse kinematics brings the tip to the goal."""
    tips = [tip for tip in arm_tips(robot) if tip.startswith(("arm/", "second/"))]
    assert len(tips) == 2
    for tip in tips:
        base = root_of(robot, tip)
        chain = chain_between(robot, base, tip)
        solver = solver_for(discover(), robot, base, tip)
        for vector in vectors_of(robot)[:3]:
            goal = tip_pose(chain, chain.of_robot(vector))
            answer = solver.solve(Goal(goal, "pose" if len(chain.joints) > 5 else "position"), budget=2.0)
            assert answer.solved
            whole = chain.in_robot(answer.solutions[0])
            for program, label in programs:
                base_pose, tip_there = program.poses(whole, [base, tip])
                found = invert(base_pose) @ tip_there
                # The solvers stop within a micrometre of the goal.
                error = float(np.abs(found[:3, 3] - goal[:3, 3]).max())
                compare("Tip at the answer of inverse kinematics", label, error, 1e-6, "m")


ONE_ARM = ("create {} arm", "move arm 300,200,100", "rotate arm --axis z --angle 30")
GRIPPED = ("create universal-robots/ur5e arm", "create robotiq/2f-85 hand --at arm.flange")
OUTPUTS = {
    "ur5e": ("arm/tool0", tuple(line.format("universal-robots/ur5e") for line in ONE_ARM)),
    "iiwa-14": ("arm/tool0", tuple(line.format("kuka/iiwa-14") for line in ONE_ARM)),
    "planar-2r": ("arm/tool0", tuple(line.format("generic/planar-2r") for line in ONE_ARM)),
    "ur5e with a gripper": ("hand/tcp", GRIPPED),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_output_has_the_same_frames_and_the_same_tip(name, tmp_path, compare):
    tip, lines = OUTPUTS[name]
    session = new_session(discover(), tmp_path, "cell")
    for line in lines:
        session.do(line)
    path = tmp_path / "cell.rck"
    robot = saved_and_opened(session, path)
    assert_outputs_agree(robot, path, tip, InPinocchio(robot, tmp_path), compare)


@pytest.mark.skipif(not ROBOTS, reason="no robots in the corpus")
def test_every_output_of_an_imported_robot_has_the_same_frames_and_the_same_tip(tmp_path, compare):
    session = new_session(discover(), tmp_path, "cell")
    source = CORPUS / "trs_so_arm100" / "so_arm100.xml"
    for line in (f"import {source} robot", "remove part robot", *(line.format("robot") for line in ONE_ARM)):
        session.do(line)
    path = tmp_path / "cell.rck"
    robot = saved_and_opened(session, path)
    assert_outputs_agree(robot, path, "arm/Fixed_Jaw", InPinocchio(robot, tmp_path), compare)


def assert_outputs_agree(robot, path, tip, peer, compare):
    """Compare the poses and the tip in the output of commands, the Move screen, a simulation, and /tf."""
    places = [*(item.name for item in robot.items), *(frame.name for frame in robot.frames)]
    vector = vectors_of(robot)[1]
    expected = dict(zip(places, peer.poses(vector, places), strict=True))

    def check(what, poses):
        worst = max(largest(poses[name], expected[name]) for name in poses)
        compare(f"Poses in {what}", "pinocchio, URDF export", worst, 1e-9, "m, rad")

    def rck(*words):
        ran = CliRunner().invoke(cli, [words[0], str(path), *words[1:]], catch_exceptions=False)
        assert ran.exit_code == 0, ran.output
        return ran

    joints = joint_positions(robot, vector)
    turning = {joint.name for joint in robot.joints if joint.kind.turns}
    scales = {joint.name: np.degrees(1.0) if joint.name in turning else 1000.0 for joint in robot.free_joints}
    pose = [word for name, scale in scales.items() for word in ("--pose", f"{name}={float(joints[name] * scale)!r}")]
    shown = json.loads(rck("fk", "--json", *pose).stdout)["poses"]
    assert set(shown) == set(places)
    check("`rck fk`", {name: np.array(rows) for name, rows in shown.items()})

    x, y, z = (1000 * expected[tip][:3, 3]).tolist()
    answer = json.loads(rck("ik", f"--to={x!r},{y!r},{z!r}", "--json").stdout)
    assert answer["tip"] == tip
    assert tuple(answer["joints"]) == chain_between(robot, root_of(robot, tip), tip).joints
    there = chain_between(robot, root_of(robot, tip), tip).in_robot(np.array(answer["solutions"][0]))
    off = largest(peer.poses(there, [tip])[0][:3, 3], expected[tip][:3, 3])
    compare("Tip at the answer of `rck ik`", "pinocchio, URDF export", off, 1e-6, "m")
    assert json.loads(rck("reach", "--samples", "100", "--turns", "0", "--json").stdout)["tip"] == tip
    assert f"at {tip} (choose another" in rck("loads", "--payload", "100g").stdout
    tree = rck("show").stdout
    assert all(f"• {item.name} " in tree or f"• {item.name}\n" in tree for item in robot.items)
    assert all(f"frame {frame.name} on {frame.item}" in tree for frame in robot.frames)

    figures = figures_text(at_positions(robot, vector)).plain
    assert f"{tip} {x:.1f} {y:.1f} {z:.1f} mm" in figures.replace("-0.0 ", "0.0 ")

    world = ServedWorld.of(robot, discover())
    world.simulation.place(vector)
    recorder = Recorder(world.simulation)
    recorder.note()
    replayed = Replay(world.robot, recorder.recording()).show(0).poses
    check("recordings", {item.name: replayed[number] for number, item in enumerate(robot.items)})
    sent = frames_of(transforms(world))
    check("`/tf`", {place: sent[peer.names[place]] for place in places})


def frames_of(message):
    """Return world-from-frame poses from a message of /tf."""
    poses = {"world": np.eye(4)}
    for one in message["transforms"]:
        at, turn = one["transform"]["translation"], one["transform"]["rotation"]
        pose = translation((at["x"], at["y"], at["z"])) @ from_quaternion([turn[axis] for axis in "wxyz"])
        poses[one["child_frame_id"]] = poses[one["header"]["frame_id"]] @ pose
    return poses
