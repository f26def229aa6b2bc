"""Commands that move joints and save poses."""

from rck.assembly import edits
from rck.assembly.document import Assembly
from rck.assembly.mate_ends import parse_end
from rck.assembly.mates import joint_name
from rck.grammar import Argument, Arguments, ValueKind
from rck.hooks import Command
from rck.language.argument_values import parse_new_name, parse_position
from rck.language.document import Document
from rck.language.lookup import require_free_joint
from rck.model import RckError
from rck.model.dependent_drive import lead_joint
from rck.model.joint_positions import home_positions
from rck.model.named_pose import HOME
from rck.model.quantities import Quantities, Quantity
from rck.support.names import did_you_mean
from rck.support.units import from_si, round_in_unit


def _positions(document: Document, arguments: Arguments, name: str) -> dict[str, Quantity]:
    """Return the joint positions that the settings of a line give."""
    positions: dict[str, Quantity] = {}
    for joint, word in arguments.settings(name).items():
        with arguments.pointing(word):
            positions[require_free_joint(document, joint)] = parse_position(word.text)
    return positions


def _at_positions(assembly: Assembly, positions: dict[str, Quantity]) -> Assembly:
    for joint, position in positions.items():
        assembly = edits.set_joint_setting(assembly, joint, position=position)
    return assembly


def _drive(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = arguments.read("joint", lambda text: _require_coordinate(document, text))
    position = arguments.read("position", parse_position)
    if name not in [joint.name for joint in document.robot.free_joints]:
        if arguments.settings("others"):
            raise arguments.refuse(f"{name} is moved by a loop; drive it alone, or the joints that lead it", "others")
        with arguments.pointing("position"):
            return _drive_dependent(document, name, position)
    positions: dict[str, Quantity] = {name: position}
    positions |= _positions(document, arguments, "others")
    message = ", ".join(f"{joint} at {position}" for joint, position in positions.items())
    return document.with_assembly(_at_positions(document.assembly, positions)), message


def _require_coordinate(document: Document, text: str) -> str:
    """Return the name of a joint that moves independently, or that loops move."""
    if text in [joint.name for joint in document.robot.coordinate_joints]:
        return text
    return require_free_joint(document, text)


def _drive_dependent(document: Document, name: str, position: Quantity) -> tuple[Document, str]:
    """Move the free joints so that a joint in a loop gets to a position."""
    turns = {joint.name: joint.kind.turns for joint in document.robot.joints}
    read = Quantities(document.units)
    led = lead_joint(document.robot, name, read.joint_position(position, turns[name]))
    positions: dict[str, Quantity] = {
        joint: round_in_unit(x, *document.units.position_unit(turns[joint]), digits=9) for joint, x in led.items()
    }
    message = ", ".join(f"{joint} at {x}" for joint, x in positions.items())
    return document.with_assembly(_at_positions(document.assembly, positions)), f"{name} at {position}: {message}"


def _pose(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = arguments.read("name", parse_new_name)
    positions = _positions(document, arguments, "positions") or {
        joint.name: round_in_unit(joint.position, *document.units.position_unit(joint.kind.turns), digits=9)
        for joint in document.robot.free_joints
    }
    posed = edits.set_pose(document.assembly, name, positions)
    return document.with_assembly(posed), f"saved pose {name}: {len(positions)} joints"


def _go(document: Document, arguments: Arguments) -> tuple[Document, str]:
    assembly, name = document.assembly, arguments.text("pose")
    if name == HOME and name not in assembly.poses:
        turns = {joint.name: joint.kind.turns for joint in document.robot.joints}
        positions: dict[str, Quantity] = {
            joint: from_si(x, *document.units.position_unit(turns[joint]))
            for joint, x in home_positions(document.robot.poses, document.robot.joints).items()
        }
        home = _at_positions(edits.at_home(assembly), positions)
        return document.with_assembly(home), "all joints are at their home positions"
    with arguments.pointing("pose"):
        if name not in assembly.poses:
            raise RckError(f"there is no pose {name}{did_you_mean(name, assembly.poses)}; `pose NAME` saves one")
    return document.with_assembly(_at_positions(assembly, assembly.poses[name])), f"at {name}"


def without_joint(assembly: Assembly, name: str) -> Assembly:
    """Return the assembly with the joint of a mate made rigid; for a joint inside a part, its settings are reset."""
    for mate in assembly.mates:
        put = parse_end(mate.put).instance
        if mate.joint is not None and joint_name(mate, put) == name:
            return edits.without_joints(edits.change_mate(assembly, put, joint=None), lambda joint: joint == name)
    return edits.without(assembly, "joints", name)


COMMANDS = (
    Command(
        "drive",
        "move one or more joints to a position",
        (
            Argument("joint", ValueKind.JOINT),
            Argument("position", ValueKind.TEXT),
            Argument("others", ValueKind.SETTING, optional=True),
        ),
        details="A joint that a loop moves takes the free joints of the loop with it.",
        examples=("drive shoulder/axis 45", "drive lift/slide 120mm", "drive shoulder/axis 45 elbow/axis=-30"),
        run=_drive,
    ),
    Command(
        "pose",
        "save joint positions under a name",
        (Argument("name", ValueKind.NAME), Argument("positions", ValueKind.SETTING, optional=True)),
        details="Without positions, the present positions of all joints are saved.",
        examples=("pose folded", "pose reach shoulder/axis=30 elbow/axis=-60"),
        aliases=("create pose",),
        run=_pose,
    ),
    Command(
        "go",
        "move the joints to a saved pose",
        (Argument("pose", ValueKind.POSE),),
        details="If no saved pose is called `home`, `go home` moves all joints to the poses `home` of their parts, or"
        " else to the positions in the part manifests.",
        examples=("go folded",),
        run=_go,
    ),
)
