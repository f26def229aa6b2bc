"""The catalogue panel: incremental search, a tree of categories, and the card of the highlighted part."""

from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Tree
from textual.widgets.tree import TreeNode

from rck.editor.part_offers import PartOffer
from rck.editor.widgets.part_card import PartCard
from rck.editor.widgets.quick_tree import QuickTree
from rck.model import RckError
from rck.parts.index import CatalogueEntry
from rck.parts.library import Catalogue
from rck.parts.search import SEARCHABLE, parse_query, search
from rck.support.units import format_quantity

Line = CatalogueEntry | str
"""A part, or the path of a category."""
_HEADLINES = ("stall-torque", "rated-torque", "holding-torque", "payload", "opening", "max-range", "stroke", "reach")
"""The first of these figures that a part has is shown next to its name."""
_MAX_RESULTS = 200


class SearchLine(Input):
    """The search input."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Place", show=True),
        Binding("down", "list", "Results", show=True),
        Binding("escape", "screen.leave_catalogue", "Cancel", show=True),
        # These work only in an empty line, where they cannot be part of a search.
        Binding("question_mark", "app.tutorial", "Tutorial", show=True, priority=True),
        Binding("colon", "screen.command_line", "Command", show=True, priority=True),
    ]

    class Down(Message):
        """The user moves to the list of results."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the printable keys only while the line is empty."""
        return not self.value if action in ("app.tutorial", "screen.command_line") else True

    def action_list(self) -> None:
        """Move to the list of results."""
        self.post_message(self.Down())


class PartTree(QuickTree[Line]):
    """The tree of categories and parts."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Place", show=True),
        Binding("escape", "screen.leave_catalogue", "Cancel", show=False),
    ]

    class Pointed(Message):
        """The mouse is over a line; without a line, the cursor moves up from the first line."""

        def __init__(self, line: Line | None) -> None:
            super().__init__()
            self.line = line

    def watch_hover_line(self, previous_hover_line: int, hover_line: int) -> None:
        """Report the line under the mouse."""
        super().watch_hover_line(previous_hover_line, hover_line)
        node = self.get_node_at_line(hover_line) if hover_line >= 0 else None
        if node is not None and node.data is not None:
            self.post_message(self.Pointed(node.data))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to a part on a single click; a double click, or a click on a category, chooses the line."""
        line = event.style.meta.get("line")
        node = None if line is None else self.get_node_at_line(line)
        if line is not None and node is not None and isinstance(node.data, CatalogueEntry) and event.chain < 2:
            event.prevent_default()
            self.focus()
            self.cursor_line = line

    def action_cursor_up(self) -> None:
        """Move up; from the first line, back to the search line."""
        if self.cursor_line <= 0:
            self.post_message(self.Pointed(None))
        else:
            super().action_cursor_up()


