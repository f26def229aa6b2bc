"""Films: a recording drawn frame by frame."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.hooks import Job
from rck.model.robot import Robot
from rck.render.camera import Camera, fit, named_camera
from rck.render.figure import Figure, Shapes
from rck.render.picture import SCREEN, Finish, draw
from rck.render.scene import Scene, floor_for, points_of
from rck.simulation.recording import Recording, Replay

Bytes = NDArray[np.uint8]

FRAMES_A_SECOND = 12.5
"""The most that GIF files keep to, whose frames last whole hundredths of a second."""


def film(
    robot: Robot,
    recording: Recording,
    *,
    width: int = 480,
    height: int = 360,
    rate: float = FRAMES_A_SECOND,
    camera: Camera | None = None,
    finish: Finish = SCREEN,
    job: Job | None = None,
) -> Iterator[Bytes]:
    """The frames of a run, each of shape (height, width, 3); without a camera, all that ever moves is in them."""
    replay = Replay(robot, recording)
    shapes = Shapes(replay.stage.arrays)
    first = Figure(shapes, replay.show(0).poses)
    aim = camera or _seeing_all(replay, shapes, width / height)
    floor = floor_for(first)
    times = np.arange(0.0, float(recording.times[-1]) + 1e-9, 1.0 / rate)
    for number, time in enumerate(times):
        if job is not None:
            job.progress(number / len(times), f"frame {number + 1} of {len(times)}")
        row = recording.row_at(float(time))
        scene = Scene(Figure(shapes, replay.show(row).poses), floor=floor)
        yield draw(scene, aim, width, height, finish=finish).rgb


def _seeing_all(replay: Replay, shapes: Shapes, aspect: float) -> Camera:
    """The usual camera, moved back until everything fits at some ten moments of the run."""
    rows = np.unique(np.linspace(0, len(replay.recording.times) - 1, 10).astype(int))
    points: list[Floats] = [points_of(Figure(shapes, replay.show(int(row)).poses)) for row in rows]
    return fit(named_camera("home"), np.concatenate(points), aspect)
