"""Placing a part or an imported instance, and copying or repeating the selection: port, orientation, command."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from rck.assembly.compiler import Compiled, free_ports
from rck.assembly.definitions import InstanceBody
from rck.assembly.document import Assembly
from rck.assembly.edits import branch, new_name
from rck.assembly.mates import fitting_ports
from rck.geometry.transforms import apply
from rck.grammar import quote
from rck.language.session import Session
from rck.model.port_fit import PortLike, port_mismatch
from rck.model.quantities import replace_wrong_units
from rck.support.units import convert_unit, extra_digits, format_number, from_si

_GAP = 0.02
"""Metres between an instance and its copy."""


@dataclass(frozen=True, slots=True)
class PartPlacement:
    """A part or an instance that is being placed: the chosen target port, its own port, and its orientation."""

    part: str
    """Empty for an instance that exists already."""
    name: str
    choices: tuple[tuple[str, tuple[str, ...]], ...]
    """The free ports that it fits (`instance.port`), each with those of its own ports that fit there, best first."""
    target: int = 0
    port: int = 0
    turn: float = 0.0
    flip: bool = False
    offset: str = ""
    angle_unit: str = "deg"
    """Angle unit of commands; `turn` is in degrees."""
    following: tuple[str, ...] = ()
    """Instances that are placed after it."""
    next_part: str = ""
    """The part that is placed after it, on it."""

    @property
    def end(self) -> str:
        """The port that it is mounted on, as `instance.port`."""
        return self.choices[self.target][0]

    @property
    def own_port(self) -> str:
        """The part's own port that is mated."""
        return self.choices[self.target][1][self.port]

    @property
    def line(self) -> str:
        """The command that places it."""
        words = [f"mate {self.end} {self.name}.{self.own_port}"]
        if self.part:
            words = [f"create {quote(self.part)} {self.name} --at {self.end} --by {self.own_port}"]
        if self.turn:
            words.append(f"--turn {format_number(convert_unit(self.turn, 'angle', 'deg', self.angle_unit))}")
        if self.flip:
            words.append("--flip")
        if self.offset:
            words.append(f"--offset {quote(self.offset)}")
        return " ".join(words)


def start_placement(session: Session, part: str, near: str | None, mount: str = "") -> PartPlacement | None:
    """Return a placement at the best free port, preferring those of the instance `near`; None if none fits.

    With `mount`, the part is mounted only by this port of its own.
    """
    choices = _choices(session, session.document.part_body(part), near)
    if mount:
        choices = tuple((end, (mount,)) for end, ports in choices if mount in ports)
    if not choices:
        return None
    stem = part.rpartition("/")[2].removesuffix(".rck").replace(".", "-")
    return PartPlacement(part, new_name(session.assembly, stem), choices, angle_unit=session.assembly.units.angle)


def start_mounting(session: Session, instances: Sequence[str], near: str | None) -> PartPlacement | None:
    """Return a placement of the first of these unattached instances that fits a free port; None if none does.

    They are not mounted on each other.
    """
    for number, name in enumerate(instances):
        choices = _choices(session, session.document.body(name), near, instances, _mounting_ports)
        if choices:
            units = session.assembly.units
            return PartPlacement("", name, choices, angle_unit=units.angle, following=tuple(instances[number + 1 :]))
    return None


