"""What a camera sees: z is the direction of view, x points to the right of the picture and y down."""

from collections.abc import Mapping
from math import atan, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.hooks import Mount, Surroundings, Values, world_from
from rck.render.camera import Camera
from rck.render.figure import Figure, Shapes, figure_of
from rck.render.picture import QUICK, Picture, draw
from rck.render.scene import Scene
from rck.render.sight import look
from rck.render.window import open_window


class ColourCamera:
    """Colour, and the number of the item that each pixel sees."""

    def __init__(self, mount: Mount, values: Values) -> None:
        self._mount = mount
        across, down = values["resolution-x"], values["resolution-y"]
        self.width = round(values["width"] or across)
        self.height = max(round(self.width * down / across), 1)
        # Cameras are known by what they see from left to right, pictures by what they show from top to bottom.
        self._field_of_view = 2 * atan(tan(values["field-of-view"] / 2) * self.height / self.width)
        self._shapes: Shapes | None = None

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """`colour`, bytes of shape (height, width, 3), and `items`, their numbers or -1, shape (height, width)."""
        figure = self.figure(world)
        picture: Picture = draw(Scene(figure), self.camera(world), self.width, self.height, finish=QUICK, threads=1)
        return {"colour": picture.rgb, "items": picture.item}

    def figure(self, world: Surroundings) -> Figure:
        """The world, ready to be looked at."""
        if self._shapes is None:
            self._shapes = figure_of(world.robot).shapes
        return Figure(self._shapes, world.poses)

    def camera(self, world: Surroundings) -> Camera:
        """Where the camera is, and where it looks."""
        frame = world_from(world, self._mount)
        eye = tuple(frame[:3, 3].tolist())
        target = tuple((frame[:3, 3] + frame[:3, 2]).tolist())
        up = tuple((-frame[:3, 1]).tolist())
        return Camera(eye, target, up, self._field_of_view)


class DepthCamera(ColourCamera):
    """Besides, how far away each pixel is along the direction of view."""

    def __init__(self, mount: Mount, values: Values) -> None:
        super().__init__(mount, values)
        self._nearest, self._farthest = values["min-range"], values["max-range"]

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """As of a camera, and `depth` in metres, shape (height, width).

        As in REP 117, it is infinite where nothing is in range and minus infinity where something is too near.
        """
        window = open_window(self.camera(world), self.width, self.height)
        depth = look(self.figure(world), window, threads=1).depth
        depth = np.where(depth > self._farthest, np.inf, depth)
        return {**super().read(world), "depth": np.where(depth < self._nearest, -np.inf, depth)}
