"""What a recording shows when it is plotted: joints, what motors give, contacts, sensors."""

import numpy as np

from rck.render.chart import Curve, Panel
from rck.simulation.recording import Recording


def panels_of(recording: Recording) -> tuple[Panel, ...]:
    """Joints that turn in degrees and those that slide in millimetres, motors, how many pairs touch, and sensors."""
    times = recording.times
    turning: list[Curve] = []
    sliding: list[Curve] = []
    powers: list[Curve] = []
    efforts: dict[str, list[Curve]] = {}
    sensors: dict[str, list[Curve]] = {}
    for name, values in recording.columns.items():
        if name.startswith("joint ") and name.endswith(" [rad]"):
            turning.append(Curve(name[6:-6], times, np.degrees(values)))
        elif name.startswith("joint "):
            sliding.append(Curve(name[6:-4], times, 1000 * values))
        elif name.startswith("power "):
            powers.append(Curve(name[6:-4], times, values))
        elif name.startswith("effort "):
            joint, _, unit = name[7:-1].rpartition(" [")
            efforts.setdefault(unit, []).append(Curve(joint, times, values))
        elif name.startswith("sensor ") and values.ndim == 1:
            sensor, _, channel = name[7:].partition(" ")
            sensors.setdefault(sensor, []).append(Curve(channel, times, values))
    touching = np.array([len(pairs.split(";")) if pairs else 0 for pairs in recording.contacts], dtype=float)
    panels = [Panel("joints [°]", tuple(turning)), Panel("joints [mm]", tuple(sliding))]
    panels += [Panel(f"efforts [{unit}]", tuple(curves)) for unit, curves in efforts.items()]
    panels.append(Panel("powers [W]", tuple(powers)))
    panels.append(Panel("pairs that touch", (Curve("contacts", times, touching),)))
    panels += [Panel(sensor, tuple(curves)) for sensor, curves in sensors.items()]
    return tuple(panel for panel in panels if panel.curves)
