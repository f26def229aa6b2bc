"""Typical builds from the shipped parts connect through compatible ports, face to face."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rck.assembly.compiler import Compiled
from rck.assembly.mate_ends import parse_end
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply
from rck.hooks import Plugins
from rck.language.session import Session, new_session
from rck.model import Item, RckError, Robot
from rck.support.finding import errors_of

Build = Callable[[str], Compiled]
SLACK = 0.2e-3
"""How far, in metres, drawings of parts that touch may overlap or stand apart."""


@pytest.fixture
def session(plugins: Plugins, tmp_path: Path) -> Session:
    return new_session(plugins, tmp_path)


@pytest.fixture
def build(session: Session) -> Build:
    """Run a script and assert that it compiles and that mated ports coincide and face each other."""

    def run(script: str) -> Compiled:
        session.run_script(script, "journey")
        built = session.compile()
        assert not errors_of(built.findings)
        assert built.value is not None
        assert session.assembly.mates
        for mate in session.assembly.mates:
            assert not mate.force
            at, put = (
                built.value.ports[str(parse_end(end))].world_pose(built.value.robot) for end in (mate.at, mate.put)
            )
            np.testing.assert_allclose(at[:3, 3], put[:3, 3], rtol=0, atol=1e-9)
            np.testing.assert_allclose(at[:3, 2], -put[:3, 2], rtol=0, atol=1e-9)
        return built.value

    return run


def overlap(robot: Robot, one: str, other: str) -> float:
    """Return the penetration depth of two instances in metres; negative if they are apart."""
    firsts, seconds = (
        [(item, subitem.shape) for item in robot.items if item.name.startswith(f"{name}/") for subitem in item.subitems]
        for name in (one, other)
    )
    return max(_depth(*first, *second) for first in firsts for second in seconds)


def _depth(item: Item, shape: Polyhedron, other_item: Item, other: Polyhedron) -> float:
    """Return the penetration depth of two convex polyhedra by the separating-axis theorem."""
    corners, other_corners = apply(item.pose, shape.vertices), apply(other_item.pose, other.vertices)
    edges = corners[shape.edges[:, 1]] - corners[shape.edges[:, 0]]
    other_edges = other_corners[other.edges[:, 1]] - other_corners[other.edges[:, 0]]
    crossed = np.cross(edges[:, None], other_edges[None]).reshape(-1, 3)
    lengths = np.linalg.norm(crossed, axis=1)
    ways = np.concatenate(
        [
            shape.planes[:, :3] @ item.pose[:3, :3].T,
            other.planes[:, :3] @ other_item.pose[:3, :3].T,
            crossed[lengths > 1e-9] / lengths[lengths > 1e-9, None],
        ]
    )
    along, other_along = corners @ ways.T, other_corners @ ways.T
    either = np.minimum(along.max(axis=0) - other_along.min(axis=0), other_along.max(axis=0) - along.min(axis=0))
    return float(either.min())


def test_desk_arm_is_built_from_base_servos_links_and_gripper(build: Build):
    arm = build(
        """
        create structure/round-base base
        create robotis/xm540-w270 shoulder --at base.top --by back
        create structure/tube-link upper --at shoulder.horn
        create robotis/xm430-w350 elbow --at upper.b --by back
        create structure/bar-link fore --at elbow.horn
        create robotis/xm430-w350 wrist --at fore.b --by bottom
        create robonine/so-arm-gripper hand --at wrist.horn
        """
    )
    assert [joint.name for joint in arm.robot.free_joints][:3] == ["shoulder/axis", "elbow/axis", "wrist/axis"]
    for one, other in (("base", "shoulder"), ("shoulder", "upper"), ("upper", "elbow"), ("wrist", "hand")):
        assert abs(overlap(arm.robot, one, other)) < SLACK, (one, other)


def test_servo_mounts_on_its_bottom_and_link_carries_a_flange_gripper(build: Build):
    build(
        """
        create structure/square-base base
        create robotis/xm430-w350 shoulder --at base.top --by bottom
        create structure/bar-link upper --at shoulder.horn
        create robotis/xl430-w250 elbow --at upper.b --by back
        create structure/tube-link fore --at elbow.horn
        create robotiq/2f-85 hand --at fore.b
        """
    )


@pytest.mark.parametrize(
    ("servo", "port", "frame", "by"),
    [
        ("robotis/xm430-w350", "horn", "robotis/fr12-h101", "horn"),
        ("robotis/xl430-w250", "horn", "robotis/fr12-h101", "horn"),
        ("robotis/xc430-w150", "horn", "robotis/fr12-h101", "horn"),
        ("robotis/xh430-w350", "left", "robotis/fr12-s101", "servo"),
        ("robotis/xm430-w350", "bottom", "robotis/fr12-s102", "servo"),
        ("robotis/xm540-w270", "horn", "robotis/fr13-h101", "horn"),
        ("robotis/xw540-t260", "horn", "robotis/fr13-h101", "horn"),
        ("robotis/xh540-w270", "right", "robotis/fr13-s101", "servo"),
        ("robotis/xm540-w150", "bottom", "robotis/fr13-s102", "servo"),
        ("robotis/xl330-m288", "horn", "robotis/fpx330-h101", "horn"),
        ("robotis/xc330-t288", "left", "robotis/fpx330-s101", "servo"),
        ("robotis/xl330-m077", "bottom", "robotis/fpx330-s102", "servo"),
        ("robotis/ax-12a", "horn", "structure/ax-hinge-frame", "horn"),
        ("robotis/mx-28", "horn", "structure/mx28-plate", "horn"),
        ("robotis/mx-64", "back", "structure/mx-plate", "case"),
        ("robotis/ph54-200-s500", "back", "structure/p54-plate", "case"),
        ("robotis/pm42-010-s260", "horn", "structure/p42-plate", "horn"),
    ],
)
def test_a_servo_and_its_frame_touch_without_overlap(build: Build, servo: str, port: str, frame: str, by: str):
    both = build(f"create {servo} servo\ncreate {frame} frame --at servo.{port} --by {by}")
    assert abs(overlap(both.robot, "servo", "frame")) < SLACK


@pytest.mark.parametrize(
    ("servo", "frame", "idler"),
    [
        ("robotis/xm430-w350", "robotis/fr12-h101", "robotis/hn12-i101"),
        ("robotis/xm540-w270", "robotis/fr13-h101", "robotis/hn13-i101"),
    ],
)
def test_idler_of_a_hinge_frame_mounts_on_the_back_of_the_servo(build: Build, servo: str, frame: str, idler: str):
    hinge = build(
        f"""
        create {servo} servo
        create {frame} frame --at servo.horn --by horn
        create {idler} idler --at frame.idler --by face
        """
    )
    assert abs(overlap(hinge.robot, "servo", "idler")) < SLACK


def test_two_servos_connect_back_to_back_through_a_frame_on_a_horn(build: Build):
    build(
        """
        create robotis/xm430-w350 shoulder
        create robotis/fr12-s101 frame --at shoulder.horn --by face-1
        create robotis/xm430-w350 elbow --at frame.servo --by left
        """
    )


def test_hobby_servos_mount_in_brackets_and_carry_links_on_horns(build: Build):
    leg = build(
        """
        create structure/servo-bracket bracket
        create futaba/s3003 hip --at bracket.servo
        create structure/disc-horn-25t disc --at hip.output
        create structure/bar-link thigh --at disc.face
        create structure/servo-plate plate --at thigh.b --by front
        create hitec/hs-422 knee --at plate.servo
        create structure/arm-horn-24t arm --at knee.output
        create structure/micro-servo-bracket little --at arm.tip --by bottom
        create towerpro/sg90 toe --at little.servo
        create structure/arm-horn-21t tip --at toe.output
        """
    )
    for one, other in (("bracket", "hip"), ("disc", "thigh"), ("plate", "knee"), ("little", "toe")):
        assert abs(overlap(leg.robot, one, other)) < SLACK, (one, other)


@pytest.mark.parametrize(
    ("size", "motor", "profile"),
    [
        (11, "soyo/sy28sth45-0674a", "misumi/hfs5-2020"),
        (14, "soyo/sy35st36-1004a", "misumi/hfs5-2020"),
        (17, "stepperonline/17hs19-2004s1", "misumi/hfs5-2040"),
        (23, "stepperonline/23hs22-2804s", "misumi/hfs8-4040"),
        (34, "stepperonline/34hs31-5504s", "dold/profile-40x40l-i8"),
    ],
)
def test_stepper_mounts_in_its_bracket_on_a_profile(build: Build, size: int, motor: str, profile: str):
    drive = build(
        f"""
        create {profile} rail
        create structure/nema{size}-bracket bracket --at rail.front --by bottom
        create {motor} motor --at bracket.motor
        """
    )
    assert abs(overlap(drive.robot, "rail", "bracket")) < SLACK
    assert abs(overlap(drive.robot, "bracket", "motor")) < SLACK


def test_hubs_and_wheels_mount_on_motor_shafts(build: Build):
    wheels = build(
        """
        create stepperonline/17hs19-2004s1 stepper
        create structure/shaft-hub hub bore=5 --at stepper.shaft
        create wheels/rubber-wheel wheel --at hub.face --by inside
        create pololu/4741 gearmotor
        create structure/square-hub square bore=6 --at gearmotor.shaft
        create gobilda/3606-0000-0096 mecanum --at square.face --by inside
        create pololu/2367 small
        create pololu/1420 disc --at small.shaft
        create odrive/d6374-150kv outrunner
        create wheels/omni-wheel omni bore=10 --at outrunner.shaft
        """
    )
    assert abs(overlap(wheels.robot, "hub", "wheel")) < SLACK


def test_gantry_rails_mount_on_carriages(build: Build):
    gantry = build(
        """
        create misumi/hfs8-4040 beam length=800 at=400
        create hiwin/mgn12h-rail x length=600 --at beam.front --by base
        create hiwin/mgn12h second --at x.track
        create structure/plate bridge --at x.carriage --by bottom
        create hiwin/mgn9h-rail y --at bridge.top --by base --turn 90
        create structure/plate head length=40 width=40 --at y.carriage --by bottom
        """
    )
    for one, other in (("beam", "x"), ("x", "bridge"), ("bridge", "y"), ("y", "head")):
        assert abs(overlap(gantry.robot, one, other)) < SLACK, (one, other)
    # The second carriage is not mounted to anything; it keeps the drawn clearance to the rail.
    assert -0.5e-3 < overlap(gantry.robot, "x", "second") < SLACK


@pytest.mark.parametrize(("rail", "carriage"), [("mgn9c", "mgn9h"), ("mgn15c", "mgn15h"), ("hgh15ca", "hgh15ca"),
                                                ("hgh20ca", "hgh20ca"), ("hgh25ca", "hgh25ca")])  # fmt: skip
def test_every_rail_takes_a_second_carriage(build: Build, rail: str, carriage: str):
    pair = build(f"create hiwin/{rail}-rail rail\ncreate hiwin/{carriage} more --at rail.track")
    assert -0.5e-3 < overlap(pair.robot, "rail", "more") < SLACK


def test_a_ball_screw_is_driven_through_a_coupling(build: Build):
    build(
        """
        create tbi-motion/sfu1605 screw
        create structure/jaw-coupling coupling bore_a=10 bore_b=6.35 --at screw.drive --by a
        create stepperonline/23hs22-2804s motor --at coupling.b --by shaft
        """
    )


def test_a_flange_carries_a_force_sensor_and_a_gripper(build: Build):
    tool = build(
        """
        create universal-robots/ur5e arm
        create robotiq/ft-300 wrist --at arm.flange
        create robotiq/hand-e hand --at wrist.tool
        """
    )
    assert abs(overlap(tool.robot, "wrist", "hand")) < SLACK


def test_an_adaptor_fits_a_gripper_to_another_flange(build: Build):
    with pytest.raises(RckError, match="does not fit"):
        build("create universal-robots/ur20 arm\ncreate onrobot/rg6 hand --at arm.flange --by flange")
    tool = build(
        """
        create universal-robots/ur20 arm
        create flanges/adaptor-80-to-50 adaptor --at arm.flange
        create onrobot/rg6 hand --at adaptor.tool
        """
    )
    assert abs(overlap(tool.robot, "adaptor", "hand")) < SLACK


@pytest.mark.parametrize("line", ["create robotiq/2f-85 hand --at arm.flange", "mate arm.flange hand"])
def test_a_gripper_for_another_flange_is_refused_with_the_ports_that_fit(session: Session, line: str):
    session.run_script("create kuka/kr-6-r900 arm\ncreate universal-robots/ur5e other", "journey")
    if line.startswith("mate"):
        session.run_script("create robotiq/2f-85 hand", "journey")
    with pytest.raises(RckError) as refusal:
        session.do(line)
    message = str(refusal.value)
    assert "arm.flange (iso9409-1-31.5-4-m5 male)" in message
    assert "flange (iso9409-1-50-4-m6 female), tip (any)" in message
    assert "ports that fit it: other.flange" in message
    assert "adaptors in the catalogue: flanges/adaptor-31.5-to-50;" in message
    assert not session.assembly.mates
    # What the user names explicitly is still possible.
    session.do("create robotiq/2f-85 named --at other.flange --by tip")


def test_a_tool_is_never_mounted_by_its_tip(build: Build):
    made = build(
        """
        create structure/frame-table table
        create robotiq/2f-85 hand --at table.top
        """
    )
    assert made.ports["hand.flange"]


def test_cameras_mount_on_tripod_plates_and_brackets(build: Build):
    eyes = build(
        """
        create structure/frame-table table
        create structure/tripod-plate plate --at table.top --by bottom
        create intel/realsense-d435 eye --at plate.camera
        create misumi/hfs5-2020 post --at table.at --by a
        create structure/camera-bracket bracket --at post.front --by back
        create luxonis/oak-d-lite other --at bracket.camera
        """
    )
    assert abs(overlap(eyes.robot, "plate", "eye")) < SLACK
    assert abs(overlap(eyes.robot, "bracket", "other")) < SLACK


@pytest.mark.parametrize("lidar", ["slamtec/rplidar-a1m8", "hokuyo/ust-10lx", "livox/mid-360", "velodyne/vlp-16"])
@pytest.mark.parametrize("base", ["mobile/differential-drive", "clearpath/husky-a200"])
def test_lidar_mounts_on_a_mobile_base(build: Build, base: str, lidar: str):
    rover = build(f"create {base} base\ncreate {lidar} lidar --at base.top")
    assert abs(overlap(rover.robot, "base", "lidar")) < SLACK


def test_scara_mounts_on_a_pedestal(build: Build):
    cell = build("create structure/pedestal pedestal\ncreate adept/cobra-s600 scara --at pedestal.top --by base")
    assert abs(overlap(cell.robot, "pedestal", "scara")) < SLACK


def test_bearings_and_bushings_mount_in_blocks_and_carry_shafts(build: Build):
    axle = build(
        """
        create structure/bearing-block block
        create skf/608 bearing --at block.bearing
        create structure/round-shaft axle --at bearing.bore --by a
        create structure/bearing-block slide diameter=15 depth=24
        create thk/lm8uu bushing --at slide.bearing
        create structure/round-shaft rod --at bushing.bore --by a
        """
    )
    assert abs(overlap(axle.robot, "block", "bearing")) < SLACK
    assert abs(overlap(axle.robot, "slide", "bushing")) < SLACK


@pytest.mark.parametrize("diameter", ["25", "12.5", "1in"])
def test_tubes_of_any_diameter_fit_sockets_of_that_diameter(build: Build, diameter: str):
    build(
        f"""
        create structure/tube-socket socket diameter={diameter}
        create structure/round-tube tube diameter={diameter} --at socket.tube
        create structure/tube-clamp clamp diameter={diameter} --at tube.b --by tube
        """
    )


def test_a_tube_does_not_fit_a_socket_of_another_diameter(build: Build):
    with pytest.raises(RckError, match="tube-16 does not fit tube-25"):
        build(
            "create structure/tube-socket socket\ncreate structure/round-tube tube diameter=25 --at socket.tube --by a"
        )


def test_profiles_connect_with_corners_butt_joints_and_feet(build: Build):
    frame = build(
        """
        create misumi/hfs5-2020 post
        create structure/levelling-foot foot module=20 --at post.a
        create structure/corner-bracket-20 corner --at post.front
        create misumi/hfs5-2020 beam --at corner.back
        create structure/t-slot-profile rib --at post.left --by butt-a
        """
    )
    for one, other in (("post", "foot"), ("post", "corner"), ("corner", "beam"), ("post", "rib")):
        assert abs(overlap(frame.robot, one, other)) < SLACK, (one, other)
