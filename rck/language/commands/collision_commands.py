"""Commands for the allowed-collision matrix, and for joint limits that exclude collisions."""

from math import ceil, floor

from rck.assembly import collision_rules, edits
from rck.collision.allowed_matrix import SAMPLES, sample_matrix
from rck.collision.scene import HullScene, free_range
from rck.grammar import Argument, Arguments, CommandOption, ValueKind
from rck.hooks import Command
from rck.language.document import Document
from rck.language.lookup import require_free_joint
from rck.model import RckError
from rck.support.names import name_findings
from rck.support.units import extra_digits, from_si


def _read_pair(document: Document, arguments: Arguments) -> tuple[str, str]:
    """Return two names of items, instances or groups."""
    items = [item.name for item in document.robot.items]
    for name in ("one", "other"):
        with arguments.pointing(name):
            collision_rules.require_members(document.assembly, arguments.text(name), items)
    return arguments.text("one"), arguments.text("other")


def _allow(document: Document, arguments: Arguments) -> tuple[Document, str]:
    one, other = _read_pair(document, arguments)
    allowed = collision_rules.set_contact(document.assembly, one, other, test=False)
    return document.with_assembly(allowed), f"collisions between {one} and {other} are allowed"


def _disallow(document: Document, arguments: Arguments) -> tuple[Document, str]:
    one, other = _read_pair(document, arguments)
    tested = collision_rules.set_contact(document.assembly, one, other, test=True)
    return document.with_assembly(tested), f"collisions between {one} and {other} are checked"


def _forget(document: Document, arguments: Arguments) -> tuple[Document, str]:
    one, other = arguments.text("one"), arguments.text("other")
    changed = collision_rules.forget_contact(document.assembly, one, other)
    if changed.contacts == document.assembly.contacts:
        raise arguments.refuse(f"there is no collision rule for {one} and {other}", "one")
    return document.with_assembly(changed), f"removed the collision rule for {one} and {other}"


def _group(document: Document, arguments: Arguments) -> tuple[Document, str]:
    assembly, name = document.assembly, arguments.text("name")
    items = [item.name for item in document.robot.items]
    with arguments.pointing("name"):
        if name_findings(name, "group") or name in assembly.parts or name in items:
            raise RckError(
                f"{name} is not a valid name for a group; use letters, digits, - and _, and not the name of an instance"
            )
    for word in arguments.words["members"]:
        with arguments.pointing(word):
            if word.text in assembly.groups:
                raise RckError(f"{word.text} is a group; the members of a group are items and instances")
            collision_rules.require_members(assembly, word.text, items)
    members = arguments.texts("members")
    grouped = collision_rules.set_group(assembly, name, members)
    return document.with_assembly(grouped), f"group {name}: {', '.join(members)}"


def _matrix(document: Document, arguments: Arguments) -> tuple[Document, str]:
    samples = arguments.count("samples")
    # A contact that exists only at the present joint positions is a collision; it must not become an allowed pair.
    robot = document.with_assembly(edits.at_home(document.assembly)).robot
    found = sample_matrix(robot, samples=samples, job=document.job)
    return document.with_assembly(collision_rules.with_sampled(document.assembly, found.rules)), found.summary


def _limit(document: Document, arguments: Arguments) -> tuple[Document, str]:
    robot = document.robot
    scene = HullScene(robot)
    assembly, narrowed = document.assembly, []
    for word in arguments.words.get("joints", ()):
        with arguments.pointing(word):
            require_free_joint(document, word.text)
    names = arguments.texts("joints") or [joint.name for joint in robot.free_joints]
    for number, name in enumerate(names):
        document.job.progress(number / len(names), name)
        found = free_range(scene, robot.positions, robot.joint(name))
        if found is None:
            raise RckError(
                f"{name} moves items that already collide; `rck collide` lists the collisions, `allow` permits them"
            )
        if found.lower_contact is not None or found.upper_contact is not None:
            dimension, unit = document.units.position_unit(robot.joint(name).kind.turns)
            # Round inward; the rounding is finer than the resolution of the sweep.
            factor = 10.0 ** (_DIGITS + extra_digits(dimension, unit))
            low = ceil(from_si(found.lower, dimension, unit) * factor) / factor
            high = floor(from_si(found.upper, dimension, unit) * factor) / factor
            assembly = edits.set_joint_setting(assembly, name, limits=(low, high))
            narrowed.append(f"{name} {low:g}..{high:g}")
    return document.with_assembly(assembly), "; ".join(narrowed) or "no joint collides within its limits"


_DIGITS = 6
"""Decimals of limits in millimetres and degrees; limits in other units have the same resolution."""

_PAIR = (Argument("one", ValueKind.BODY), Argument("other", ValueKind.BODY))

_SAMPLES = CommandOption(
    "samples", "number of joint configurations", ValueKind.COUNT, minimum=1, maximum=10_000_000, default=str(SAMPLES)
)

COMMANDS = (
    Command(
        "allow",
        "allow collisions between two items: the pair is not checked",
        _PAIR,
        details="Each name is an item such as shoulder/horn, or an instance or group, which stands for all its items.",
        examples=("allow hand cable/plug", "allow fingers cube"),
        run=_allow,
    ),
    Command(
        "disallow",
        "check two items for collisions, even if they are neighbours",
        _PAIR,
        examples=("disallow base hand",),
        run=_disallow,
    ),
    Command(
        "forget",
        "remove the collision rule for a pair",
        _PAIR,
        examples=("forget base hand",),
        run=_forget,
    ),
    Command(
        "group",
        "name a group of items and instances for `allow` and `disallow`",
        (Argument("name", ValueKind.NAME), Argument("members", ValueKind.BODY, many=True)),
        examples=("group fingers hand/left hand/right",),
        aliases=("create group",),
        run=_group,
    ),
    Command(
        "matrix",
        "compute the allowed-collision matrix by sampling joint positions",
        options=(_SAMPLES,),
        details="Pairs that collide in every sample or in none need no check. Rules from `allow` and `disallow` stay;"
        " earlier results of `matrix` are replaced.",
        examples=("matrix", "matrix --samples 100000"),
        slow=True,
        run=_matrix,
    ),
    Command(
        "limit",
        "narrow joint limits to the range without collisions",
        (Argument("joints", ValueKind.JOINT, optional=True, many=True),),
        details="Without names, all joints are narrowed. Each joint is swept from its present position while the"
        " others stay where they are.",
        examples=("limit", "limit shoulder/axis"),
        slow=True,
        run=_limit,
    ),
)
