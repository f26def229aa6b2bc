"""Snapshots and sequences: which robots, seen from where, go into which files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import radians
from pathlib import PurePath

import numpy as np

from rck.exporting import legal_name, lost
from rck.exporting.losses import lost_by_all
from rck.geometry.arrays import Point
from rck.hooks import Exported, Job, Values
from rck.model import Finding, RckError, Robot, at_positions, with_positions
from rck.model.units import parse_quantity, position_unit
from rck.render.camera import Camera, fit, named_camera, orbit
from rck_export_rib.scene import Drawing, Size, balls, drawing_of, frame_text

MOST_FRAMES = 9999
"""File names have four digits, so that they sort."""


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """One file, or with more than one frame a file for each, `arm.0001.rib` and so on."""
    size = _size(values.get("size") or "1280x800")
    count = _frame_count(values.get("frames", 1.0))
    stances = _stances(robot, values.get("to") or "", count)
    turn = float(values.get("turn") or 0.0)
    drawing = drawing_of(robot)
    camera = replace(
        named_camera(values.get("view") or "home"), field_of_view=float(values.get("angle", radians(30.0)))
    )
    camera = _fitted(camera, drawing, stances, size, turns=turn != 0.0)
    camera = _aimed(camera, _point(values.get("eye")), _point(values.get("target")))
    shares = np.linspace(0.0, 1.0, count) if count > 1 else [0.0]
    cameras = [orbit(camera, turn * share, 0.0) if turn else camera for share in shares]
    return Exported(sequence(drawing, stances, cameras, name, size, job), tuple(_losses(robot, name)))


def sequence(
    drawing: Drawing, robots: Sequence[Robot], cameras: Sequence[Camera], name: str, size: Size, job: Job
) -> dict[str, bytes]:
    """A file per frame: the drawn robot as it stands at so many moments, and where it is seen from at each."""
    path = PurePath(name)
    files = {}
    for number, (robot, camera) in enumerate(zip(robots, cameras, strict=True), start=1):
        job.progress((number - 1) / len(robots), f"frame {number}")
        count = "" if len(robots) == 1 else f".{number:04d}"
        poses = [item.pose for item in robot.items]
        text = frame_text(drawing, poses, camera, size, f"{legal_name(path.stem)}{count}", number)
        files[f"{path.stem}{count}{path.suffix}"] = text.encode("ascii")
    return files


def _size(text: str) -> Size:
    match = re.fullmatch(r"([1-9][0-9]{0,4})\s*[x×]\s*([1-9][0-9]{0,4})", text.strip())
    if match is None:
        raise RckError(f"size {text!r} is not a width and a height in pixels, such as 1280x800")
    return Size(int(match[1]), int(match[2]))


def _frame_count(number: float) -> int:
    if not (1 <= number <= MOST_FRAMES and float(number).is_integer()):
        raise RckError(f"a sequence has 1 to {MOST_FRAMES} frames, not {number:g}")
    return int(number)


def _stances(robot: Robot, goal: str, count: int) -> list[Robot]:
    """The robot at each frame: from where it stands to the goal, in equal steps of every joint."""
    if not goal:
        return [robot] * count
    if count == 1:
        raise RckError(f"a motion to {goal} needs more than one frame; set `frames`")
    end = with_positions(robot, dict(_positions(robot, goal)))
    return [
        at_positions(robot, robot.positions + share * (end.positions - robot.positions))
        for share in np.linspace(0.0, 1.0, count)
    ]


def _positions(robot: Robot, goal: str) -> Iterator[tuple[str, float]]:
    for text in goal.split(","):
        name, equals, value = text.strip().partition("=")
        if not equals:
            raise RckError(f"{text.strip()!r} is not a joint and its position, such as shoulder=45")
        yield name, parse_quantity(value, *position_unit(robot.joint(name).kind.turns))


def _fitted(camera: Camera, drawing: Drawing, robots: Sequence[Robot], size: Size, *, turns: bool) -> Camera:
    """The camera moved so that the robot is in the picture in every frame, and as it goes round if it does."""
    spheres = np.concatenate([balls(drawing, [item.pose for item in robot.items]) for robot in robots])
    if turns and len(spheres):
        low, high = ((spheres[:, :3] + sign * spheres[:, 3:]) for sign in (-1.0, 1.0))
        middle = (low.min(axis=0) + high.max(axis=0)) / 2
        reach = np.linalg.norm(spheres[:, :3] - middle, axis=1) + spheres[:, 3]
        spheres = np.array([[*middle, reach.max()]])
    return fit(camera, spheres, size.width / size.height)


def _aimed(camera: Camera, eye: Point | None, target: Point | None) -> Camera:
    """The camera where the user wants it, as far as that was said."""
    if target is not None:
        x, y, z = (here + there - was for here, there, was in zip(camera.eye, target, camera.target, strict=True))
        camera = replace(camera, eye=(x, y, z), target=target)
    return camera if eye is None else replace(camera, eye=eye)


def _point(text: str | None) -> Point | None:
    if not text:
        return None
    numbers = [parse_quantity(part, "length", "m") for part in text.split(",")]
    if len(numbers) != 3:
        raise RckError(f"{text!r} is not three lengths with commas between, such as 0.9,-1.1,0.7")
    x, y, z = numbers
    return x, y, z


def _losses(robot: Robot, name: str) -> Iterator[Finding]:
    yield from lost_by_all(robot, name)
    if robot.joints or robot.frames or robot.devices:
        yield lost(name, "a picture has no joints, frames, sensors and grippers")
    if any(item.mass for item in robot.items):
        yield lost(name, "masses are left out")
