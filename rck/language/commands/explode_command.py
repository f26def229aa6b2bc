"""The command explode."""

from rck.assembly.exploded_instance import exploded
from rck.grammar import Argument, Arguments, ValueKind
from rck.hooks import Command
from rck.language.document import Document
from rck.language.lookup import read_instance
from rck.support.units import counted


def _explode(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = read_instance(document, arguments)
    with arguments.pointing("instance"):
        result = exploded(document.assembly, name, document.compiled)
    changed = document.with_assembly(result.assembly)
    # Refuse a result that does not compile, before it replaces the document.
    _ = changed.compiled
    links, joints = counted(len(result.links), "instance"), counted(len(result.joints), "joint")
    notes = "".join(f"\n{loss}" for loss in result.losses)
    return changed, f"exploded {name} into {links} with {joints}: {', '.join(result.links)}{notes}"


COMMANDS = (
    Command(
        "explode",
        "replace a robot by one instance for each of its links",
        (Argument("instance", ValueKind.INSTANCE),),
        details="Each link becomes a local part with ports at its joints. Mates with joints attach the links to each"
        " other, so that you can replace one with `replace` or `remove`. Names in exports, motors, sensors, poses and"
        " collision rules stay. `undo` joins the links again.",
        examples=("explode so-100",),
        slow=True,
        run=_explode,
    ),
)
