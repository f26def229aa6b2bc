"""What joints and sensors say while a simulation runs: lines of bars, and small pictures of cameras."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.style import Style
from rich.text import Text
from textual.widgets import Static

from rck.catalogue.manifest import Units
from rck.editor.theatre import Theatre
from rck.editor.widgets.plots import plot_line
from rck.model.units import format_fixed
from rck.render.canvas import Bytes
from rck.render.cells import block_cells, runs

WIDEST_PICTURE = 32
"""In cells; pictures are as high as their shape asks for."""
_NUMBERS = 4
"""Channels of up to so many numbers are written out; of more, drawn as bars from first to last."""


class Readings(Static):
    """As many lines and pictures as there is room for, joints first."""

    BORDER_TITLE = "Joints and sensors"
    HELP = """
# Joints and sensors

How each joint moved and what each sensor said: the newest on the right, the value now beside it. Ranges of a lidar are
drawn from right to left as it sees them. Cameras show what they see: colour, then depth, near things light.
"""

    def show(self, theatre: Theatre, units: Units) -> None:
        """Show the last steps."""
        width, height = self.content_region.size
        if width < 20 or height < 1:
            return
        lines = _lines(theatre, units, width)
        pictures = _pictures(theatre, width, max(height // 2, height - len(lines)))
        del lines[max(1, height - len(pictures)) :]
        # Its size is given: nothing else has to be laid out, and drawn, again.
        self.update(Text("\n").join([*lines, *pictures]), layout=False)


def _lines(theatre: Theatre, units: Units, width: int) -> list[Text]:
    lines = []
    for column, joint in enumerate(theatre.simulation.robot.free_joints):
        values = [float(vector[column]) for _, vector in theatre.trace]
        dimension, unit = units.position_unit(joint.kind.turns)
        mark = "°" if unit == "deg" else f" {unit}"
        lines.append(plot_line(joint.name, values, f"{format_fixed(values[-1], dimension, unit, 1):>8}{mark}", width))
    for sensor in theatre.simulation.sensors.values():
        for channel, reading in sensor.reading.items():
            name = f"{sensor.name} {channel}"
            if reading.size == 1:
                past = [said[name] for said in theatre.spoken if name in said]
                lines.append(plot_line(name, past, f"{float(reading.reshape(-1)[0]):8.4g}", width))
            elif reading.ndim == 1 and reading.size <= _NUMBERS:
                lines.append(plot_line(name, [], " ".join(f"{value:.3g}" for value in reading.tolist()), width))
            elif reading.ndim == 1 or "ranges" in channel:
                row = reading if reading.ndim == 1 else reading[len(reading) // 2]
                near = float(np.min(np.where(np.isfinite(row), row, np.inf)))
                lines.append(plot_line(name, row.tolist(), f"{near:8.4g}", width))
    return lines


def _pictures(theatre: Theatre, width: int, height: int) -> list[Text]:
    """The pictures of cameras beside each other, no higher than so many lines."""
    shown: list[tuple[str, Bytes]] = []
    for sensor in theatre.simulation.sensors.values():
        if sensor.on and "colour" in sensor.reading:
            shown.append((sensor.name, np.asarray(sensor.reading["colour"])))
        if sensor.on and "depth" in sensor.reading:
            shown.append((f"{sensor.name} depth", _grey(sensor.reading["depth"])))
    room = width
    rows: list[Text] = []
    for name, picture in shown:
        down, across = picture.shape[:2]
        # A cell is twice as high as it is wide, and holds two pixels one above the other.
        cells_across = min(WIDEST_PICTURE, room, max(1, 2 * (height - 1) * across // max(down, 1)))
        cells_down = max(1, cells_across * down // across // 2)
        if cells_across < 8 or cells_down + 1 > height:
            break
        block = [Text(f"{name[:cells_across]:<{cells_across}}", "dim")]
        block += _cells(_sampled(picture, 2 * cells_down, cells_across))
        for number, line in enumerate(block):
            if number == len(rows):
                rows.append(Text(" " * (width - room), no_wrap=True))
            rows[number].append_text(line).append(" ")
        for line in rows[len(block) :]:
            line.append(" " * (cells_across + 1))
        room -= cells_across + 1
    return rows


def _grey(depth: NDArray[Any]) -> Bytes:
    """Depth as a picture: what is near is light, and nothing is black."""
    known = np.isfinite(depth)
    if not known.any():
        return np.zeros((*depth.shape, 3), np.uint8)
    near, far = float(depth[known].min()), float(depth[known].max())
    light = np.where(known, 255 - 200 * (np.where(known, depth, far) - near) / max(far - near, 1e-9), 0)
    return np.repeat(light.astype(np.uint8)[..., None], 3, axis=2)


def _sampled(picture: Bytes, rows: int, columns: int) -> Bytes:
    down = np.linspace(0, picture.shape[0] - 1, rows).round().astype(int)
    across = np.linspace(0, picture.shape[1] - 1, columns).round().astype(int)
    return np.ascontiguousarray(picture[down][:, across])


def _cells(picture: Bytes) -> list[Text]:
    lines = []
    for row in runs(block_cells(picture)):
        line = Text(no_wrap=True)
        for text, front, back in row:
            line.append(text, Style(color=_colour(front), bgcolor=_colour(back)))
        lines.append(line)
    return lines


def _colour(number: int) -> str | None:
    return None if number < 0 else f"#{number:06x}"
