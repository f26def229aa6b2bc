"""The assembly tree: instances in the order of their mates, each with its mate, items, joints and ports."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from rck.assembly.compiler import Compiled
from rck.assembly.document import Assembly
from rck.assembly.edits import mate_putting
from rck.assembly.mate_ends import parse_end
from rck.editor.widgets.quick_tree import QuickTree
from rck.editor.workbench import Selected, Workbench
from rck.model import Item, Joint, RckError
from rck.support.units import format_quantity

_DEEPEST = 16
"""Instances that are mounted still deeper are not indented further."""
Label = tuple[str, str, str]
"""A symbol, a name, and a remark."""


class AssemblyTree(QuickTree[Selected]):
    """The tree of instances and tools; its cursor selects."""

    BORDER_TITLE = "Assembly"
    HELP = """
# Assembly

The instances, each below the one that it is mounted on, and the tools. **Right** or **Enter** opens an instance: its
mate (⊢), items (•) with their subitems (▫), joints (↻ ↕) and ports (◇ free, ◆ mated). The cursor selects; **space**
selects several. **c** copies, **x** replaces, **delete** removes, **m** mirrors, **p** repeats in a pattern, **r**
renames.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "toggle_selection", "Select several", show=True, id="select-several"),
        Binding("enter", "select_cursor", "Open", show=False),
    ]

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__("assembly", **options)
        self._workbench = workbench
        self._marking = False
        """True while several objects are marked: then the cursor moves without selecting."""
        self._shown: tuple[Selected, ...] = ()
        self._top: dict[Selected, TreeNode[Selected]] = {}
        """The nodes of instances and tools."""
        self._order: object = None
        self._following = False

    def on_mount(self) -> None:
        """Fill the tree."""
        self.root.expand()
        self.rebuild()

    def rebuild(self) -> None:
        """Update the tree; open nodes stay open, and unchanged nodes stay in place."""
        assembly = self._workbench.assembly
        compiled = self._workbench.built.value
        mass = "" if compiled is None else f"{sum(item.mass for item in compiled.robot.items):.3g} kg"
        self.root.set_label(Text.assemble((assembly.name, "bold"), " ", (mass, "dim")))
        order = _order_key(assembly)
        if order != self._order:
            self._order = order
            rows = _top_rows(assembly)
            self.border_subtitle = "" if rows else "empty: place a part"
            _update_rows(self.root, rows)
            self._top = {node.data: node for node in self.root.children if node.data is not None}
        for node in self.root.children:
            if node.is_expanded:
                self._fill(node)
        self.follow_selection()

    def _fill(self, node: TreeNode[Selected]) -> None:
        """Fill the node of an instance or item."""
        thing, compiled = node.data, self._workbench.built.value
        if thing is None or compiled is None:
            return
        if thing.kind == "instance":
            _update_rows(node, dict(_rows_of_instance(self._workbench.assembly, compiled, thing.name)))
            for child in node.children:
                if child.is_expanded:
                    self._fill(child)
        elif thing.kind == "item" and thing.name in compiled.robot.item_index:
            _update_rows(node, dict(_rows_of_item(compiled.robot.item(thing.name))))

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
        """Mark or unmark the object under the cursor, and move to the next; the marked objects are selected."""
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
        """Render the label, highlighted if the node is part of a multiple selection."""
        label = super().render_label(node, base_style, style)
        if (self._marking or len(self._workbench.selection) > 1) and node.data in self._workbench.selection:
            label.stylize("bold reverse")
        return label

    def follow_selection(self) -> None:
        """Highlight the selection, and move the cursor to it if it was made elsewhere."""
        selection = self._workbench.selection
        for thing in {*self._shown, *selection}:
            node = self._node_of(thing)
            if node is not None:
                node.refresh()
        self._shown = selection
        if not selection:
            self._marking = False
        if self.has_focus or not selection:
            return
        self._marking = len(selection) > 1
        target = self._node_of(selection[-1]) or self._top.get(Selected("instance", selection[-1].instance))
        if target is not None and target is not self.cursor_node:
            self._following = True
            self.move_cursor(target)
            self._following = False

    def _node_of(self, thing: Selected) -> TreeNode[Selected] | None:
        """Return the visible node of an object."""
        top = self._top.get(thing) or self._top.get(Selected("instance", thing.instance))
        if top is None or top.data == thing:
            return top
        return next((node for node in _shown_nodes(top) if node.data == thing), None) if top.is_expanded else None


