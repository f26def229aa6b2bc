"""Commands for tool frames, ports of the whole assembly, and saved views."""

from rck.assembly import edits
from rck.assembly.document import SavedView, Tool
from rck.grammar import Argument, Arguments, CommandOption, ValueKind
from rck.hooks import Command
from rck.language.argument_values import parse_angles, parse_new_name, parse_vector
from rck.language.document import Document
from rck.language.lookup import read_end, require_port


def _tool(document: Document, arguments: Arguments) -> tuple[Document, str]:
    tool = Tool(
        read_end(document, arguments, "end"),
        offset=arguments.read_option("offset", parse_vector, (0.0, 0.0, 0.0)),
        rpy=arguments.read_option("rpy", parse_angles, None),
    )
    name = arguments.read("name", parse_new_name)
    return document.with_assembly(edits.set_tool(document.assembly, name, tool)), f"tool {name} on {tool.on}"


def _port(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = arguments.read("name", parse_new_name)
    end = arguments.read("end", lambda text: require_port(document, text))
    return document.with_assembly(edits.set_port(document.assembly, name, end)), f"port {name} is {end}"


def _view(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = arguments.read("name", parse_new_name)
    if not arguments.has("eye"):
        raise arguments.refuse("a view needs --eye x,y,z, and --target x,y,z if that is not the origin", "name")
    view = SavedView(
        eye=arguments.read("eye", parse_vector),
        target=arguments.read_option("target", parse_vector, (0.0, 0.0, 0.0)),
        parallel=arguments.has("parallel"),
    )
    return document.with_changes(views={**document.assembly.views, name: view}), f"saved view {name}"


COMMANDS = (
    Command(
        "tool",
        "add or change a tool frame",
        (Argument("name", ValueKind.NAME), Argument("end", ValueKind.END)),
        (
            CommandOption("offset", "position in the frame of the end, x,y,z", ValueKind.VECTOR),
            CommandOption("rpy", "orientation as roll,pitch,yaw", ValueKind.VECTOR),
        ),
        examples=("tool grip hand.tip --offset 0,0,20",),
        aliases=("create tool",),
        run=_tool,
    ),
    Command(
        "port",
        "make a port of an instance a port of the whole assembly",
        (Argument("name", ValueKind.NAME), Argument("end", ValueKind.END)),
        details="These are the ports of the saved assembly when it is used as a part. Without any, all free ports are.",
        examples=("port mount palm.back",),
        aliases=("create port",),
        run=_port,
    ),
    Command(
        "view",
        "save a camera view under a name",
        (Argument("name", ValueKind.NAME),),
        (
            CommandOption("eye", "position of the camera, x,y,z", ValueKind.VECTOR),
            CommandOption("target", "point that the camera looks at, x,y,z (default: 0,0,0)", ValueKind.VECTOR),
            CommandOption("parallel", "use a parallel projection"),
        ),
        examples=("view gripper --eye 400,-600,300 --target 0,0,200",),
        aliases=("create view",),
        run=_view,
    ),
)
