"""What is tested for collision against what: rules about items, instances and groups."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from rck.assembly.document import Assembly, ContactRule, replaced
from rck.model import Finding, PairRule, RckError, Reason, Severity
from rck.model.names import did_you_mean


def members(assembly: Assembly, name: str, items: Sequence[str]) -> list[str]:
    """The items that a name stands for: one item, all of an instance, or all of a group; empty where it is unknown."""
    if name in items:
        return [name]
    if name in assembly.parts:
        return [item for item in items if item.partition("/")[0] == name]
    return [item for member in assembly.groups.get(name, ()) for item in members(assembly, member, items)]


def require_members(assembly: Assembly, name: str, items: Sequence[str]) -> list[str]:
    """As :func:`members`; refuses a name that stands for nothing."""
    found = members(assembly, name, items)
    if not found:
        known = [*assembly.parts, *assembly.groups, *items]
        raise RckError(f"there is no item, instance or group {name}{did_you_mean(name, known)}")
    return found


def pair_rules(
    assembly: Assembly, of_parts: Mapping[str, Sequence[PairRule]], items: Iterable[str]
) -> tuple[list[PairRule], list[Finding]]:
    """What is decided about items: in the parts, by instance, then in the assembly; and findings on what is lost."""
    rules = [
        replace(rule, items=(f"{name}/{rule.items[0]}", f"{name}/{rule.items[1]}"))
        for name, inner in of_parts.items()
        for rule in inner
    ]
    if not (assembly.contacts or assembly.groups):
        return rules, []
    listed = list(items)
    return [*rules, *_item_rules(assembly, listed)], _lost(assembly, listed)


def _item_rules(assembly: Assembly, items: Sequence[str]) -> list[PairRule]:
    """The rules item by item; those that count most are last."""

    def weight(rule: ContactRule) -> tuple[bool, int]:
        """The user counts more than samples, an item more than its instance, and that more than a group."""
        return rule.why == "user", sum((name in items) + (name not in assembly.groups) for name in rule.between)

    ordered = sorted(assembly.contacts, key=weight)
    return [
        PairRule((one, other), rule.test, Reason(rule.why), rule.friction)
        for rule in ordered
        for one in members(assembly, rule.between[0], items)
        for other in members(assembly, rule.between[1], items)
        if one != other
    ]


def _lost(assembly: Assembly, items: Sequence[str]) -> list[Finding]:
    """Names in rules and groups that stand for nothing."""
    named = [name for rule in assembly.contacts for name in rule.between]
    named += [name for group in assembly.groups.values() for name in group]
    known = [*assembly.parts, *assembly.groups, *items]
    return [
        Finding(
            811,
            Severity.WARNING,
            f"contacts of {name}",
            f"there is no item, instance or group {name}{did_you_mean(name, known)}",
            "`matrix` finds the contacts anew, `forget A B` takes one back",
        )
        for name in dict.fromkeys(named)
        if not members(assembly, name, items)
    ]


def set_contact(assembly: Assembly, one: str, other: str, *, test: bool) -> Assembly:
    """Decide whether two things are tested against each other, whatever was decided before."""
    known = (rule.friction for rule in assembly.contacts if set(rule.between) == {one, other})
    rule = ContactRule((min(one, other), max(one, other)), test, friction=next(known, None))
    return replaced(assembly, contacts=_sorted([*forget_contact(assembly, one, other).contacts, rule]))


def forget_contact(assembly: Assembly, one: str, other: str) -> Assembly:
    """Take back what was decided about exactly these two."""
    pair = {one, other}
    return replaced(assembly, contacts=[rule for rule in assembly.contacts if set(rule.between) != pair])


def with_sampled(assembly: Assembly, rules: Iterable[PairRule]) -> Assembly:
    """The assembly with new rules from sampling in place of the old ones; what the user decided stays."""
    return with_rules(replaced(assembly, contacts=[rule for rule in assembly.contacts if rule.why == "user"]), rules)


def with_rules(assembly: Assembly, rules: Iterable[PairRule]) -> Assembly:
    """The assembly with further rules about items; what it has a rule for already stays."""
    decided = {frozenset(rule.between) for rule in assembly.contacts}
    further = [
        msgspec.convert(
            {"between": sorted(rule.items), "test": rule.tested, "why": rule.reason.value, "friction": rule.friction},
            ContactRule,
        )
        for rule in rules
        if frozenset(rule.items) not in decided
    ]
    return replaced(assembly, contacts=_sorted([*assembly.contacts, *further]))


def set_group(assembly: Assembly, name: str, names: Sequence[str]) -> Assembly:
    """Give items and instances a name in common."""
    return replaced(assembly, groups={**assembly.groups, name: list(dict.fromkeys(names))})


def without_instances(assembly: Assembly, going: set[str]) -> Assembly:
    """The assembly without what is decided about some instances and their items."""
    if not (assembly.contacts or assembly.groups):
        return assembly

    def stays(name: str) -> bool:
        return name.partition("/")[0] not in going

    groups = {name: [one for one in group if stays(one)] for name, group in assembly.groups.items()}
    groups = {name: group for name, group in groups.items() if group}
    gone = assembly.groups.keys() - groups.keys()
    contacts = [rule for rule in assembly.contacts if all(stays(one) and one not in gone for one in rule.between)]
    return replaced(assembly, contacts=contacts, groups=groups)


def renamed_instance(assembly: Assembly, old: str, new: str) -> Assembly:
    """The assembly with an instance under another name in its rules and groups."""

    def renamed(name: str) -> str:
        scope, slash, rest = name.partition("/")
        return f"{new}{slash}{rest}" if scope == old else name

    contacts = [
        msgspec.structs.replace(rule, between=(renamed(rule.between[0]), renamed(rule.between[1])))
        for rule in assembly.contacts
    ]
    groups = {name: [renamed(one) for one in group] for name, group in assembly.groups.items()}
    return replaced(assembly, contacts=contacts, groups=groups)


def _sorted(rules: Iterable[ContactRule]) -> list[ContactRule]:
    """By the names, so that one change is one line of the file."""
    return sorted(rules, key=lambda rule: rule.between)
