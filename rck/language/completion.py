"""Completing words from the live assembly and catalogue."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from rck.assembly.document import Assembly
from rck.assembly.ends import parse_end
from rck.assembly.mates import joint_name
from rck.catalogue.search import SEARCHABLE
from rck.hooks import Exporter, Importer
from rck.language.commands import removing, settings, telling
from rck.language.commands.making import LOOKS, SIZES
from rck.language.grammar import Argument, CommandSpec, Kind, Option
from rck.language.lookup import SECTIONS
from rck.language.session import Session
from rck.language.words import LanguageError, Word, quote, quote_setting, split_words
from rck.model import RckError
from rck.model.files import path_in
from rck.model.materials import DENSITY
from rck.model.units import UNITS

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
        return begun.start, _starting({name.partition(" ")[0] for name in session.grammar.by_word}, begun.text)
    try:
        command, named_by = session.grammar.find(words, line)
    except LanguageError:
        return begun.start, []
    return begun.start, _Candidates(session, command, words[named_by:]).starting_with(begun.text, len(words) == 1)


def _starting(candidates: Iterable[str], begun: str) -> list[str]:
    """Those that begin so; if none does, those that contain it."""
    listed = sorted(set(candidates))
    first = [one for one in listed if one.startswith(begun)]
    fitting = (first or [one for one in listed if begun in one])[:MOST]
    return [one if one.startswith("--") else _word(one) for one in fitting]


def _word(text: str) -> str:
    """Return the text as one word of a line."""
    name, equals, value = text.partition("=")
    return quote_setting(name, value) if equals and quote(text) != text else quote(text)


class _Candidates:
    """What the next word of a command may be."""

    def __init__(self, session: Session, command: CommandSpec, words: list[Word]) -> None:
        self.session = session
        self.assembly: Assembly = session.assembly
        self.command = command
        self.options = {f"--{one.name}": one for one in command.options}
        self.words = words
        self.plain = _plain_words(words, self.options)
        self.names = [word.text for word in self.plain if "=" not in word.text]

    def starting_with(self, begun: str, first: bool) -> list[str]:
        """The words that could stand here; `first` says that no word has come yet after the command's."""
        last = self.options.get(self.words[-1].text) if self.words else None
        if last is not None and last.kind is not None:
            return _starting(self._of_option(last, begun), begun)
        if begun.startswith("--"):
            return self._option(begun)
        argument = _argument_at(self.command, len(self.names))
        found: list[str] = []
        if argument is not None:
            found += argument.choices or self._of_kind(argument.kind, begun)
        if first:
            # `create mate` and the like.
            both = [name.partition(" ") for name in self.session.grammar.by_word]
            found += [second for word, _, second in both if second and word == self.command.name]
        if any(one.kind is Kind.SETTING for one in self.command.arguments):
            found += self._settings(begun)
        return _starting(found, begun)

    def _option(self, begun: str) -> list[str]:
        """Options that were not given yet, or the value of one after `=`."""
        name, equals, value = begun.partition("=")
        if equals and name in self.options:
            found = _starting(self._of_option(self.options[name], value), value)
            return [f"{name}={one}" for one in found]
        return _starting((one for one in self.options if one not in {word.text for word in self.words}), begun)

    def _of_option(self, option: Option, begun: str) -> list[str]:
        if option.choices or option.kind is None:
            return list(option.choices)
        if option.kind is Kind.PORT:
            return self._ports_of_part()
        if option.kind is Kind.SETTING:
            return [f"{port}=" for port in self._ports_of_instance()]
        return self._of_kind(option.kind, begun)

    def _of_kind(self, kind: Kind, begun: str) -> list[str]:
        one = _OF_KIND.get(kind)
        return one(self, begun) if one is not None else []

    def parts(self, begun: str) -> list[str]:
        """What can be placed."""
        files = [f"./{path.name}" for path in self.session.folder.glob("*.rck")]
        return [*self.session.catalogue.entries, *self.assembly.pieces, *files]

    def instances(self, begun: str) -> list[str]:
        """What is placed."""
        return list(self.assembly.parts)

    def things(self, begun: str) -> list[str]:
        """An instance or the word for a kind of thing; after that word, the things of the kind."""
        levels = _LEVELS[self.command.name]
        if not self.names:
            return [*self.assembly.parts, *levels]
        level = self.names[0]
        if len(self.names) == 1 and level in levels and level not in self.assembly.parts:
            return self._of_level(level)
        return list(self.assembly.parts) if self.command.name == "remove" else []

    def _of_level(self, level: str) -> list[str]:
        """The names of all things of a kind, as the command means it."""
        telling_about = self.command.name == "show"
        if level == "part":
            return list(self.assembly.parts)
        if level == "mate":
            return [parse_end(mate.put).instance for mate in self.assembly.mates]
        if level == "joint":
            return self._mate_joints() if self.command.name == "rename" else self.joints("")
        if level == "item":
            return self._items() if telling_about else self._piece_items()
        if level == "port" and telling_about:
            return self._ports()
        return list(getattr(self.assembly, SECTIONS[level])) if level in SECTIONS else []

    def ends(self, begun: str) -> list[str]:
        """Ports, instances and frames."""
        return [*self._ports(), *self.assembly.parts, *self._frames()]

    def _frames(self) -> list[str]:
        built = self.session.compile().value
        names = [] if built is None else [frame.name for frame in built.robot.frames if not frame.tool]
        return [name.replace("/", ".", 1) for name in names]

    def _ports(self) -> list[str]:
        found = []
        for name in self.assembly.parts:
            try:
                found += [f"{name}.{port}" for port in self.session.body(self.assembly, name).ports]
            except (RckError, ValueError):
                continue
        return found

    def _ports_of_part(self) -> list[str]:
        """The ports of the part that the line is about."""
        entry = next((self.session.catalogue.entries.get(name) for name in self.names), None)
        return list(entry.ports) if entry else []

    def _ports_of_instance(self) -> list[str]:
        return [port.partition(".")[2] for port in self._ports() if self.names and port.startswith(f"{self.names[0]}.")]

    def bodies(self, begun: str) -> list[str]:
        """Items, instances and groups."""
        return [*self.assembly.parts, *self.assembly.groups, *self._items()]

    def joints(self, begun: str) -> list[str]:
        """The joints that can be moved."""
        built = self.session.compile().value
        return [joint.name for joint in built.robot.free_joints] if built else []

    def _mate_joints(self) -> list[str]:
        return [joint_name(mate, parse_end(mate.put).instance) for mate in self.assembly.mates if mate.joint]

    def _items(self) -> list[str]:
        built = self.session.compile().value
        return [item.name for item in built.robot.items] if built else []

    def _piece_items(self) -> list[str]:
        return [f"{name}/{item}" for name, piece in self.assembly.pieces.items() for item in piece.items]

    def poses(self, begun: str) -> list[str]:
        """The poses that can be gone to."""
        return [*self.assembly.poses, "home"]

    def commands(self, begun: str) -> list[str]:
        """All commands."""
        return [name for name in self.session.grammar.by_word if " " not in name]

    def formats(self, begun: str) -> list[str]:
        """The importers or the exporters."""
        return [one.name for one in self._exchangers()]

    def _exchangers(self) -> Sequence[Importer | Exporter]:
        plugins = self.session.plugins
        return plugins.all(Importer) if self.command.name == "import" else plugins.all(Exporter)

    def files(self, begun: str) -> list[str]:
        """The files of the folder that the begun path is in; folders end with a slash."""
        start, slash, _ = begun.rpartition("/")
        try:
            folder = path_in(self.session.folder, start + slash) if slash else self.session.folder
            listed = [path for path in folder.iterdir() if not path.name.startswith(".")]
        except (OSError, ValueError, RckError):
            return []
        return [f"{start}{slash}{path.name}{'/' if path.is_dir() else ''}" for path in listed]

    def queries(self, begun: str) -> list[str]:
        """Figures to compare, vendors and categories."""
        entries = self.session.catalogue.entries.values()
        texts = {f"vendor={entry.vendor.lower()}" for entry in entries if entry.vendor}
        return [*(f"{name}>=" for name in SEARCHABLE), *texts, *{f"category={entry.category}" for entry in entries}]

    def _settings(self, begun: str) -> list[str]:
        """`name=` for what can be set; after the sign, the values where there are only a few."""
        name, equals, _ = begun.partition("=")
        if equals:
            return [f"{name}={value}" for value in self._values(name)]
        given = {word.text.partition("=")[0] for word in self.plain if "=" in word.text}
        return [f"{one}=" for one in self._setting_names() if one not in given]

    def _setting_names(self) -> list[str]:
        if self.command.name in ("create", "replace"):
            return [key for name in self.names for key in self._parameters(name)]
        if self.command.name == "make":
            return [*SIZES.get(self.names[0] if self.names else "", ()), *LOOKS, "segments"]
        if self.command.name == "pose":
            return self.joints("")
        if self.command.name in ("import", "export"):
            return self._exchange_options()
        if self.command.name == "set" and self.names:
            if self.names[0] in self.assembly.parts:
                part = self.assembly.parts[self.names[0]].part
                return [*self._parameters(part), *settings.OF_INSTANCE]
            return list(settings.PROPERTIES.get(self.names[0], ()))
        return []

    def _parameters(self, part: str) -> Iterable[str]:
        entry = self.session.catalogue.entries.get(part)
        return entry.parameters if entry else ()

    def _exchange_options(self) -> list[str]:
        """The options of the importers or exporters for the file that is named."""
        ending = Path(self.names[0]).suffix.lower() if self.names else ""
        usable = [one for one in self._exchangers() if ending in one.endings]
        return [option.name for one in usable for option in one.options]

    def _values(self, name: str) -> Iterable[str]:
        if self.command.name == "set" and self.names[:1] == ["units"]:
            return UNITS.get(name.replace("-", " "), ())
        if name == "material":
            return DENSITY
        if name in ("loose", "flip", "force", "mobile", "parallel"):
            return ("yes", "no")
        if name == "on":
            return self.ends("")
        return ()


