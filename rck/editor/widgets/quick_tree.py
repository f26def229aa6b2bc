"""A tree that stays fast with thousands of lines, and whose keys can be changed."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeDataType, TreeNode


class QuickTree(Tree[TreeDataType]):
    """A tree in which the right arrow opens a node and the left arrow closes it."""

    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "cursor_down", "Down", show=False, id="list-down"),
        Binding("up", "cursor_up", "Up", show=False, id="list-up"),
        Binding("home", "scroll_home", "First", show=False, id="list-first"),
        Binding("end", "scroll_end", "Last", show=False, id="list-last"),
        Binding("right", "open", "Open", show=False, id="list-open"),
        Binding("left", "close", "Close", show=False, id="list-close"),
    ]

    def __init__(self, label: str, **options: object) -> None:
        super().__init__(label, **options)  # type: ignore[arg-type]
        self.guide_depth = 2
        self.show_guides = False
        self.auto_expand = False

    def get_label_width(self, node: TreeNode[TreeDataType]) -> int:
        """Return the width without rendering the label: Textual asks for every line whenever one changes."""
        return len(node.label) + len(self.ICON_NODE) if isinstance(node.label, Text) else len(str(node.label))

    def action_open(self) -> None:
        """Open the node under the cursor, or move into it."""
        node = self.cursor_node
        if node is None or not node.allow_expand:
            return
        if node.is_expanded:
            self.action_cursor_down()
        else:
            node.expand()

    def action_close(self) -> None:
        """Close the node under the cursor, or move to its parent."""
        node = self.cursor_node
        if node is None:
            return
        if node.allow_expand and node.is_expanded:
            node.collapse()
        elif node.parent is not None and not (node.parent.is_root and not self.show_root):
            self.move_cursor(node.parent)
