"""A run captured frame by frame: as a GIF, or as numbered PNG or RIB files."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from rck.hooks import Plugins
from rck.hooks.exchange import export
from rck.model import RckError, Robot
from rck.model.files import write_atomically
from rck.model.item import place_item
from rck.render.camera import Camera
from rck.render.image_file import gif_bytes, png_bytes
from rck.render.picture import draw
from rck.render.scene import Scene

PICTURE = (960, 720)
"""Of a single picture, in pixels."""
CAPTURED = (480, 360)
"""Of the frames of a run."""
MOST_FRAMES = 600
_PICTURES = (".png", ".rib")
_FASTEST = 0.02
"""A frame of a GIF takes that long at least, in seconds: viewers show shorter ones slower."""


@dataclass
class Capture:
    """The frames of a run; nothing is drawn before they are written."""

    frames: list[tuple[float, Scene, Camera]] = field(default_factory=list)
    """When each was, in seconds on the wall, what was to be seen, and from where."""

    def add(self, time: float, scene: Scene, camera: Camera) -> None:
        """Keep a frame; beyond a number, no more."""
        if len(self.frames) < MOST_FRAMES:
            self.frames.append((time, scene, camera))

    def write(self, path: Path, robot: Robot, plugins: Plugins) -> str:
        """Write the frames: what was written."""
        count = len(self.frames)
        if path.suffix.lower() not in (".gif", *_PICTURES):
            raise RckError(f"{path.name}: runs are .gif, .png or .rib")
        if path.suffix.lower() == ".gif":
            lasts = (self.frames[-1][0] - self.frames[0][0]) / max(count - 1, 1)
            pictures = [draw(scene, camera, *CAPTURED).rgb for _, scene, camera in self.frames]
            write_atomically(path, gif_bytes(pictures, max(lasts, _FASTEST)))
            return f"wrote {count} frames to {path.name}"
        names = [path.with_name(f"{path.stem}-{number:04d}{path.suffix}") for number in range(1, count + 1)]
        for name, (_, scene, camera) in zip(names, self.frames, strict=True):
            write_picture(name, scene, camera, robot, plugins, CAPTURED)
        return f"wrote {names[0].name} to {names[-1].name}"


def write_picture(
    path: Path, scene: Scene, camera: Camera, robot: Robot, plugins: Plugins, size: tuple[int, int] = PICTURE
) -> None:
    """What is to be seen as PNG, or as RIB for a renderer."""
    if path.suffix.lower() == ".png":
        write_atomically(path, png_bytes(draw(scene, camera, *size).rgb))
    elif path.suffix.lower() == ".rib":
        items = tuple(place_item(item, pose) for item, pose in zip(robot.items, scene.figure.poses, strict=True))
        seen = {
            "size": "{}x{}".format(*size),
            "eye": ",".join(map(str, camera.eye)),
            "target": ",".join(map(str, camera.target)),
            "angle": f"{camera.field_of_view} rad",
        }
        export(replace(robot, items=items), path, plugins, seen)
    else:
        raise RckError(f"{path.name}: pictures are .png or .rib")
