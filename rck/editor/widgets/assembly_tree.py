"""The assembly: its instances in the order in which they stand on each other, with items, joints and ports inside."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from rck.assembly.compile import Compiled
from rck.assembly.document import Assembly
from rck.assembly.edit import mate_putting
from rck.assembly.ends import parse_end
from rck.editor.widgets.quick_tree import QuickTree
from rck.editor.workbench import Selected, Workbench
from rck.model import Item, Joint, RckError
from rck.model.units import format_quantity

Label = tuple[str, str, str]
"""A sign, a name, and a remark."""


class AssemblyTree(QuickTree[Selected]):
    """Selects what is in the assembly."""

    BORDER_TITLE = "Assembly"
    HELP = """
# Assembly

The instances, each after what it stands on, and the tools. **Right** or **Enter** opens one: its mate (⊢), items (•)
with their subitems (▫), joints (↻ ↕) and ports (◇ free, ◆ taken). What the cursor is on is selected everywhere;
**space** selects several. **c** copies, **x** replaces, **delete** removes, **m** mirrors, **p** makes a pattern,
**r** renames.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "toggle_selection", "Select several", show=True, id="select-several"),
        Binding("enter", "select_cursor", "Open", show=False),
    ]

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__("assembly", **options)
        self._workbench = workbench
        self._marking = False
        """Whether things have been marked: then the cursor moves without selecting."""
        self._shown: tuple[Selected, ...] = ()
        self._top: dict[Selected, TreeNode[Selected]] = {}
        """The lines of instances and tools."""
        self._order: object = None
        self._following = False

    def on_mount(self) -> None:
        """Show what there is."""
        self.root.expand()
        self.rebuild()

    def rebuild(self) -> None:
        """Show the assembly as it is now; what was open stays open, and nothing moves that need not."""
        assembly = self._workbench.assembly
        compiled = self._workbench.built.value
        mass = "" if compiled is None else f"{sum(item.mass for item in compiled.robot.items):.3g} kg"
        self.root.set_label(Text.assemble((assembly.name, "bold"), " ", (mass, "dim")))
        order = _what_the_order_is_made_of(assembly)
        if order != self._order:
            self._order = order
            rows = _top_rows(assembly)
            self.border_subtitle = "" if rows else "empty: choose a part"
            _follow_rows(self.root, rows)
            self._top = {node.data: node for node in self.root.children if node.data is not None}
        for node in self.root.children:
            if node.is_expanded:
                self._fill(node)
        self.follow()

    def _fill(self, node: TreeNode[Selected]) -> None:
        """Show what is in an instance, or in an item."""
        thing, compiled = node.data, self._workbench.built.value
        if thing is None or compiled is None:
            return
        if thing.kind == "instance":
            _follow_rows(node, dict(_rows_of_instance(self._workbench.assembly, compiled, thing.name)))
            for child in node.children:
                if child.is_expanded:
                    self._fill(child)
        elif thing.kind == "item" and thing.name in compiled.robot.item_index:
            _follow_rows(node, dict(_rows_of_item(compiled.robot.item(thing.name))))

    @on(Tree.NodeExpanded)
    def _expanded(self, event: Tree.NodeExpanded[Selected]) -> None:
        event.stop()
        self._fill(event.node)

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[Selected]) -> None:
        event.stop()
        thing = event.node.data
        if thing is not None and self.has_focus and not self._following and not self._marking:
            self._workbench.select(thing)

    @on(Tree.NodeSelected)
    def _chosen(self, event: Tree.NodeSelected[Selected]) -> None:
        event.stop()
        self._marking = False
        self._workbench.select(*(() if event.node.data is None else (event.node.data,)))
        if event.node.allow_expand and not event.node.is_root:
            event.node.toggle()

    def action_toggle_selection(self) -> None:
        """Mark the thing under the cursor, or take the mark off, and go on to the next; the marked are selected."""
        node = self.cursor_node
        if node is None or node.data is None:
            return
        if not self._marking:
            self._workbench.select(node.data)
        else:
            self._workbench.toggle(node.data)
        self._marking = bool(self._workbench.selection)
        self.action_cursor_down()

    def render_label(self, node: TreeNode[Selected], base_style: Style, style: Style) -> Text:
        """What is selected together with others is marked: the cursor can be on one only."""
        label = super().render_label(node, base_style, style)
        if (self._marking or len(self._workbench.selection) > 1) and node.data in self._workbench.selection:
            label.stylize("bold reverse")
        return label

    def follow(self) -> None:
        """Show what is selected, and put the cursor on what was selected elsewhere."""
        chosen = self._workbench.selection
        for thing in {*self._shown, *chosen}:
            node = self._node_of(thing)
            if node is not None:
                node.refresh()
        self._shown = chosen
        if not chosen:
            self._marking = False
        if self.has_focus or not chosen:
            return
        self._marking = len(chosen) > 1
        there = self._node_of(chosen[-1]) or self._top.get(Selected("instance", chosen[-1].instance))
        if there is not None and there is not self.cursor_node:
            self._following = True
            self.move_cursor(there)
            self._following = False

    def _node_of(self, thing: Selected) -> TreeNode[Selected] | None:
        """The line of a thing, if it is shown."""
        piece = self._top.get(thing) or self._top.get(Selected("instance", thing.instance))
        if piece is None or piece.data == thing:
            return piece
        return next((node for node in _shown_nodes(piece) if node.data == thing), None) if piece.is_expanded else None


