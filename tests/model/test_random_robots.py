"""Properties of random robots, valid and damaged."""

from dataclasses import replace
from math import inf, nan

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import from_euler, is_rigid, translation
from rck.model import (
    Frame,
    Item,
    Joint,
    JointKind,
    JointLimits,
    Mimic,
    Severity,
    at_positions,
    build_item,
    build_joint,
    build_robot,
    build_world,
    flatten,
    split,
)
from rck.model.joint import motion
from rck.model.tree import derive_tree, direct_moves

small = st.floats(-2, 2).map(lambda x: round(x, 3))
triples = st.tuples(small, small, small)
poses = st.builds(lambda at, angles: translation(at) @ from_euler(angles), triples, triples)


@st.composite
def parts(draw, most=9):
    """Items and joints of a random forest, the joints in any order, some following others."""
    count = draw(st.integers(1, most))
    body = MassProperties(1.0, np.zeros(3), np.eye(3))
    items = [build_item(f"item{n}", [], pose=draw(poses), mass=body).unwrap() for n in range(count)]
    # An item hangs from an earlier one, or from nothing; a joint may move two of them.
    parents = [None, *(draw(st.none() | st.integers(0, n - 1)) for n in range(1, count))]
    joints = []
    leaders = []
    carried = [n for n in range(count) if parents[n] is not None]
    while carried:
        first = carried.pop(0)
        together = [n for n in carried if parents[n] == parents[first] and draw(st.booleans())]
        carried = [n for n in carried if n not in together]
        kind = draw(st.sampled_from(list(JointKind)))
        start = np.array(draw(triples))
        name = f"joint{len(joints)}"
        leader = draw(st.none() | st.sampled_from(leaders)) if leaders and kind.moves else None
        mimic = leader and Mimic(leader, draw(small), 0.0)
        joint = build_joint(
            name,
            kind,
            f"item{parents[first]}",
            tuple(f"item{n}" for n in (first, *together)),
            start=start,
            end=start + draw(st.sampled_from(np.eye(3).tolist())),
            limits=(-3, 3),
            mimic=mimic,
        ).unwrap()
        joints.append(joint)
        if kind.moves and not mimic:
            leaders.append(name)
    return items, draw(st.permutations(joints))


@st.composite
def robots_and_vectors(draw):
    robot = build_robot("random", *draw(parts())).unwrap()
    size = len(robot.free_joints)
    vectors = st.lists(small, min_size=size, max_size=size).map(np.array)
    return robot, draw(vectors), draw(vectors)


def poses_of(robot):
    return np.array([item.pose for item in robot.items])


@given(parts())
@settings(max_examples=30, deadline=None)
def test_tree_of_random_robot_is_complete_and_ordered(made):
    items, joints = made
    tree = build_robot("forest", items, joints).unwrap().tree
    assert sorted(tree.joint_order) == list(range(len(joints)))
    reached = set(tree.roots)
    for number in tree.joint_order:
        assert items.index(next(one for one in items if one.name == joints[number].base)) in reached
        reached.update(tree.moves[number])
    assert reached == set(range(len(items)))
    assert sorted(item for group in tree.rigid_groups for item in group.items) == list(range(len(items)))
    for place, group in enumerate(tree.rigid_groups):
        assert all(tree.group_of_item[item] == place for item in group.items)


@given(robots_and_vectors())
@settings(max_examples=30, deadline=None)
def test_moving_there_and_back_restores_random_robot(made):
    robot, there, detour = made
    moved = at_positions(robot, there)
    back = at_positions(moved, robot.positions)
    np.testing.assert_allclose(poses_of(back), poses_of(robot), atol=1e-10)
    round_about = at_positions(at_positions(robot, detour), there)
    np.testing.assert_allclose(poses_of(round_about), poses_of(moved), atol=1e-10)
    np.testing.assert_array_equal(moved.positions, there)
    assert all(is_rigid(item.pose) for item in moved.items)


@given(robots_and_vectors())
@settings(max_examples=30, deadline=None)
def test_one_joint_moves_exactly_the_items_it_carries(made):
    robot, there, _ = made
    for place, joint in enumerate(robot.free_joints):
        vector = robot.positions.copy()
        vector[place] = there[place]
        moved = at_positions(robot, vector)
        leads = [one.name for one in robot.joints if one.mimic and one.mimic.joint == joint.name]
        carried = {name for one in (joint.name, *leads) for name in robot.moved_by(one)}
        alone = not leads
        for before, after in zip(robot.items, moved.items, strict=True):
            if before.name not in carried:
                np.testing.assert_array_equal(after.pose, before.pose)
            elif alone:
                expected = motion(joint, there[place] - joint.position) @ before.pose
                np.testing.assert_allclose(after.pose, expected, atol=1e-12)


