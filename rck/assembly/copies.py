"""Copies of instances and of whole branches, as they are or as in a mirror."""

from collections.abc import Callable, Collection

import msgspec
import numpy as np

from rck.assembly.document import Assembly, Mate, MateJoint, replaced
from rck.assembly.edit import branch, instance, new_name, require_new_name, set_instance
from rck.assembly.ends import EndFrame, end_frame, parse_end
from rck.assembly.mates import at_from_put, joint_axis, joint_name, mate_reaching
from rck.assembly.native import normalised
from rck.assembly.pieces import Body
from rck.catalogue.manifest import Axis, Quantity, Units
from rck.catalogue.quantities import Quantities, direction
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import AXES, mirror
from rck.model.units import from_si

_OTHER_HAND = frozen(np.diag([1.0, -1.0, 1.0, 1.0]))
"""What a mirror does to the frame of a port or face: origin, z and x go along, so y comes out the other way."""


def copy_branch(assembly: Assembly, name: str, new: str, whole: bool) -> tuple[Assembly, dict[str, str]]:
    """A copy of an instance, or of it and all that stands on it, standing free; and the new name of each."""
    instance(assembly, name)
    require_new_name(assembly, new)
    fresh = {name: new}
    for one in branch(assembly, name)[1:] if whole else ():
        fresh[one] = new_name(assembly, one, fresh.values())
    inner = [mate for mate in assembly.mates if (put := parse_end(mate.put).instance) in fresh and put != name]
    # A joint with a name of its own must not appear twice; the copy takes its default name.
    joints = {joint_name(mate, put := parse_end(mate.put).instance): f"{fresh[put]}/mate" for mate in inner}
    for joint in assembly.joints:
        scope, slash, rest = joint.partition("/")
        if slash and scope in fresh and rest != "mate":
            joints.setdefault(joint, f"{fresh[scope]}/{rest}")
    copied = replaced(
        assembly,
        parts={**assembly.parts, **{fresh[one]: assembly.parts[one] for one in fresh}},
        mates=[*assembly.mates, *(_copied_mate(mate, fresh) for mate in inner)],
        joints={
            **assembly.joints,
            **{joints[joint]: setting for joint, setting in assembly.joints.items() if joint in joints},
        },
    )
    return normalised(copied), fresh


def _copied_mate(mate: Mate, fresh: dict[str, str]) -> Mate:
    def end(text: str) -> str:
        old = parse_end(text).instance
        return fresh[old] + text[len(old) :]

    return msgspec.structs.replace(mate, at=end(mate.at), put=end(mate.put), joint=unnamed(mate.joint))


def unnamed(joint: MateJoint | None) -> MateJoint | None:
    """The joint of a mate under its default name."""
    return None if joint is None else msgspec.structs.replace(joint, name=None)


def mirror_axis(assembly: Assembly, name: str) -> Floats:
    """The reflection, in the frame of the part, by which :func:`mirrored_branch` mirrors an instance. Shape (4, 4)."""
    return mirror(AXES[instance(assembly, name).mirror or "x"])


def mirrored_branch(assembly: Assembly, names: Collection[str], body: Callable[[str], Body]) -> Assembly:
    """The named instances as mirror images of themselves, and the mates among them likewise.

    The first of them is left where it is; `body` tells what an instance is made of.
    """
    mates = [
        mirrored_mate(mate, assembly, *(_frame_of(end, body) for end in (mate.at, mate.put)))
        if parse_end(mate.put).instance in names and parse_end(mate.at).instance in names
        else mate
        for mate in assembly.mates
    ]
    mirrored = replaced(assembly, mates=mates)
    for name in names:
        # What is a mirror image already becomes the part itself again.
        side = None if assembly.parts[name].mirror else "x"
        mirrored = set_instance(mirrored, name, mirror=side)
    return mirrored


def _frame_of(text: str, body: Callable[[str], Body]) -> EndFrame:
    end = parse_end(text)
    made = body(end.instance)
    return end_frame(end, made.robot, made.ports)


def mirrored_mate(mate: Mate, assembly: Assembly, at: EndFrame, put: EndFrame) -> Mate:
    """The mate between the mirror images of two instances that gives the mirror image."""
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
    """The joint with its axis in the mirror, where what turns goes round the other way."""
    if joint is None:
        return None
    kind, axis = joint_axis(joint)
    seen = reflection[:3, :3] @ direction(axis)
    return msgspec.structs.replace(joint, **{kind.value: _axis(-seen if kind.turns else seen)})


def _axis(vector: Floats) -> Axis:
    """A direction by its letter, where it has one."""
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
