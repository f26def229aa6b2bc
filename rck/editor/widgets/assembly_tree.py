"""The assembly: its pieces in the order in which they stand on each other, with items, joints and ports inside."""

from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from rck.assembly.compile import Compiled
from rck.assembly.document import Assembly
from rck.assembly.ends import parse_end
from rck.editor.workbench import Selected, Workbench
from rck.model import Joint
from rck.model.units import format_quantity


class AssemblyTree(Tree[Selected]):
    """Selects what is in the assembly."""

    BORDER_TITLE = "Assembly"
    HELP = """
# Assembly

The pieces, each after what it stands on. Open one (**Enter**) to see its items (•), joints (↻ ↕) and ports (◇). **Space**
selects several. **c** copies, **x** replaces, **delete** removes, **m** mirrors, **p** makes a pattern, **r** renames.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_selection", "Select several", show=False)]

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__("assembly", **options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._of_thing: dict[Selected, TreeNode[Selected]] = {}
        self._following = False

    def on_mount(self) -> None:
        """Show what there is."""
        self.guide_depth = 2
        self.show_guides = False
        self.root.expand()
        self.rebuild()

    def rebuild(self) -> None:
        """Show the assembly as it is now; what was open stays open."""
        assembly = self._workbench.assembly
        opened = {thing for thing, node in self._of_thing.items() if node.is_expanded}
        self._of_thing = {}
        self.clear()
        compiled = self._workbench.built.value
        mass = "" if compiled is None else f" [dim]{compiled.robot.mass_properties.mass:.3g} kg[/]"
        self.root.set_label(f"[b]{assembly.name}[/b]{mass}")
        if not assembly.parts:
            self.root.add_leaf("[dim]empty: choose a part[/]")
            return
        for name, depth in standing_order(assembly):
            thing = Selected("instance", name)
            mark = "" if depth == 0 else "[dim]└[/] "
            label = f"{mark}{name} [dim]{assembly.parts[name].part.rpartition('/')[2]}[/]"
            self._of_thing[thing] = node = self.root.add(label, thing, expand=thing in opened)
            if node.is_expanded:
                self._fill(node, compiled, name)
        self.follow()

    def _fill(self, node: TreeNode[Selected], compiled: Compiled | None, name: str) -> None:
        """The items, joints and ports of a piece."""
        if compiled is None or name not in compiled.bodies or node.children:
            return
        body = compiled.bodies[name]
        for item in body.robot.items:
            full = compiled.robot.item(f"{name}/{item.name}")
            self._leaf(node, Selected("item", full.name), f"• {item.name} [dim]{full.mass:.3g} kg[/]")
        for joint in compiled.robot.joints:
            if joint.kind.moves and joint.name.startswith(f"{name}/"):
                self._leaf(node, Selected("joint", joint.name), joint_label(joint.name.partition("/")[2], joint))
        for port in body.ports:
            placed = compiled.ports[f"{name}.{port}"]
            state = "free" if placed.mate is None else "taken"
            self._leaf(node, Selected("port", placed.end), f"◇ {port} [dim]{state}[/]")

    def _leaf(self, parent: TreeNode[Selected], thing: Selected, label: str) -> None:
        self._of_thing[thing] = parent.add_leaf(label, thing)

    @on(Tree.NodeExpanded)
    def _expanded(self, event: Tree.NodeExpanded[Selected]) -> None:
        thing = event.node.data
        if thing is not None and thing.kind == "instance":
            self._fill(event.node, self._workbench.built.value, thing.name)

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[Selected]) -> None:
        event.stop()
        thing = event.node.data
        if thing is not None and self.has_focus and not self._following:
            self._workbench.select(thing)

    @on(Tree.NodeSelected)
    def _chosen(self, event: Tree.NodeSelected[Selected]) -> None:
        event.stop()
        if event.node.data is not None:
            self._workbench.select(event.node.data)

    def action_toggle_selection(self) -> None:
        """Add the thing under the cursor to the selection, or take it out."""
        node = self.cursor_node
        if node is not None and node.data is not None:
            self._workbench.toggle(node.data)

    def follow(self) -> None:
        """Put the cursor on what is selected elsewhere."""
        if not self._workbench.selection:
            return
        thing = self._workbench.selection[-1]
        node = self._of_thing.get(thing) or self._of_thing.get(Selected("instance", thing.instance))
        if node is not None and node is not self.cursor_node:
            self._following = True
            if node.parent is not None:
                node.parent.expand()
            self.move_cursor(node)
            self._following = False


def standing_order(assembly: Assembly) -> Iterator[tuple[str, int]]:
    """The instances, each right after what it stands on, with how many it stands on."""
    on_top: dict[str, list[str]] = {}
    mated = set()
    for mate in assembly.mates:
        put = parse_end(mate.put).instance
        on_top.setdefault(parse_end(mate.at).instance, []).append(put)
        mated.add(put)
    waiting = [(name, 0) for name in sorted(assembly.parts, reverse=True) if name not in mated]
    while waiting:
        name, depth = waiting.pop()
        yield name, depth
        waiting.extend((child, depth + 1) for child in sorted(on_top.get(name, ()), reverse=True))


def joint_label(name: str, joint: Joint) -> str:
    """A joint in one line: how it moves, where it stands, how far."""
    mark = "↻" if joint.kind.turns else "↕"
    dimension, unit = ("angle", "°") if joint.kind.turns else ("length", "mm")

    def shown(value: float) -> str:
        return format_quantity(value, dimension, unit, 4)

    span = "" if joint.limits is None else f" {shown(joint.limits.lower)}…{shown(joint.limits.upper)}"
    return f"{mark} {name} [dim]{shown(joint.position)}{span}[/]"
