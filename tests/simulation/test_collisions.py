"""Collisions of joint motions with fixed and mobile items."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry.transforms import translation
from rck.hooks.actions import MoveJoint
from rck.model import build_item, build_joint, build_robot, subitem_of
from rck.simulation.events import Event
from rck.simulation.simulation import Simulation


def place(simulation, name):
    return simulation.kinematics.poses[simulation.robot.item_index[name]][:3, 3]


def simulated(robot, *events, until=np.inf, seconds=0.01):
    simulation = Simulation(robot, events)
    simulation.run(until, seconds)
    return simulation


@pytest.fixture
def cell(worlds):
    world, block = worlds
    return lambda *others, **options: world(*(block(*other) for other in others), **options)


def test_a_fixed_block_stops_the_ram_just_before_it(cell):
    simulation = simulated(cell(("wall", (0.5, 0, 0))), Event(0.0, MoveJoint("slide", 1.0, 1.0)))
    assert simulation.vector[0] == pytest.approx(0.4, abs=2e-6)
    assert simulation.vector[0] <= 0.4 + 1e-6
    assert simulation.stuck
    (notice, _) = simulation.notices
    assert notice.kind == "blocked"
    assert notice.items == ("ram", "wall")


def test_mobile_block_is_pushed(cell):
    simulation = simulated(cell(("cube", (0.5, 0, 0), (0.1, 0.1, 0.1), True)), Event(0.0, MoveJoint("slide", 1.0, 1.0)))
    assert simulation.vector[0] == pytest.approx(1.0)
    np.testing.assert_allclose(place(simulation, "cube"), [1.1, 0, 0], atol=3e-6)
    (outcome,) = simulation.outcomes
    assert outcome.done
    assert outcome.pushed == ("cube",)


def test_pushed_blocks_push_others(cell):
    train = [(f"cube{n}", (0.5 + 0.2 * n, 0, 0), (0.1, 0.1, 0.1), True) for n in range(4)]
    simulation = simulated(cell(*train), Event(0.0, MoveJoint("slide", 2.0, 1.0)))
    for number in range(4):
        np.testing.assert_allclose(place(simulation, f"cube{number}"), [2.1 + 0.1 * number, 0, 0], atol=1e-5)


def test_a_chain_of_pushed_blocks_stops_where_the_last_meets_a_wall(cell):
    train = [(f"cube{n}", (0.5 + 0.2 * n, 0, 0), (0.1, 0.1, 0.1), True) for n in range(3)]
    simulation = simulated(cell(*train, ("wall", (2.0, 0, 0))), Event(0.0, MoveJoint("slide", 3.0, 1.0)))
    assert simulation.vector[0] == pytest.approx(1.6, abs=1e-5)
    np.testing.assert_allclose(place(simulation, "cube2"), [1.9, 0, 0], atol=1e-5)
    assert simulation.running[0].blocked == ("cube2", "wall")


def test_blocks_without_contact_do_not_move(cell):
    robot = cell(("cube", (0.5, 0.2, 0), (0.1, 0.1, 0.1), True))
    simulation = simulated(robot, Event(0.0, MoveJoint("slide", 1.0, 1.0)))
    np.testing.assert_array_equal(place(simulation, "cube"), [0.5, 0.2, 0])
    assert not simulation.notices


@pytest.mark.parametrize("seconds", [0.001, 0.01, 0.1, 3.0])
def test_ram_does_not_pass_through_a_thin_wall_at_any_speed(cell, seconds):
    robot = cell(("wall", (2.0, 0, 0), (0.001, 1, 1)))
    simulation = simulated(robot, Event(0.0, MoveJoint("slide", 5.0, 0.01)), seconds=seconds)
    assert simulation.vector[0] == pytest.approx(1.9495, abs=2e-6)


@pytest.mark.parametrize("seconds", [0.003, 0.02, 0.5])
def test_final_poses_do_not_depend_on_the_time_step(cell, seconds):
    robot = cell(("cube", (0.5, 0, 0), (0.1, 0.1, 0.1), True), ("wall", (1.2, 0, 0)))
    simulation = simulated(robot, Event(0.0, MoveJoint("slide", 3.0, 2.0)), seconds=seconds)
    assert simulation.vector[0] == pytest.approx(1.0, abs=5e-6)
    np.testing.assert_allclose(place(simulation, "cube"), [1.1, 0, 0], atol=5e-6)


def test_object_on_a_table_slides_over_it(cell):
    robot = cell(("cube", (0.5, 0, 0), (0.1, 0.1, 0.1), True), ("table", (1, 0, -0.1), (3, 1, 0.1)))
    simulation = simulated(robot, Event(0.0, MoveJoint("slide", 1.0, 1.0)))
    np.testing.assert_allclose(place(simulation, "cube"), [1.1, 0, 0], atol=5e-6)
    assert ("cube", "table") in simulation.view.touching()


def test_ram_can_move_away_from_a_contact(cell):
    robot = cell(("wall", (0.1, 0, 0)))
    simulation = simulated(robot, Event(0.0, MoveJoint("slide", -1.0, 1.0)))
    assert simulation.finished
    assert simulation.vector[0] == pytest.approx(-1.0)


def test_overlap_at_the_start_is_a_warning_and_items_can_separate(cell):
    simulation = simulated(cell(("wall", (0.09, 0, 0))), Event(0.0, MoveJoint("slide", -1.0, 1.0)))
    assert [finding.code for finding in simulation.findings] == [913]
    assert simulation.vector[0] == pytest.approx(-1.0)


def test_items_that_overlap_at_the_start_cannot_penetrate_deeper(cell):
    simulation = simulated(cell(("wall", (0.09, 0, 0))), Event(0.0, MoveJoint("slide", 1.0, 1.0)))
    assert simulation.vector[0] == pytest.approx(0.0, abs=3e-6)


def gate_world(block):
    """A ram along x, and a gate that another joint lifts out of its way."""
    items = [block("bed", (0, 0, -1)), block("ram", (0, 0, 0)), block("gate", (0.5, 0, 0))]
    slide = build_joint("slide", "prismatic", "bed", "ram", end=(1, 0, 0), limits=(-5, 5)).unwrap()
    lift = build_joint("lift", "prismatic", "bed", "gate", end=(0, 0, 1), limits=(0, 5)).unwrap()
    return build_robot("gate-world", items, [slide, lift]).unwrap()


def test_blocked_motion_continues_when_the_way_is_free_and_reports_the_time(worlds):
    _, block = worlds
    simulation = simulated(
        gate_world(block), Event(0.0, MoveJoint("slide", 1.0, 1.0)), Event(2.0, MoveJoint("lift", 1.0, 1.0))
    )
    assert simulation.finished
    (slide, lift) = simulation.outcomes
    assert lift.event.action.joint == "lift"
    # The gate has to be up by 0.1 m, which takes until 2.1 s; the ram came to it at 0.4 s.
    assert sum(blocking.seconds for blocking in slide.blockings) == pytest.approx(1.7, abs=0.02)
    assert slide.finished == pytest.approx(2.7, abs=0.02)
    assert slide.blockings[0].by == ("ram", "gate")
    assert [notice.kind for notice in simulation.notices] == ["blocked", "freed"]


def test_two_joints_that_block_each_other_are_stuck(worlds):
    _, block = worlds
    items = [block("bed", (0, 0, -1)), block("left", (0, 0, 0)), block("right", (1, 0, 0))]
    joints = [
        build_joint("a", "prismatic", "bed", "left", end=(1, 0, 0), limits=(-5, 5)).unwrap(),
        build_joint("b", "prismatic", "bed", "right", end=(1, 0, 0), limits=(-5, 5)).unwrap(),
    ]
    robot = build_robot("two", items, joints).unwrap()
    simulation = simulated(robot, Event(0, MoveJoint("a", 1.0, 1.0)), Event(0, MoveJoint("b", -1.0, 1.0)))
    assert simulation.stuck
    assert simulation.notices[-1].kind == "stuck"
    gap = place(simulation, "right")[0] - place(simulation, "left")[0]
    assert gap == pytest.approx(0.1, abs=5e-6)


def test_without_collision_checking_items_pass_through_each_other(cell):
    robot = cell(("wall", (0.5, 0, 0)))
    simulation = Simulation(robot, [Event(0.0, MoveJoint("slide", 1.0, 1.0))], collisions=False)
    simulation.run()
    assert simulation.vector[0] == pytest.approx(1.0)


def test_rotating_arm_pushes_a_cube(worlds):
    _, block = worlds
    arm = build_item("arm", [subitem_of(_bar()).unwrap()], pose=translation((0, 0, 0))).unwrap()
    items = [block("post", (0, 0, -1)), arm, block("cube", (0.5, 0.3, 0), (0.1, 0.1, 0.1), True)]
    turn = build_joint("turn", "continuous", "post", "arm").unwrap()
    simulation = simulated(build_robot("arm", items, [turn]).unwrap(), Event(0.0, MoveJoint("turn", 2.0, 2.0)))
    assert simulation.finished
    # It goes round the axis with the arm: its distance stays.
    x, y, _ = place(simulation, "cube")
    assert np.hypot(x, y) == pytest.approx(np.hypot(0.5, 0.3), abs=1e-6)
    assert np.arctan2(y, x) > 2.0


def _bar():
    from rck.geometry.polyhedron import convex_hull

    return convex_hull([(x, y, z) for x in (0, 0.8) for y in (-0.02, 0.02) for z in (-0.02, 0.02)])


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0.15, 0.6), min_size=0, max_size=4),
    st.floats(0.05, 3.0),
    st.floats(0.004, 0.2),
    st.booleans(),
)
def test_no_items_ever_penetrate(worlds, gaps, way, seconds, walled):
    ram_world, block = worlds
    at, blocks = 0.0, []
    for number, gap in enumerate(gaps):
        at += gap
        blocks.append(block(f"cube{number}", (at, 0, 0), mobile=True))
    if walled:
        blocks.append(block("wall", (at + 0.3, 0, 0), (0.01, 1, 1)))
    simulation = simulated(ram_world(*blocks), Event(0.0, MoveJoint("slide", way, 0.5)), seconds=seconds)
    depths = simulation.contacts.overlaps()
    assert all(depth <= 2.5e-6 for depth in depths.values())
    xs = [place(simulation, name)[0] for name in ("ram", *(item.name for item in blocks))]
    assert xs == sorted(xs)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.003, 0.02, 0.1]))
def test_many_distant_items_do_not_change_the_result(worlds, seed, seconds):
    ram_world, block = worlds
    chance = np.random.default_rng(seed)
    way = [
        block("cube0", (0.4, 0, 0), mobile=True),
        block("cube1", (0.9, 0.03, 0), mobile=True),
        block("wall", (1.6, 0, 0)),
    ]
    # Next to the way, near it and far from it, fixed and mobile.
    places = chance.uniform((-1, 0.17, -1), (3, 1.5, 1), (90, 3))
    beside = [block(f"other{n}", at, (0.04, 0.04, 0.04), bool(n % 2)) for n, at in enumerate(places)]
    few, many = (
        simulated(ram_world(*blocks), Event(0.0, MoveJoint("slide", 2.0, 0.5)), seconds=seconds)
        for blocks in (way, [*way, *beside])
    )
    assert len(many.robot.items) > 64
    np.testing.assert_allclose(many.vector, few.vector, atol=1e-9)
    for name in ("cube0", "cube1"):
        np.testing.assert_allclose(place(many, name), place(few, name), atol=1e-9)
    np.testing.assert_allclose(few.vector[0], 1.3, atol=1e-5)
