"""A session: an open assembly, its history, and the commands that work on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rck.assembly.compile import Compiled, Compiler, body_of
from rck.assembly.document import Assembly
from rck.assembly.history import History
from rck.assembly.journal import Entry, Journal, Recovery, recoverable
from rck.assembly.native import fingerprint_of, format_assembly, parse_assembly, read_assembly, write_assembly
from rck.assembly.pieces import Body, Pieces
from rck.catalogue.library import Catalogue, open_catalogue
from rck.hooks import Command, Plugins
from rck.language.grammar import Argument, Arguments, CommandSpec, Grammar, Kind, make_grammar, read_line
from rck.model import Built, Finding, RckError
from rck.model.finding import errors_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did."""

    message: str = ""
    changed: bool = False
    """Whether there is something to undo now that was not there before."""


@dataclass(eq=False)
class Session:
    """One open assembly. The only place where something changes: which assembly is the present one."""

    plugins: Plugins
    catalogue: Catalogue
    folder: Path
    path: Path | None = None
    history: History = field(default_factory=lambda: History(Assembly(name="untitled")))
    saved: Assembly | None = None
    """What the file holds; None before the first save."""
    grammar: Grammar = field(init=False)
    compiler: Compiler = field(init=False)
    journal: Journal | None = None
    running: list[Path] = field(default_factory=list)
    """The scripts being run, outermost first."""
    _compiled: list[tuple[Assembly, Built[Compiled]]] = field(default_factory=list)
    """The last few assemblies with their robots: the present one and what was previewed."""

    def __post_init__(self) -> None:
        self.grammar = full_grammar(self.plugins)
        self.compiler = Compiler(Pieces(self.catalogue, self.folder, compile_file))

    @property
    def assembly(self) -> Assembly:
        """The assembly now."""
        return self.history.present

    @property
    def unsaved(self) -> bool:
        """Whether there is something that the file does not hold."""
        return self.assembly != (self.saved or self.history.first)

    def compile(self, assembly: Assembly | None = None) -> Built[Compiled]:
        """The robot of the assembly as it is now, or of another; remembered until it changes."""
        wanted = self.assembly if assembly is None else assembly
        for known, built in self._compiled:
            if known is wanted:
                return built
        self._compiled = [*self._compiled[-3:], (wanted, self.compiler.compile(wanted))]
        return self._compiled[-1][1]

    def preview(self, line: str) -> Assembly | None:
        """The assembly that a command would give, without doing it; None for one that edits nothing or reads files."""
        read = read_line(self.grammar, line)
        if read is None or not read[0].edits or not read[0].repeats:
            return None
        result = read[0].run(self, read[1])
        assembly: Assembly = result[0] if isinstance(result, tuple) else result
        self._require_no_new_errors(assembly)
        return assembly

    def do(self, line: str) -> Outcome:
        """Do one command. It is done completely or not at all; then a :class:`RckError` says why."""
        read = read_line(self.grammar, line)
        if read is None:
            return Outcome()
        command, arguments = read
        before = self.history
        result = command.run(self, arguments)
        if not command.edits:
            outcome = result if isinstance(result, Outcome) else Outcome(str(result or ""))
        else:
            assembly, message = result if isinstance(result, tuple) else (result, "")
            if assembly == self.assembly:
                return Outcome(message or "nothing changed")
            self._require_no_new_errors(assembly)
            self.history = self.history.then(line.strip(), assembly)
            outcome = Outcome(message or "done", changed=True)
        if self.journal is not None and self.history is not before:
            state = None if command.edits and command.repeats else format_assembly(self.assembly)
            self.journal.record(Entry(line.strip(), state))
        return outcome

    def _require_no_new_errors(self, assembly: Assembly) -> None:
        """Refuse an edit that breaks what was whole; what was broken before may stay so."""
        known = {(one.code, one.where) for one in errors_of(self.compile().findings)}
        new = [one for one in errors_of(self.compile(assembly).findings) if (one.code, one.where) not in known]
        if new:
            raise RckError(_plain(new[0]))

    def open(self, path: Path) -> None:
        """Take the assembly in a file as the present one, with a history of its own."""
        assembly = read_assembly(path)
        self.path = path
        self.history = History(assembly)
        self.saved = assembly
        if path.parent.resolve() != self.folder.resolve():
            self.folder = path.parent
            self.catalogue = open_catalogue(self.plugins, self.folder)
            self.compiler = Compiler(Pieces(self.catalogue, self.folder, compile_file))

    def save(self, path: Path | None = None) -> Path:
        """Write the assembly to its file, or to another, which becomes its file."""
        target = path or self.path
        if target is None:
            raise RckError("this assembly has no file yet: save FILE.rck")
        if target.suffix != ".rck":
            raise RckError(
                f"an assembly's file ends in .rck, not {target.suffix or 'nothing'}; `export` writes other formats"
            )
        if self.journal is not None and target == self.path:
            self.journal.saving(fingerprint_of(self.assembly))
        write_assembly(target, self.assembly)
        if target != self.path and self.journal is not None:
            self.journal.end()
        self.path, self.saved = target, self.assembly
        if self.journal is not None:
            self.journal = Journal(target)
            self.journal.begin()
        return target

    def keep_journal(self) -> None:
        """Write every completed command down beside the file from now on."""
        if self.path is None:
            raise RckError("a journal needs a file to stand beside")
        self.journal = Journal(self.path)
        self.journal.begin()

    def recover(self) -> list[str]:
        """Do again what a crash left unsaved; the commands that were done."""
        left = None if self.path is None else recoverable(self.path)
        if left is None:
            return []
        if not left.matches:
            raise RckError(f"{self.path} was changed since the journal beside it was written; nothing was recovered")
        return self.recover_from(left)

    def recover_from(self, left: Recovery) -> list[str]:
        """Do again what a journal holds; the commands that were done."""
        for entry in left.entries:
            if entry.state is None:
                self.do(entry.command)
            else:
                self.history = self.history.then(entry.command, parse_assembly(entry.state, "journal"))
        return [entry.command for entry in left.entries]


