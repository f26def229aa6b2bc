"""Simulation with collision checking: moving arms among loose blocks, step by step; and lidars.

No peer does the same work as the steps: kinematic motion, swept against everything, that pushes objects.
"""

from functools import partial
from math import ceil, pi, sqrt

import numpy as np

from rck.geometry.primitives import box
from rck.geometry.transforms import from_euler, translation
from rck.kinematics.motion import joint_move, motion_limits
from rck.model.item import Item, build_item
from rck.model.joint import Joint, build_joint
from rck.model.robot import Robot, build_robot
from rck.model.subitem import subitem_of
from rck.rendering.posed_robot import PosedRobot
from rck.rendering.visibility import RayHits
from rck.simulation.events import Event, FollowPath
from rck.simulation.kinematic_state import KinematicState
from rck.simulation.rays import Caster, Rays
from rck.simulation.simulation import Simulation
from rck_bench.report import Report, Row
from rck_bench.timing import rates

PER_ARM = 10
"""Polyhedra of an arm with its pedestal, and two blocks next to it."""
SIZES = {40: 3000.0, 400: 300.0, 4000: 30.0}
"""Number of polyhedra, and the target in steps per second."""
APART = 1.1
"""Distance between arms, in metres: neighbours can collide."""
LASTS = 1000.0
"""Duration of the motions, in seconds: longer than any measurement."""


def run(report: Report) -> None:
    """Add the rows of this area."""
    for polyhedra, least in SIZES.items():
        steps = max(4, 1200 // polyhedra)
        simulation = Simulation(cell(polyhedra // PER_ARM))
        for event in swinging(simulation.robot):
            simulation.add(event)
        simulation.step(0.05)

        def turn(simulation: Simulation = simulation, steps: int = steps) -> None:
            for _ in range(steps):
                simulation.step(0.01)

        rate = rates({"ours": turn}, steps)["ours"]
        moving = len(simulation.robot.free_joints)
        what = f"steps of 10 ms, {polyhedra:,} polyhedra, {moving:,} joints moving"
        report.rows.append(Row(what, rate, "none does the same work", least_rate=least))
    _add_rays(report)


def _add_rays(report: Report) -> None:
    """Measure one turn of a 3-D lidar in a static scene: the kernels, and Open3D with a prepared tree."""
    try:
        import open3d
    except (ImportError, OSError):
        report.rows.append(Row("turns of a lidar of 16 x 360 rays", 0.0, "Open3D is not installed"))
        return
    peer = f"Open3D {open3d.__version__}, the same with its rays (--rays open3d)"
    azimuths, heights = np.linspace(-pi, pi, 360, endpoint=False), np.linspace(-0.25, 0.25, 16)
    level = np.cos(heights)[:, None]
    parts = [level * np.cos(azimuths), level * np.sin(azimuths), np.sin(heights)[:, None] + 0.0 * azimuths]
    directions = np.stack(parts, axis=-1).reshape(-1, 3)
    origins = np.zeros_like(directions)
    for polyhedra in SIZES:
        kinematics = KinematicState(_crowd(polyhedra))
        casters: tuple[Caster, ...] = ("kernels", "open3d")
        rays = {caster: Rays(kinematics, caster) for caster in casters}

        def turn(caster: Caster, rays: dict[Caster, Rays] = rays, kinematics: KinematicState = kinematics) -> RayHits:
            return rays[caster].cast(PosedRobot(rays[caster].shapes, kinematics.poses), origins, directions, 50.0, ())

        rate = rates({caster: partial(turn, caster) for caster in casters}, 1)
        ours, theirs = turn("kernels"), turn("open3d")
        same = (ours.subitem == theirs.subitem) & (ours.subitem >= 0)
        apart = np.abs(ours.distance[same] - theirs.distance[same]).max()
        others = int((ours.subitem != theirs.subitem).sum())
        what = f"turns of a lidar of 16 x 360 rays, {polyhedra:,} polyhedra that stand"
        met = f"{peer}; {others} of {len(origins):,} rays meet something else"
        report.rows.append(Row(what, rate["kernels"], met, rate["open3d"], float(apart)))


def _crowd(count: int) -> Robot:
    """Return random boxes, with the same density for every count."""
    chance = np.random.default_rng(1)
    shape = subitem_of(box(0.1, 0.1, 0.1), mass=1.0).unwrap()
    side = max(2.0, 0.5 * count ** (1 / 3))
    poses = [
        translation(chance.uniform(-side, side, 3)) @ from_euler(chance.uniform(-3, 3, 3).tolist())
        for _ in range(count)
    ]
    items = [build_item(f"box{number}", [shape], pose=pose).unwrap() for number, pose in enumerate(poses)]
    return build_robot("crowd", items).unwrap()


def cell(arms: int) -> Robot:
    """Return arms of six joints on pedestals in a square, close enough to collide."""
    side = ceil(sqrt(arms))
    items: list[Item] = []
    joints: list[Joint] = []
    for number in range(arms):
        x, y = APART * (number % side), APART * (number // side)
        _add_arm(f"arm{number}", x, y, items, joints)
    return build_robot("cell", items, joints).unwrap()


def _add_arm(name: str, x: float, y: float, items: list[Item], joints: list[Joint]) -> None:
    def add(part: str, size: tuple[float, float, float], at: tuple[float, float, float], mobile: bool = False) -> str:
        subitem = subitem_of(box(*size), mass=1.0).unwrap()
        pose = translation((x + at[0], y + at[1], at[2]))
        items.append(build_item(f"{name}/{part}", [subitem], pose=pose, mobile=mobile).unwrap())
        return f"{name}/{part}"

    below = add("pedestal", (0.2, 0.2, 0.4), (0.0, 0.0, 0.2))
    heights = [0.45, 0.6, 0.75, 0.87, 0.96, 1.03, 1.08]
    sizes = [0.1, 0.2, 0.1, 0.14, 0.04, 0.1, 0.01]
    axes = ["z", "y", "y", "z", "y", "z"]
    for number, axis in enumerate(axes):
        link = add(f"link{number}", (0.1, 0.08, sizes[number] * 0.9), (0.0, 0.0, heights[number]))
        foot = heights[number] - sizes[number] / 2
        end = {"z": (x, y, foot + 1.0), "y": (x, y + 1.0, foot)}[axis]
        joint = build_joint(
            f"{name}/j{number}", "revolute", below, link, start=(x, y, foot), end=end, limits=(-2 * pi, 2 * pi)
        )
        joints.append(joint.unwrap())
        below = link
    tool = add("tool", (0.02, 0.02, 0.1), (0.0, 0.0, 1.15))
    joints.append(build_joint(f"{name}/flange", "fixed", below, tool).unwrap())
    for number in range(2):
        add(f"block{number}", (0.06, 0.06, 0.06), (0.35, 0.12 * number - 0.06, 0.03), mobile=True)


def swinging(robot: Robot) -> list[Event]:
    """Return one random motion per arm, of all its joints."""
    chance = np.random.default_rng(3)
    arms = sorted({joint.name.split("/")[0] for joint in robot.free_joints})
    events = []
    for arm in arms:
        names = [joint.name for joint in robot.free_joints if joint.name.startswith(f"{arm}/")]
        limits = motion_limits(robot, names)
        goal = chance.uniform(-0.6, 0.6, len(names))
        path = joint_move(limits, np.zeros(len(names)), goal, duration=LASTS).unwrap()
        events.append(Event(0.0, FollowPath(path)))
    return events
