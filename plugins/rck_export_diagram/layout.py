"""Where boxes stand: a row for every generation, parents over the middle of what they carry."""

from collections.abc import Sequence
from dataclasses import dataclass

from rck_export_diagram.graph import Node

LETTER = 7.2
"""Width of a letter, in pixels, which no letter of the font exceeds by much."""
LINE = 16.0
"""Height of a line of text, in pixels."""
MARGIN = 8.0
GAP = 24.0
"""Between boxes beside each other, in pixels."""
DROP = 76.0
"""Between rows, in pixels, where the joints are drawn."""
BESIDE = 14.0
"""From the middle of a joint to what is written at it, in pixels."""


@dataclass(frozen=True, slots=True)
class Box:
    """The box of a body, in pixels, y downward."""

    x: float
    """Of its middle."""
    top: float
    width: float
    height: float

    @property
    def bottom(self) -> float:
        """Where what it carries begins."""
        return self.top + self.height


def boxes_of(nodes: Sequence[Node]) -> list[Box]:
    """A box for each body."""
    depth: list[int] = []
    children: list[list[int]] = [[] for _ in nodes]
    for number, node in enumerate(nodes):
        depth.append(0 if node.parent is None else depth[node.parent] + 1)
        if node.parent is not None:
            children[node.parent].append(number)
    widths = [2 * MARGIN + LETTER * max(map(len, node.lines)) for node in nodes]
    # What is written at a joint begins beside the middle of the box below it.
    needed = [max(width, 2 * _reach(node)) for width, node in zip(widths, nodes, strict=True)]
    heights = [2 * MARGIN + LINE * len(node.lines) for node in nodes]
    rows = [
        max(h for h, d in zip(heights, depth, strict=True) if d == row) for row in range(max(depth, default=-1) + 1)
    ]
    tops = [GAP + DROP / 2 + sum(rows[:row]) + row * DROP for row in range(len(rows))]
    spans = _spans(children, needed)
    middles = [0.0] * len(nodes)
    left = GAP
    for number, node in enumerate(nodes):
        if node.parent is None:
            _place(number, left, children, spans, middles)
            left += spans[number] + GAP
    return [Box(middles[n], tops[depth[n]], widths[n], heights[n]) for n in range(len(nodes))]


def right_of(node: Node, box: Box) -> float:
    """Where a body ends on the right, with what is written at its joint."""
    return box.x + max(box.width / 2, _reach(node))


def _reach(node: Node) -> float:
    return BESIDE + LETTER * max(map(len, node.edge), default=0) if node.edge else 0.0


def _spans(children: Sequence[Sequence[int]], widths: Sequence[float]) -> list[float]:
    """How wide each body is with all that it carries; a body comes before what it carries."""
    spans = list(widths)
    for number in reversed(range(len(widths))):
        below = [spans[child] for child in children[number]]
        if below:
            spans[number] = max(widths[number], sum(below) + GAP * (len(below) - 1))
    return spans


def _place(
    root: int, left: float, children: Sequence[Sequence[int]], spans: Sequence[float], middles: list[float]
) -> None:
    """Set the middles of a body and of all that it carries, between `left` and `left` plus its span."""
    waiting = [(root, left)]
    while waiting:
        number, start = waiting.pop()
        middles[number] = start + spans[number] / 2
        below = children[number]
        start += (spans[number] - sum(spans[child] for child in below) - GAP * (len(below) - 1)) / 2 if below else 0.0
        for child in below:
            waiting.append((child, start))
            start += spans[child] + GAP
