"""Simulation of robots with loops: events move the free joints, the rest follows, also under forces."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from rck_tests import block

from rck.hooks import discover
from rck.hooks.actions import MoveJoint
from rck.hooks.options import read_options
from rck.model import RckError
from rck.model.joint_positions import joint_positions
from rck.simulation.events import Event
from rck.simulation.motor_loads import physics_named
from rck.simulation.simulation import Simulation
from rck.testing.mechanisms import circle_crossing, delta, four_bar

GRASHOF = (0.4, 0.1, 0.35, 0.3)


def place_of_rocker(angle: float) -> np.ndarray:
    """Return the middle of the rocker by closed form."""
    a = 0.1 * np.array([-np.sin(angle), np.cos(angle), 0.0])
    foot = np.array([0.4, 0.0, 0.0])
    return (circle_crossing(a, 0.35, foot, 0.3, 1.0) + foot) / 2


def test_the_rest_of_a_linkage_follows_an_event():
    robot = four_bar(*GRASHOF)
    simulation = Simulation(robot, [Event(0.0, MoveJoint("crank", 3.0, 2.0))])
    number = robot.item_index["rocker"]
    for _ in range(20):
        simulation.step(0.1)
        (angle,) = simulation.vector
        assert np.abs(simulation.kinematics.poses[number][:3, 3] - place_of_rocker(angle)).max() < 1e-9
    assert simulation.vector[0] == pytest.approx(3.0)


def test_events_for_joints_that_a_loop_moves_are_refused():
    simulation = Simulation(four_bar(*GRASHOF))
    with pytest.raises(RckError, match="rocker"):
        simulation.add(Event(0.0, MoveJoint("rocker", 1.0, 1.0)))


def test_a_motion_stops_where_the_loop_closes_no_farther():
    robot = four_bar(0.4, 0.3, 0.35, 0.2)
    simulation = Simulation(robot, [Event(0.0, MoveJoint("crank", pi / 2, 2.0))])
    simulation.run()
    (outcome,) = simulation.outcomes
    assert not outcome.done
    assert outcome.why == "loop pin cannot close any farther"
    # Coupler and rocker are in line.
    tip = 0.3 * np.array([-np.sin(simulation.vector[0]), np.cos(simulation.vector[0])])
    assert np.linalg.norm(tip - [0.4, 0.0]) == pytest.approx(0.55, abs=1e-4)


def test_an_obstacle_in_the_way_of_a_led_link_stops_the_crank():
    robot = four_bar(*GRASHOF)
    (there,) = [place_of_rocker(1.0)]
    wall = block("wall", tuple(there), (0.02, 0.02, 0.02))
    blocked = replace(robot, items=(*robot.items, wall))
    simulation = Simulation(blocked, [Event(0.0, MoveJoint("crank", 2.0, 2.0))])
    for _ in range(30):
        simulation.step(0.1)
    assert 0.1 < simulation.vector[0] < 1.0


@pytest.mark.parametrize("make", [lambda: four_bar(*GRASHOF), lambda: delta(0.1, 0.2, 0.45, 0.05)])
def test_mujoco_holds_the_loops(make):
    pytest.importorskip("mujoco")
    robot = make()
    engine = physics_named(discover(), "mujoco")
    world = engine.make(robot, read_options(engine.options, {}))
    count = len(robot.free_joints)
    for step in range(50):
        world.steer(np.full(count, 0.2 * (step + 1) / 50), 0.01)
    for _ in range(50):
        world.steer(np.full(count, 0.2), 0.01)
    assert np.abs(world.positions - 0.2).max() < 0.01
    wanted = joint_positions(robot, world.positions)
    for joint in robot.coordinate_joints:
        assert world.data.joint(joint.name).qpos[0] == pytest.approx(wanted[joint.name], abs=2e-3)
