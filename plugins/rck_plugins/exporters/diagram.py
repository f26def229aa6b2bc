"""Exporter of kinematic diagrams, as SVG 1.1 or as DOT for Graphviz: a box per rigid body, a line per moving joint."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import degrees
from pathlib import PurePath

from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Feature, Joint, JointKind, Robot
from rck.model.features import DEVICE_KINDS

MOST_NAMES = 6
"""The largest number of item names in a box; the others are counted."""

LETTER = 7.2
"""Width of a letter, in pixels; few letters of the font are wider."""
LINE = 16.0
"""Height of a line of text, in pixels."""
MARGIN = 8.0
"""Between the border of a box and its text, in pixels."""
GAP = 24.0
"""Between neighbouring boxes, in pixels."""
DROP = 76.0
"""Between rows, where the joints are drawn, in pixels."""
LABEL_OFFSET = 14.0
"""From the centre of a joint symbol to its label, in pixels."""

_LETTERS = {JointKind.REVOLUTE: "R", JointKind.CONTINUOUS: "C", JointKind.PRISMATIC: "P"}
_STYLE = (
    "text{font-family:monospace;font-size:12px;fill:#222}"
    ".body{fill:#f4f6f8;stroke:#345;stroke-width:1.5}"
    ".link,.ground{stroke:#345;stroke-width:1.5;fill:none}"
    ".joint{fill:#fff;stroke:#b4460e;stroke-width:2}"
)
_KEEPS = frozenset({
    Feature.NAMES, Feature.MASSES, Feature.JOINTS, Feature.JOINT_LIMITS, Feature.MIMIC, Feature.MOBILE_ITEMS,
    Feature.FRAMES, Feature.DEVICES, *DEVICE_KINDS,
})  # fmt: skip


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of kinematic diagrams."""
    summary = "kinematic diagram: SVG, or DOT for Graphviz"
    return [Exporter("diagram", summary, (".svg", ".dot", ".gv"), write, keeps=_KEEPS, format="a diagram")]


@dataclass(frozen=True, slots=True)
class Node:
    """A rigid body: items that never move relative to each other."""

    lines: tuple[str, ...]
    """The names of its items, its mass, its frames and devices."""
    parent: int | None
    """The number of the body that carries it; None for a root."""
    label: tuple[str, ...]
    """The label of the joint to its parent: name, kind and limits."""
    kind: JointKind
    """The kind of the joint to its parent; fixed for a root."""
    is_grounded: bool
    """True for a root that is fixed to the world."""


