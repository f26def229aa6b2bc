"""Drawings of port types: the holes, pilot and pin of an interface, as text and as SVG."""

from math import cos, hypot, pi, sin

from rck.model.interface import Interface
from rck.model.port_fit import describe_interface, describe_turns, fitting_turns
from rck.parts.port_types import PortTypes
from rck.support.finding import RckError
from rck.support.names import did_you_mean

_COLUMNS, _ROWS = 49, 21
"""Size of a text drawing; the cells of a terminal are about twice as high as wide."""
_PIXELS = 320
"""Width and height of an SVG drawing."""
_STYLE = (
    "text{font-family:monospace;font-size:12px;fill:#222}.clear{fill:#fff;stroke:#345;stroke-width:1.5}"
    ".thread{fill:#345}.pilot{fill:none;stroke:#b4460e;stroke-width:1.5}.pin{fill:#b4460e}"
    ".axis{stroke:#9ab;stroke-width:1;stroke-dasharray:4 3}"
)


def port_type_lines(types: PortTypes, name: str) -> list[str]:
    """Return the description of a port type: summary, geometry of both sides, turns, drawing and sources."""
    found = types.find(name)
    if found is None:
        hint = did_you_mean(name, types.names)
        raise RckError(f"unknown port type {name!r}{hint}; `rck parts port-types` lists them")
    spec = found[0]
    lines = [f"{name}  {spec.summary}"]
    lines += [f"{side}: {who}" for side, who in (("male", spec.male), ("female", spec.female)) if who]
    male, female = types.interface(name, "male"), types.interface(name, "female")
    if male is None or female is None:
        lines.append("the geometry is not published")
    else:
        lines.append(f"male geometry: {describe_interface(male)}")
        lines.append(f"female geometry: {describe_interface(female)}")
        turns = fitting_turns(male, female)
        lines += [f"fits with {describe_turns(turns)}"] if turns else []
        lines += [f"load: {', '.join(spec.load)}"] if spec.load else []
        lines += draw_text(male)
    lines += [f"note: {spec.notes}"] if spec.notes else []
    return [*lines, *(f"source: {source}" for source in spec.sources)]


def _reach(interface: Interface) -> float:
    """Return the largest distance of a drawn point from the centre, in metres."""
    ends = [
        hypot(x, y) + holes.diameter / 2 + hypot(*holes.slot) / 2 for holes in interface.holes for x, y in holes.centres
    ]
    if interface.pilot is not None:
        ends.append(interface.pilot.diameter / 2)
    if interface.pin is not None:
        ends.append(hypot(*interface.pin.centre) + interface.pin.diameter / 2)
    if interface.shaft is not None and interface.shaft.diameter is not None:
        ends.append(interface.shaft.diameter / 2)
    return max(ends, default=0.0)


def draw_text(interface: Interface) -> list[str]:
    """Return a drawing in characters: `o` clear holes, `●` threads, `·` pilot or shaft, `+` pin; x points right."""
    reach = _reach(interface)
    if reach == 0:
        return []
    cells = [[" "] * _COLUMNS for _ in range(_ROWS)]

    def put(x: float, y: float, sign: str) -> None:
        column = round((x / reach + 1) / 2 * (_COLUMNS - 1))
        row = round((1 - y / reach) / 2 * (_ROWS - 1))
        cells[row][column] = sign

    rounds = [interface.pilot.diameter] if interface.pilot is not None else []
    if interface.shaft is not None and interface.shaft.diameter is not None:
        rounds.append(interface.shaft.diameter)
    for diameter in rounds:
        for number in range(96):
            angle = 2 * pi * number / 96
            put(diameter / 2 * cos(angle), diameter / 2 * sin(angle), "·")
    for holes in interface.holes:
        for x, y in holes.centres:
            put(x, y, "●" if holes.thread else "o")
    if interface.pin is not None:
        put(*interface.pin.centre, "+")
    rows = ["".join(row).rstrip() for row in cells]
    drawn = [number for number, row in enumerate(rows) if row]
    return rows[drawn[0] : drawn[-1] + 1]


def draw_svg(name: str, interface: Interface) -> str:
    """Return a drawing of an interface to scale, seen from outside the part: x points right and y up."""
    reach = _reach(interface) * 1.15 or 1.0
    middle = _PIXELS / 2

    def at(x: float, y: float) -> str:
        return f'cx="{middle + x / reach * middle:.2f}" cy="{middle - y / reach * middle:.2f}"'

    def circle(kind: str, x: float, y: float, diameter: float) -> str:
        return f'<circle class="{kind}" {at(x, y)} r="{diameter / 2 / reach * middle:.2f}"/>'

    parts = [
        f'<line class="axis" x1="0" y1="{middle}" x2="{_PIXELS}" y2="{middle}"/>',
        f'<line class="axis" x1="{middle}" y1="0" x2="{middle}" y2="{_PIXELS}"/>',
    ]
    if interface.pilot is not None:
        parts.append(circle("pilot", 0, 0, interface.pilot.diameter))
    if interface.shaft is not None and interface.shaft.diameter is not None:
        parts.append(circle("pilot", 0, 0, interface.shaft.diameter))
    for holes in interface.holes:
        kind = "thread" if holes.thread else "clear"
        for x, y in holes.centres:
            dx, dy = (part / 2 for part in holes.slot)
            ends = ((x - dx, y - dy), (x + dx, y + dy)) if dx or dy else ((x, y),)
            parts += [circle(kind, *end, holes.diameter) for end in ends]
    if interface.pin is not None:
        parts.append(circle("pin", *interface.pin.centre, interface.pin.diameter))
    height = _PIXELS + 40
    text = describe_interface(interface).replace("&", "&amp;").replace("<", "&lt;")
    label = name.replace("&", "&amp;").replace("<", "&lt;")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_PIXELS}" height="{height}"'
        f' viewBox="0 0 {_PIXELS} {height}"><style>{_STYLE}</style>{"".join(parts)}'
        f'<text x="8" y="{_PIXELS + 14}">{label}</text><text x="8" y="{_PIXELS + 30}">{text}</text></svg>\n'
    )
