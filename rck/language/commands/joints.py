"""Moving joints and remembering poses."""

from rck.assembly import edit
from rck.assembly.document import Assembly
from rck.assembly.ends import parse_end
from rck.assembly.mates import joint_name
from rck.catalogue.manifest import Quantity, Units
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind
from rck.language.lookup import require_free_joint
from rck.language.session import Edited, Session
from rck.model import Joint, RckError
from rck.model.names import did_you_mean
from rck.model.units import round_in_unit


def _drive(session: Session, arguments: Arguments) -> Edited:
    name = arguments.read("joint", lambda text: require_free_joint(session, text))
    positions: dict[str, Quantity] = {name: arguments.read("position", values.position)}
    for joint, word in arguments.settings("others").items():
        with arguments.pointing(word):
            positions[require_free_joint(session, joint)] = values.position(word.text)
    assembly = session.assembly
    for joint, position in positions.items():
        assembly = edit.set_joint_setting(assembly, joint, position=position)
    return assembly, ", ".join(f"{joint} at {position}" for joint, position in positions.items())


def _pose(session: Session, arguments: Arguments) -> Edited:
    name = arguments.read("name", values.new_name)
    positions: dict[str, Quantity] = {}
    for joint, word in arguments.settings("positions").items():
        with arguments.pointing(word):
            positions[require_free_joint(session, joint)] = values.position(word.text)
    if not positions:
        units = session.assembly.units
        positions = {joint.name: _position(joint, units) for joint in session.compile().unwrap().robot.free_joints}
    return edit.set_pose(session.assembly, name, positions), f"pose {name}: {len(positions)} joints"


def _position(joint: Joint, units: Units) -> float:
    return round_in_unit(joint.position, *units.position_unit(joint.kind.turns), digits=9)


def _go(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("pose")
    if name == "home" and name not in assembly.poses:
        return edit.at_home(assembly), "all joints at the positions of the parts' drawings"
    with arguments.pointing("pose"):
        if name not in assembly.poses:
            raise RckError(f"there is no pose {name}{did_you_mean(name, assembly.poses)}; `pose NAME` remembers one")
    for joint, position in assembly.poses[name].items():
        assembly = edit.set_joint_setting(assembly, joint, position=position)
    return assembly, f"at {name}"


def without_joint(assembly: Assembly, name: str) -> Assembly:
    """A mate without its joint, rigid from now on; of a joint inside a part, only what was set is taken back."""
    for mate in assembly.mates:
        put = parse_end(mate.put).instance
        if mate.joint is not None and joint_name(mate, put) == name:
            return edit.without_joints(edit.change_mate(assembly, put, joint=None), lambda joint: joint == name)
    return edit.without(assembly, "joints", name)


COMMANDS = (
    CommandSpec(
        "drive",
        "move a joint to a position, or several in one step",
        _drive,
        (
            Argument("joint", Kind.JOINT),
            Argument("position", Kind.TEXT),
            Argument("others", Kind.SETTING, optional=True),
        ),
        examples=("drive shoulder/axis 45", "drive lift/slide 120mm", "drive shoulder/axis 45 elbow/axis=-30"),
    ),
    CommandSpec(
        "pose",
        "remember the positions of all joints, or the given ones, under a name",
        _pose,
        (Argument("name", Kind.NAME), Argument("positions", Kind.SETTING, optional=True)),
        examples=("pose folded", "pose reach shoulder/axis=30 elbow/axis=-60"),
        aliases=("create pose",),
    ),
    CommandSpec(
        "go",
        "move all joints to a named pose",
        _go,
        (Argument("pose", Kind.POSE),),
        details="`go home` brings them to where the parts' drawings have them, unless you have named a pose so.",
        examples=("go folded",),
    ),
)
