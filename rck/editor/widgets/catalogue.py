"""The catalogue: search as you type, a tree of categories, the card of the part under the cursor."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Tree
from textual.widgets.tree import TreeNode

from rck.catalogue.entry import Entry
from rck.catalogue.library import Catalogue
from rck.catalogue.search import SEARCHABLE, parse_query, search
from rck.editor.widgets.part_card import PartCard
from rck.model import RckError
from rck.model.units import format_quantity

_HEADLINE = ("stall-torque", "rated-torque", "holding-torque", "payload", "opening", "max-range", "stroke", "reach")
_MOST = 200


class PartTree(Tree[Entry]):
    """Categories and parts."""

    BINDINGS = [
        Binding("enter", "select_cursor", "Place", show=True),
        Binding("slash", "app.search", "Search", show=True),
    ]


class CataloguePanel(Vertical):
    """Chooses a part."""

    BORDER_TITLE = "Catalogue"
    HELP = """
# Catalogue

Type words or figures to search: `servo`, `stall-torque>=4`, `vendor=robotis`. **Down** goes to the list, **Enter** places the
part: on the floor when the assembly is empty, otherwise onto a free port, with a preview first.
"""

    class Chosen(Message):
        """The user wants to place a part."""

        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

    def __init__(self, catalogue: Catalogue, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._catalogue = catalogue

    def compose(self) -> ComposeResult:
        """Search line, tree, card."""
        yield Input(placeholder="search parts", id="part-search", compact=True)
        yield PartTree("parts", id="part-tree")
        yield PartCard(self._catalogue, id="part-card")

    def on_mount(self) -> None:
        """All categories, closed."""
        tree = self.query_one(PartTree)
        tree.show_root = False
        tree.guide_depth = 2
        self._show_categories()

    def use(self, catalogue: Catalogue) -> None:
        """Show another catalogue."""
        self._catalogue = catalogue
        self.query_one(PartCard).use(catalogue)
        self._search_now()

    @on(Input.Changed, "#part-search")
    def _search(self) -> None:
        self._search_now()

    def _search_now(self) -> None:
        text = self.query_one("#part-search", Input).value.strip()
        if not text:
            self._show_categories()
            return
        try:
            query = parse_query(text.split())
        except RckError as error:
            self.query_one(PartCard).say(str(error))
            return
        tree = self.query_one(PartTree)
        tree.clear()
        found = search(self._catalogue.entries.values(), query)
        for entry in found[:_MOST]:
            tree.root.add_leaf(_label(entry), entry)
        if found:
            tree.cursor_line = 0
            self.query_one(PartCard).show(found[0])
        else:
            self.query_one(PartCard).say("No part is like that. Try fewer words, or figures such as payload>=2kg.")

    def _show_categories(self) -> None:
        tree = self.query_one(PartTree)
        tree.clear()
        nodes: dict[str, TreeNode[Entry]] = {}
        for entry in sorted(self._catalogue.entries.values(), key=lambda one: (one.category, one.id)):
            self._category(nodes, entry.category).add_leaf(_label(entry), entry)
        counts: dict[str, int] = {}
        for entry in self._catalogue.entries.values():
            parts = entry.category.split("/")
            for depth in range(1, len(parts) + 1):
                name = "/".join(parts[:depth])
                counts[name] = counts.get(name, 0) + 1
        for name, node in nodes.items():
            node.set_label(f"{name.rpartition('/')[2]} [dim]{counts[name]}[/]")
        tree.root.expand()

    def _category(self, nodes: dict[str, TreeNode[Entry]], name: str) -> TreeNode[Entry]:
        if name not in nodes:
            above, _, last = name.rpartition("/")
            parent = self._category(nodes, above) if above else self.query_one(PartTree).root
            nodes[name] = parent.add(last)
        return nodes[name]

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[Entry]) -> None:
        if event.node.data is not None:
            self.query_one(PartCard).show(event.node.data)

    @on(Tree.NodeSelected)
    def _chosen(self, event: Tree.NodeSelected[Entry]) -> None:
        event.stop()
        if event.node.data is not None:
            self.post_message(self.Chosen(event.node.data.id))

    @on(Input.Submitted, "#part-search")
    def _submitted(self) -> None:
        """Enter in the search line places the first part found."""
        tree = self.query_one(PartTree)
        node = tree.cursor_node or (tree.root.children[0] if tree.root.children else None)
        if node is not None and node.data is not None:
            self.post_message(self.Chosen(node.data.id))
        else:
            tree.focus()

    def on_key(self, event: object) -> None:
        """Down leaves the search line for the list; up at its top comes back."""
        key = getattr(event, "key", "")
        tree = self.query_one(PartTree)
        box = self.query_one("#part-search", Input)
        if key == "down" and box.has_focus:
            tree.focus()
            event.stop()  # type: ignore[attr-defined]
        elif key == "up" and tree.has_focus and tree.cursor_line <= 0:
            box.focus()
            event.stop()  # type: ignore[attr-defined]


def _label(entry: Entry) -> str:
    headline = next((name for name in _HEADLINE if name in entry.figures), None)
    text = entry.name.replace("[", r"\[")
    if headline is None:
        return text
    figure = SEARCHABLE[headline]
    return f"{text} [dim]{format_quantity(entry.figures[headline], figure.dimension, figure.unit, 3)}[/]"