def _shown_nodes(node: TreeNode[Selected]) -> Iterator[TreeNode[Selected]]:
    for child in node.children:
        yield child
        if child.is_expanded:
            yield from _shown_nodes(child)


def _follow_rows(parent: TreeNode[Selected], rows: Mapping[Selected, Label]) -> None:
    """Make the lines in a node those that are wanted, keeping the ones that are there."""
    for node in [node for node in parent.children if node.data not in rows]:
        node.remove()
    known = {node.data: node for node in parent.children}
    if [node.data for node in parent.children] != [thing for thing in rows if thing in known]:
        parent.remove_children()
        known = {}
    for place, (thing, label) in enumerate(rows.items()):
        there = known.get(thing)
        if there is None:
            parent.add(_written(label), thing, before=place, allow_expand=thing.kind in ("instance", "item"))
        elif str(there.label) != "".join(label):
            there.set_label(_written(label))


def _written(label: Label) -> Text:
    sign, name, remark = label
    return Text.assemble(sign, name, (remark, "dim"))


def _what_the_order_is_made_of(assembly: Assembly) -> object:
    """All that the lines of instances and tools show: most edits of a large assembly leave it as it is."""
    parts = [(name, one.part) for name, one in assembly.parts.items()]
    return parts, [(mate.at, mate.put) for mate in assembly.mates], assembly.tools


def _top_rows(assembly: Assembly) -> dict[Selected, Label]:
    rows: dict[Selected, Label] = {}
    for name, depth in standing_order(assembly):
        part = assembly.parts[name].part.rpartition("/")[2]
        rows[Selected("instance", name)] = ("└ " if depth else "", f"{name} ", part if part != name else "")
    for name, tool in sorted(assembly.tools.items()):
        rows[Selected("tool", name)] = ("⊕ ", f"{name} ", f"on {tool.on}")
    return rows


def _rows_of_instance(assembly: Assembly, compiled: Compiled, name: str) -> Iterator[tuple[Selected, Label]]:
    """The mate, items, joints and ports of an instance."""
    body = compiled.bodies.get(name)
    if body is None:
        return
    mate = mate_putting(assembly, name)
    if mate is not None:
        yield Selected("mate", name), ("⊢ ", f"on {mate.at} ", f"by {mate.put.partition('.')[2]}")
    for item in body.robot.items:
        full = compiled.robot.item(f"{name}/{item.name}")
        yield Selected("item", full.name), ("• ", f"{item.name} ", f"{full.mass:.3g} kg")
    for joint in compiled.robot.joints:
        if joint.kind.moves and joint.name.startswith(f"{name}/"):
            yield Selected("joint", joint.name), joint_label(joint.name.partition("/")[2], joint)
    for port in body.ports:
        placed = compiled.ports[f"{name}.{port}"]
        mark, state = ("◇", "free") if placed.mate is None else ("◆", "taken")
        yield Selected("port", placed.end), (f"{mark} ", f"{port} ", state)


def _rows_of_item(item: Item) -> Iterator[tuple[Selected, Label]]:
    for number, subitem in enumerate(item.subitems):
        faces = len(subitem.shape.face_offsets) - 1
        yield Selected("subitem", f"{item.name}#{number}"), ("▫ ", f"{subitem.name or number} ", f"{faces} faces")


def standing_order(assembly: Assembly) -> Iterator[tuple[str, int]]:
    """The instances, each right after what it stands on, with how many it stands on; each once."""
    on_top: dict[str, list[str]] = {}
    mated = set()
    for mate in assembly.mates:
        try:
            at, put = parse_end(mate.at).instance, parse_end(mate.put).instance
        except RckError:
            continue
        if at in assembly.parts and at != put:
            on_top.setdefault(at, []).append(put)
            mated.add(put)
    waiting = [(name, 0) for name in sorted(assembly.parts, reverse=True) if name not in mated]
    shown = set()
    while waiting:
        name, depth = waiting.pop()
        if name in shown or name not in assembly.parts:
            continue
        shown.add(name)
        yield name, depth
        waiting.extend((child, depth + 1) for child in sorted(on_top.get(name, ()), reverse=True))
    # Pieces that stand on each other in a ring: a finding says so, and here they can be got at.
    yield from ((name, 0) for name in sorted(assembly.parts) if name not in shown)


def joint_label(name: str, joint: Joint) -> Label:
    """A joint in one line: how it moves, what it is called, where it stands and how far it goes."""
    mark = "↻" if joint.kind.turns else "↕"
    dimension, unit = ("angle", "°") if joint.kind.turns else ("length", "mm")

    def shown(value: float) -> str:
        return format_quantity(value, dimension, unit, 4)

    span = "" if joint.limits is None else f" {shown(joint.limits.lower)}…{shown(joint.limits.upper)}"
    return f"{mark} ", f"{name} ", shown(joint.position) + span