def _shown_nodes(node: TreeNode[Selected]) -> Iterator[TreeNode[Selected]]:
    for child in node.children:
        yield child
        if child.is_expanded:
            yield from _shown_nodes(child)


def _update_rows(parent: TreeNode[Selected], rows: Mapping[Selected, Label]) -> None:
    """Update the children of a node to these rows, and reuse existing nodes."""
    for node in [node for node in parent.children if node.data not in rows]:
        node.remove()
    known = {node.data: node for node in parent.children}
    if [node.data for node in parent.children] != [thing for thing in rows if thing in known]:
        parent.remove_children()
        known = {}
    for index, (thing, label) in enumerate(rows.items()):
        existing = known.get(thing)
        if existing is None:
            parent.add(_text(label), thing, before=index, allow_expand=thing.kind in ("instance", "item"))
        elif str(existing.label) != "".join(label):
            existing.set_label(_text(label))


def _text(label: Label) -> Text:
    symbol, name, remark = label
    return Text.assemble(symbol, name, (remark, "dim"))


def _order_key(assembly: Assembly) -> object:
    """Return everything that the top rows depend on: most edits of a large assembly leave it unchanged."""
    parts = [(name, instance.part) for name, instance in assembly.parts.items()]
    return parts, [(mate.at, mate.put) for mate in assembly.mates], assembly.tools


def _top_rows(assembly: Assembly) -> dict[Selected, Label]:
    rows: dict[Selected, Label] = {}
    for name, depth in mounting_order(assembly):
        part = assembly.parts[name].part.rpartition("/")[2]
        indent = f"{' ' * (min(depth, _DEEPEST) - 1)}└ " if depth else ""
        rows[Selected("instance", name)] = (indent, f"{name} ", part if part != name else "")
    for name, tool in sorted(assembly.tools.items()):
        rows[Selected("tool", name)] = ("⊕ ", f"{name} ", f"on {tool.on}")
    return rows


def _rows_of_instance(assembly: Assembly, compiled: Compiled, name: str) -> Iterator[tuple[Selected, Label]]:
    """Yield the rows for the mate, items, joints and ports of an instance."""
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
        end = f"{name}.{port}"
        symbol, state = ("◇", "free") if compiled.ports[end].mate is None else ("◆", "mated")
        yield Selected("port", end), (f"{symbol} ", f"{port} ", state)


def _rows_of_item(item: Item) -> Iterator[tuple[Selected, Label]]:
    for number, subitem in enumerate(item.subitems):
        faces = len(subitem.shape.face_offsets) - 1
        yield Selected("subitem", f"{item.name}#{number}"), ("▫ ", f"{subitem.name or number} ", f"{faces} faces")


def mounting_order(assembly: Assembly) -> Iterator[tuple[str, int]]:
    """Yield each instance once, after the one that it is mounted on, with its depth in the tree."""
    children: dict[str, list[str]] = {}
    mated = set()
    for mate in assembly.mates:
        try:
            at, put = parse_end(mate.at).instance, parse_end(mate.put).instance
        except RckError:
            continue
        if at in assembly.parts and at != put:
            children.setdefault(at, []).append(put)
            mated.add(put)
    waiting = [(name, 0) for name in sorted(assembly.parts, reverse=True) if name not in mated]
    shown = set()
    while waiting:
        name, depth = waiting.pop()
        if name in shown or name not in assembly.parts:
            continue
        shown.add(name)
        yield name, depth
        waiting.extend((child, depth + 1) for child in sorted(children.get(name, ()), reverse=True))
    # Instances in a cycle of mates, for which there is a finding; they are listed so that they can be selected.
    yield from ((name, 0) for name in sorted(assembly.parts) if name not in shown)


def joint_label(name: str, joint: Joint) -> Label:
    """Return the label of a joint: symbol for its kind, name, position and limits."""
    symbol = "↻" if joint.kind.turns else "↕"
    dimension, unit = ("angle", "°") if joint.kind.turns else ("length", "mm")

    def formatted(value: float) -> str:
        return format_quantity(value, dimension, unit, 4)

    limits = "" if joint.limits is None else f" {formatted(joint.limits.lower)}…{formatted(joint.limits.upper)}"
    return f"{symbol} ", f"{name} ", formatted(joint.position) + limits
