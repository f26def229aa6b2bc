"""Gripping, carrying and releasing objects."""

from math import radians

import numpy as np
import pytest

from rck.geometry.transforms import from_euler, translation
from rck.hooks import Gripper, Mount
from rck.hooks.actions import MoveJoint, UseGripper
from rck.hooks.options import read_options
from rck.model import Device, DeviceKind, Mimic, build_item, build_joint, build_robot, subitem_of
from rck.simulation.events import Event
from rck.simulation.grippers import Fingers
from rck.simulation.simulation import Simulation

DOWN = from_euler([np.pi, 0.0, 0.0])


@pytest.fixture
def crane(worlds):
    """A hand that points down from a lift on a slide along x, and the given objects below; its tip is at z = 0.5."""
    _, block = worlds

    def make(kind, *others, values=None, fingers=False):
        items = [
            block("post", (0, 0, 2)),
            block("trolley", (0, 0, 1), (0.05, 0.05, 0.05)),
            block("palm", (0, 0, 0.6), (0.2, 0.05, 0.05)),
        ]
        joints = [
            build_joint("slide", "prismatic", "post", "trolley", end=(1, 0, 0), limits=(-2, 2)).unwrap(),
            build_joint("lift", "prismatic", "trolley", "palm", end=(0, 0, 1), limits=(-0.5, 0.5)).unwrap(),
        ]
        if fingers:
            items += [block(f"finger{side}", (0.09 * side, 0, 0.535), (0.02, 0.05, 0.07)) for side in (-1, 1)]
            joints += [
                build_joint(
                    "grip", "prismatic", "palm", "finger1", end=(-1, 0, 0), limits=(0, 0.08), speed=0.1
                ).unwrap(),
                build_joint(
                    "follow", "prismatic", "palm", "finger-1", end=(1, 0, 0), limits=(0, 0.08), mimic=Mimic("grip")
                ).unwrap(),
            ]
        # From the middle of the palm to the tip, 0.1 below.
        pose = DOWN @ translation((0, 0, 0.1))
        device = Device("hand", kind, "palm", pose, ("grip", "follow") if fingers else (), values or {})
        return build_robot("crane", [*items, *others], joints, devices=[device]).unwrap()

    return make


def lift(simulation, by, seconds=1.0):
    simulation.add(Event(simulation.time, MoveJoint("lift", by, seconds)))
    simulation.run()


def use(simulation, close):
    simulation.add(Event(simulation.time, UseGripper("hand", close)))
    simulation.run()
    return simulation.outcomes[-1]


def place(simulation, name):
    return simulation.kinematics.poses[simulation.robot.item_index[name]][:3, 3]


def test_fingers_close_until_they_touch_and_the_object_then_moves_with_the_hand(crane, plugins, worlds):
    _, block = worlds
    robot = crane(
        DeviceKind.PARALLEL_GRIPPER,
        block("cube", (0, 0, 0.5), (0.06, 0.04, 0.04), mobile=True),
        values={"opening": 0.16},
        fingers=True,
    )
    simulation = Simulation(robot, plugins=plugins)
    outcome = use(simulation, close=True)
    assert outcome.done
    # The fingers' inner faces were at 0.08 and the cube's at 0.03, so half a second at 0.1 m/s.
    assert simulation.vector[2] == pytest.approx(0.05, abs=1e-6)
    assert simulation.time == pytest.approx(0.51, abs=0.02)
    lift(simulation, 0.3)
    np.testing.assert_allclose(place(simulation, "cube"), [0, 0, 0.8], atol=1e-9)
    assert ("cube", "palm") in simulation.view.touching() or ("palm", "cube") in simulation.view.touching()


def test_released_object_falls_for_the_time_of_a_free_fall_and_lands(crane, plugins, worlds):
    _, block = worlds
    robot = crane(
        DeviceKind.VACUUM_GRIPPER,
        block("cube", (0, 0, 0.48), (0.04, 0.04, 0.04), mobile=True),
        block("floor", (0, 0, -0.05), (2, 2, 0.1)),
    )
    simulation = Simulation(robot, plugins=plugins)
    assert use(simulation, close=True).done
    lift(simulation, 0.25)
    begin = simulation.time
    use(simulation, close=False)
    assert place(simulation, "cube")[2] == pytest.approx(0.02, abs=1e-6)
    assert simulation.time - begin == pytest.approx((2 * 0.71 / 9.80665) ** 0.5, abs=0.03)
    assert simulation.notices[-1].text == "cube lies on floor"