def _choices(
    session: Session,
    body: InstanceBody,
    near: str | None,
    without: Collection[str] = (),
    fitting: Callable[[InstanceBody, PortLike], tuple[str, ...]] = fitting_ports,
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the free ports that a body fits, except those of some instances, each with its own ports, best first."""
    built = session.compile()
    if built.value is None:
        return ()
    ends = {end: port for end, port in free_ports(built.value).items() if end.partition(".")[0] not in without}
    order = list(session.assembly.parts)
    # The selected instance first, then the newest: people continue building there.
    ranked = sorted(ends, key=lambda end: (end.partition(".")[0] != near, -order.index(end.partition(".")[0])))
    choices = []
    for end in ranked:
        target = ends[end]
        ports = () if target.type == "floor" else fitting(body, target)
        if ports:
            choices.append((end, ports))
    return tuple(choices)


def _mounting_ports(body: InstanceBody, target: PortLike) -> tuple[str, ...]:
    """Return the ports of an imported body that fit a port: those at the holes of a plate before its `base`."""
    if len(body.robot.items) > 1:
        return fitting_ports(body, target)
    fitting = [port.name for port in body.ports.values() if not port_mismatch(target, port)]
    return tuple(sorted(fitting, key=lambda name: name == "base"))


def next_target(placing: PartPlacement, step: int = 1) -> PartPlacement:
    """Move to another free port."""
    return replace(placing, target=(placing.target + step) % len(placing.choices), port=0)


def at_target(placing: PartPlacement, end: str) -> PartPlacement:
    """Move to a free port by name; unchanged if the part does not fit there."""
    for number, (choice, _) in enumerate(placing.choices):
        if choice == end:
            return replace(placing, target=number, port=0)
    return placing


def on_instance(placing: PartPlacement, instance: str) -> PartPlacement:
    """Move to the next fitting port of an instance; unchanged if no port fits."""
    count = len(placing.choices)
    for step in range(1, count + 1):
        number = (placing.target + step) % count
        if placing.choices[number][0].partition(".")[0] == instance:
            return replace(placing, target=number, port=0)
    return placing


def is_on(placing: PartPlacement, instance: str) -> bool:
    """Return True if the target port belongs to the instance."""
    return placing.end.partition(".")[0] == instance


def next_port(placing: PartPlacement, step: int = 1) -> PartPlacement:
    """Mate another of the part's own ports."""
    return replace(placing, port=(placing.port + step) % len(placing.choices[placing.target][1]))


def rotate(placing: PartPlacement, degrees: float) -> PartPlacement:
    """Rotate about the port's axis."""
    angle = (placing.turn + degrees) % 360
    return replace(placing, turn=angle - 360 if angle > 180 else angle)


def flip(placing: PartPlacement) -> PartPlacement:
    """Turn the part upside down, or back."""
    return replace(placing, flip=not placing.flip)


def branch_roots(assembly: Assembly, instances: list[str]) -> list[str]:
    """Return the instances without those mounted on another of them: a command on a branch includes these."""
    carried = {child for name in instances for child in branch(assembly, name)[1:]}
    return [name for name in instances if name not in carried]


_ARRANGEMENTS = {
    "copy": "copy {name} --branch --by {distance},0,0",
    "mirror": "copy {name} --branch --mirror y",
    "pattern": "pattern {name} line 3 --by {distance},0,0",
}


def arrangement_line(arrangement: str, assembly: Assembly, compiled: Compiled | None, name: str) -> str:
    """Return the command that copies, mirrors or repeats a branch, next to the original."""
    return _ARRANGEMENTS[arrangement].format(name=name, distance=clear_distance(assembly, compiled, name))


def clear_distance(assembly: Assembly, compiled: Compiled | None, name: str) -> str:
    """Return how far a branch must move along x to clear itself, in the assembly's length unit, rounded up."""
    names = set(branch(assembly, name))
    width = 0.0
    if compiled is not None:
        corners = [
            apply(item.pose, subitem.shape.vertices)[:, 0]
            for item in compiled.robot.items
            if compiled.instance_of_item[item.name] in names
            for subitem in item.subitems
        ]
        width = float(np.ptp(np.concatenate(corners))) if corners else 0.0
    unit = replace_wrong_units(assembly.units).length
    # Round up to the next centimetre, or to a similar step in other units.
    digits = extra_digits("length", unit) - 1
    scale = 10.0**digits
    steps = ceil(round(from_si(width + _GAP, "length", unit) * scale, 6))
    return format_number(round(steps / scale, digits))
