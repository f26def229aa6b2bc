"""Deciding which things are tested for collision against each other."""

from math import ceil, floor

from rck.assembly import contacts, edit
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.lookup import require_free_joint
from rck.language.session import Edited, Session
from rck.model import RckError
from rck.model.names import name_findings
from rck.model.units import extra_digits, from_si


def _two(session: Session, arguments: Arguments) -> tuple[str, str]:
    """Two names of items, instances or groups."""
    items = [item.name for item in session.compile().unwrap().robot.items]
    for place in ("one", "other"):
        with arguments.pointing(place):
            contacts.require_members(session.assembly, arguments.text(place), items)
    return arguments.text("one"), arguments.text("other")


def _allow(session: Session, arguments: Arguments) -> Edited:
    one, other = _two(session, arguments)
    return contacts.set_contact(session.assembly, one, other, test=False), f"{one} and {other} may touch"


def _disallow(session: Session, arguments: Arguments) -> Edited:
    one, other = _two(session, arguments)
    return contacts.set_contact(session.assembly, one, other, test=True), f"{one} and {other} must not touch"


def _forget(session: Session, arguments: Arguments) -> Edited:
    one, other = arguments.text("one"), arguments.text("other")
    left = contacts.forget_contact(session.assembly, one, other)
    if left.contacts == session.assembly.contacts:
        raise arguments.refuse(f"nothing was decided about {one} and {other}", "one")
    return left, f"nothing is decided about {one} and {other} any more"


def _group(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("name")
    items = [item.name for item in session.compile().unwrap().robot.items]
    with arguments.pointing("name"):
        if name_findings(name, "group") or name in assembly.parts or name in items:
            raise RckError(
                f"{name} cannot be the name of a group: use letters, digits, - and _, and no instance's name"
            )
    for word in arguments.words["members"]:
        with arguments.pointing(word):
            if word.text in assembly.groups:
                raise RckError(f"{word.text} is a group; a group has items and instances")
            contacts.require_members(assembly, word.text, items)
    members = arguments.texts("members")
    return contacts.set_group(assembly, name, members), f"group {name}: {', '.join(members)}"


def _matrix(session: Session, arguments: Arguments) -> Edited:
    from rck.collision.matrix import SAMPLES, sample_matrix

    samples = arguments.read_option("samples", values.count, SAMPLES)
    # What runs into what where the joints have been driven to is a collision, and no reason to let the two be.
    robot = session.compile(edit.at_home(session.assembly)).unwrap().robot
    found = sample_matrix(robot, samples=samples, job=session.job)
    return contacts.with_sampled(session.assembly, found.rules), found.summary


def _limit(session: Session, arguments: Arguments) -> Edited:
    from rck.collision.limits import free_range
    from rck.collision.scene import Scene

    robot = session.compile().unwrap().robot
    scene = Scene(robot)
    assembly, narrowed = session.assembly, []
    for word in arguments.words.get("joints", ()):
        with arguments.pointing(word):
            require_free_joint(session, word.text)
    names = arguments.texts("joints") or [joint.name for joint in robot.free_joints]
    for number, name in enumerate(names):
        session.job.progress(number / len(names), name)
        found = free_range(scene, robot.positions, robot.joint(name))
        if found is None:
            raise RckError(f"something that {name} moves touches already; `rck collide` lists what, `allow` lets it")
        if found.lower_meeting is not None or found.upper_meeting is not None:
            dimension, unit = assembly.units.position_unit(robot.joint(name).kind.turns)
            # Rounded inward: what is left out is less than what a sweep stops short of.
            parts = 10.0 ** (_DIGITS + extra_digits(dimension, unit))
            low = ceil(from_si(found.lower, dimension, unit) * parts) / parts
            high = floor(from_si(found.upper, dimension, unit) * parts) / parts
            limits = low, high
            assembly = edit.set_joint_setting(assembly, name, limits=limits)
            narrowed.append(f"{name} {limits[0]:g}..{limits[1]:g}")
    return assembly, "; ".join(narrowed) or "nothing is in the way of a joint"


_DIGITS = 6
"""Decimals of limits in millimetres and degrees; other units get as many as are as fine."""

_PAIR = (Argument("one", Kind.BODY), Argument("other", Kind.BODY))

COMMANDS = (
    CommandSpec(
        "allow",
        "let two things touch: collisions between them are not looked for",
        _allow,
        _PAIR,
        details="Each is an item such as shoulder/horn, an instance, or a group, which stand for all their items.",
        examples=("allow hand cable/plug", "allow fingers cube"),
    ),
    CommandSpec(
        "disallow",
        "look for collisions between two things, neighbours too",
        _disallow,
        _PAIR,
        examples=("disallow base hand",),
    ),
    CommandSpec(
        "forget",
        "take back what was decided about two things",
        _forget,
        _PAIR,
        examples=("forget base hand",),
    ),
    CommandSpec(
        "group",
        "give items and instances a name in common, for `allow` and `disallow`",
        _group,
        (Argument("name", Kind.NAME), Argument("members", Kind.BODY, many=True)),
        examples=("group fingers hand/left hand/right",),
        aliases=("create group",),
    ),
    CommandSpec(
        "matrix",
        "find out by random joint positions which pairs never touch, or always do, and need no test",
        _matrix,
        options=(Option("samples", "how many joint positions; 10,000 unless said", Kind.NUMBER),),
        details="What you decided by `allow` and `disallow` stays; what was found before is found anew.",
        examples=("matrix", "matrix --samples 100000"),
        slow=True,
    ),
    CommandSpec(
        "limit",
        "narrow the limits of joints to how far they go before something touches",
        _limit,
        (Argument("joints", Kind.JOINT, optional=True, many=True),),
        details="Of the joints named, or of all; each by itself from where it stands, while the others stay.",
        examples=("limit", "limit shoulder/axis"),
        slow=True,
    ),
)
