"""Reload of plugins in development while the editor runs, whenever their files change."""

from rck.editor.workbench import Workbench
from rck.support.finding import RckError

POLL_INTERVAL = 0.5
"""Time between two looks at the files, in seconds."""


def reload_changed_plugins(bench: Workbench) -> tuple[str, ...]:
    """Load the changed plugins in development again and return their names; failures are shown as messages."""
    plugins = bench.session.plugins
    changed = plugins.changed_plugins()
    if not changed:
        return ()
    plugins.reload(changed)
    try:
        bench.session.refresh_plugins()
    except RckError as error:
        bench.log(str(error), "error")
    states = {info.name: info for info in plugins.infos()}
    for name in changed:
        if states[name].state == "failed":
            where = plugins.location(name)
            bench.log(f"{name}: {states[name].reason}" + (f" ({where.short})" if where else ""), "error")
        else:
            bench.log(f"loaded {name} again", "done")
    bench.checks = None
    bench.notify("assembly")
    return changed
