"""Master-slave control: one arm follows another by the force in a stick between their hands (Koning 1991, section 7.4).

Run: python examples/master_slave.py
"""

from pathlib import Path

import click
import numpy as np

from rck.geometry.transforms import frame, invert, rotation_about, translation
from rck.hooks import Goal, Mount, discover
from rck.hooks.actions import MoveJoint
from rck.kinematics.chain import tip_pose
from rck.kinematics.motion import joint_move, motion_limits
from rck.kinematics.solver_choice import solver_for
from rck.language.session import open_session
from rck.simulation.arms import arm_named
from rck.simulation.events import Event, FollowPath
from rck.simulation.sensors import SensorSetting
from rck.simulation.simulation import Simulation

STEP = 0.04
"""Sensor sampling interval in seconds."""


def with_stick(plugins):
    """Return a simulation of the two arms, with the stick along x from the master's hand to the slave's."""
    robot = open_session(plugins, Path(__file__).with_name("master-slave.rck")).compile().unwrap().robot
    hand, other = robot.world_from("master-hand"), robot.world_from("slave-hand")
    item = robot.item("master/tool-plate")
    stick = Mount("stick", item.name, invert(item.pose) @ frame(hand[:3, 3], z=(1.0, 0.0, 0.0)))
    length = float(other[0, 3] - hand[0, 3])
    setting = SensorSetting("force-stick", stick, {"to": "slave/tool-plate", "length": length, "stiffness": 1000.0})
    return Simulation(robot, plugins=plugins, sensors=[setting])


def lead(simulation, change):
    """Move the joints of the master by the given changes."""
    arm = arm_named(simulation.robot, "master-hand")
    here = arm.chain.of_robot(simulation.vector)
    limits = motion_limits(simulation.robot, arm.chain.joints).scaled(0.2)
    simulation.add(Event(simulation.time, FollowPath(joint_move(limits, here, here + change).unwrap())))


def follow(simulation, solver, arm):
    """Move the slave to the pose that relaxes the stick; return True if it is reachable."""
    reading = simulation.sensors["stick"].reading
    here = arm.chain.of_robot(simulation.vector)
    base = simulation.kinematics.poses[simulation.robot.item_index[arm.chain.base]]
    hand = base @ tip_pose(arm.chain, here)
    angle = float(np.linalg.norm(reading["turn"]))
    turned = rotation_about(reading["turn"], angle, hand[:3, 3]) @ hand if angle > 1e-9 else hand
    goal = invert(base) @ translation(reading["displacement"]) @ turned
    answer = solver.solve(Goal(goal, tolerance=1e-6), here)
    if not answer.solved:
        return False
    for joint, change in zip(arm.chain.joints, answer.solutions[0] - here, strict=True):
        if abs(change) > 1e-9:
            simulation.add(Event(simulation.time, MoveJoint(joint, float(change), STEP)))
    return True


def run(plugins, change=(-0.3, 0.35, 0.05, 0.2), show=lambda *values: None):
    """Move the master, let the slave follow until both are at rest, and return the simulation."""
    simulation = with_stick(plugins)
    arm = arm_named(simulation.robot, "slave-hand")
    solver = solver_for(plugins, simulation.robot, arm.chain.base, arm.chain.tip)
    lead(simulation, np.array(change))
    for _ in range(400):
        simulation.step(STEP)
        force = simulation.sensors["stick"].reading["force"]
        show(simulation.time, force)
        if not follow(simulation, solver, arm):
            raise SystemExit("the slave cannot follow")
        if simulation.finished and np.abs(force).max() < 1e-3:
            break
    return simulation


def bars(time, force):
    """Print the three forces as bars, as in the original program."""
    shown = (
        f"{name} {value:7.2f} N {'#' * round(4 * abs(value)):<16}" for name, value in zip("xyz", force, strict=True)
    )
    click.echo(f"{time:6.2f} s  {'  '.join(shown)}")


if __name__ == "__main__":
    run(discover(), show=bars)
