"""Animations of recordings."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.hooks import Job
from rck.model.robot import Robot
from rck.rendering.camera import Camera, fit, named_camera
from rck.rendering.picture import SCREEN, Finish, draw
from rck.rendering.posed_robot import PosedRobot, RenderShapes
from rck.rendering.scene import Scene, floor_for, points_of
from rck.simulation.recording import Recording, Replay
from rck.simulation.simulation import Simulation

Bytes = NDArray[np.uint8]

FRAMES_A_SECOND = 12.5
"""Highest common frame rate of GIF files, whose frames last whole hundredths of a second."""


@dataclass(frozen=True, slots=True)
class CameraSwitch:
    """A camera that an event selects."""

    time: float
    """In seconds."""
    camera: Camera
    exact: bool
    """True if to keep its distance; otherwise everything fits into its image."""


def film(
    robot: Robot,
    recording: Recording,
    *,
    width: int = 480,
    height: int = 360,
    rate: float = FRAMES_A_SECOND,
    camera: Camera | None = None,
    switches: Sequence[CameraSwitch] = (),
    finish: Finish = SCREEN,
    job: Job | None = None,
) -> Iterator[Bytes]:
    """Yield the frames of a recording, each of shape (height, width, 3).

    By default, the camera sees every motion. Each of the `switches`, in order, replaces it.
    """
    replay = Replay(robot, recording)
    shapes = RenderShapes(replay.kinematics.arrays)
    first = PosedRobot(shapes, replay.show(0).poses)
    everything = _points_over_time(replay, shapes)
    aims = [camera or fit(named_camera("home"), everything, width / height)]
    aims += [one.camera if one.exact else fit(one.camera, everything, width / height) for one in switches]
    starts = [one.time for one in switches]
    floor = floor_for(first)
    times = np.arange(0.0, float(recording.times[-1]) + 1e-9, 1.0 / rate)
    for number, time in enumerate(times):
        if job is not None:
            job.progress(number / len(times), f"frame {number + 1} of {len(times)}")
        row = recording.row_at(float(time))
        scene = Scene(PosedRobot(shapes, replay.show(row).poses), floor=floor)
        aim = aims[bisect_right(starts, float(time) + 1e-9)]
        yield draw(scene, aim, width, height, finish=finish).rgb


def camera_switches(simulation: Simulation) -> tuple[CameraSwitch, ...]:
    """Return the cameras that the events of a simulation have selected."""
    return tuple(
        CameraSwitch(notice.time, named_camera(notice.text, simulation.cameras), notice.text in simulation.cameras)
        for notice in simulation.notices
        if notice.kind == "camera"
    )


def _points_over_time(replay: Replay, shapes: RenderShapes) -> Floats:
    """Return the points of everything at ten times of the recording. Shape (N, 4)."""
    rows = np.unique(np.linspace(0, len(replay.recording.times) - 1, 10).astype(int))
    points: list[Floats] = [points_of(PosedRobot(shapes, replay.show(int(row)).poses)) for row in rows]
    return np.concatenate(points)
