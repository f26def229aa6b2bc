"""Cameras: colour, depth and item segmentation. z is the viewing direction, x points right in the image and y down."""

from collections.abc import Mapping
from math import atan, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.hooks import Mount, Option, Sensor, Surroundings, Values, hookimpl, world_from
from rck.model import Robot
from rck.rendering.camera import Camera
from rck.rendering.picture import QUICK, Picture, draw
from rck.rendering.posed_robot import PosedRobot, RenderShapes, pose_robot
from rck.rendering.scene import Scene
from rck.rendering.viewport import open_window
from rck.rendering.visibility import look

_OPTIONS = (
    Option("resolution-x", "horizontal resolution of the real camera, in pixels", "number", 640.0),
    Option("resolution-y", "vertical resolution of the real camera, in pixels", "number", 480.0),
    Option("field-of-view", "horizontal field of view", "angle", "60 deg"),
    Option("width", "width of the simulated image in pixels; 0 for that of the real camera", "number", 160.0),
    Option("rate", "images per second; 0 for one at every step", "number", 10.0),
)
_RANGE = (
    Option("min-range", "smallest measured depth", "length", 0.0),
    Option("max-range", "largest measured depth", "length", "10 m"),
)


class ColourCamera:
    """A camera that gives colour and the number of the item at each pixel."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._mount = mount
        across, down = values["resolution-x"], values["resolution-y"]
        self.width = round(values["width"] or across)
        self.height = max(round(self.width * down / across), 1)
        # The option is the horizontal field of view; `Camera` takes the vertical one.
        self._field_of_view = 2 * atan(tan(values["field-of-view"] / 2) * self.height / self.width)
        self._shapes: RenderShapes | None = None

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return `colour`, bytes of shape (height, width, 3), and `items`, numbers or -1 of shape (height, width)."""
        scene = Scene(self._pose_robot(world))
        picture: Picture = draw(scene, self._camera(world), self.width, self.height, finish=QUICK, threads=1)
        return {"colour": picture.rgb, "items": picture.item}

    def _pose_robot(self, world: Surroundings) -> PosedRobot:
        if self._shapes is None:
            self._shapes = pose_robot(world.robot).shapes
        return PosedRobot(self._shapes, world.poses)

    def _camera(self, world: Surroundings) -> Camera:
        frame = world_from(world, self._mount)
        eye = tuple(frame[:3, 3].tolist())
        target = tuple((frame[:3, 3] + frame[:3, 2]).tolist())
        up = tuple((-frame[:3, 1]).tolist())
        return Camera(eye, target, up, self._field_of_view)


class DepthCamera(ColourCamera):
    """A colour camera that also measures the depth of each pixel along the viewing direction."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        super().__init__(robot, mount, values)
        self._min_range, self._max_range = values["min-range"], values["max-range"]

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return the channels of a colour camera and `depth` in metres, shape (height, width).

        Depth is infinity where nothing is in range and minus infinity where something is too close (REP 117).
        """
        window = open_window(self._camera(world), self.width, self.height)
        depth = look(self._pose_robot(world), window, threads=1).depth
        depth = np.where(depth > self._max_range, np.inf, depth)
        return {**super().read(world), "depth": np.where(depth < self._min_range, -np.inf, depth)}


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Return the cameras."""
    return [
        Sensor("camera", "colour image and the item at each pixel", ColourCamera, _OPTIONS),
        Sensor("depth-camera", "colour image with the depth of each pixel", DepthCamera, (*_OPTIONS, *_RANGE)),
    ]
