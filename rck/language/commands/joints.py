"""Moving joints and remembering poses."""

from rck.assembly import edit
from rck.assembly.document import Assembly
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind
from rck.language.session import Session
from rck.model import Joint, RckError
from rck.model.names import did_you_mean
from rck.model.units import from_si

Edited = tuple[Assembly, str]


def _free_joints(session: Session) -> dict[str, Joint]:
    return {joint.name: joint for joint in session.compile().unwrap().robot.free_joints}


def _drive(session: Session, arguments: Arguments) -> Edited:
    name = arguments.text("joint")
    joints = _free_joints(session)
    if name not in joints:
        raise arguments.refuse(f"there is no joint {name} that moves{did_you_mean(name, joints)}", "joint")
    position = values.position(arguments.text("position"))
    return edit.set_joint_setting(session.assembly, name, position=position), f"{name} at {position}"


def _pose(session: Session, arguments: Arguments) -> Edited:
    name = arguments.text("name")
    given = values.settings(arguments.texts("positions"))
    joints = _free_joints(session)
    for joint in given:
        if joint not in joints:
            raise arguments.refuse(f"there is no joint {joint} that moves{did_you_mean(joint, joints)}", "positions")
    if given:
        positions = {joint: values.position(text) for joint, text in given.items()}
    else:
        units = session.assembly.units
        positions = {
            joint.name: round(
                from_si(joint.position, "angle", units.angle)
                if joint.kind.turns
                else from_si(joint.position, "length", units.length),
                9,
            )
            for joint in joints.values()
        }
    return edit.set_pose(session.assembly, name, positions), f"pose {name}: {len(positions)} joints"


def _go(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("pose")
    if name == "home":
        for joint in list(assembly.joints):
            assembly = edit.set_joint_setting(assembly, joint, position=None)
        return assembly, "all joints at the positions of the parts' drawings"
    if name not in assembly.poses:
        raise RckError(f"there is no pose {name}{did_you_mean(name, assembly.poses)}; `pose NAME` remembers one")
    for joint, position in assembly.poses[name].items():
        assembly = edit.set_joint_setting(assembly, joint, position=position)
    return assembly, f"at {name}"


COMMANDS = (
    CommandSpec(
        "drive",
        "move a joint to a position",
        _drive,
        (Argument("joint", Kind.JOINT), Argument("position", Kind.TEXT)),
        examples=("drive shoulder/axis 45", "drive lift/slide 120mm"),
    ),
    CommandSpec(
        "pose",
        "remember the positions of all joints, or the given ones, under a name",
        _pose,
        (Argument("name", Kind.NAME), Argument("positions", Kind.SETTING, optional=True)),
        examples=("pose folded", "pose reach shoulder/axis=30 elbow/axis=-60"),
    ),
    CommandSpec(
        "go",
        "move all joints to a named pose; `go home` to where the parts' drawings have them",
        _go,
        (Argument("pose", Kind.POSE),),
        examples=("go folded",),
    ),
)
