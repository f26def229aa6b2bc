"""Collision rules: pairs of items, instances and groups that are checked for collisions or not."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from shlex import quote

import msgspec

from rck.assembly.document import Assembly, ContactRule, replaced
from rck.model import Finding, PairRule, RckError, Reason, Severity
from rck.support.names import did_you_mean


def members(assembly: Assembly, name: str, items: Sequence[str]) -> list[str]:
    """Return the items that a name stands for: one item, all of an instance, or all of a group; empty if unknown."""
    if name in items:
        return [name]
    if name in assembly.parts:
        return [item for item in items if item.partition("/")[0] == name]
    return [item for member in assembly.groups.get(name, ()) for item in members(assembly, member, items)]


def require_members(assembly: Assembly, name: str, items: Sequence[str]) -> list[str]:
    """Return the items that a name stands for; refuse an unknown name."""
    found = members(assembly, name, items)
    if not found:
        known = [*assembly.parts, *assembly.groups, *items]
        raise RckError(f"there is no item, instance or group {name}{did_you_mean(name, known)}")
    return found


def pair_rules(
    assembly: Assembly, of_parts: Mapping[str, Sequence[PairRule]], items: Iterable[str]
) -> tuple[list[PairRule], list[Finding]]:
    """Return the rules of the parts and then of the assembly, and findings about rules with unknown names."""
    rules = [
        replace(rule, items=(f"{name}/{rule.items[0]}", f"{name}/{rule.items[1]}"))
        for name, inner in of_parts.items()
        for rule in inner
    ]
    if not (assembly.contacts or assembly.groups):
        return rules, []
    listed = list(items)
    return [*rules, *_item_rules(assembly, listed)], _find_unknown_names(assembly, listed)


def _item_rules(assembly: Assembly, items: Sequence[str]) -> list[PairRule]:
    """Return the rules as pairs of items, in order of increasing priority."""

    def weight(rule: ContactRule) -> tuple[bool, int]:
        """Rank rules of the user above sampled ones, and items above instances above groups."""
        return rule.why == "user", sum((name in items) + (name not in assembly.groups) for name in rule.between)

    ordered = sorted(assembly.contacts, key=weight)
    return [
        PairRule((one, other), rule.test, Reason(rule.why), rule.friction)
        for rule in ordered
        for one in members(assembly, rule.between[0], items)
        for other in members(assembly, rule.between[1], items)
        if one != other
    ]


def _find_unknown_names(assembly: Assembly, items: Sequence[str]) -> list[Finding]:
    """Return a finding for each unknown name in rules and groups."""
    named = [name for rule in assembly.contacts for name in rule.between]
    named += [name for group in assembly.groups.values() for name in group]
    known = [*assembly.parts, *assembly.groups, *items]
    return [
        Finding(
            811,
            Severity.WARNING,
            f"contacts of {name}",
            f"there is no item, instance or group {name}{did_you_mean(name, known)}",
            "run `matrix` again, or remove the rule with `forget A B`",
            _forget_commands(assembly, name),
        )
        for name in dict.fromkeys(named)
        if not members(assembly, name, items)
    ]


def _forget_commands(assembly: Assembly, name: str) -> tuple[str, ...]:
    """Return the commands that remove the rules for a name."""
    return tuple(f"forget {' '.join(map(quote, rule.between))}" for rule in assembly.contacts if name in rule.between)


def set_contact(assembly: Assembly, one: str, other: str, *, test: bool) -> Assembly:
    """Return the assembly with a rule of the user for two items, instances or groups; it replaces an earlier rule."""
    known = (rule.friction for rule in assembly.contacts if set(rule.between) == {one, other})
    rule = ContactRule((min(one, other), max(one, other)), test, friction=next(known, None))
    return replaced(assembly, contacts=_sorted([*forget_contact(assembly, one, other).contacts, rule]))


def forget_contact(assembly: Assembly, one: str, other: str) -> Assembly:
    """Return the assembly without the rule for exactly these two names."""
    pair = {one, other}
    return replaced(assembly, contacts=[rule for rule in assembly.contacts if set(rule.between) != pair])


def with_sampled(assembly: Assembly, rules: Iterable[PairRule]) -> Assembly:
    """Return the assembly with new sampled rules instead of the old ones; rules of the user stay."""
    return with_rules(replaced(assembly, contacts=[rule for rule in assembly.contacts if rule.why == "user"]), rules)


def with_rules(assembly: Assembly, rules: Iterable[PairRule]) -> Assembly:
    """Return the assembly with additional rules; pairs that already have a rule keep it."""
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
    """Return the assembly with a group of items and instances."""
    return replaced(assembly, groups={**assembly.groups, name: list(dict.fromkeys(names))})


def without_instances(assembly: Assembly, going: set[str]) -> Assembly:
    """Return the assembly without the rules and group members of some instances and their items."""
    if not (assembly.contacts or assembly.groups):
        return assembly

    def stays(name: str) -> bool:
        return name.partition("/")[0] not in going

    groups = {name: [one for one in group if stays(one)] for name, group in assembly.groups.items()}
    groups = {name: group for name, group in groups.items() if group}
    gone = assembly.groups.keys() - groups.keys()
    contacts = [rule for rule in assembly.contacts if all(stays(one) and one not in gone for one in rule.between)]
    return replaced(assembly, contacts=contacts, groups=groups)


def without_unknown_items(assembly: Assembly, instance: str, items: Container[str]) -> Assembly:
    """Return the assembly with rules and groups that name the instance where they named an item that it has no more."""

    def known(name: str) -> str:
        return instance if name.partition("/")[0] == instance and "/" in name and name not in items else name

    contacts = [
        msgspec.structs.replace(rule, between=(known(rule.between[0]), known(rule.between[1])))
        for rule in assembly.contacts
    ]
    contacts = list({rule.between: rule for rule in contacts if rule.between[0] != rule.between[1]}.values())
    groups = {name: list(dict.fromkeys(map(known, group))) for name, group in assembly.groups.items()}
    return replaced(assembly, contacts=_sorted(contacts), groups=groups)


def renamed_instance(assembly: Assembly, old: str, new: str) -> Assembly:
    """Return the assembly with an instance renamed in its rules and groups."""

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
    """Sort rules by name, so that a change of one rule changes one line of the file."""
    return sorted(rules, key=lambda rule: rule.between)
