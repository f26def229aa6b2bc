"""Plots of recordings: joints, motors, contacts and sensors."""

import numpy as np

from rck.rendering.chart import ChartSeries, Panel
from rck.simulation.recording import Recording


def panels_of(recording: Recording) -> tuple[Panel, ...]:
    """Return the panels of a plot: joints in degrees and millimetres, motors, number of contacts, and sensors."""
    times = recording.times
    turning: list[ChartSeries] = []
    sliding: list[ChartSeries] = []
    powers: list[ChartSeries] = []
    efforts: dict[str, list[ChartSeries]] = {}
    sensors: dict[str, list[ChartSeries]] = {}
    for name, values in recording.columns.items():
        if name.startswith("joint ") and name.endswith(" [rad]"):
            turning.append(ChartSeries(name[6:-6], times, np.degrees(values)))
        elif name.startswith("joint "):
            sliding.append(ChartSeries(name[6:-4], times, 1000 * values))
        elif name.startswith("power "):
            powers.append(ChartSeries(name[6:-4], times, values))
        elif name.startswith("effort "):
            joint, _, unit = name[7:-1].rpartition(" [")
            efforts.setdefault(unit, []).append(ChartSeries(joint, times, values))
        elif name.startswith("sensor ") and values.ndim == 1:
            sensor, _, channel = name[7:].partition(" ")
            sensors.setdefault(sensor, []).append(ChartSeries(channel, times, values))
    touching = np.array([len(pairs.split(";")) if pairs else 0 for pairs in recording.contacts], dtype=float)
    panels = [Panel("joints [°]", tuple(turning)), Panel("joints [mm]", tuple(sliding))]
    panels += [Panel(f"efforts [{unit}]", tuple(curves)) for unit, curves in efforts.items()]
    panels.append(Panel("powers [W]", tuple(powers)))
    panels.append(Panel("pairs that touch", (ChartSeries("contacts", times, touching),)))
    panels += [Panel(sensor, tuple(curves)) for sensor, curves in sensors.items()]
    return tuple(panel for panel in panels if panel.curves)
