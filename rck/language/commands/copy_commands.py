"""Commands that copy instances: single ones or branches, mirrored, and in linear or circular patterns."""

from collections.abc import Iterator
from math import pi

import msgspec
import numpy as np

from rck.assembly import edits
from rck.assembly.copies import copy_branch, mirror_axis, mirrored_branch, mirrored_mate, unnamed
from rck.assembly.document import Mate
from rck.assembly.mate_ends import parse_end
from rck.assembly.mates import joint_name, place_in
from rck.geometry.arrays import Floats
from rck.geometry.transforms import AXES, mirror, rotation_about, translation
from rck.grammar import Argument, Arguments, CommandOption, ValueKind
from rck.hooks import Command
from rck.language.argument_values import parse_angle, parse_axis, parse_vector
from rck.language.commands.mate_commands import fitting_port
from rck.language.document import Document
from rck.language.lookup import SECTIONS, read_end, read_instance
from rck.model.quantities import Quantities, direction

MOST = 1000


def _copy(document: Document, arguments: Arguments) -> tuple[Document, str]:
    assembly = document.assembly
    names = arguments.texts("what")
    if len(names) == 3 and names[0] in SECTIONS:
        with arguments.pointing(arguments.words["what"][1]):
            copied = edits.copied_entry(assembly, SECTIONS[names[0]], names[1], names[2])
        return document.with_assembly(copied), f"copied {names[0]} {names[1]} to {names[2]}"
    if len(names) > 2:
        message = f"give an instance and a new name, or one of {', '.join(SECTIONS)} with its name and a new name"
        raise arguments.refuse(message, "what")
    name = read_instance(document, arguments, "what")
    new = names[1] if len(names) == 2 else edits.new_name(assembly, name)
    with arguments.pointing(arguments.words["what"][-1]):
        changed, copies = copy_branch(assembly, name, new, whole=arguments.has("branch"))
    pose = document.poses.world_from_part(name)
    plane = arguments.option("mirror")
    if plane is not None:
        pose = mirror(AXES[plane]) @ pose @ mirror_axis(changed, new)
        changed = mirrored_branch(changed, tuple(copies.values()), document.with_assembly(changed).body)
    result = document.with_assembly(changed)
    if arguments.has("at"):
        if arguments.has("by"):
            raise arguments.refuse("--by cannot be combined with --at, which determines the pose of the copy", "by")
        result = _mate_copy(result, arguments, name, new)
    else:
        step = arguments.read_option("by", parse_vector, (0.0, 0.0, 0.0))
        pose = translation(Quantities(document.units).point(step)) @ pose
        result = _place(result, new, pose)
    return result, f"copied {name} to {new}" + (f" ({len(copies)} instances)" if len(copies) > 1 else "")


def _place(document: Document, name: str, pose: Floats) -> Document:
    place = place_in(pose, document.units)
    return document.with_assembly(edits.set_instance(document.assembly, name, place=place))


def _mate_copy(document: Document, arguments: Arguments, name: str, new: str) -> Document:
    """Mate the copy to another end, by the same port and with the same options as the original."""
    assembly = document.assembly
    at = read_end(document, arguments, "at")
    old = edits.mate_putting(assembly, name)
    if old is None:
        with arguments.pointing("at"):
            mate = Mate(at, f"{new}.{fitting_port(document, new, at)}")
        return document.with_assembly(edits.add_mate(assembly, mate))
    mate = msgspec.structs.replace(old, joint=unnamed(old.joint))
    if arguments.has("mirror"):
        mate = mirrored_mate(mate, assembly, *document.poses.ends(old))
    place = parse_end(old.put).place
    mate = msgspec.structs.replace(mate, at=at, put=f"{new}.{place}" if place else new)
    mated = edits.add_mate(assembly, mate)
    setting = assembly.joints.get(joint_name(old, name))
    if setting is not None and mate.joint is not None:
        mated = edits.set_joint_setting(mated, f"{new}/mate", **msgspec.structs.asdict(setting))
    return document.with_assembly(mated)


