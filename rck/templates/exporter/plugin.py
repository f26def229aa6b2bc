"""Writes the items of a robot as a table: name, mass, and where the centre of mass is."""

from rck.exporting import lost
from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Robot


@hookimpl
def rck_exporters() -> list[Exporter]:
    """What this plugin adds."""
    return [Exporter("my-plugin", "table of masses", (".masses",), write)]


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The bytes of every file, by path relative to the chosen folder, which RCK writes; and what they do not hold."""
    lines = ["item\tmass kg\tx m\ty m\tz m"]
    for number, item in enumerate(robot.items):
        job.progress(number / len(robot.items), item.name)
        properties = item.mass_properties
        x, y, z = item.pose[:3, :3] @ properties.centre + item.pose[:3, 3]
        lines.append(f"{item.name}\t{properties.mass:.6g}\t{x:.6g}\t{y:.6g}\t{z:.6g}")
    losses = (lost(name, "a table of masses has neither shapes nor joints nor devices"),)
    return Exported({name: "\n".join([*lines, ""]).encode()}, losses)
