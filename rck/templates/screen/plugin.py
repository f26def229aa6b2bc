"""Screen of the editor: all instances and their parts; Enter shows the figures of one."""

from collections.abc import Iterator

from rck.hooks import EditorContext, EditorScreen, PanelContent, PanelTable, PanelText, hookimpl


@hookimpl
def rck_editor_screens() -> list[EditorScreen]:
    """Return the screen."""
    return [EditorScreen("my-plugin", "all instances and their parts", show_parts, key="f7")]


def show_parts(context: EditorContext) -> Iterator[PanelContent]:
    """Yield the content: a table, in which a row can be chosen."""
    rows = tuple((name, instance.part) for name, instance in context.document.assembly.parts.items())
    yield PanelText(f"{len(rows)} instances", "bold")
    yield PanelTable(("instance", "part"), rows, choose=show_instance)


def show_instance(context: EditorContext, row: int) -> None:
    """Show the figures of the chosen instance."""
    context.do(f"show part {list(context.document.assembly.parts)[row]}")
