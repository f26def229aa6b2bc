"""What every check of robots must do: run :func:`check_check` on yours."""

from rck.hooks.kinds import Check
from rck.model.finding import Finding
from rck.model.robot import build_robot
from rck.testing.robots import planar_arm, six_axis_arm


def check_check(check: Check) -> None:
    """It yields findings about any robot, one without items included, and the same ones each time."""
    for robot in (six_axis_arm("left/arm-1"), planar_arm(3), build_robot("nothing", []).unwrap()):
        findings = list(check.run(robot))
        for finding in findings:
            assert isinstance(finding, Finding), f"{robot.name}: it yielded {type(finding).__name__}, not Finding"
            assert finding.where, f"{finding.message}: it does not say where"
        assert list(check.run(robot)) == findings, f"{robot.name}: the second time it found something else"