def test_released_object_without_ground_stays_where_it_is(crane, plugins, worlds):
    _, block = worlds
    cube = block("cube", (0, 0, 0.48), (0.04, 0.04, 0.04), mobile=True)
    simulation = Simulation(crane(DeviceKind.VACUUM_GRIPPER, cube), plugins=plugins)
    use(simulation, close=True)
    use(simulation, close=False)
    np.testing.assert_allclose(place(simulation, "cube"), [0, 0, 0.48], atol=1e-12)
    assert "there is nothing below" in simulation.notices[-1].text


def test_held_object_is_blocked_by_an_obstacle(crane, plugins, worlds):
    _, block = worlds
    cube = block("cube", (0, 0, 0.48), (0.04, 0.04, 0.04), mobile=True)
    wall = block("wall", (0.5, 0, 0.48), (0.1, 1, 0.1))
    simulation = Simulation(crane(DeviceKind.VACUUM_GRIPPER, cube, wall), plugins=plugins)
    use(simulation, close=True)
    simulation.add(Event(simulation.time, MoveJoint("slide", 1.0, 1)))
    simulation.run()
    assert simulation.running[0].blocked == ("cube", "wall")
    assert simulation.vector[0] == pytest.approx(0.43, abs=2e-6)


def test_gripper_that_holds_an_object_takes_no_other(crane, plugins, worlds):
    _, block = worlds
    cube = block("cube", (0, 0, 0.48), (0.04, 0.04, 0.04), mobile=True)
    simulation = Simulation(crane(DeviceKind.VACUUM_GRIPPER, cube), plugins=plugins)
    use(simulation, close=True)
    outcome = use(simulation, close=True)
    assert not outcome.done
    assert outcome.why == "it already holds cube"


def refusal(plugins, robot, kind, item="thing", **options):
    gripper = next(one for one in plugins.all(Gripper) if one.name == kind)
    texts = {name.replace("_", "-"): str(value) for name, value in options.items()}
    mount = Mount("hand", "palm", DOWN @ translation((0, 0, 0.1)))
    return gripper.holds(Simulation(robot).view, mount, read_options(gripper.options, texts), item)


@pytest.mark.parametrize("kind", ["parallel-gripper", "three-finger-gripper"])
def test_fingers_hold_aligned_narrow_and_near_objects(crane, plugins, worlds, kind):
    _, block = worlds

    def asked(at, size=(0.04, 0.04, 0.04), turned=(0.0, 0.0, 0.0), mobile=True, **options):
        thing = block("thing", (0, 0, 0), size, mobile)
        solid = build_item("thing", thing.subitems, pose=translation(at) @ from_euler(turned), mobile=mobile).unwrap()
        return refusal(plugins, crane(DeviceKind.PARALLEL_GRIPPER, solid), kind, opening="65 mm", **options)

    assert asked((0, 0, 0.5)) == ""
    assert asked((0, 0, 0.5), turned=(0, radians(14), 0)) == ""
    assert "the limit is 15.0°" in asked((0, 0, 0.5), turned=(0, radians(20), 0))
    assert asked((0, 0, 0.5), turned=(0, radians(20), 0), angle="25 deg") == ""
    assert "mm wide; the gripper opens to 65.0 mm" in asked((0, 0, 0.5), size=(0.07, 0.04, 0.04))
    assert asked((0, 0, 0.471)) == ""
    assert "mm away" in asked((0, 0, 0.46))
    assert asked((0, 0, 0.5), mobile=False) == "it is not a loose object"
    assert "exceeds the payload of 0.5 kg" in asked((0, 0, 0.5), payload=0.5)


