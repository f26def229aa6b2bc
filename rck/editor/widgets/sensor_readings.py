"""Readings of joints and sensors during a simulation: bar plots and small camera images."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.text import Text
from textual.widgets import Static

from rck.editor.simulation_player import SimulationPlayer
from rck.editor.widgets.rich_text import cell_lines, plot_line
from rck.model.quantities import Units
from rck.rendering.canvas import Bytes
from rck.rendering.terminal_cells import block_cells
from rck.support.units import format_fixed

MAX_IMAGE_WIDTH = 32
"""Maximum width of a camera image in cells."""
_MAX_NUMBERS = 4
"""A channel with more numbers is drawn as bars."""


class SensorReadings(Static):
    """The panel of plots and camera images that fit, joints first."""

    BORDER_TITLE = "Joints and sensors"
    HELP = """
# Joints and sensors

The history of joint positions and sensor readings, newest on the right, with the current value. Lidar ranges are drawn
over the scan angle. Cameras show their colour and depth images; in a depth image, near objects are light.
"""

    def show(self, player: SimulationPlayer, units: Units) -> None:
        """Show the current readings."""
        width, height = self.content_region.size
        if width < 20 or height < 1:
            return
        lines = _lines(player, units, width)
        images = _images(player, width, max(height // 2, height - len(lines)))
        del lines[max(1, height - len(images)) :]
        # The size is fixed, so no new layout is needed.
        self.update(Text("\n").join([*lines, *images]), layout=False)


def _lines(player: SimulationPlayer, units: Units, width: int) -> list[Text]:
    lines = []
    for column, joint in enumerate(player.simulation.robot.free_joints):
        values = [float(vector[column]) for _, vector in player.trace]
        dimension, unit = units.position_unit(joint.kind.turns)
        mark = "°" if unit == "deg" else f" {unit}"
        lines.append(plot_line(joint.name, values, f"{format_fixed(values[-1], dimension, unit, 1):>8}{mark}", width))
    for sensor in player.simulation.sensors.values():
        for channel, reading in sensor.reading.items():
            name = f"{sensor.name} {channel}"
            if reading.size == 1:
                past = [values[name] for values in player.spoken if name in values]
                lines.append(plot_line(name, past, f"{float(reading.reshape(-1)[0]):8.4g}", width))
            elif reading.ndim == 1 and reading.size <= _MAX_NUMBERS:
                lines.append(plot_line(name, [], " ".join(f"{value:.3g}" for value in reading.tolist()), width))
            elif reading.ndim == 1 or "ranges" in channel:
                row = reading if reading.ndim == 1 else reading[len(reading) // 2]
                near = float(np.min(np.where(np.isfinite(row), row, np.inf)))
                lines.append(plot_line(name, row.tolist(), f"{near:8.4g}", width))
    return lines


def _images(player: SimulationPlayer, width: int, height: int) -> list[Text]:
    """Draw the camera images side by side, at most `height` lines high."""
    shown: list[tuple[str, Bytes]] = []
    for sensor in player.simulation.sensors.values():
        if sensor.on and "colour" in sensor.reading:
            shown.append((sensor.name, np.asarray(sensor.reading["colour"])))
        if sensor.on and "depth" in sensor.reading:
            shown.append((f"{sensor.name} depth", _grey(sensor.reading["depth"])))
    room = width
    rows: list[Text] = []
    for name, image in shown:
        down, across = image.shape[:2]
        # A cell is twice as high as wide, and shows two pixels, one above the other.
        cells_across = min(MAX_IMAGE_WIDTH, room, max(1, 2 * (height - 1) * across // max(down, 1)))
        cells_down = max(1, cells_across * down // across // 2)
        if cells_across < 8 or cells_down + 1 > height:
            break
        block = [Text(f"{name[:cells_across]:<{cells_across}}", "dim")]
        block += cell_lines(block_cells(_resample(image, 2 * cells_down, cells_across)))
        for number, line in enumerate(block):
            if number == len(rows):
                rows.append(Text(" " * (width - room), no_wrap=True))
            rows[number].append_text(line).append(" ")
        for line in rows[len(block) :]:
            line.append(" " * (cells_across + 1))
        room -= cells_across + 1
    return rows


def _grey(depth: NDArray[Any]) -> Bytes:
    """Return a depth image in grey: near is light, no reading is black."""
    known = np.isfinite(depth)
    if not known.any():
        return np.zeros((*depth.shape, 3), np.uint8)
    near, far = float(depth[known].min()), float(depth[known].max())
    light = np.where(known, 255 - 200 * (np.where(known, depth, far) - near) / max(far - near, 1e-9), 0)
    return np.repeat(light.astype(np.uint8)[..., None], 3, axis=2)


def _resample(image: Bytes, rows: int, columns: int) -> Bytes:
    down = np.linspace(0, image.shape[0] - 1, rows).round().astype(int)
    across = np.linspace(0, image.shape[1] - 1, columns).round().astype(int)
    return np.ascontiguousarray(image[down][:, across])