class CataloguePanel(Vertical):
    """The panel where parts are searched and chosen."""

    BORDER_TITLE = "Catalogue"
    HELP = """
# Catalogue

Search by words or figures: `servo`, `stall-torque>=4`, `vendor=robotis`. **Down** moves to the results, **right** opens
a category. **Enter** or a double click places the part: the first part is put on the floor, others are previewed at a
free port. The card shows the part under the cursor or the mouse.

While the panel offers replacements or adaptors, it lists only parts that fit. **Escape** shows all parts again.
"""

    class Chosen(Message):
        """A part was chosen to be placed, or for the purpose of an offer."""

        def __init__(self, part: str, offer: PartOffer | None) -> None:
            super().__init__()
            self.part = part
            self.offer = offer

    def __init__(self, catalogue: Catalogue, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._catalogue = catalogue
        self._by_category: dict[str, list[CatalogueEntry]] = {}
        self._offer: PartOffer | None = None

    def compose(self) -> ComposeResult:
        """Add the search line, the tree and the card."""
        yield SearchLine(placeholder="search parts", id="part-search", compact=True)
        yield PartTree("parts", id="part-tree")
        yield PartCard(self._catalogue, id="part-card")

    def on_mount(self) -> None:
        """Show the top-level categories."""
        self._tree.show_root = False
        self.use(self._catalogue)

    @property
    def _tree(self) -> PartTree:
        return self.query_one(PartTree)

    def use(self, catalogue: Catalogue) -> None:
        """Show another catalogue."""
        self._catalogue = catalogue
        self._by_category = {}
        for entry in sorted(catalogue.entries.values(), key=lambda entry: (entry.category, entry.id)):
            self._by_category.setdefault(entry.category, []).append(entry)
        self.query_one(PartCard).use(catalogue)
        self.offer(None)

    def offer(self, offer: PartOffer | None) -> None:
        """List only the parts of an offer, or all parts again."""
        self._offer = offer
        self.border_title = self.BORDER_TITLE if offer is None else offer.title
        self.border_subtitle = "" if offer is None else "Escape: all parts"
        search = self.query_one("#part-search", Input)
        with search.prevent(Input.Changed):
            search.value = ""
        self._search()

    @on(Input.Changed, "#part-search")
    def _search(self) -> None:
        text = self.query_one("#part-search", Input).value.strip()
        if not text and self._offer is None:
            self._show_categories()
            return
        try:
            query = parse_query(text.split())
        except RckError as error:
            self.query_one(PartCard).show_hint(str(error))
            return
        offered = self._catalogue.entries.values() if self._offer is None else self._offer.entries
        found = search(offered, query) if text else list(offered)
        tree = self._tree
        tree.clear()
        for entry in found[:_MAX_RESULTS]:
            tree.root.add_leaf(_label(entry), entry)
        if found:
            tree.cursor_line = 0
            self._describe(found[0])
        elif self._offer is not None and not text:
            self.query_one(PartCard).show_hint("No part of the catalogue has the same ports.")
        else:
            self.query_one(PartCard).show_hint("No matching part. Try fewer words, or figures such as payload>=2kg.")

    def _show_categories(self) -> None:
        """Show the top-level categories; each is filled when it is opened."""
        tree = self._tree
        tree.clear()
        tree.root.expand()
        self._fill(tree.root, "")
        if self._by_category:
            count = len(self._catalogue.entries)
            self.query_one(PartCard).show_hint(f"{count} parts. Type to search, or open a category.")
        else:
            self.query_one(PartCard).show_hint("No parts found. `rck plugins list` shows the installed libraries.")

    def _fill(self, node: TreeNode[Line], category: str) -> None:
        """Add the subcategories of a category, with their number of parts, and its own parts."""
        prefix = f"{category}/" if category else ""
        counts: dict[str, int] = {}
        for name, entries in self._by_category.items():
            if name.startswith(prefix) and name != category:
                child = prefix + name[len(prefix) :].partition("/")[0]
                counts[child] = counts.get(child, 0) + len(entries)
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
        if isinstance(line, CatalogueEntry):
            self.query_one(PartCard).show(line, None if self._offer is None else self._offer.compared)

    @on(Tree.NodeSelected)
    def _chosen(self, event: Tree.NodeSelected[Line]) -> None:
        event.stop()
        self._choose(event.node)

    @on(Input.Submitted, "#part-search")
    def _submitted(self, event: Input.Submitted) -> None:
        """Place the first result."""
        event.stop()
        node = self._tree.cursor_node
        if (event.value.strip() or self._offer is not None) and node is not None:
            self._choose(node)
        else:
            self._tree.focus()

    def _choose(self, node: TreeNode[Line]) -> None:
        if isinstance(node.data, CatalogueEntry):
            self.post_message(self.Chosen(node.data.id, self._offer))
        else:
            node.toggle()

    @on(SearchLine.Down)
    def _to_list(self, event: SearchLine.Down) -> None:
        event.stop()
        self.screen.set_focus(self._tree)
        if self._tree.cursor_line < 0:
            self._tree.action_cursor_down()

    def on_click(self, event: events.Click) -> None:
        """Focus the list on a click outside its lines."""
        if self.screen.focused is None:
            self._tree.focus()


def _label(entry: CatalogueEntry) -> Text:
    headline = next((name for name in _HEADLINES if name in entry.figures), None)
    if headline is None:
        return Text(entry.name)
    figure = SEARCHABLE[headline]
    shown = format_quantity(entry.figures[headline], figure.dimension, figure.unit, 3)
    return Text.assemble(entry.name, " ", (shown, "dim"))
