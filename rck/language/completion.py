"""Completion of a line from the present document and the catalogue."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from rck.assembly.mate_ends import parse_end
from rck.assembly.mates import joint_name
from rck.grammar import (
    Argument,
    CommandOption,
    CommandSpec,
    Grammar,
    LanguageError,
    Suggest,
    ValueKind,
    Word,
    quote,
    quote_setting,
    split_words,
)
from rck.hooks import Exporter, Importer
from rck.language.basic_shapes import SIZES, basic_sizes, size_names
from rck.language.commands import remove_commands, set_commands, show_commands
from rck.language.commands.create_commands import ITEM_PROPERTIES
from rck.language.document import Document
from rck.language.lookup import SECTIONS
from rck.language.session import Session
from rck.model import RckError
from rck.model.materials import DENSITY
from rck.parts.search import SEARCHABLE
from rck.support.files import path_in
from rck.support.units import UNITS

MOST = 200
"""Largest number of candidates."""


def complete(session: Session, line: str, cursor: int | None = None) -> tuple[int, list[str]]:
    """Return the start of the word at the cursor, and the words that can replace it."""
    text = line if cursor is None else line[:cursor]
    try:
        words = split_words(text)
    except LanguageError:
        return len(text), []
    typed = words.pop() if words and not text[-1:].isspace() else Word("", len(text), len(text))
    if not words:
        return typed.start, _matching({name.partition(" ")[0] for name in session.grammar.by_word}, typed.text)
    try:
        command, named_by = session.grammar.find(words, line)
    except LanguageError:
        return typed.start, []
    candidates = _Candidates(session.document, session.grammar, command, words[named_by:])
    return typed.start, candidates.matching(typed.text, len(words) == 1)


def _matching(candidates: Iterable[str], typed: str) -> list[str]:
    """Return the candidates that start with the typed text; if there are none, those that contain it."""
    ordered = sorted(set(candidates))
    starting = [candidate for candidate in ordered if candidate.startswith(typed)]
    matching = (starting or [candidate for candidate in ordered if typed in candidate])[:MOST]
    return [candidate if candidate.startswith("--") else _word(candidate) for candidate in matching]


def _word(text: str) -> str:
    """Return the text as one word of a line."""
    name, equals, value = text.partition("=")
    return quote_setting(name, value) if equals and quote(text) != text else quote(text)


class _Candidates:
    """The possible values of the next word of a command."""

    def __init__(self, document: Document, grammar: Grammar, command: CommandSpec, words: list[Word]) -> None:
        self.document = document
        self.assembly = document.assembly
        self.grammar = grammar
        self.command = command
        self.options = {f"--{option.name}": option for option in command.options}
        self.words = words
        self.plain = _plain_words(words, self.options)
        self.names = [word.text for word in self.plain if "=" not in word.text]

    def matching(self, typed: str, is_first: bool) -> list[str]:
        """Return the candidates for the typed text; `is_first` is True for the first word after the command."""
        last = self.options.get(self.words[-1].text) if self.words else None
        if last is not None and last.kind is not None:
            return _matching(self._option_values(last, typed), typed)
        if typed.startswith("--"):
            return self._option(typed)
        argument = _argument_at(self.command, len(self.names))
        found: list[str] = []
        if argument is not None:
            found += argument.choices or self._of_kind(argument.kind, typed)
            found += self._suggested(argument.suggest)
        if is_first:
            # Aliases of two words, such as `create mate`.
            names = [name.partition(" ") for name in self.grammar.by_word]
            found += [second for first, _, second in names if second and first == self.command.name]
        if self.command.takes_settings:
            found += self._settings(typed)
        return _matching(found, typed)

    def _option(self, typed: str) -> list[str]:
        """Return the options that are not in the line yet, or the values of one after `=`."""
        name, equals, value = typed.partition("=")
        if equals and name in self.options:
            values = _matching(self._option_values(self.options[name], value), value)
            return [f"{name}={value}" for value in values]
        used = {word.text for word in self.words}
        return _matching((option for option in self.options if option not in used), typed)

    def _option_values(self, option: CommandOption, typed: str) -> list[str]:
        if option.choices or option.kind is None:
            return list(option.choices)
        if option.suggest is not None:
            return [*self._of_kind(option.kind, typed), *self._suggested(option.suggest)]
        if option.kind is ValueKind.PORT:
            return self._ports_of_part()
        if option.kind is ValueKind.SETTING:
            return [f"{port}=" for port in self._ports_of_instance()]
        return self._of_kind(option.kind, typed)

    def _suggested(self, suggest: Suggest | None) -> list[str]:
        """Return the words that a plugin's command suggests; an error is a failure of the plugin."""
        if suggest is None:
            return []
        with self.document.plugins.guard(self.command):
            return [str(word) for word in suggest(self.document)]

    def _of_kind(self, kind: ValueKind, typed: str) -> list[str]:
        candidates = _OF_KIND.get(kind)
        return candidates(self, typed) if candidates is not None else []

    def parts(self, typed: str) -> list[str]:
        """Return the parts that can be instantiated."""
        files = [f"./{path.name}" for path in self.document.folder.glob("*.rck")]
        return [*self.document.catalogue.entries, *self.assembly.local_parts, *files]

    def instances(self, typed: str) -> list[str]:
        """Return the instances."""
        return list(self.assembly.parts)

    def levels(self, typed: str) -> list[str]:
        """Return the instances and the types of things; after a type, the names of the things of that type."""
        levels = _LEVELS.get(self.command.name, ())
        if not self.names:
            return [*self.assembly.parts, *levels]
        level = self.names[0]
        if len(self.names) == 1 and level in levels and level not in self.assembly.parts:
            return self._of_level(level)
        return list(self.assembly.parts) if self.command.name == "remove" else []

    def _of_level(self, level: str) -> list[str]:
        is_show = self.command.name == "show"
        if level == "part":
            return list(self.assembly.parts)
        if level == "mate":
            return [parse_end(mate.put).instance for mate in self.assembly.mates]
        if level == "joint":
            return self._mate_joints() if self.command.name == "rename" else self.joints("")
        if level == "item":
            return self._items() if is_show else self._local_items()
        if level == "port" and is_show:
            return self._ports()
        return list(getattr(self.assembly, SECTIONS[level])) if level in SECTIONS else []

    def ends(self, typed: str) -> list[str]:
        """Return ports, instances and frames."""
        return [*self._ports(), *self.assembly.parts, *self._frames()]

    def _frames(self) -> list[str]:
        compiled = self.document.compile().value
        names = [] if compiled is None else [frame.name for frame in compiled.robot.frames if not frame.tool]
        return [name.replace("/", ".", 1) for name in names]

    def _ports(self) -> list[str]:
        found = []
        for name in self.assembly.parts:
            try:
                found += [f"{name}.{port}" for port in self.document.body(name).ports]
            except (RckError, ValueError):
                continue
        return found

    def _ports_of_part(self) -> list[str]:
        entry = next((self.document.catalogue.entries.get(name) for name in self.names), None)
        return list(entry.ports) if entry else []

    def _ports_of_instance(self) -> list[str]:
        return [port.partition(".")[2] for port in self._ports() if self.names and port.startswith(f"{self.names[0]}.")]

    def bodies(self, typed: str) -> list[str]:
        """Return items, instances and groups."""
        return [*self.assembly.parts, *self.assembly.groups, *self._items()]

    def joints(self, typed: str) -> list[str]:
        """Return the joints that move, also those that loops move."""
        compiled = self.document.compile().value
        return [joint.name for joint in compiled.robot.coordinate_joints] if compiled else []

    def _mate_joints(self) -> list[str]:
        return [
            joint_name(mate, parse_end(mate.put).instance)
            for mate in self.assembly.mates
            if mate.joint and mate.joint.moves
        ]

    def _items(self) -> list[str]:
        compiled = self.document.compile().value
        return [item.name for item in compiled.robot.items] if compiled else []

    def _local_items(self) -> list[str]:
        return [f"{name}/{item}" for name, part in self.assembly.local_parts.items() for item in part.items]

    def poses(self, typed: str) -> list[str]:
        """Return the saved poses."""
        return [*self.assembly.poses, "home"]

    def commands(self, typed: str) -> list[str]:
        """Return all commands."""
        return [name for name in self.grammar.by_word if " " not in name]

    def formats(self, typed: str) -> list[str]:
        """Return the importers or the exporters."""
        return [exchanger.name for exchanger in self._exchangers()]

    def _exchangers(self) -> Sequence[Importer | Exporter]:
        plugins = self.document.plugins
        return plugins.all(Importer) if self.command.name == "import" else plugins.all(Exporter)

    def files(self, typed: str) -> list[str]:
        """Return the files in the folder of the typed path; folders end with a slash."""
        start, slash, _ = typed.rpartition("/")
        try:
            folder = path_in(self.document.folder, start + slash) if slash else self.document.folder
            paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
        except (OSError, ValueError, RckError):
            return []
        return [f"{start}{slash}{path.name}{'/' if path.is_dir() else ''}" for path in paths]

    def queries(self, typed: str) -> list[str]:
        """Return figures to compare, vendors and categories."""
        entries = self.document.catalogue.entries.values()
        vendors = {f"vendor={entry.vendor.lower()}" for entry in entries if entry.vendor}
        categories = {f"category={entry.category}" for entry in entries}
        buses = {f"bus={bus}" for entry in entries for bus in entry.electrical.bus}
        return [*(f"{name}>=" for name in SEARCHABLE), *vendors, *categories, *buses]

    def _settings(self, typed: str) -> list[str]:
        """Return the settings as `name=`; after the `=`, the values if there is a short list."""
        name, equals, _ = typed.partition("=")
        if equals:
            return [f"{name}={value}" for value in self._setting_values(name)]
        used = {word.text.partition("=")[0] for word in self.plain if "=" in word.text}
        return [f"{name}=" for name in self._setting_names() if name not in used]

    def _setting_names(self) -> Iterable[str]:
        names = _SETTINGS.get(self.command.name)
        return () if names is None else names(self)

    def parameters_of_parts(self) -> Iterable[str]:
        """Return the parameters of the parts in the line."""
        return [key for name in self.names for key in self._parameters(name)]

    def shape_settings(self) -> Iterable[str]:
        """Return the settings of the basic shape in the line."""
        return [*SIZES.get(self.names[0] if self.names else "", ()), *ITEM_PROPERTIES, "segments"]

    def properties(self) -> Iterable[str]:
        """Return the properties of the thing that `set` changes."""
        if not self.names:
            return ()
        if self.names[0] in self.assembly.parts:
            part = self.assembly.parts[self.names[0]].part
            basic = basic_sizes(self.assembly.local_parts[part]) if part in self.assembly.local_parts else None
            sizes = () if basic is None else size_names(basic[0])
            return [*sizes, *self._parameters(part), *set_commands.OF_INSTANCE]
        return set_commands.PROPERTIES.get(self.names[0], ())

    def _parameters(self, part: str) -> Iterable[str]:
        entry = self.document.catalogue.entries.get(part)
        return entry.parameters if entry else ()

    def exchange_options(self) -> Iterable[str]:
        """Return the options of the importers or exporters for the file in the line."""
        ending = Path(self.names[0]).suffix.lower() if self.names else ""
        usable = [exchanger for exchanger in self._exchangers() if ending in exchanger.endings]
        return [option.name for exchanger in usable for option in exchanger.options]

    def _setting_values(self, name: str) -> Iterable[str]:
        if self.command.name == "set" and self.names[:1] == ["units"]:
            return UNITS.get(name.replace("-", " "), ())
        if name == "material":
            return DENSITY
        if name in ("loose", "flip", "force", "mobile", "parallel"):
            return ("yes", "no")
        if name == "on":
            return self.ends("")
        return ()


