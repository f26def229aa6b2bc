"""The diagram as a file: SVG 1.1 that needs no other program, or DOT, which Graphviz lays out."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from xml.sax.saxutils import escape

from rck.exporting import lost
from rck.hooks import Exported, Job, Values
from rck.model import Finding, JointKind, Robot
from rck_export_diagram.graph import Node, nodes_of
from rck_export_diagram.layout import BESIDE, DROP, GAP, LINE, MARGIN, Box, boxes_of, right_of

_STYLE = (
    "text{font-family:monospace;font-size:12px;fill:#222}"
    ".body{fill:#f4f6f8;stroke:#345;stroke-width:1.5}"
    ".link,.ground{stroke:#345;stroke-width:1.5;fill:none}"
    ".joint{fill:#fff;stroke:#b4460e;stroke-width:2}"
)


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The diagram in the form that the ending asks for."""
    nodes = nodes_of(robot)
    text = _svg(robot.name, nodes) if PurePath(name).suffix.lower() == ".svg" else _dot(robot.name, nodes)
    return Exported({name: text.encode()}, (_loss(name),))


def _loss(where: str) -> Finding:
    return lost(where, "a diagram tells what hangs on what, and has neither shapes nor places")


def _svg(title: str, nodes: Sequence[Node]) -> str:
    boxes = boxes_of(nodes)
    width = max((right_of(node, box) for node, box in zip(nodes, boxes, strict=True)), default=0.0) + GAP
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
        elif node.grounded:
            lines += _ground_lines(box)
    for node, box in zip(nodes, boxes, strict=True):
        lines += _box_lines(node, box)
    return "\n".join([*lines, "</svg>", ""])


def _joint_lines(node: Node, parent: Box, box: Box) -> Iterator[str]:
    """A line from box to box, with the sign of the joint above the lower one: a circle turns, a rectangle slides."""
    middle, branch = box.top - DROP / 2, box.top - DROP + 12
    yield f'<path class="link" d="M{parent.x:.1f} {parent.bottom:.1f}V{branch:.1f}H{box.x:.1f}V{box.top:.1f}"/>'
    if node.kind is JointKind.PRISMATIC:
        yield f'<rect class="joint" x="{box.x - 6:.1f}" y="{middle - 9:.1f}" width="12" height="18"/>'
    else:
        yield f'<circle class="joint" cx="{box.x:.1f}" cy="{middle:.1f}" r="8"/>'
        if node.kind is JointKind.CONTINUOUS:
            yield f'<circle class="joint" cx="{box.x:.1f}" cy="{middle:.1f}" r="4"/>'
    for number, text in enumerate(node.edge):
        yield f'<text x="{box.x + BESIDE:.1f}" y="{middle + LINE * (number - 0.1):.1f}">{escape(text)}</text>'


def _ground_lines(box: Box) -> Iterator[str]:
    """The sign of what stands fast: a line with strokes."""
    level = box.top - 14
    strokes = "".join(f"M{box.x + step:.1f} {level:.1f}l-6 -6" for step in (-12, -4, 4, 12, 20))
    yield f'<path class="ground" d="M{box.x:.1f} {box.top:.1f}V{level:.1f}M{box.x - 20:.1f} {level:.1f}h40{strokes}"/>'


def _box_lines(node: Node, box: Box) -> Iterator[str]:
    left = box.x - box.width / 2
    size = f'width="{box.width:.1f}" height="{box.height:.1f}"'
    yield f'<rect class="body" x="{left:.1f}" y="{box.top:.1f}" {size} rx="4"/>'
    for number, text in enumerate(node.lines):
        place = box.top + MARGIN + LINE * (number + 0.75)
        yield f'<text x="{left + MARGIN:.1f}" y="{place:.1f}">{escape(text)}</text>'


def _dot(title: str, nodes: Sequence[Node]) -> str:
    lines = [f"digraph {_quoted(title)} {{", "  // Written by RCK. Millimetres, degrees, kilograms."]
    lines.append('  node [shape=box, style=rounded, fontname="monospace"];')
    lines.append('  edge [fontname="monospace", arrowhead=none];')
    if any(node.grounded for node in nodes):
        lines.append('  world [shape=plaintext, label="world"];')
    for number, node in enumerate(nodes):
        lines.append(f"  body_{number} [label={_quoted(*node.lines)}];")
        if node.parent is not None:
            lines.append(f"  body_{node.parent} -> body_{number} [label={_quoted(*node.edge)}];")
        elif node.grounded:
            lines.append(f"  world -> body_{number} [style=bold];")
    return "\n".join([*lines, "}", ""])


def _quoted(*lines: str) -> str:
    """Lines of text, to the left, as DOT has them."""
    texts = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + (texts[0] if len(texts) == 1 else "".join(f"{text}\\l" for text in texts)) + '"'
