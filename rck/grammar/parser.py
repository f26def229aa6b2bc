"""The parser of the command language: it finds the command of a line and assigns the other words to its arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rck.grammar.commands import Arguments, CommandSpec, ValueKind
from rck.grammar.tokens import LanguageError, Word, split_words
from rck.support.names import did_you_mean


@dataclass(frozen=True, slots=True)
class Grammar:
    """All commands, by name and by alias."""

    commands: Mapping[str, CommandSpec]
    by_word: Mapping[str, CommandSpec]

    def command(self, word: Word, line: str) -> CommandSpec:
        """Return the command that a word names; an unambiguous abbreviation is enough."""
        known = self.by_word
        if word.text in known:
            return known[word.text]
        possible = {known[name].name for name in known if " " not in name and name.startswith(word.text)}
        if len(possible) == 1:
            return self.commands[possible.pop()]
        hint = f" (could be {', '.join(sorted(possible))})" if possible else did_you_mean(word.text, known)
        raise LanguageError(f"unknown command {word.text!r}{hint}; `help` lists all commands", line, word)

    def find(self, words: Sequence[Word], line: str) -> tuple[CommandSpec, int]:
        """Return the command that a line begins with, and how many words name it: one or two."""
        if len(words) > 1 and not words[1].quoted:
            command = self.by_word.get(f"{words[0].text} {words[1].text}")
            if command is not None:
                return command, 2
        return self.command(words[0], line), 1


def make_grammar(commands: Sequence[CommandSpec]) -> Grammar:
    """Return the grammar of these commands."""
    by_word = {name: command for command in commands for name in (command.name, *command.aliases)}
    return Grammar({command.name: command for command in commands}, by_word)


def parse_line(grammar: Grammar, line: str) -> tuple[CommandSpec, Arguments] | None:
    """Parse a line into its command and arguments; return None for an empty line."""
    if len(line.splitlines()) > 1:
        raise LanguageError("a command must be on one line")
    words = split_words(line)
    if not words:
        return None
    command, named_by = grammar.find(words, line)
    return command, parse_arguments(command, words[named_by:], line)


def parse_arguments(command: CommandSpec, words: Sequence[Word], line: str) -> Arguments:
    """Assign the words after the command to its arguments and options."""
    known = {option.name: option for option in command.options}
    options: dict[str, Word] = {}
    plain: list[Word] = []
    remaining = list(reversed(words))
    while remaining:
        word = remaining.pop()
        if not _is_option(word):
            plain.append(word)
            continue
        name, equals, value = word.text[2:].partition("=")
        if name not in known:
            hint = f" (settings are written {name}=VALUE)" if command.takes_settings else ""
            raise LanguageError(f"{command.name} has no option --{name}{did_you_mean(name, known) or hint}", line, word)
        if name in options:
            raise LanguageError(f"--{name} is given twice", line, word)
        option = known[name]
        if option.kind is None:
            if equals:
                raise LanguageError(f"--{name} takes no value", line, word)
            options[name] = word
        elif equals:
            options[name] = Word(value, word.start + 3 + len(name), word.end)
        elif remaining and not _is_option(remaining[-1]):
            options[name] = remaining.pop()
        else:
            raise LanguageError(f"--{name} needs {' or '.join(option.choices) or option.meaning}", line, word)
        _require_choice(option.choices, options[name], line)
    assigned = _assign(command, plain, line)
    for option in command.options:
        if option.required and option.name not in options:
            message = f"{command.name} needs --{option.name}: {option.meaning}; usage: {command.usage}"
            raise LanguageError(message, line, _end_of(line))
    return Arguments(line, assigned, options)


def _is_option(word: Word) -> bool:
    return word.text.startswith("--") and not word.quoted


def _assign(command: CommandSpec, plain: list[Word], line: str) -> dict[str, tuple[Word, ...]]:
    assigned: dict[str, tuple[Word, ...]] = {}
    is_setting = [command.takes_settings and "=" in word.text and not word.quoted for word in plain]
    settings = tuple(word for word, setting in zip(plain, is_setting, strict=True) if setting)
    rest = [word for word, setting in zip(plain, is_setting, strict=True) if not setting]
    for argument in command.arguments:
        if argument.kind is ValueKind.SETTING:
            assigned[argument.name] = settings
        elif argument.many:
            assigned[argument.name] = tuple(rest)
            rest = []
        elif rest:
            assigned[argument.name] = (rest.pop(0),)
            _require_choice(argument.choices, assigned[argument.name][0], line)
        if not assigned.get(argument.name) and not argument.optional:
            message = f"{command.name} needs {argument.name}: {argument.meaning}; usage: {command.usage}"
            raise LanguageError(message, line, _end_of(line))
    if rest:
        raise LanguageError(f"{command.name} takes no further argument; usage: {command.usage}", line, rest[0])
    return assigned


def _end_of(line: str) -> Word:
    """Return the place where a missing word would be."""
    end = len(line.rstrip()) + 1
    return Word("", end, end)


def _require_choice(choices: tuple[str, ...], word: Word, line: str) -> None:
    if choices and word.text not in choices:
        hint = did_you_mean(word.text, choices)
        raise LanguageError(f"{word.text!r} is not one of {', '.join(choices)}{hint}", line, word)
