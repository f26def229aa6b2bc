"""Placing a part: which free port it goes to, by which of its own, turned and flipped; as a value."""

from dataclasses import dataclass, replace

from rck.assembly.compile import free_ports
from rck.assembly.document import Instance
from rck.assembly.edit import new_name
from rck.assembly.mates import fitting_ports
from rck.language.session import Session
from rck.language.words import quote
from rck.model.units import convert_unit, format_number


@dataclass(frozen=True, slots=True)
class Placing:
    """A part on its way into the assembly."""

    part: str
    name: str
    choices: tuple[tuple[str, tuple[str, ...]], ...]
    """The free ends that it fits, each with those of its own ports that fit there, the likeliest first."""
    target: int = 0
    port: int = 0
    turn: float = 0.0
    flip: bool = False
    offset: str = ""
    angle_unit: str = "deg"
    """The unit of angles in commands; `turn` is in degrees."""

    @property
    def end(self) -> str:
        """The end that it is to stand on."""
        return self.choices[self.target][0]

    @property
    def own_port(self) -> str:
        """Its own port."""
        return self.choices[self.target][1][self.port]

    @property
    def line(self) -> str:
        """The command that places it so."""
        words = [f"create {quote(self.part)} {self.name} --at {self.end} --by {self.own_port}"]
        if self.turn:
            words.append(f"--turn {format_number(convert_unit(self.turn, 'angle', 'deg', self.angle_unit))}")
        if self.flip:
            words.append("--flip")
        if self.offset:
            words.append(f"--offset {quote(self.offset)}")
        return " ".join(words)


def start_placing(session: Session, part: str, near: str | None) -> Placing | None:
    """All ways to place the part, beginning at the instance that is selected; None when it fits nowhere."""
    assembly = session.assembly
    body = session.compiler.pieces.body(Instance(part), assembly)
    built = session.compile()
    if built.value is None:
        return None
    ends = free_ports(built.value)
    order = list(assembly.parts)
    # The instance that is selected first, then the newest: that is where people go on building.
    ranked = sorted(ends, key=lambda end: (end.partition(".")[0] != near, -order.index(end.partition(".")[0])))
    choices = []
    for end in ranked:
        placed = ends[end]
        if placed.kind == "floor":
            continue
        ports = fitting_ports(body, placed.kind, placed.gender)
        if ports:
            choices.append((end, ports))
    if not choices:
        return None
    stem = part.rpartition("/")[2].removesuffix(".rck").replace(".", "-")
    return Placing(part, new_name(assembly, stem), tuple(choices), angle_unit=assembly.units.angle)


def next_target(placing: Placing, step: int = 1) -> Placing:
    """On another free port."""
    return replace(placing, target=(placing.target + step) % len(placing.choices), port=0)


def at_target(placing: Placing, end: str) -> Placing:
    """On the free port of that name, if it fits there."""
    for number, (choice, _) in enumerate(placing.choices):
        if choice == end:
            return replace(placing, target=number, port=0)
    return placing


def on_piece(placing: Placing, instance: str) -> Placing:
    """On the next free port of an instance, if it fits one there; else as it is."""
    count = len(placing.choices)
    for step in range(1, count + 1):
        number = (placing.target + step) % count
        if placing.choices[number][0].partition(".")[0] == instance:
            return replace(placing, target=number, port=0)
    return placing


def is_on(placing: Placing, instance: str) -> bool:
    """Whether it is to stand on that piece."""
    return placing.end.partition(".")[0] == instance


def next_port(placing: Placing, step: int = 1) -> Placing:
    """By another of its own ports."""
    return replace(placing, port=(placing.port + step) % len(placing.choices[placing.target][1]))


def turned(placing: Placing, degrees: float) -> Placing:
    """Turned further about the port's axis."""
    angle = (placing.turn + degrees) % 360
    return replace(placing, turn=angle - 360 if angle > 180 else angle)


def flipped(placing: Placing) -> Placing:
    """Upside down, or back."""
    return replace(placing, flip=not placing.flip)
