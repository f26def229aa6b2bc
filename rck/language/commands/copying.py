"""Copies of what is there: one instance or a whole branch, as it is or as in a mirror, in lines and circles."""

from collections.abc import Iterator
from math import pi

import msgspec
import numpy as np

from rck.assembly import edit
from rck.assembly.copies import copy_branch, mirror_axis, mirrored_branch, mirrored_mate, unnamed
from rck.assembly.document import Assembly, Mate
from rck.assembly.ends import parse_end
from rck.assembly.mates import joint_name
from rck.catalogue.quantities import Quantities, direction
from rck.geometry.arrays import Floats
from rck.geometry.transforms import AXES, mirror, rotation_about, translation
from rck.language import values
from rck.language.commands.mating import fitting_port
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.lookup import SECTIONS, instance_in, require_end
from rck.language.placing import place_of, standing
from rck.language.session import Edited, Session

MOST = 1000


def _copy(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    names = arguments.texts("what")
    if len(names) == 3 and names[0] in SECTIONS:
        with arguments.pointing(arguments.words["what"][1]):
            copied = edit.copied_entry(assembly, SECTIONS[names[0]], names[1], names[2])
        return copied, f"copied {names[0]} {names[1]} to {names[2]}"
    if len(names) > 2:
        raise arguments.refuse(
            f"copy what? an instance, or one of {', '.join(SECTIONS)}, its name, and a new one", "what"
        )
    name = instance_in(assembly, arguments, "what")
    new = names[1] if len(names) == 2 else edit.new_name(assembly, name)
    with arguments.pointing(arguments.words["what"][-1]):
        changed, fresh = copy_branch(assembly, name, new, whole=arguments.has("branch"))
    pose = standing(session, assembly).world_from_part(name)
    plane = arguments.option("mirror")
    if plane is not None:
        pose = mirror(AXES[plane]) @ pose @ mirror_axis(changed, new)
        plain = changed
        changed = mirrored_branch(changed, tuple(fresh.values()), lambda one: session.body(plain, one))
    if arguments.has("at"):
        if arguments.has("by"):
            raise arguments.refuse("with --at the copy stands where that end is; leave --by out", "by")
        changed = _mated_copy(session, arguments, changed, name, new)
    else:
        step = arguments.read_option("by", values.vector, (0.0, 0.0, 0.0))
        pose = translation(Quantities(assembly.units).point(step)) @ pose
        changed = edit.set_instance(changed, new, place=place_of(pose, assembly))
    return changed, f"copied {name} to {new}" + (f" ({len(fresh)} pieces)" if len(fresh) > 1 else "")


def _mated_copy(session: Session, arguments: Arguments, assembly: Assembly, name: str, new: str) -> Assembly:
    """The copy on another end, by the same port and in the same way as the original stands."""
    at = arguments.read("at", lambda text: require_end(session, assembly, text))
    old = edit.mate_putting(assembly, name)
    if old is None:
        with arguments.pointing("at"):
            mate = Mate(at, f"{new}.{fitting_port(session, assembly, new, at)}")
        return edit.add_mate(assembly, mate)
    mate = msgspec.structs.replace(old, joint=unnamed(old.joint))
    if arguments.has("mirror"):
        mate = mirrored_mate(mate, assembly, *standing(session, assembly).ends(old))
    place = parse_end(old.put).place
    mate = msgspec.structs.replace(mate, at=at, put=f"{new}.{place}" if place else new)
    mated = edit.add_mate(assembly, mate)
    setting = assembly.joints.get(joint_name(old, name))
    if setting is None or mate.joint is None:
        return mated
    return edit.set_joint_setting(mated, f"{new}/mate", **msgspec.structs.asdict(setting))


def _pattern(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    name = instance_in(assembly, arguments)
    count = arguments.read("count", values.count)
    if not 2 <= count <= MOST:
        raise arguments.refuse(f"a pattern has 2 to {MOST} instances", "count")
    pose = standing(session, assembly).world_from_part(name)
    shape = arguments.text("shape")
    for option in _ONLY[shape]:
        if arguments.has(option):
            raise arguments.refuse(f"a {shape} has no --{option}", option)
    read = Quantities(assembly.units)
    for motion in _line(arguments, read, count) if shape == "line" else _circle(arguments, read, count):
        new = edit.new_name(assembly, name)
        assembly, _ = copy_branch(assembly, name, new, whole=not arguments.has("alone"))
        assembly = edit.set_instance(assembly, new, place=place_of(motion @ pose, assembly))
    return assembly, f"{count} of {name} in a {shape}"


_ONLY = {"line": ("axis", "about", "angle"), "circle": ("by",)}
"""The options that each shape of pattern does not take."""


def _line(arguments: Arguments, read: Quantities, count: int) -> Iterator[Floats]:
    """The motion of each copy."""
    if not arguments.has("by"):
        raise arguments.refuse("a line needs --by x,y,z: from one to the next", "shape")
    step = read.point(arguments.read("by", values.vector))
    for number in range(1, count):
        yield translation(number * step)


def _circle(arguments: Arguments, read: Quantities, count: int) -> Iterator[Floats]:
    whole = arguments.read_option("angle", lambda text: read.angle(values.angle(text)), 2 * pi)
    # A whole circle has its last instance one step before the first; an arc ends with the last instance.
    turn = whole / count if abs(abs(whole) - 2 * pi) < 1e-9 else whole / (count - 1)
    about = arguments.read_option("about", lambda text: read.point(values.vector(text)), np.zeros(3))
    axis = direction(arguments.read_option("axis", values.axis, "z"))
    for number in range(1, count):
        yield rotation_about(axis, number * turn, about)


COMMANDS = (
    CommandSpec(
        "copy",
        "copy an instance, alone or with what stands on it",
        _copy,
        (Argument("what", Kind.LEVEL, many=True),),
        (
            Option("branch", "with everything that stands on it"),
            Option("at", "the end that the copy stands on", Kind.END),
            Option("by", "how far the copy is moved, x,y,z", Kind.VECTOR),
            Option(
                "mirror", "the mirror image in the plane across this axis of the world", Kind.CHOICE, ("x", "y", "z")
            ),
        ),
        "`copy INSTANCE [NEW]`. A copy without --at stands free; with --at it is fastened as the original is, in a"
        " mirror image as its mirror image is."
        f" `copy tool OLD NEW` copies a tool, likewise {', '.join(list(SECTIONS)[1:])}.",
        (
            "copy upper lower --at elbow.horn",
            "copy shoulder left-shoulder --branch --mirror y",
            "copy pose folded parked",
        ),
    ),
    CommandSpec(
        "pattern",
        "copies in a line or round a circle",
        _pattern,
        (
            Argument("instance", Kind.INSTANCE),
            Argument("shape", Kind.CHOICE, choices=("line", "circle")),
            Argument("count", Kind.NUMBER),
        ),
        (
            Option("by", "from one to the next, x,y,z (line)", Kind.VECTOR),
            Option("axis", "the circle's axis; z unless said", Kind.AXIS),
            Option("about", "the circle's centre, x,y,z", Kind.VECTOR),
            Option("angle", "the whole angle; 360 unless said", Kind.ANGLE),
            Option("alone", "without what stands on it"),
        ),
        "The count includes the instance that is there already.",
        ("pattern leg line 4 --by 200,0,0", "pattern post circle 6 --about 0,0,0"),
    ),
)