_OF_KIND: Mapping[Kind, Callable[[_Candidates, str], list[str]]] = {
    Kind.PART: _Candidates.parts,
    Kind.INSTANCE: _Candidates.instances,
    Kind.BODY: _Candidates.bodies,
    Kind.LEVEL: _Candidates.things,
    Kind.END: _Candidates.ends,
    Kind.JOINT: _Candidates.joints,
    Kind.POSE: _Candidates.poses,
    Kind.COMMAND: _Candidates.commands,
    Kind.FORMAT: _Candidates.formats,
    Kind.FILE: _Candidates.files,
    Kind.QUERY: _Candidates.queries,
    Kind.AXIS: lambda candidates, begun: ["x", "y", "z", "-x", "-y", "-z"],
}
"""The kinds of words that there is a list of; numbers and new names are the user's own."""

_LEVELS: Mapping[str, Iterable[str]] = {
    "show": (*telling.ALL, *telling.ONE),
    "set": ("part", *settings.PROPERTIES),
    "remove": ("part", *removing.LEVELS),
    "rename": settings.RENAMED,
    "copy": tuple(SECTIONS),
}
"""The kinds of things that each command works on."""


def _plain_words(words: list[Word], options: Mapping[str, Option]) -> list[Word]:
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
    places = [one for one in command.arguments if one.kind is not Kind.SETTING]
    if number < len(places):
        return places[number]
    return places[-1] if places and places[-1].many else None
