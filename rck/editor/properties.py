"""What the inspector shows of the selection: each property with the command that changes it."""

from collections.abc import Iterator
from dataclasses import dataclass

from rck.assembly.document import Mate
from rck.assembly.edit import mate_putting
from rck.editor.workbench import Selected, Workbench
from rck.language.words import quote
from rck.model import Joint
from rck.model.units import format_quantity


@dataclass(frozen=True, slots=True)
class Property:
    """One row of the inspector."""

    label: str
    value: str
    command: str = ""
    """With `{}` for the new value; empty for what cannot be changed here."""
    hint: str = ""
    """Range or unit."""

    def line(self, value: str) -> str:
        """The command that sets it."""
        return self.command.format(quote(value) if value else "default")


def title(workbench: Workbench) -> str:
    """What is selected, in a few words."""
    selection = workbench.selection
    if not selection:
        return "nothing selected"
    if len(selection) > 1:
        return f"{len(selection)} selected"
    return f"{selection[0].name}"


def properties(workbench: Workbench) -> list[Property]:
    """The rows for the selection; for none, those of the whole assembly."""
    if not workbench.selection:
        return list(_assembly(workbench))
    if len(workbench.selection) > 1:
        names = ", ".join(one.name for one in workbench.selection)
        return [Property("selected", names)]
    thing = workbench.selection[0]
    rows = {"instance": _instance, "item": _item, "joint": _joint, "port": _port, "tool": _instance}[thing.kind]
    return list(rows(workbench, thing))


def _assembly(workbench: Workbench) -> Iterator[Property]:
    assembly = workbench.assembly
    yield Property("name", assembly.name, "set assembly name={}")
    yield Property("notes", assembly.notes, "set assembly notes={}")
    compiled = workbench.built.value
    if compiled is not None and compiled.robot.items:
        mass = compiled.robot.mass_properties
        x, y, z = (1000 * mass.centre).tolist()
        yield Property("mass", f"{mass.mass:.4g} kg")
        yield Property("centre", f"{x:.1f} {y:.1f} {z:.1f} mm")
        yield Property("joints", f"{len(compiled.robot.free_joints)} free")


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
            value = instance.with_.get(parameter, spec.default)
            shown = value if isinstance(value, str) else f"{value:g}"
            hint = f"{spec.min:g} … {spec.max:g} {spec.unit}".rstrip()
            yield Property(parameter, shown, f"set {name} {parameter}={{}}", hint)
    mate = mate_putting(assembly, name)
    if mate is not None:
        yield from _mate(name, mate)
    compiled = workbench.built.value
    if compiled is not None:
        own = [item for item in compiled.robot.items if compiled.instance_of_item[item.name] == name]
        yield Property("mass", f"{sum(item.mass for item in own):.4g} kg")
    yield Property("colour", instance.colour or "", f"set {name} colour={{}}", "#rrggbb")
    yield Property("loose", "yes" if instance.loose else "no", f"set {name} loose={{}}", "yes / no")
    yield Property("notes", instance.notes, f"set {name} notes={{}}")


def _mate(name: str, mate: Mate) -> Iterator[Property]:
    yield Property("on", f"{mate.at} by {mate.put.partition('.')[2]}")
    turn = mate.turn if isinstance(mate.turn, str) else f"{mate.turn:g}"
    yield Property("turn", turn, f"set mate {name} turn={{}}", "deg")
    yield Property("flip", "yes" if mate.flip else "no", f"set mate {name} flip={{}}", "yes / no")
    offset = mate.offset
    if isinstance(offset, tuple):
        shown = ",".join(one if isinstance(one, str) else f"{one:g}" for one in offset)
    else:
        shown = offset if isinstance(offset, str) else f"{offset:g}"
    yield Property("offset", shown, f"set mate {name} offset={{}}", "mm")


def _item(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    compiled = workbench.built.value
    if compiled is None or thing.name not in compiled.robot.item_index:
        return
    item = compiled.robot.item(thing.name)
    mass = item.mass_properties
    x, y, z = (1000 * mass.centre).tolist()
    yield Property("piece", thing.instance)
    yield Property("subitems", str(len(item.subitems)))
    yield Property("mass", f"{mass.mass:.4g} kg")
    yield Property("centre", f"{x:.1f} {y:.1f} {z:.1f} mm")
    px, py, pz = (1000 * item.pose[:3, 3]).tolist()
    yield Property("at", f"{px:.1f} {py:.1f} {pz:.1f} mm")
    yield Property("mobile", "yes" if item.mobile else "no", f"set {thing.instance} loose={{}}", "yes / no")


def _joint(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    compiled = workbench.built.value
    if compiled is None or thing.name not in compiled.robot.joint_index:
        return
    joint = compiled.robot.joint(thing.name)
    command = f"set joint {joint.name}"
    unit = "deg" if joint.kind.turns else "mm"
    yield Property("kind", joint.kind.value)
    if not joint.kind.moves:
        return
    if joint.mimic is not None:
        yield Property("follows", f"{joint.mimic.joint} x {joint.mimic.ratio:g}")
    else:
        yield Property("position", _number(joint, joint.position), command + " position={}", unit)
    limits = ""
    if joint.limits is not None:
        limits = f"{_number(joint, joint.limits.lower)}..{_number(joint, joint.limits.upper)}"
    yield Property("limits", limits, command + " limits={}", unit)
    speed = ("angular speed", "rpm") if joint.kind.turns else ("speed", "mm/s")
    shown = "" if joint.speed is None else format_quantity(joint.speed, *speed, 4).split()[0]
    yield Property("speed", shown, command + " speed={}", speed[1])
    effort = ("torque", "N m") if joint.kind.turns else ("force", "N")
    shown = "" if joint.effort is None else format_quantity(joint.effort, *effort, 4).split()[0]
    yield Property(effort[0], shown, f"{command} {effort[0]}={{}}", effort[1])


def _number(joint: Joint, value: float) -> str:
    text = format_quantity(value, "angle", "deg", 6) if joint.kind.turns else format_quantity(value, "length", "mm", 6)
    return text.split()[0]


def _port(workbench: Workbench, thing: Selected) -> Iterator[Property]:
    compiled = workbench.built.value
    if compiled is None or thing.name not in compiled.ports:
        return
    port = compiled.ports[thing.name]
    yield Property("kind", port.kind + (f" {port.gender}" if port.gender else ""))
    if port.mate is None:
        yield Property("state", "free")
    else:
        mate = workbench.assembly.mates[port.mate]
        yield Property("mated", mate.put if mate.at == port.end else mate.at)
    x, y, z = (1000 * port.world_pose(compiled.robot)[:3, 3]).tolist()
    yield Property("at", f"{x:.1f} {y:.1f} {z:.1f} mm")
