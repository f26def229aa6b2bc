"""Start template of the editor: a base with a servo."""

from rck.hooks import StartTemplate, hookimpl

SCRIPT = """\
create structure/round-base base diameter=120
create robotis/xm540-w270 servo --at base.top
"""


@hookimpl
def rck_start_templates() -> list[StartTemplate]:
    """Return the template."""
    return [StartTemplate("my-plugin", "a base with a servo", SCRIPT)]
