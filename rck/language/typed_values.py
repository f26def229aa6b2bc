"""Typed values of the arguments and options that a command declares."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rck.assembly import edits
from rck.grammar import Argument, Arguments, CommandOption, CommandSpec, ValueKind, Word, range_text
from rck.language.argument_values import (
    parse_angle,
    parse_axis,
    parse_length,
    parse_number,
    parse_points,
    parse_range,
    parse_vector,
)
from rck.language.document import Document
from rck.language.lookup import require_end, require_free_joint
from rck.model import RckError
from rck.model.quantities import Quantities, direction
from rck.support.names import did_you_mean


def with_values(
    document: Document, command: CommandSpec, arguments: Arguments, *, numbers_only: bool = False
) -> Arguments:
    """Return the arguments with their values, in SI units; an error points at the word that is wrong.

    Names of instances, ports, joints, parts, poses and items must exist in the document. With `numbers_only`, only
    whole numbers and values with a range are read: built-in commands read the others themselves.
    """
    values: dict[str, tuple[Any, ...]] = {}
    for argument in command.arguments:
        if numbers_only and not _is_checked_number(argument):
            continue
        words = arguments.words.get(argument.name, ())
        values[argument.name] = tuple(_value(document, argument, word, arguments) for word in words)
    for option in command.options:
        if numbers_only and not _is_checked_number(option):
            continue
        word = arguments.options.get(option.name)
        if option.kind is None:
            values[option.name] = (word is not None,)
        elif word is not None:
            values[option.name] = (_value(document, option, word, arguments),)
        elif option.default:
            values[option.name] = (_parse(document, option, option.default),)
    return replace(arguments, values=values)


def _is_checked_number(declared: Argument | CommandOption) -> bool:
    return declared.kind is ValueKind.COUNT or declared.minimum is not None or declared.maximum is not None


def _value(document: Document, declared: Argument | CommandOption, word: Word, arguments: Arguments) -> Any:
    with arguments.pointing(word):
        return _parse(document, declared, word.text)


def _parse(document: Document, declared: Argument | CommandOption, text: str) -> Any:
    kind = declared.kind
    parse = None if kind is None or declared.choices else _PARSERS.get(kind)
    if kind is None or parse is None:
        return text
    value = parse(document, text)
    low, high = declared.minimum, declared.maximum
    if isinstance(value, int | float) and ((low is not None and value < low) or (high is not None and value > high)):
        raise RckError(f"{declared.name} is {text}, but must be {kind.value}{range_text(kind, low, high)}")
    return value


def _count(document: Document, text: str) -> int:
    with suppress(RckError):
        number = parse_number(text)
        if number == int(number):
            return int(number)
    raise RckError(f"{text!r} is not a whole number")


def _length(document: Document, text: str) -> float:
    return Quantities(document.units).length(parse_length(text))


def _angle(document: Document, text: str) -> float:
    return Quantities(document.units).angle(parse_angle(text))


def _vector(document: Document, text: str) -> tuple[float, ...]:
    return tuple(Quantities(document.units).point(parse_vector(text)).tolist())


def _points(document: Document, text: str) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(Quantities(document.units).point(point).tolist()) for point in parse_points(text))


def _axis(document: Document, text: str) -> tuple[float, ...]:
    return tuple(direction(parse_axis(text)).tolist())


def _range(document: Document, text: str) -> tuple[Any, Any]:
    return parse_range(text)


def _instance(document: Document, text: str) -> str:
    edits.instance(document.assembly, text)
    return text


def _known(what: str, names: Callable[[Document], list[str]]) -> Callable[[Document, str], str]:
    """Return a parser that accepts only the names that exist."""

    def parse(document: Document, text: str) -> str:
        known = names(document)
        if text not in known:
            raise RckError(f"there is no {what} {text!r}{did_you_mean(text, known)}")
        return text

    return parse


def _parts(document: Document) -> list[str]:
    files = [f"./{path.name}" for path in document.folder.glob("*.rck")]
    return [*document.catalogue.entries, *document.assembly.local_parts, *files]


def _bodies(document: Document) -> list[str]:
    assembly = document.assembly
    return [*assembly.parts, *assembly.groups, *(item.name for item in document.robot.items)]


_PARSERS: Mapping[ValueKind, Callable[[Document, str], Any]] = {
    ValueKind.NUMBER: lambda document, text: parse_number(text),
    ValueKind.COUNT: _count,
    ValueKind.LENGTH: _length,
    ValueKind.ANGLE: _angle,
    ValueKind.VECTOR: _vector,
    ValueKind.POINTS: _points,
    ValueKind.AXIS: _axis,
    ValueKind.RANGE: _range,
    ValueKind.INSTANCE: _instance,
    ValueKind.END: require_end,
    ValueKind.JOINT: require_free_joint,
    ValueKind.PART: _known("part", _parts),
    ValueKind.BODY: _known("item, instance or group", _bodies),
    ValueKind.POSE: _known("pose", lambda document: [*document.assembly.poses, "home"]),
}
"""The parser of each kind; the value of any other kind is its text."""
