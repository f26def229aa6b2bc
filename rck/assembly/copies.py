"""Copies of instances and branches, plain or mirrored."""

from collections.abc import Callable, Collection, Mapping

import msgspec
import numpy as np

from rck.assembly.definitions import InstanceBody
from rck.assembly.document import Assembly, Mate, MateJoint, replaced
from rck.assembly.edits import branch, instance, new_name, require_new_name, set_instance
from rck.assembly.mate_ends import EndFrame, end_frame, parse_end
from rck.assembly.mates import at_from_put, joint_name, mate_reaching
from rck.assembly.native_file import normalised
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import AXES, mirror
from rck.model.joint_spec import joint_axis
from rck.model.quantities import Axis, Quantities, Quantity, Units, direction
from rck.support.units import from_si

_OTHER_HAND = frozen(np.diag([1.0, -1.0, 1.0, 1.0]))
"""Effect of a reflection on the frame of a port or face: origin, z and x follow, so y is reversed."""


def copy_branch(assembly: Assembly, name: str, new: str, whole: bool) -> tuple[Assembly, dict[str, str]]:
    """Copy an instance or its whole branch, without its mate; return the assembly and the new names by old name."""
    instance(assembly, name)
    require_new_name(assembly, new)
    fresh = {name: new}
    for one in branch(assembly, name)[1:] if whole else ():
        fresh[one] = new_name(assembly, one, fresh.values())
    inner = [mate for mate in assembly.mates if (put := parse_end(mate.put).instance) in fresh and put != name]
    # Names of joints are unique: the copy of a named joint gets its default name.
    joints = {joint_name(mate, put := parse_end(mate.put).instance): f"{fresh[put]}/mate" for mate in inner}
    for joint in assembly.joints:
        scope, slash, rest = joint.partition("/")
        if slash and scope in fresh and rest != "mate":
            joints.setdefault(joint, f"{fresh[scope]}/{rest}")
    copied = replaced(
        assembly,
        parts={**assembly.parts, **{fresh[one]: assembly.parts[one] for one in fresh}},
        mates=[*assembly.mates, *(_copied_mate(mate, fresh, joints) for mate in inner)],
        joints={
            **assembly.joints,
            **{joints[joint]: setting for joint, setting in assembly.joints.items() if joint in joints},
        },
    )
    return normalised(copied), fresh


def _copied_mate(mate: Mate, fresh: dict[str, str], joints: Mapping[str, str]) -> Mate:
    def end(text: str) -> str:
        old = parse_end(text).instance
        return fresh[old] + text[len(old) :]

    return msgspec.structs.replace(
        mate, at=end(mate.at), put=end(mate.put), joint=_with_copied_leader(mate.joint, joints)
    )


def _with_copied_leader(joint: MateJoint | None, joints: Mapping[str, str]) -> MateJoint | None:
    """Return the joint with its default name, led by the copy of its leader if that is copied too."""
    copied = unnamed(joint)
    if copied is None or copied.follows is None:
        return copied
    leader = joints.get(copied.follows.joint, copied.follows.joint)
    return msgspec.structs.replace(copied, follows=msgspec.structs.replace(copied.follows, joint=leader))


def unnamed(joint: MateJoint | None) -> MateJoint | None:
    """Return the joint of a mate with its default name, also in exports."""
    return None if joint is None else msgspec.structs.replace(joint, name=None, source_name="")


def mirror_axis(assembly: Assembly, name: str) -> Floats:
    """Return the reflection, in the frame of the part, that :func:`mirrored_branch` applies. Shape (4, 4)."""
    return mirror(AXES[instance(assembly, name).mirror or "x"])


def mirrored_branch(assembly: Assembly, names: Collection[str], body: Callable[[str], InstanceBody]) -> Assembly:
    """Return the assembly with the named instances and the mates between them mirrored.

    The first instance keeps its place; `body` returns the body of an instance.
    """
    mates = [
        mirrored_mate(mate, assembly, *(_frame_of(end, body) for end in (mate.at, mate.put)))
        if parse_end(mate.put).instance in names and parse_end(mate.at).instance in names
        else mate
        for mate in assembly.mates
    ]
    mirrored = replaced(assembly, mates=mates)
    for name in names:
        # The mirror image of a mirrored instance is the original.
        side = None if assembly.parts[name].mirror else "x"
        mirrored = set_instance(mirrored, name, mirror=side)
    return mirrored


def _frame_of(text: str, body: Callable[[str], InstanceBody]) -> EndFrame:
    end = parse_end(text)
    made = body(end.instance)
    return end_frame(end, made.robot, made.ports)


def mirrored_mate(mate: Mate, assembly: Assembly, at: EndFrame, put: EndFrame) -> Mate:
    """Return the mate between the mirror images of two instances."""
    here = _OTHER_HAND if at.faces else mirror_axis(assembly, parse_end(mate.at).instance)
    there = _OTHER_HAND if put.faces else mirror_axis(assembly, parse_end(mate.put).instance)
    wanted = here @ at_from_put(mate, at, put, Quantities(assembly.units)) @ there
    turn, joint = _negative(mate.turn, assembly.units), _mirrored_joint(mate.joint, here)
    turned = msgspec.structs.replace(mate, turn=turn, joint=joint)
    return mate_reaching(turned, at, put, wanted, assembly.units)


def _negative(turn: Quantity, units: Units) -> float:
    if isinstance(turn, str):
        turn = from_si(Quantities(units).angle(turn), "angle", units.angle)
    return 0.0 - turn


def _mirrored_joint(joint: MateJoint | None, reflection: Floats) -> MateJoint | None:
    """Return the joint with its axis mirrored; rotations are reversed."""
    if joint is None:
        return None
    kind, axis = joint_axis(joint)
    seen = reflection[:3, :3] @ direction(axis)
    return msgspec.structs.replace(joint, **{kind.value: _axis(-seen if kind.turns else seen)})


def _axis(vector: Floats) -> Axis:
    """Return a direction as a letter if it is along an axis."""
    x, y, z = (vector + 0.0).tolist()
    letters: dict[tuple[float, ...], Axis] = {
        (1.0, 0.0, 0.0): "x",
        (0.0, 1.0, 0.0): "y",
        (0.0, 0.0, 1.0): "z",
        (-1.0, 0.0, 0.0): "-x",
        (0.0, -1.0, 0.0): "-y",
        (0.0, 0.0, -1.0): "-z",
    }
    return letters.get((x, y, z), (x, y, z))
