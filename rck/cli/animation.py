"""Frames of an animation: a turntable view of a robot, or the playback of a recording."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import degrees, pi
from pathlib import Path

import click
import numpy as np

from rck.cli.progress import shown_job
from rck.exporting.export import export
from rck.hooks import Plugins
from rck.model import RckError, Robot
from rck.model.item import place_items
from rck.rendering.camera import Camera, orbit
from rck.rendering.posed_robot import PosedRobot
from rck.rendering.scene import Scene
from rck.simulation.recording import Replay, read_recording


@dataclass(frozen=True, eq=False)
class Frames:
    """Scenes that one camera shows in turn, or one scene that the camera orbits."""

    scenes: Sequence[Scene]
    camera: Camera
    turns: int
    """Number of frames of one orbit; 1 for a still camera."""
    width: int
    height: int
    """Image size in pixels."""

    def __len__(self) -> int:
        return len(self.scenes) * self.turns

    def __iter__(self) -> Iterator[tuple[Scene, Camera]]:
        for scene in self.scenes:
            for number in range(self.turns):
                yield scene, orbit(self.camera, 2 * pi * number / self.turns, 0.0) if number else self.camera


def figures_of_run(figure: PosedRobot, path: Path, rate: float) -> list[PosedRobot]:
    """Return the robot at every frame of a recording, at `rate` frames per second, including the last."""
    recording = read_recording(path)
    if not len(recording.times):
        raise RckError(f"{path.name}: the recording is empty")
    replay = Replay(figure.robot, recording)
    begin, end = float(recording.times[0]), float(recording.times[-1])
    times = [*np.arange(begin, end, 1.0 / rate).tolist(), end]
    return [PosedRobot(figure.shapes, replay.show_at(time).poses.copy()) for time in times]


def write_rib(frames: Frames, out: Path, plugins: Plugins) -> None:
    """Write a RIB file, or one for each frame, `run.0001.rib` and so on, with the RIB exporter."""
    count = len(frames)
    with shown_job(f"writing {out.name}") as job:
        for number, (scene, camera) in enumerate(frames, start=1):
            job.progress((number - 1) / count, f"frame {number} of {count}")
            path = out if count == 1 else out.with_stem(f"{out.stem}.{number:04d}")
            seen = {
                "size": f"{frames.width}x{frames.height}",
                "eye": _metres(camera.eye),
                "target": _metres(camera.target),
                "angle": f"{degrees(camera.field_of_view):.12g} deg",
            }
            export(_robot_of(scene.figure), path, plugins, seen, "rib")
    first = out if count == 1 else out.with_stem(f"{out.stem}.0001")
    click.echo(f"wrote {first}" + (f" and {count - 1} more" if count > 1 else ""))


def _metres(point: Sequence[float]) -> str:
    return ",".join(f"{part:.12g}" for part in point)


def _robot_of(figure: PosedRobot) -> Robot:
    """Return the robot with its items at the poses of a frame, for display only: its joints do not move."""
    robot = figure.robot
    return Robot(robot.name, place_items(robot.items, figure.poses))
