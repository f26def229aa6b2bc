"""The rows of the inspector: the properties of the selection, each with the command that changes it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rck.assembly.document import Mate
from rck.assembly.edits import mate_putting
from rck.editor.widgets.robot_figures import MAX_JOINTS
from rck.editor.workbench import Selected, Workbench
from rck.grammar import quote
from rck.kinematics.loads import static_efforts, worst_loads
from rck.language.basic_shapes import basic_sizes, size_texts
from rck.model import Joint, Robot
from rck.model.quantities import Quantity, Triple, Units, replace_wrong_units
from rck.parts.part import bare_unit
from rck.support.units import convert_unit, format_number, format_quantity, round_in_unit, rounded


@dataclass(frozen=True, slots=True)
class Property:
    """A row of the inspector."""

    label: str
    value: str
    command: str = ""
    """The command with `{}` for the new value; empty if the property is read-only."""
    hint: str = ""
    """Range or unit."""
    choices: tuple[str, ...] = ()
    """The possible values, if there are only a few."""

    def line(self, value: str) -> str:
        """Return the command that sets the value."""
        return self.command.replace("{}", quote(value) if value else "default")


_YES_NO = ("yes", "no")
_DIGITS = 6
"""Decimals of positions in millimetres and degrees; other units get the same resolution."""


def title(workbench: Workbench) -> str:
    """Return the name of the selection."""
    selection = workbench.selection
    if not selection:
        return workbench.assembly.name
    if len(selection) > 1:
        return f"{len(selection)} selected"
    only = selection[0]
    return f"{only.kind} {only.name}" if only.kind in ("mate", "tool") else only.name


def properties(workbench: Workbench) -> list[Property]:
    """Return the rows for the selection; without one, those of the assembly."""
    if not workbench.selection:
        return list(_assembly(workbench))
    if len(workbench.selection) > 1:
        return list(_several(workbench))
    thing = workbench.selection[0]
    return list(_ROWS[thing.kind](workbench, thing))


def shown_position(joint: Joint, value: float, units: Units) -> str:
    """Format a joint position in the units of the assembly, as commands take it."""
    return format_number(round_in_unit(value, *units.position_unit(joint.kind.turns), digits=_DIGITS))


def _assembly(workbench: Workbench) -> Iterator[Property]:
    assembly = workbench.assembly
    yield Property("name", assembly.name, "set assembly name={}")
    yield Property("notes", assembly.notes, "set assembly notes={}")
    yield Property("units", f"{assembly.units.length}, {assembly.units.angle}")
    compiled = workbench.built.value
    if compiled is not None and compiled.robot.items:
        mass, centre = _mass_and_centre(compiled.robot)
        yield Property("instances", str(len(assembly.parts)))
        yield Property("mass", f"{mass:.4g} kg")
        yield Property("centre", _point(centre))
        yield Property("joints", f"{len(compiled.robot.free_joints)} free")


def _several(workbench: Workbench) -> Iterator[Property]:
    names = workbench.selected_instances
    yield Property("selected", ", ".join(thing.name for thing in workbench.selection))
    compiled = workbench.built.value
    if compiled is not None:
        items = [item for item in compiled.robot.items if compiled.instance_of_item[item.name] in names]
        yield Property("mass", f"{sum(item.mass for item in items):.4g} kg")


def _instance(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    assembly = workbench.assembly
    name = thing.instance
    instance = assembly.parts[name]
    yield Property("name", name, f"rename {name} {{}}")
    yield Property("part", instance.part, f"replace {name} {{}}")
    entry = workbench.session.catalogue.entries.get(instance.part)
    if entry is not None and entry.parameters:
        file = workbench.session.catalogue.file(instance.part)
        for parameter, spec in file.parameters.items():
            dimension, unit = bare_unit(spec, replace_wrong_units(assembly.units))
            default, low, high = (
                convert_unit(value, dimension, spec.unit, unit) for value in (spec.default, spec.min, spec.max)
            )
            hint = f"{low:g} … {high:g} {unit}".rstrip()
            current = _plain(instance.with_.get(parameter, default))
            yield Property(parameter, current, f"set {name} {parameter}={{}}", hint)
    local = assembly.local_parts.get(instance.part)
    basic = None if local is None else basic_sizes(local)
    if basic is not None:
        for size, text in size_texts(*basic):
            yield Property(size, text, f"set {name} {size}={{}}", assembly.units.length)
    mate = mate_putting(assembly, name)
    if mate is not None:
        yield from _mate_rows(name, mate, assembly.units)
    compiled = workbench.built.value
    if compiled is not None:
        items = [item for item in compiled.robot.items if compiled.instance_of_item[item.name] == name]
        yield Property("mass", f"{sum(item.mass for item in items):.4g} kg")
        yield from _overlaps(workbench, {item.name for item in items})
    yield Property("colour", instance.colour or "", f"set {name} colour={{}}", "#rrggbb")
    yield Property("loose", _yes(instance.loose), f"set {name} loose={{}}", "yes / no", _YES_NO)
    yield Property("notes", instance.notes, f"set {name} notes={{}}")


def _overlaps(workbench: Workbench, items: set[str]) -> Iterator[Property]:
    """List the items that overlap these, with the depth."""
    if workbench.checks is not None:
        for other, depth in workbench.checks.overlaps_of(items):
            yield Property("overlaps", f"{other} {1000 * depth:.1f} mm deep")


def _mate(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    mate = mate_putting(workbench.assembly, thing.instance)
    if mate is not None:
        yield from _mate_rows(thing.instance, mate, workbench.assembly.units)
        yield Property("rpy", _triple(mate.rpy), f"set mate {thing.instance} rpy={{}}", workbench.assembly.units.angle)
        yield Property("force", _yes(mate.force), f"set mate {thing.instance} force={{}}", "yes / no", _YES_NO)
        kinds = ("revolute", "continuous", "prismatic", "fixed")
        kind = mate.joint and next((kind for kind in kinds if getattr(mate.joint, kind)), "")
        yield Property("joint", kind or "rigid")


def _mate_rows(name: str, mate: Mate, units: Units) -> Iterator[Property]:
    yield Property("mate", f"{mate.at} by {mate.put.partition('.')[2]}")
    yield Property("turn", _plain(mate.turn), f"set mate {name} turn={{}}", units.angle)
    yield Property("flip", _yes(mate.flip), f"set mate {name} flip={{}}", "yes / no", _YES_NO)
    shown = _triple(mate.offset) if isinstance(mate.offset, tuple) else _plain(mate.offset)
    yield Property("offset", shown, f"set mate {name} offset={{}}", units.length)


def _tool(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    tool = workbench.assembly.tools.get(thing.name)
    if tool is None:
        return
    units = workbench.assembly.units
    yield Property("on", tool.on, f"set tool {thing.name} on={{}}")
    yield Property("offset", _triple(tool.offset), f"set tool {thing.name} offset={{}}", units.length)
    yield Property("rpy", _triple(tool.rpy), f"set tool {thing.name} rpy={{}}", units.angle)
    compiled = workbench.built.value
    frame = next((frame for frame in compiled.robot.frames if frame.name == thing.name), None) if compiled else None
    if compiled is not None and frame is not None:
        yield Property("at", _point((compiled.robot.item(frame.item).pose @ frame.pose)[:3, 3].tolist()))


def _item(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    compiled = workbench.built.value
    if compiled is None or thing.name not in compiled.robot.item_index:
        return
    item = compiled.robot.item(thing.name)
    mass = item.mass_properties
    yield Property("instance", thing.instance)
    yield from _overlaps(workbench, {thing.name})
    yield Property("subitems", str(len(item.subitems)))
    yield Property("mass", f"{mass.mass:.4g} kg")
    yield Property("centre", _point(mass.centre.tolist()))
    yield Property("at", _point(item.pose[:3, 3].tolist()))
    yield Property("mobile", _yes(item.mobile), f"set {thing.instance} loose={{}}", "yes / no", _YES_NO)


def _subitem(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    compiled = workbench.built.value
    item_name, _, number = thing.name.partition("#")
    if compiled is None or item_name not in compiled.robot.item_index:
        return
    subitems = compiled.robot.item(item_name).subitems
    if int(number) >= len(subitems):
        return
    subitem = subitems[int(number)]
    yield Property("item", item_name)
    yield Property("faces", str(len(subitem.shape.face_offsets) - 1))
    yield Property("vertices", str(len(subitem.shape.vertices)))
    yield Property("volume", f"{1e6 * subitem.shape.volume:.4g} cm³")
    yield Property("density", f"{subitem.density:.4g} kg/m³")
    yield Property("mass", f"{subitem.mass:.4g} kg")


def _joint(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    compiled = workbench.built.value
    if compiled is None or thing.name not in compiled.robot.joint_index:
        return
    joint = compiled.robot.joint(thing.name)
    units = workbench.assembly.units
    command = f"set joint {joint.name}"
    _, unit = units.position_unit(joint.kind.turns)
    yield Property("kind", joint.kind.value)
    if not joint.kind.moves:
        return
    if joint.mimic is not None:
        yield Property("follows", f"{joint.mimic.joint} x {joint.mimic.ratio:g}")
    else:
        yield Property("position", shown_position(joint, joint.position, units), command + " position={}", unit)
    limits = ""
    if joint.limits is not None:
        ends = (shown_position(joint, end, units) for end in (joint.limits.lower, joint.limits.upper))
        limits = "..".join(ends)
    yield Property("limits", limits, command + " limits={}", unit)
    speed = ("angular speed", units.angular_speed) if joint.kind.turns else ("speed", units.speed)
    yield Property("speed", _in_unit(joint.speed, *speed), command + " speed={}", speed[1])
    effort = ("torque", units.torque) if joint.kind.turns else ("force", units.force)
    yield Property(effort[0], _in_unit(joint.effort, *effort), f"{command} {effort[0]}={{}}", effort[1])
    if joint.mimic is None and len(compiled.robot.free_joints) <= MAX_JOINTS:
        load = abs(static_efforts(compiled.robot)[joint.name])
        share = f"  {load / joint.effort:.0%}" if joint.effort else ""
        yield Property("load", f"{_in_unit(load, *effort)} {effort[1]}{share}")
        (worst,) = worst_loads(compiled.robot, joints=[joint.name])
        share = "" if worst.share is None else f"  {worst.share:.0%}{' overloaded' if worst.too_much else ''}"
        yield Property("max load", f"{_in_unit(worst.effort, *effort)} {effort[1]}{share}")


def _port(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    compiled = workbench.built.value
    if compiled is None or thing.name not in compiled.ports:
        return
    port = compiled.ports[thing.name]
    yield Property("kind", port.type + (f" {port.gender}" if port.gender else ""))
    if port.mate is None:
        yield Property("state", "free")
    else:
        mate = workbench.assembly.mates[port.mate]
        yield Property("mated", mate.put if mate.at == port.end else mate.at)
    yield Property("at", _point(port.world_pose(compiled.robot)[:3, 3].tolist()))


_ROWS = {
    "instance": _instance,
    "item": _item,
    "subitem": _subitem,
    "joint": _joint,
    "port": _port,
    "mate": _mate,
    "tool": _tool,
}


def _mass_and_centre(robot: Robot) -> tuple[float, list[float]]:
    """Return the mass in kg and the centre of mass in metres, without computing the inertia, which is slow."""
    masses = np.array([item.mass for item in robot.items])
    poses = np.array([item.pose for item in robot.items])
    centres = np.array([item.mass_properties.centre for item in robot.items])
    world_centres = np.einsum("nij,nj->ni", poses[:, :3, :3], centres) + poses[:, :3, 3]
    total = float(masses.sum())
    return total, (masses @ world_centres / total).tolist() if total else world_centres.mean(axis=0).tolist()


def _plain(value: Quantity) -> str:
    return value if isinstance(value, str) else format_number(value)


def _triple(values: Triple | None) -> str:
    return "" if values is None else ",".join(map(_plain, values))


def _in_unit(value: float | None, dimension: str, unit: str) -> str:
    return "" if value is None else format_quantity(value, dimension, unit, 4).removesuffix(unit).rstrip()


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _point(metres: list[float]) -> str:
    x, y, z = (rounded(1000 * value, 1) for value in metres)
    return f"{x:.1f} {y:.1f} {z:.1f} mm"