def _plain(finding: Finding) -> str:
    place = f"{finding.where}: " if finding.where else ""
    return f"{place}{finding.message}" + (f" ({finding.fix})" if finding.fix else "")


def compile_file(path: Path, pieces: Pieces, opening: tuple[Path, ...]) -> Body:
    """Another assembly's file as one piece."""
    assembly = read_assembly(path)
    built = Compiler(pieces).compile(assembly, (*opening, path))
    if built.value is None:
        raise RckError(f"{path.name}: {_plain(errors_of(built.findings)[0])}")
    return body_of(assembly, built.value, tuple(one for one in built.findings))


def full_grammar(plugins: Plugins) -> Grammar:
    """The built-in commands and those that plugins add; a plugin cannot replace a built-in one."""
    from rck.language.commands import COMMANDS

    own = {name for one in COMMANDS for name in (one.name, *one.aliases)}
    added = [_from_plugin(one) for one in plugins.all(Command) if one.name not in own]
    return make_grammar([*COMMANDS, *added])


def _from_plugin(command: Command) -> CommandSpec:
    def run(session: Session, arguments: Arguments) -> object:
        return command.run(session.assembly, arguments.texts("words"))

    words = Argument("words", Kind.TEXT, optional=True, many=True)
    return CommandSpec(command.name, command.summary, run, (words,), details=command.usage)


def new_session(plugins: Plugins, folder: Path, name: str = "untitled") -> Session:
    """A session with an empty assembly."""
    return Session(plugins, open_catalogue(plugins, folder), folder, history=History(Assembly(name=name)))


def open_session(plugins: Plugins, path: Path) -> Session:
    """A session with the assembly in a file."""
    session = new_session(plugins, path.parent)
    session.open(path)
    return session


def run_script(session: Session, text: str, where: str) -> list[Outcome]:
    """Do the commands of a script, one a line: all of them, or none if one is refused."""
    before = session.history
    outcomes = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            outcomes.append(session.do(line))
        except RckError as error:
            session.history = before
            raise RckError(f"{where}:{number}: {error}; nothing was changed") from None
    return outcomes


def script_of(commands: Sequence[str]) -> str:
    """The commands as a script."""
    return "".join(f"{command}\n" for command in commands)