def _pattern(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = read_instance(document, arguments)
    count = arguments.count("count")
    pose = document.poses.world_from_part(name)
    shape = arguments.text("shape")
    for option in _FOREIGN_OPTIONS[shape]:
        if arguments.has(option):
            raise arguments.refuse(f"--{option} does not apply to a {shape}", option)
    read = Quantities(document.units)
    for motion in _line(arguments, read, count) if shape == "line" else _circle(arguments, read, count):
        new = edits.new_name(document.assembly, name)
        copied, _ = copy_branch(document.assembly, name, new, whole=not arguments.has("alone"))
        document = _place(document.with_assembly(copied), new, motion @ pose)
    return document, f"{count} instances of {name} in a {shape}"


_FOREIGN_OPTIONS = {"line": ("axis", "about", "angle"), "circle": ("by",)}
"""The options that do not apply to each shape of pattern."""


def _line(arguments: Arguments, read: Quantities, count: int) -> Iterator[Floats]:
    """Yield the motion of each copy."""
    if not arguments.has("by"):
        raise arguments.refuse("a line needs --by x,y,z, the step between two instances", "shape")
    step = read.point(arguments.read("by", parse_vector))
    for number in range(1, count):
        yield translation(number * step)


def _circle(arguments: Arguments, read: Quantities, count: int) -> Iterator[Floats]:
    whole = arguments.read_option("angle", lambda text: read.angle(parse_angle(text)), 2 * pi)
    # On a full circle the last instance is one step before the first; an arc ends with the last instance.
    turn = whole / count if abs(abs(whole) - 2 * pi) < 1e-9 else whole / (count - 1)
    about = arguments.read_option("about", lambda text: read.point(parse_vector(text)), np.zeros(3))
    axis = direction(arguments.read_option("axis", parse_axis, "z"))
    for number in range(1, count):
        yield rotation_about(axis, number * turn, about)


COMMANDS = (
    Command(
        "copy",
        "copy an instance, alone or with everything attached to it",
        (Argument("what", ValueKind.LEVEL, many=True),),
        (
            CommandOption("branch", "include everything attached to the instance"),
            CommandOption("at", "end to attach the copy to", ValueKind.END),
            CommandOption("by", "offset of the copy, x,y,z", ValueKind.VECTOR),
            CommandOption(
                "mirror", "mirror the copy at the plane normal to this world axis", ValueKind.CHOICE, ("x", "y", "z")
            ),
        ),
        "`copy INSTANCE [NEW]`. Without --at the copy is not attached to anything; with --at it is mated like the"
        " original, and a mirrored copy like the mirror image of the original."
        f" `copy tool OLD NEW` copies a tool; the same works for {', '.join(list(SECTIONS)[1:])}.",
        (
            "copy upper lower --at elbow.horn",
            "copy shoulder left-shoulder --branch --mirror y",
            "copy pose folded parked",
        ),
        run=_copy,
    ),
    Command(
        "pattern",
        "repeat an instance along a line or around a circle",
        (
            Argument("instance", ValueKind.INSTANCE),
            Argument("shape", ValueKind.CHOICE, choices=("line", "circle")),
            Argument("count", ValueKind.COUNT, minimum=2, maximum=MOST),
        ),
        (
            CommandOption("by", "step of a line, x,y,z", ValueKind.VECTOR),
            CommandOption("axis", "axis of the circle (default: z)", ValueKind.AXIS),
            CommandOption("about", "centre of the circle, x,y,z (default: 0,0,0)", ValueKind.VECTOR),
            CommandOption("angle", "total angle (default: 360 degrees)", ValueKind.ANGLE),
            CommandOption("alone", "copy the instance without everything attached to it"),
        ),
        "The count includes the existing instance.",
        ("pattern leg line 4 --by 200,0,0", "pattern post circle 6 --about 0,0,0"),
        run=_pattern,
    ),
)