def test_two_fingers_hold_a_long_object_and_three_do_not(crane, plugins, worlds):
    _, block = worlds
    robot = crane(DeviceKind.PARALLEL_GRIPPER, block("thing", (0, 0, 0.5), (0.04, 0.2, 0.04), mobile=True))
    assert refusal(plugins, robot, "parallel-gripper", opening="60 mm") == ""
    assert "wide" in refusal(plugins, robot, "three-finger-gripper", opening="60 mm")


def test_suction_cup_needs_a_flat_near_level_area_of_a_light_object(crane, plugins, worlds):
    _, block = worlds

    def asked(at, size=(0.04, 0.04, 0.04), turned=(0.0, 0.0, 0.0), kind="vacuum-gripper", **options):
        thing = block("thing", (0, 0, 0), size, True)
        solid = build_item("thing", thing.subitems, pose=translation(at) @ from_euler(turned), mobile=True).unwrap()
        return refusal(plugins, crane(DeviceKind.VACUUM_GRIPPER, solid), kind, diameter="20 mm", **options)

    assert asked((0, 0, 0.48)) == ""
    assert asked((0, 0, 0.478)) == ""
    assert "within 3.0 mm" in asked((0, 0, 0.47))
    assert "no surface of 20.0 mm diameter" in asked((0.015, 0, 0.48))
    assert "tilted by 14.0°" in asked((0, 0, 0.479), size=(0.06, 0.06, 0.04), turned=(radians(14), 0, 0))
    assert "exceeds the payload of 0.765 kg" in asked((0, 0, 0.48), force=15)


def test_magnet_only_holds_iron(crane, plugins, worlds):
    _, block = worlds
    wood = block("thing", (0, 0, 0.48), (0.04, 0.04, 0.04), mobile=True)

    def asked(density):
        subitem = subitem_of(wood.subitems[0].shape, density=density).unwrap()
        thing = build_item("thing", [subitem], pose=translation((0, 0, 0.48)), mobile=True).unwrap()
        return refusal(plugins, crane(DeviceKind.MAGNET_GRIPPER, thing), "magnet-gripper")

    assert asked(7850.0) == ""
    assert "not iron" in asked(600.0)


def test_saved_state_contains_held_objects(crane, plugins, worlds):
    _, block = worlds
    cube = block("cube", (0, 0, 0.48), (0.04, 0.04, 0.04), mobile=True)
    simulation = Simulation(crane(DeviceKind.VACUUM_GRIPPER, cube), plugins=plugins)
    use(simulation, close=True)
    state = simulation.save()
    use(simulation, close=False)
    simulation.restore(state)
    lift(simulation, 0.1)
    np.testing.assert_allclose(place(simulation, "cube"), [0, 0, 0.58], atol=1e-9)


def test_gripper_opens_to_the_given_distance():
    fingers = Fingers("grip", open=0.0, closed=0.8, speed=1.0, widest=0.07, narrowest=0.03)
    assert fingers.at_opening(0.0) == 0.0
    assert fingers.at_opening(0.05) == pytest.approx(0.4)
    assert fingers.at_opening(0.01) == pytest.approx(0.8)
    assert fingers.at_opening(0.2) == pytest.approx(0.0)


def test_catalogue_grippers_have_their_kind(plugins, tmp_path):
    from rck.language.session import new_session

    session = new_session(plugins, tmp_path, "hands")
    names = ["robotiq/2f-85", "onrobot/2fg7", "onrobot/3fg15", "vacuum/flat-cup", "ixtur/map-40"]
    script = "".join(f"create {name} h{n}\nmove h{n} {n},0,0 --to\n" for n, name in enumerate(names))
    session.run_script(script, "hands")
    hands = Simulation(session.compile().unwrap().robot, plugins=plugins).grasps.grippers
    assert [hand.kind.name for hand in hands.values()] == [
        "parallel-gripper",
        "parallel-gripper",
        "three-finger-gripper",
        "vacuum-gripper",
        "magnet-gripper",
    ]
    fingers = [hand.fingers for hand in hands.values()]
    # This one is drawn open and turns to close; that one has a stroke shorter than its opening.
    assert (fingers[0].open, fingers[0].closed) == pytest.approx((0.0, radians(46.0)), abs=0.01)
    assert (fingers[1].widest, fingers[1].narrowest) == pytest.approx((0.073, 0.035))
    assert fingers[3] is None
