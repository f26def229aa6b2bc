"""Write the items of a robot as a table: name, mass and centre of mass."""

from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Feature, Robot


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter. RCK reports the features of a robot that are not in `keeps` as lost."""
    keeps = frozenset({Feature.NAMES, Feature.MASSES})
    return [Exporter("my-plugin", "table of masses", (".masses",), write, keeps=keeps, format="a table of masses")]


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Return the bytes of every file, by path relative to the chosen folder; RCK writes them."""
    lines = ["item\tmass kg\tx m\ty m\tz m"]
    for number, item in enumerate(robot.items):
        job.progress(number / len(robot.items), item.name)
        properties = item.mass_properties
        x, y, z = item.pose[:3, :3] @ properties.centre + item.pose[:3, 3]
        lines.append(f"{item.name}\t{properties.mass:.6g}\t{x:.6g}\t{y:.6g}\t{z:.6g}")
    return Exported({name: "\n".join([*lines, ""]).encode()})
