"""Action of the editor: copy the selected instances, with a key and an entry in the command palette."""

from rck.hooks import EditorAction, EditorContext, hookimpl
from rck.model import RckError


@hookimpl
def rck_editor_actions() -> list[EditorAction]:
    """Return the action."""
    return [EditorAction("my-plugin", "copy the selected instances upward", copy_up, "ctrl+g", screens=("build",))]


def copy_up(context: EditorContext) -> None:
    """Copy the selected instances; the commands run after this function has returned, all or none."""
    names = [name for name in context.selection if name in context.document.assembly.parts]
    if not names:
        raise RckError("select an instance first")
    for number, name in enumerate(names):
        context.job.progress(number / len(names), name)
        context.do(f"copy {name} --by 0,0,100mm")
    context.notify(f"copied {', '.join(names)}", "done")