@given(parts())
@settings(max_examples=30, deadline=None)
def test_lists_of_carried_items_give_the_joints_back(made):
    items, joints = made
    robot = build_robot("forest", items, joints).unwrap()
    carried = [robot.moved_by(joint.name) for joint in joints]
    built = direct_moves([joint.name for joint in joints], [joint.base for joint in joints], carried)
    assert [set(moves) for moves in built.unwrap()] == [set(joint.moves) for joint in joints]


@given(parts(), parts())
@settings(max_examples=30, deadline=None)
def test_flattened_world_splits_into_its_trees(one, other):
    robots = [build_robot("one", *one).unwrap(), build_robot("other", *other).unwrap()]
    scene = flatten(build_world("world", robots).unwrap())
    world = split(scene)
    again = [item for robot in world.robots for item in robot.items] + list(world.objects)
    assert sorted(item.name for item in again) == sorted(item.name for item in scene.items)
    assert sorted(joint.name for robot in world.robots for joint in robot.joints) == sorted(
        joint.name for joint in scene.joints
    )
    assert build_world("again", world.robots, world.objects).value is not None


numbers = st.sampled_from([nan, inf, -inf, 0.0, -1.0, 1e300, 5e-324])
names = st.sampled_from(["", "item0", "item1", "joint0", "a b", "nobody", "\x00", "x" * 300])


@st.composite
def damaged(draw):
    """A robot's items and joints with something changed to anything, as a careless importer would hand them over."""
    items, joints = (list(some) for some in draw(parts(most=5)))
    frames = [Frame("tool", draw(names), draw(st.sampled_from([np.eye(4), np.eye(3), np.full((4, 4), nan)])))]
    for _ in range(draw(st.integers(1, 3))):
        what = draw(st.sampled_from(["item", "joint", "lose item", "double item", "double joint"]))
        if what == "item" and items:
            place = draw(st.integers(0, len(items) - 1))
            change = draw(st.sampled_from(["name", "mass"]))
            heavy = MassProperties(draw(numbers), np.zeros(3), np.diag([draw(numbers)] * 3))
            items[place] = replace(
                items[place], **({"name": draw(names)} if change == "name" else {"given_mass": heavy})
            )
        elif what == "joint" and joints:
            place = draw(st.integers(0, len(joints) - 1))
            change = draw(
                st.sampled_from(
                    ["name", "base", "moves", "kind", "start", "end", "limits", "position", "speed", "mimic"]
                )
            )
            value = {
                "name": names,
                "base": names,
                "moves": st.lists(names, max_size=3).map(tuple),
                "kind": st.sampled_from(list(JointKind)),
                "start": st.tuples(numbers, numbers, numbers),
                "end": st.tuples(numbers, numbers, numbers),
                "limits": st.builds(JointLimits, numbers, numbers),
                "position": numbers,
                "speed": numbers,
                "mimic": st.builds(Mimic, names, numbers, numbers),
            }[change]
            joints[place] = replace(joints[place], **{change: draw(value)})
        elif what == "lose item" and items:
            items.pop(draw(st.integers(0, len(items) - 1)))
        elif what == "double item" and items:
            items.append(draw(st.sampled_from(items)))
        elif joints:
            joints.append(draw(st.sampled_from(joints)))
    return items, joints, frames


def rebuilt(items: list[Item], joints: list[Joint]):
    """Item by item and joint by joint through the builders, as an importer does; and all the findings."""
    built_items = [build_item(one.name, one.subitems, pose=one.pose, mass=one.given_mass) for one in items]
    built_joints = [
        build_joint(
            one.name,
            one.kind,
            one.base,
            one.moves,
            start=one.start,
            end=one.end,
            limits=one.limits,
            position=one.position,
            speed=one.speed,
            mimic=one.mimic,
        )
        for one in joints
    ]
    return built_items, built_joints


@given(damaged())
@settings(max_examples=100, deadline=None)
def test_damaged_robot_is_valid_or_refused_with_findings(made):
    items, joints, frames = made
    built_items, built_joints = rebuilt(items, joints)
    for built in (*built_items, *built_joints):
        assert (built.value is None) == any(one.severity is Severity.ERROR for one in built.findings)
    sound = (
        [built.value for built in built_items if built.value],
        [built.value for built in built_joints if built.value],
    )
    robot = build_robot("damaged", *sound, frames)
    assert (robot.value is None) == any(one.severity is Severity.ERROR for one in robot.findings)
    for finding in robot.findings:
        assert finding.where
        assert finding.message
    if robot.value is not None:
        moved = at_positions(robot.value, robot.value.positions + 0.1)
        assert np.isfinite(poses_of(moved)).all()


@given(damaged())
@settings(max_examples=100, deadline=None)
def test_unchecked_components_never_make_an_invalid_robot(made):
    items, joints, frames = made
    robot = build_robot("damaged", items, joints, frames)
    assert (robot.value is None) == any(one.severity is Severity.ERROR for one in robot.findings)
    tree = derive_tree(items, joints)
    assert (tree.value is None) == bool(tree.findings)
