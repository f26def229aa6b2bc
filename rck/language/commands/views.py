"""Remembering where the assembly was looked at from."""

from rck.assembly.document import View, replaced
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.session import Edited, Session


def _view(session: Session, arguments: Arguments) -> Edited:
    name = arguments.read("name", values.new_name)
    if not arguments.has("eye"):
        raise arguments.refuse("a view needs --eye x,y,z, and --target x,y,z unless that is the origin", "name")
    view = View(
        eye=arguments.read("eye", values.vector),
        target=arguments.read_option("target", values.vector, (0.0, 0.0, 0.0)),
        parallel=arguments.has("parallel"),
    )
    assembly = session.assembly
    return replaced(assembly, views={**assembly.views, name: view}), f"view {name} remembered"


COMMANDS = (
    CommandSpec(
        "view",
        "remember a view under a name",
        _view,
        (Argument("name", Kind.NAME),),
        (
            Option("eye", "where the eye is, x,y,z", Kind.VECTOR),
            Option("target", "what it looks at, x,y,z", Kind.VECTOR),
            Option("parallel", "without perspective"),
        ),
        examples=("view gripper --eye 400,-600,300 --target 0,0,200",),
        aliases=("create view",),
    ),
)