@dataclass(frozen=True, slots=True)
class DiagramBox:
    """The box of a body, in pixels, with y pointing down."""

    x: float
    """Horizontal centre."""
    top: float
    width: float
    height: float

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the diagram in the format of the file name extension."""
    nodes = find_nodes(robot)
    text = _svg(robot.name, nodes) if PurePath(name).suffix.lower() == ".svg" else _dot(robot.name, nodes)
    return Exported({name: text.encode()})


def find_nodes(robot: Robot) -> list[Node]:
    """Return the bodies, each after the one that carries it."""
    tree = robot.tree
    labels: list[list[str]] = [[] for _ in tree.rigid_groups]
    for frame in robot.frames:
        labels[tree.group_of_item[robot.item_index[frame.item]]].append(f"frame {frame.name}")
    for device in robot.devices:
        labels[tree.group_of_item[robot.item_index[device.item]]].append(f"{device.kind.value} {device.name}")
    nodes = []
    for number, group in enumerate(tree.rigid_groups):
        names = [robot.items[item].name for item in group.items]
        mass = sum(robot.items[item].mass for item in group.items)
        shown = [*names[:MOST_NAMES], *([f"and {len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])]
        joint = None if group.joint is None else robot.joints[group.joint]
        parent = None if joint is None else tree.group_of_item[robot.item_index[joint.base]]
        nodes.append(
            Node(
                (*shown, f"{mass:.4g} kg", *labels[number]),
                parent,
                () if joint is None else _joint_label(joint),
                JointKind.FIXED if joint is None else joint.kind,
                joint is None and not robot.items[group.items[0]].mobile,
            )
        )
    return nodes


def _joint_label(joint: Joint) -> tuple[str, ...]:
    lines = [f"{_LETTERS[joint.kind]} {joint.name}"]
    if joint.limits is not None:
        scale, unit = (degrees(1.0), "deg") if joint.kind.turns else (1000.0, "mm")
        lines.append(f"{scale * joint.limits.lower:.4g} to {scale * joint.limits.upper:.4g} {unit}")
    if joint.mimic is not None:
        lines.append(f"follows {joint.mimic.joint}")
    return tuple(lines)


def lay_out(nodes: Sequence[Node]) -> list[DiagramBox]:
    """Return the box of each body: a row per level of the tree, parents centred above their children."""
    depth: list[int] = []
    children: list[list[int]] = [[] for _ in nodes]
    for number, node in enumerate(nodes):
        depth.append(0 if node.parent is None else depth[node.parent] + 1)
        if node.parent is not None:
            children[node.parent].append(number)
    widths = [2 * MARGIN + LETTER * max(map(len, node.lines)) for node in nodes]
    # The label of a joint starts right of the centre of the box below it.
    needed = [max(width, 2 * _label_end(node)) for width, node in zip(widths, nodes, strict=True)]
    heights = [2 * MARGIN + LINE * len(node.lines) for node in nodes]
    rows = [
        max(h for h, d in zip(heights, depth, strict=True) if d == row) for row in range(max(depth, default=-1) + 1)
    ]
    tops = [GAP + DROP / 2 + sum(rows[:row]) + row * DROP for row in range(len(rows))]
    spans = _spans(children, needed)
    centres = [0.0] * len(nodes)
    left = GAP
    for number, node in enumerate(nodes):
        if node.parent is None:
            _set_centres(number, left, children, spans, centres)
            left += spans[number] + GAP
    return [DiagramBox(centres[n], tops[depth[n]], widths[n], heights[n]) for n in range(len(nodes))]


def right_edge(node: Node, box: DiagramBox) -> float:
    """Return the right edge of a body, including the label of its joint."""
    return box.x + max(box.width / 2, _label_end(node))


def _label_end(node: Node) -> float:
    """Return the distance from the centre of a box to the end of the label of its joint."""
    return LABEL_OFFSET + LETTER * max(map(len, node.label), default=0) if node.label else 0.0


def _spans(children: Sequence[Sequence[int]], widths: Sequence[float]) -> list[float]:
    """Return the width of the subtree of each body; a body comes before its children."""
    spans = list(widths)
    for number in reversed(range(len(widths))):
        below = [spans[child] for child in children[number]]
        if below:
            spans[number] = max(widths[number], sum(below) + GAP * (len(below) - 1))
    return spans


def _set_centres(
    root: int, left: float, children: Sequence[Sequence[int]], spans: Sequence[float], centres: list[float]
) -> None:
    """Set the centres of a body and of its subtree, which begins at `left`."""
    waiting = [(root, left)]
    while waiting:
        number, start = waiting.pop()
        centres[number] = start + spans[number] / 2
        below = children[number]
        start += (spans[number] - sum(spans[child] for child in below) - GAP * (len(below) - 1)) / 2 if below else 0.0
        for child in below:
            waiting.append((child, start))
            start += spans[child] + GAP


def _svg(title: str, nodes: Sequence[Node]) -> str:
    boxes = lay_out(nodes)
    width = max((right_edge(node, box) for node, box in zip(nodes, boxes, strict=True)), default=0.0) + GAP
    height = max((box.bottom for box in boxes), default=0.0) + GAP
    size = f'width="{width:.0f}" height="{height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for node, box in zip(nodes, boxes, strict=True):
        if node.parent is not None:
            lines += _joint_lines(node, boxes[node.parent], box)
        elif node.is_grounded:
            lines += _ground_lines(box)
    for node, box in zip(nodes, boxes, strict=True):
        lines += _box_lines(node, box)
    return "\n".join([*lines, "</svg>", ""])


def _joint_lines(node: Node, parent: DiagramBox, box: DiagramBox) -> Iterator[str]:
    """Draw a line between two boxes with the symbol of the joint: circle for rotation, rectangle for translation."""
    middle, branch = box.top - DROP / 2, box.top - DROP + 12
    yield f'<path class="link" d="M{parent.x:.1f} {parent.bottom:.1f}V{branch:.1f}H{box.x:.1f}V{box.top:.1f}"/>'
    if node.kind is JointKind.PRISMATIC:
        yield f'<rect class="joint" x="{box.x - 6:.1f}" y="{middle - 9:.1f}" width="12" height="18"/>'
    else:
        yield f'<circle class="joint" cx="{box.x:.1f}" cy="{middle:.1f}" r="8"/>'
        if node.kind is JointKind.CONTINUOUS:
            yield f'<circle class="joint" cx="{box.x:.1f}" cy="{middle:.1f}" r="4"/>'
    for number, text in enumerate(node.label):
        yield f'<text x="{box.x + LABEL_OFFSET:.1f}" y="{middle + LINE * (number - 0.1):.1f}">{escape(text)}</text>'


def _ground_lines(box: DiagramBox) -> Iterator[str]:
    """Draw the ground symbol above a box: a hatched line."""
    level = box.top - 14
    strokes = "".join(f"M{box.x + step:.1f} {level:.1f}l-6 -6" for step in (-12, -4, 4, 12, 20))
    yield f'<path class="ground" d="M{box.x:.1f} {box.top:.1f}V{level:.1f}M{box.x - 20:.1f} {level:.1f}h40{strokes}"/>'


def _box_lines(node: Node, box: DiagramBox) -> Iterator[str]:
    left = box.x - box.width / 2
    size = f'width="{box.width:.1f}" height="{box.height:.1f}"'
    yield f'<rect class="body" x="{left:.1f}" y="{box.top:.1f}" {size} rx="4"/>'
    for number, text in enumerate(node.lines):
        baseline = box.top + MARGIN + LINE * (number + 0.75)
        yield f'<text x="{left + MARGIN:.1f}" y="{baseline:.1f}">{escape(text)}</text>'


def _dot(title: str, nodes: Sequence[Node]) -> str:
    lines = [f"digraph {_quote(title)} {{", "  // Written by RCK. Millimetres, degrees, kilograms."]
    lines.append('  node [shape=box, style=rounded, fontname="monospace"];')
    lines.append('  edge [fontname="monospace", arrowhead=none];')
    if any(node.is_grounded for node in nodes):
        lines.append('  world [shape=plaintext, label="world"];')
    for number, node in enumerate(nodes):
        lines.append(f"  body_{number} [label={_quote(*node.lines)}];")
        if node.parent is not None:
            lines.append(f"  body_{node.parent} -> body_{number} [label={_quote(*node.label)}];")
        elif node.is_grounded:
            lines.append(f"  world -> body_{number} [style=bold];")
    return "\n".join([*lines, "}", ""])


def _quote(*lines: str) -> str:
    """Return lines of text as a DOT string, left-aligned."""
    texts = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + (texts[0] if len(texts) == 1 else "".join(f"{text}\\l" for text in texts)) + '"'