_OF_KIND: Mapping[ValueKind, Callable[[_Candidates, str], list[str]]] = {
    ValueKind.PART: _Candidates.parts,
    ValueKind.INSTANCE: _Candidates.instances,
    ValueKind.BODY: _Candidates.bodies,
    ValueKind.LEVEL: _Candidates.levels,
    ValueKind.END: _Candidates.ends,
    ValueKind.JOINT: _Candidates.joints,
    ValueKind.POSE: _Candidates.poses,
    ValueKind.COMMAND: _Candidates.commands,
    ValueKind.FORMAT: _Candidates.formats,
    ValueKind.FILE: _Candidates.files,
    ValueKind.QUERY: _Candidates.queries,
    ValueKind.AXIS: lambda candidates, typed: ["x", "y", "z", "-x", "-y", "-z"],
}
"""Candidates by kind of value. Numbers and new names have none."""

_SETTINGS: Mapping[str, Callable[[_Candidates], Iterable[str]]] = {
    "create": _Candidates.parameters_of_parts,
    "replace": _Candidates.parameters_of_parts,
    "make": _Candidates.shape_settings,
    "pose": lambda candidates: candidates.joints(""),
    "import": _Candidates.exchange_options,
    "export": _Candidates.exchange_options,
    "set": _Candidates.properties,
}
"""Names of settings by command."""

_LEVELS: Mapping[str, Iterable[str]] = {
    "show": (*show_commands.ALL, *show_commands.ONE),
    "set": ("part", *set_commands.PROPERTIES),
    "remove": ("part", *remove_commands.LEVELS),
    "rename": set_commands.RENAMED,
    "copy": tuple(SECTIONS),
}
"""Types of things by command."""


def _plain_words(words: list[Word], options: Mapping[str, CommandOption]) -> list[Word]:
    """Return the words that are neither options nor values of options."""
    plain = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.text in options:
            skip = options[word.text].kind is not None
        elif not word.text.startswith("--"):
            plain.append(word)
    return plain


def _argument_at(command: CommandSpec, number: int) -> Argument | None:
    arguments = [argument for argument in command.arguments if argument.kind is not ValueKind.SETTING]
    if number < len(arguments):
        return arguments[number]
    return arguments[-1] if arguments and arguments[-1].many else None
