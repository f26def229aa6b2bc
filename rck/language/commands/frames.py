"""Tool frames, and the ports that the whole assembly offers."""

from rck.assembly import edit
from rck.assembly.document import Tool
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.lookup import require_end, require_port
from rck.language.session import Edited, Session


def _tool(session: Session, arguments: Arguments) -> Edited:
    tool = Tool(
        arguments.read("end", lambda text: require_end(session, session.assembly, text)),
        offset=arguments.read_option("offset", values.vector, (0.0, 0.0, 0.0)),
        rpy=arguments.read_option("rpy", values.angles, None),
    )
    name = arguments.read("name", values.new_name)
    return edit.set_tool(session.assembly, name, tool), f"tool {name} on {tool.on}"


def _port(session: Session, arguments: Arguments) -> Edited:
    name = arguments.read("name", values.new_name)
    end = arguments.read("end", lambda text: require_port(session, text))
    return edit.set_port(session.assembly, name, end), f"{end} is offered as {name}"


COMMANDS = (
    CommandSpec(
        "tool",
        "add or change a tool frame, where the work is done",
        _tool,
        (Argument("name", Kind.NAME), Argument("end", Kind.END)),
        (Option("offset", "x,y,z in the frame of the end", Kind.VECTOR), Option("rpy", "roll,pitch,yaw", Kind.VECTOR)),
        examples=("tool grip hand.tip --offset 0,0,20",),
        aliases=("create tool",),
    ),
    CommandSpec(
        "port",
        "offer a port of an instance as a port of the whole assembly",
        _port,
        (Argument("name", Kind.NAME), Argument("end", Kind.END)),
        details="When the saved assembly is used as one part, these are its ports; without any, all free ports are.",
        examples=("port mount palm.back",),
        aliases=("create port",),
    ),
)
