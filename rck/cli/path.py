"""`rck path`: motions through goals within the joint limits."""

import json
import sys
from itertools import pairwise
from math import degrees, inf, radians
from pathlib import Path

import click
import numpy as np

from rck.cli.arm_options import (
    ArmSelection,
    numbers_of,
    pose_of,
    print_failures,
    print_tip,
    read_arm,
)
from rck.cli.inputs import finding_data, print_findings
from rck.cli.options import FILE, IMPORTER_SET, JSON_SI, SOLVER, SOLVER_SET, TIP
from rck.cli.path_check import checked_path
from rck.cli.pose_options import POSE, positions_of
from rck.exporting.export import export
from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert
from rck.hooks import Goal
from rck.kinematics import motion
from rck.kinematics.chain import tip_pose
from rck.kinematics.solution_choice import nearest
from rck.model import Finding, Severity
from rck.support.files import refuse_unwritable, write_atomically
from rck.support.finding import Built


@click.command()
@FILE
@click.option(
    "--to",
    "goals",
    required=True,
    multiple=True,
    metavar="GOAL",
    help="Goal: X,Y,Z[,R,P,Y] in millimetres and degrees, JOINT=VALUE,..., or a named pose; repeat for several.",
)
@click.option(
    "--by",
    type=click.Choice(["joints", "line", "arc"]),
    default="joints",
    show_default=True,
    help="Synchronised joint motion, straight lines, or an arc through the first goal to the second.",
)
@TIP
@click.option("--base", metavar="NAME", help="Base item or frame of the arm (default: the root item).")
@click.option("--pose", "poses", multiple=True, metavar=POSE, help="Current joint positions, or a named pose of FILE.")
@click.option("--free", is_flag=True, help="Leave the orientation of the tip free.")
@click.option("--smoothing", default=0.0, metavar="MM", help="Corner blend radius (degrees for joint moves).")
@click.option(
    "--profile",
    type=click.Choice(list(motion.PROFILES)),
    default="trapezoidal",
    show_default=True,
    help="Velocity profile.",
)
@click.option("--speed", default=100.0, metavar="PERCENT", help="Joint speed in percent of the velocity limits.")
@click.option(
    "--tool-speed", default=250.0, show_default=True, metavar="MM/S", help="Speed of the tip on lines and arcs."
)
@click.option("--duration", type=float, metavar="S", help="Duration in seconds; extended if the limits require it.")
@click.option(
    "--tolerance", default=0.1, show_default=True, metavar="MM", help="Largest deviation from lines and arcs."
)
@click.option("--step", default=0.02, show_default=True, metavar="S", help="Time between rows of a table.")
@click.option("--no-collisions", is_flag=True, help="Write the motion without a collision check.")
@SOLVER
@SOLVER_SET
@IMPORTER_SET
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Output event file (.events) or table (.csv).")
@JSON_SI
def path(
    file: Path,
    goals: tuple[str, ...],
    by: str,
    tip: str | None,
    base: str | None,
    poses: tuple[str, ...],
    free: bool,
    smoothing: float,
    profile: str,
    speed: float,
    tool_speed: float,
    duration: float | None,
    tolerance: float,
    step: float,
    no_collisions: bool,
    solver: str | None,
    solver_settings: tuple[str, ...],
    settings: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Compute a motion of an arm. The exit status is 1, and nothing is written, if it is not possible.

    A motion is not possible if a goal cannot be reached, or if the robot would collide on the way.

    A goal of three numbers keeps the orientation of the tip. The motion respects the position, velocity and
    acceleration limits; it takes longer than requested if necessary, with a warning.
    """
    for option, value in (("speed", speed), ("tool-speed", tool_speed), ("tolerance", tolerance), ("step", step)):
        if not 0 < value < inf:
            raise click.UsageError(f"--{option} must be above zero")
    if not 0 <= smoothing < inf:
        raise click.UsageError("--smoothing must not be negative")
    if out is not None:
        refuse_unwritable(out)
    arm = read_arm(file, tip, base, solver, poses, settings, solver_settings)
    limits = motion.motion_limits(arm.chain.robot, arm.chain.joints).scaled(speed / 100)
    if by == "joints":
        built = _by_joints(arm, limits, goals, free, radians(smoothing), profile, duration)
    else:
        curves = _curves(arm, goals, by, smoothing / 1000)
        tool = motion.ToolSpeed(tool_speed / 1000, motion.ToolSpeed().angular * tool_speed / 250)
        built = motion.follow(
            arm.solver,
            arm.chain,
            curves,
            arm.seed,
            limits,
            tool=tool,
            profile=profile,
            duration=duration,
            tolerance=tolerance / 1000,
            wants="position" if free else "pose",
        )
    if built.value is not None:
        checked = checked_path(arm, built.value, limits, collisions=not no_collisions)
        built = Built(checked.value, (*built.findings, *checked.findings))
    if built.value is not None and out is not None:
        _write(arm, built.value, out, step)
    if as_json:
        click.echo(json.dumps(_data(built, step)))
    else:
        if built.value is not None:
            _print(arm, built.value, out)
        print_tip(arm)
        print_findings(built.findings)
    print_failures(arm)
    sys.exit(0 if built.value is not None else 1)


def _by_joints(
    arm: ArmSelection,
    limits: motion.MotionLimits,
    goals: tuple[str, ...],
    free: bool,
    smoothing: float,
    profile: str,
    duration: float | None,
) -> Built[motion.JointPath]:
    stops = [arm.seed]
    for text in goals:
        found = _joint_goal(arm, text, stops[-1], free)
        if isinstance(found, Finding):
            return Built(None, (found,))
        stops.append(found)
    if smoothing > 0 and len(stops) > 2:
        return motion.through(limits, stops, smoothing=smoothing, duration=duration)
    moves = []
    findings: tuple[Finding, ...] = ()
    for start, end in pairwise(stops):
        built = motion.joint_move(
            limits, start, end, profile=profile, duration=None if duration is None else duration / len(goals)
        )
        findings += built.findings
        if built.value is None:
            return Built(None, findings)
        moves.append(built.value)
    return Built(motion.joined(moves), findings)


def _joint_goal(arm: ArmSelection, text: str, seed: Floats, free: bool) -> Floats | Finding:
    chain = arm.chain
    if _is_of_joints(arm, text):
        named = positions_of(chain.robot, [text], arm.file)
        return np.array([named.get(name, seed[n]) for n, name in enumerate(chain.joints)])
    answer = arm.solver.solve(
        Goal(_pose(arm, text, tip_pose(chain, seed)), "position" if free else "pose"), seed, most=8, budget=0.2
    )
    if answer.solved:
        return nearest(chain, answer.solutions, seed)
    return Finding(901, Severity.ERROR, f"goal {text}", answer.reason)


def _is_of_joints(arm: ArmSelection, text: str) -> bool:
    """Return True if a goal is a set of joint positions, not a pose of the tip."""
    return "=" in text or any(text == pose.name for pose in arm.chain.robot.poses)


def _curves(arm: ArmSelection, goals: tuple[str, ...], by: str, smoothing: float) -> tuple[motion.ToolCurve, ...]:
    begin = tip_pose(arm.chain, arm.seed)
    if any(_is_of_joints(arm, text) for text in goals):
        raise click.UsageError("a line or an arc needs a pose as goal, not joint positions; use --by joints")
    if by == "arc":
        if len(goals) != 2:
            raise click.UsageError("an arc needs two goals: a point on the arc and its end")
        through, end = (_pose(arm, text, begin) for text in goals)
        return (motion.arc(begin, through[:3, 3], end),)
    poses = [begin]
    for text in goals:
        poses.append(_pose(arm, text, poses[-1]))
    return motion.rounded(poses, smoothing)


def _pose(arm: ArmSelection, text: str, before: Floats) -> Floats:
    """Return the goal as base from tip, shape (4, 4); without an orientation, the previous one is kept."""
    numbers = numbers_of(text, "--to", (3, 6))
    pose = invert(arm.world_from_base) @ pose_of(numbers)
    if len(numbers) == 3:
        pose[:3, :3] = before[:3, :3]
    return pose


def _times(path: motion.JointPath, step: float) -> Floats:
    return np.append(np.arange(0.0, path.duration - step * 1e-6, step), path.duration)


def _write(arm: ArmSelection, path: motion.JointPath, out: Path, step: float) -> None:
    if out.suffix.lower() != ".csv":
        _, exported = export(motion.event_list(path, arm.chain.robot), out, arm.plugins, {})
        print_findings(exported.findings)
        return
    units = ["deg" if turns else "mm" for turns in arm.chain.turning]
    scale = np.where(arm.chain.turning > 0, degrees(1.0), 1000.0)
    rows = ["time_s," + ",".join(f"{name}_{unit}" for name, unit in zip(path.joints, units, strict=True))]
    times = _times(path, step)
    for time, vector in zip(times, path.at(times) * scale, strict=True):
        rows.append(",".join([f"{time:.6g}", *(f"{value:.6f}" for value in vector)]))
    write_atomically(out, ("\n".join(rows) + "\n").encode())


def _print(arm: ArmSelection, path: motion.JointPath, out: Path | None) -> None:
    scale = np.where(arm.chain.turning > 0, degrees(1.0), 1000.0)
    speeds, _ = motion.peaks(path)
    click.echo(f"{path.duration:.3f} s")
    width = max(map(len, path.joints), default=0)
    for number, name in enumerate(path.joints):
        unit = "°" if arm.chain.turning[number] else " mm"
        start, end, top = (scale[number] * values[number] for values in (path.start, path.end, speeds))
        click.echo(f"{name:{width}}  {start:9.2f}{unit} to {end:9.2f}{unit}, at {top:.2f}{unit}/s maximum")
    if out is not None:
        click.echo(f"wrote {out}")


def _data(built: Built[motion.JointPath], step: float) -> dict[str, object]:
    findings = [finding_data(finding) for finding in built.findings]
    if built.value is None:
        return {"findings": findings}
    times = _times(built.value, step)
    return {
        "joints": list(built.value.joints),
        "duration": built.value.duration,
        "times": times.tolist(),
        "positions": built.value.at(times).tolist(),
        "findings": findings,
    }
