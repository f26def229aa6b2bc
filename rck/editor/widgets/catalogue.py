"""The catalogue: search as you type, a tree of categories, the card of the part under the cursor."""

from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Tree
from textual.widgets.tree import TreeNode

from rck.catalogue.entry import Entry
from rck.catalogue.library import Catalogue
from rck.catalogue.search import SEARCHABLE, parse_query, search
from rck.editor.widgets.part_card import PartCard
from rck.editor.widgets.quick_tree import QuickTree
from rck.model import RckError
from rck.model.units import format_quantity

Line = Entry | str
"""A part, or the path of a category."""
_HEADLINE = ("stall-torque", "rated-torque", "holding-torque", "payload", "opening", "max-range", "stroke", "reach")
_MOST = 200


class SearchLine(Input):
    """Where words are typed; Escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Place", show=True),
        Binding("down", "list", "To the list", show=True),
        Binding("escape", "app.focus_view", "Leave", show=True),
        # In an empty line these cannot be the beginning of a search.
        Binding("question_mark", "app.tutorial", "Tutorial", show=True, priority=True),
        Binding("colon", "screen.command_line", "Command", show=True, priority=True),
    ]

    class Down(Message):
        """The user goes to the list."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Signs are keys only as long as nothing has been typed."""
        return not self.value if action in ("app.tutorial", "screen.command_line") else True

    def action_list(self) -> None:
        """Go to the list."""
        self.post_message(self.Down())


class PartTree(QuickTree[Line]):
    """Categories and parts."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Place", show=True),
        Binding("escape", "app.focus_view", "Leave", show=False),
    ]

    class Pointed(Message):
        """The mouse is over a line, or the cursor is at the top and goes further up."""

        def __init__(self, line: Line | None) -> None:
            super().__init__()
            self.line = line

    def watch_hover_line(self, previous_hover_line: int, hover_line: int) -> None:
        """Tell what the mouse points at."""
        super().watch_hover_line(previous_hover_line, hover_line)
        node = self.get_node_at_line(hover_line) if hover_line >= 0 else None
        if node is not None and node.data is not None:
            self.post_message(self.Pointed(node.data))

    def action_cursor_up(self) -> None:
        """At the top it goes back to the search line."""
        if self.cursor_line <= 0:
            self.post_message(self.Pointed(None))
        else:
            super().action_cursor_up()


class CataloguePanel(Vertical):
    """Chooses a part."""

    BORDER_TITLE = "Catalogue"
    HELP = """
# Catalogue

Type words or figures to search: `servo`, `stall-torque>=4`, `vendor=robotis`. **Down** goes to the list, **right**
opens a category. **Enter** or a click places the part: the first one stands on the floor, others go onto a free port
with a preview first. The card shows the part under the cursor or the mouse.
"""

    class Chosen(Message):
        """The user wants to place a part."""

        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

    def __init__(self, catalogue: Catalogue, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._catalogue = catalogue
        self._by_category: dict[str, list[Entry]] = {}

    def compose(self) -> ComposeResult:
        """Search line, tree, card."""
        yield SearchLine(placeholder="search parts", id="part-search", compact=True)
        yield PartTree("parts", id="part-tree")
        yield PartCard(self._catalogue, id="part-card")

    def on_mount(self) -> None:
        """All categories, closed."""
        self._tree.show_root = False
        self.use(self._catalogue)

    @property
    def _tree(self) -> PartTree:
        return self.query_one(PartTree)

    def use(self, catalogue: Catalogue) -> None:
        """Show another catalogue."""
        self._catalogue = catalogue
        self._by_category = {}
        for entry in sorted(catalogue.entries.values(), key=lambda one: (one.category, one.id)):
            self._by_category.setdefault(entry.category, []).append(entry)
        self.query_one(PartCard).use(catalogue)
        self._search()

    @on(Input.Changed, "#part-search")
    def _search(self) -> None:
        text = self.query_one("#part-search", Input).value.strip()
        if not text:
            self._show_categories()
            return
        try:
            query = parse_query(text.split())
        except RckError as error:
            self.query_one(PartCard).say(str(error))
            return
        found = search(self._catalogue.entries.values(), query)
        tree = self._tree
        tree.clear()
        for entry in found[:_MOST]:
            tree.root.add_leaf(_label(entry), entry)
        if found:
            tree.cursor_line = 0
            self.query_one(PartCard).show(found[0])
        else:
            self.query_one(PartCard).say("No part is like that. Try fewer words, or figures such as payload>=2kg.")

    def _show_categories(self) -> None:
        """The highest categories; what is in them is filled in when they are opened."""
        tree = self._tree
        tree.clear()
        tree.root.expand()
        self._fill(tree.root, "")
        if self._by_category:
            count = len(self._catalogue.entries)
            self.query_one(PartCard).say(f"{count} parts. Type what you look for, or open a category.")
        else:
            self.query_one(PartCard).say("There are no parts: `rck plugins list` shows whether a library is there.")

    def _fill(self, node: TreeNode[Line], category: str) -> None:
        """The categories right under one, with how many parts are in them, and its own parts."""
        beginning = f"{category}/" if category else ""
        counts: dict[str, int] = {}
        for name, entries in self._by_category.items():
            if name.startswith(beginning) and name != category:
                below = beginning + name[len(beginning) :].partition("/")[0]
                counts[below] = counts.get(below, 0) + len(entries)
        for name, count in counts.items():
            node.add(Text.assemble(name.rpartition("/")[2], " ", (str(count), "dim")), name)
        for entry in self._by_category.get(category, ()):
            node.add_leaf(_label(entry), entry)

    @on(Tree.NodeExpanded)
    def _expanded(self, event: Tree.NodeExpanded[Line]) -> None:
        event.stop()
        if isinstance(event.node.data, str) and not event.node.children:
            self._fill(event.node, event.node.data)

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[Line]) -> None:
        event.stop()
        self._describe(event.node.data)

    @on(PartTree.Pointed)
    def _pointed(self, event: PartTree.Pointed) -> None:
        event.stop()
        if event.line is None:
            self.query_one("#part-search", Input).focus()
        else:
            self._describe(event.line)

    def _describe(self, line: Line | None) -> None:
        if isinstance(line, Entry):
            self.query_one(PartCard).show(line)

    @on(Tree.NodeSelected)
    def _chosen(self, event: Tree.NodeSelected[Line]) -> None:
        event.stop()
        self._choose(event.node)

    @on(Input.Submitted, "#part-search")
    def _submitted(self, event: Input.Submitted) -> None:
        """Enter in the search line places the first part found."""
        event.stop()
        node = self._tree.cursor_node
        if event.value.strip() and node is not None:
            self._choose(node)
        else:
            self._tree.focus()

    def _choose(self, node: TreeNode[Line]) -> None:
        if isinstance(node.data, Entry):
            self.post_message(self.Chosen(node.data.id))
        else:
            node.toggle()

    @on(SearchLine.Down)
    def _to_list(self, event: SearchLine.Down) -> None:
        event.stop()
        self.screen.set_focus(self._tree)
        if self._tree.cursor_line < 0:
            self._tree.action_cursor_down()

    def on_click(self, event: events.Click) -> None:
        """A click beside the lines gives the list the keys."""
        if self.screen.focused is None:
            self._tree.focus()


def _label(entry: Entry) -> Text:
    headline = next((name for name in _HEADLINE if name in entry.figures), None)
    if headline is None:
        return Text(entry.name)
    figure = SEARCHABLE[headline]
    shown = format_quantity(entry.figures[headline], figure.dimension, figure.unit, 3)
    return Text.assemble(entry.name, " ", (shown, "dim"))
