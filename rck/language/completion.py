"""Completing words from the live assembly and catalogue (the "key tree matcher" of SEEDS M2)."""

from collections.abc import Iterable
from pathlib import Path

from rck.language.commands.making import SIZES
from rck.language.commands.settings import LEVELS
from rck.language.commands.telling import WHAT
from rck.language.grammar import Argument, CommandSpec, Kind, Option
from rck.language.session import Session
from rck.language.words import LanguageError, Word, split_words

MOST = 200


def complete(session: Session, line: str, cursor: int | None = None) -> tuple[int, list[str]]:
    """Where the word at the cursor begins, and the words that it could become."""
    text = line if cursor is None else line[:cursor]
    try:
        words = split_words(text)
    except LanguageError:
        return len(text), []
    begun = words.pop() if words and not text[-1:].isspace() else Word("", len(text), len(text))
    if not words:
        return begun.start, _starting(session.grammar.by_word, begun.text)
    try:
        command = session.grammar.command(words[0], line)
    except LanguageError:
        return begun.start, []
    candidates = _candidates(session, command, words[1:], begun.text)
    return begun.start, _starting(candidates, begun.text)


def _starting(candidates: Iterable[str], begun: str) -> list[str]:
    """Those that begin so; if none does, those that contain it."""
    listed = sorted(set(candidates))
    first = [one for one in listed if one.startswith(begun)]
    return (first or [one for one in listed if begun in one])[:MOST]


def _candidates(session: Session, command: CommandSpec, words: list[Word], begun: str) -> Iterable[str]:
    options = {f"--{one.name}": one for one in command.options}
    if words and words[-1].text in options and (option := options[words[-1].text]).kind is not None:
        return option.choices or _of_kind(session, option.kind, command, words)
    if begun.startswith("-"):
        return [name for name in options if name not in {word.text for word in words}]
    plain = _plain_words(words, options)
    argument = _argument_at(command, len([word for word in plain if "=" not in word.text]))
    settings = [one for one in command.arguments if one.kind is Kind.SETTING]
    found: list[str] = []
    if argument is not None:
        found += argument.choices or _of_kind(session, argument.kind, command, words)
    if settings:
        found += _settings(session, command, plain)
    return found


def _plain_words(words: list[Word], options: dict[str, Option]) -> list[Word]:
    plain = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.text in options:
            skip = options[word.text].kind is not None
        else:
            plain.append(word)
    return plain


def _argument_at(command: CommandSpec, number: int) -> Argument | None:
    places = [one for one in command.arguments if one.kind is not Kind.SETTING]
    if number < len(places):
        return places[number]
    return places[-1] if places and places[-1].many else None


def _of_kind(session: Session, kind: Kind, command: CommandSpec, words: list[Word]) -> list[str]:
    assembly = session.assembly
    if kind is Kind.PART:
        files = [f"./{path.name}" for path in session.folder.glob("*.rck")]
        return [*session.catalogue.entries, *assembly.pieces, *files]
    if kind is Kind.INSTANCE:
        extra = WHAT if command.name == "show" else LEVELS if command.name == "set" else ()
        if command.name == "set" and words and words[-1].text in ("joint", "tool", "mate"):
            return {"joint": _joints(session), "tool": list(assembly.tools), "mate": list(assembly.parts)}[
                words[-1].text
            ]
        return [*assembly.parts, *extra]
    if kind is Kind.END:
        built = session.compile().value
        return [*(built.ports if built else ()), *assembly.parts]
    if kind is Kind.PORT:
        return _ports_of_part(session, words)
    if kind is Kind.JOINT:
        return _joints(session)
    if kind is Kind.POSE:
        return [*assembly.poses, "home"]
    if kind is Kind.COMMAND:
        return list(session.grammar.by_word)
    if kind is Kind.FILE:
        return _files(session.folder)
    if kind is Kind.AXIS:
        return ["x", "y", "z", "-x", "-y", "-z"]
    return []


def _joints(session: Session) -> list[str]:
    built = session.compile().value
    return [joint.name for joint in built.robot.free_joints] if built else []


def _ports_of_part(session: Session, words: list[Word]) -> list[str]:
    entry = next((session.catalogue.entries[w.text] for w in words if w.text in session.catalogue.entries), None)
    return list(entry.ports) if entry else []


def _files(folder: Path) -> list[str]:
    return [path.name + ("/" if path.is_dir() else "") for path in folder.iterdir() if not path.name.startswith(".")]


def _settings(session: Session, command: CommandSpec, plain: list[Word]) -> list[str]:
    """`name=` for what can be set: the parameters of the part that the line is about."""
    names = [word.text for word in plain]
    if command.name in ("create", "replace"):
        entry = next((session.catalogue.entries[name] for name in names if name in session.catalogue.entries), None)
        return [f"{name}=" for name in entry.parameters] if entry else []
    if command.name == "make":
        return [f"{size}=" for name in names for size in SIZES.get(name, ())]
    if command.name == "set" and names:
        instance = session.assembly.parts.get(names[0])
        entry = session.catalogue.entries.get(instance.part) if instance else None
        return [f"{name}=" for name in (*(entry.parameters if entry else ()), "colour", "loose", "notes")]
    if command.name == "pose":
        return [f"{name}=" for name in _joints(session)]
    return []
