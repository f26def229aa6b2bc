"""Images of the view: single pictures, and captured simulations as GIF or numbered PNG or RIB files."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from rck.exporting.export import export
from rck.hooks import Plugins
from rck.model import RckError, Robot
from rck.model.item import place_item
from rck.rendering.camera import Camera
from rck.rendering.image_file import gif_bytes, png_bytes
from rck.rendering.picture import draw
from rck.rendering.scene import Scene
from rck.support.files import write_atomically

PICTURE_SIZE = (960, 720)
"""Size of a single picture in pixels."""
FRAME_SIZE = (480, 360)
"""Size of the frames of a capture in pixels."""
MAX_FRAMES = 600
_PICTURES = (".png", ".rib")
_MIN_INTERVAL = 0.02
"""Minimum frame time of a GIF in seconds: viewers slow down shorter frames."""


@dataclass
class Capture:
    """The captured frames; they are drawn when they are written."""

    frames: list[tuple[float, Scene, Camera]] = field(default_factory=list)
    """Wall-clock time in seconds, scene and camera of each frame."""

    def add(self, time: float, scene: Scene, camera: Camera) -> None:
        """Add a frame, up to `MAX_FRAMES`."""
        if len(self.frames) < MAX_FRAMES:
            self.frames.append((time, scene, camera))

    def write(self, path: Path, robot: Robot, plugins: Plugins) -> str:
        """Write the frames and return a message."""
        count = len(self.frames)
        if path.suffix.lower() not in (".gif", *_PICTURES):
            raise RckError(f"{path.name}: a capture must be .gif, .png or .rib")
        if path.suffix.lower() == ".gif":
            interval = (self.frames[-1][0] - self.frames[0][0]) / max(count - 1, 1)
            pictures = [draw(scene, camera, *FRAME_SIZE).rgb for _, scene, camera in self.frames]
            write_atomically(path, gif_bytes(pictures, max(interval, _MIN_INTERVAL)))
            return f"wrote {count} frames to {path.name}"
        names = [path.with_name(f"{path.stem}-{number:04d}{path.suffix}") for number in range(1, count + 1)]
        for name, (_, scene, camera) in zip(names, self.frames, strict=True):
            write_picture(name, scene, camera, robot, plugins, FRAME_SIZE)
        return f"wrote {names[0].name} to {names[-1].name}"


def write_picture(
    path: Path, scene: Scene, camera: Camera, robot: Robot, plugins: Plugins, size: tuple[int, int] = PICTURE_SIZE
) -> None:
    """Write a scene as PNG, or as RIB for a renderer."""
    if path.suffix.lower() == ".png":
        write_atomically(path, png_bytes(draw(scene, camera, *size).rgb))
    elif path.suffix.lower() == ".rib":
        items = tuple(place_item(item, pose) for item, pose in zip(robot.items, scene.figure.poses, strict=True))
        options = {
            "size": "{}x{}".format(*size),
            "eye": ",".join(map(str, camera.eye)),
            "target": ",".join(map(str, camera.target)),
            "angle": f"{camera.field_of_view} rad",
        }
        export(replace(robot, items=items), path, plugins, options)
    else:
        raise RckError(f"{path.name}: a picture must be .png or .rib")
