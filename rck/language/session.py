"""A session: an open assembly, its history, and the commands that work on it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rck.assembly.compile import Compiled, Compiler, body_of
from rck.assembly.document import Assembly
from rck.assembly.history import History
from rck.assembly.journal import Entry, Journal, Recovery, journal_path, unnamed_path
from rck.assembly.native import (
    fingerprint_of,
    format_assembly,
    normalised,
    parse_assembly,
    read_assembly,
    write_assembly,
)
from rck.assembly.pieces import Body, Pieces
from rck.catalogue.library import Catalogue, open_catalogue
from rck.hooks import Command, Job, Plugins
from rck.hooks.places import Unfit, place_of_function
from rck.language.grammar import Argument, Arguments, CommandSpec, Grammar, Kind, make_grammar, read_line
from rck.language.words import LanguageError
from rck.model import Built, Finding, RckError
from rck.model.files import Stamp, refuse_unwritable, write_atomically
from rck.model.finding import errors_of

Edited = tuple[Assembly, str]
"""What an editing command makes of an assembly, and what it says."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did."""

    message: str = ""
    changed: bool = False
    """Whether there is something to undo now that was not there before."""


_STATE = ("path", "folder", "catalogue", "compiler", "history", "saved", "journal", "_entries")
"""What a script that fails gives back."""


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
    job: Job = field(default_factory=Job)
    """What commands that take long tell their progress to; whoever cancels it stops them."""
    running: list[Path] = field(default_factory=list)
    """The scripts being run, outermost first."""
    _compiled: list[tuple[Assembly, Mapping[Path, Stamp], Built[Compiled]]] = field(default_factory=list)
    """The last few assemblies with their robots: the present one and what was previewed."""
    _entries: tuple[Entry, ...] = ()
    """The commands that the file does not hold yet."""
    _doing: int = 0
    """How many commands and scripts are being done, one within the other."""
    _before: list[dict[Path, bytes | None]] = field(default_factory=list)
    """For each running script, what files held before it wrote to them; None where there was none."""

    def __post_init__(self) -> None:
        self.grammar = full_grammar(self.plugins)
        self.compiler = self._new_compiler()

    def _new_compiler(self) -> Compiler:
        def watch(share: float) -> None:
            self.job.progress(share, "shapes")

        return Compiler(Pieces(self.catalogue, self.folder, compile_file, watch))

    @property
    def assembly(self) -> Assembly:
        """The assembly now."""
        return self.history.present

    @property
    def unsaved(self) -> bool:
        """Whether there is something that the file does not hold."""
        return self.assembly != (self.saved or self.history.first)

    def body(self, assembly: Assembly, name: str) -> Body:
        """What an instance of an assembly is made of."""
        return self.compiler.pieces.body(assembly.parts[name], assembly, self._opening)

    @property
    def _opening(self) -> tuple[Path, ...]:
        """The file that the assembly is in: a part that contains it would contain itself."""
        return () if self.path is None else (self.path.resolve(),)

    def compile(self, assembly: Assembly | None = None) -> Built[Compiled]:
        """The robot of the assembly as it is now, or of another; remembered until it or a file that it uses changes."""
        wanted = self.assembly if assembly is None else assembly
        now = self.compiler.pieces.stamps()
        for known, stamps, built in self._compiled:
            if known is wanted and stamps == now:
                return built
        built = self.compiler.compile(wanted, self._opening)
        others = [one for one in self._compiled if one[0] is not wanted]
        self._compiled = [*others[-3:], (wanted, self.compiler.pieces.stamps(), built)]
        return built

    def preview(self, line: str) -> Assembly | None:
        """The assembly that a command would give, without doing it; None for one that edits nothing or reads files."""
        read = read_line(self.grammar, line)
        if read is None or not read[0].edits or not read[0].repeats:
            return None
        return self._edited(*read)[0]

    def do(self, line: str) -> Outcome:
        """Do one command. It is done completely or not at all; then a :class:`RckError` says why."""
        read = read_line(self.grammar, line)
        if read is None:
            return Outcome()
        command, arguments = read
        before = self.history
        self._doing += 1
        try:
            if command.edits:
                assembly, message = self._edited(command, arguments)
                if assembly is self.assembly:
                    return Outcome("nothing changed")
                self.history = self.history.then(line.strip(), assembly)
                outcome = Outcome(message or "done", changed=True)
            else:
                result = _guarded(command, self, arguments)
                outcome = result if isinstance(result, Outcome) else Outcome(str(result or ""))
        finally:
            self._doing -= 1
        trouble = self._write_down(line.strip(), before, again=command.edits and command.repeats)
        return Outcome(outcome.message + trouble, outcome.changed)

    def _edited(self, command: CommandSpec, arguments: Arguments) -> tuple[Assembly, str]:
        """What an editing command makes of the assembly, and what it says; the assembly itself if nothing changes."""
        result = _guarded(command, self, arguments)
        assembly, message = result if isinstance(result, tuple) else (result, "")
        if not isinstance(assembly, Assembly):
            raise RckError(f"{command.name} gave {type(assembly).__name__} instead of an assembly")
        assembly = normalised(assembly)
        if assembly == self.assembly:
            return self.assembly, message
        wrong = errors_of(self.compile(assembly).findings)
        if not wrong:
            return assembly, message
        # What was whole is not broken; what is broken may be mended step by step.
        if not errors_of(self.compile().findings):
            raise RckError(_plain(wrong[0]))
        return assembly, f"{message or 'done'}; still wrong: {_plain(wrong[0])}"

    def _write_down(self, command: str, before: History, *, again: bool) -> str:
        """Put a completed command into the journal, if it changed the assembly; what the user must be told about it.

        `again` says whether doing the command again gives the same; otherwise the assembly is written down too.
        """
        if self._doing or self.history is before or self.history.first is not before.first:
            return ""
        entry = Entry(command, None if again else format_assembly(self.assembly))
        self._entries = (*self._entries, entry)
        if self.journal is None:
            return ""
        try:
            self.journal.record(entry)
        except OSError as error:
            self.journal = None
            return f"\nthe journal cannot be written ({error.strerror}); save soon"
        return ""

    def open(self, path: Path) -> None:
        """Take the assembly in a file as the present one, with a history of its own."""
        assembly = read_assembly(path)
        if path.parent.resolve() != self.folder.resolve():
            self._go_to(path.parent)
        self._begin(assembly, path)

    def start(self, name: str) -> None:
        """Take an empty assembly as the present one."""
        self._begin(Assembly(name=name), None)

    def _begin(self, assembly: Assembly, path: Path | None) -> None:
        self.path = path
        self.history = History(assembly)
        self.saved = None if path is None else assembly
        self._entries = ()
        if self.journal is not None:
            self.journal.end()
            self.begin_journal()

    def _go_to(self, folder: Path) -> None:
        """Work in another folder, with the parts and files of that project."""
        self.folder = folder
        self.catalogue = open_catalogue(self.plugins, folder)
        self.compiler = self._new_compiler()

    def save(self, path: Path | None = None) -> Path:
        """Write the assembly to its file, or to another, which becomes its file."""
        target = path or self.path
        if target is None:
            raise RckError("this assembly has no file yet: save FILE.rck")
        if not target.suffix:
            target = target.with_name(f"{target.name}.rck")
        if target.suffix != ".rck":
            raise RckError(f"an assembly's file ends in .rck, not {target.suffix}; `export` writes other formats")
        refuse_unwritable(target)
        here = self.folder, self.catalogue, self.compiler
        if target.parent.resolve() != self.folder.resolve():
            self._move_to(target)
        self.will_write(target)
        try:
            if self.journal is not None and target == self.path:
                self.journal.saving(fingerprint_of(self.assembly))
            write_assembly(target, self.assembly)
        except OSError as error:
            self.folder, self.catalogue, self.compiler = here
            raise RckError(f"{target}: {error.strerror}; nothing was saved") from None
        self.path, self.saved, self._entries = target, self.assembly, ()
        if self.journal is not None:
            if not self.journal.is_of(target):
                self.journal.end()
            self.begin_journal()
        return target

    def _move_to(self, target: Path) -> None:
        """Work in the folder of another file, if all that the assembly uses is found from there too."""
        here = self.folder, self.catalogue, self.compiler
        whole = not errors_of(self.compile().findings)
        self._go_to(target.parent)
        lost = errors_of(self.compiler.compile(self.assembly, (target.resolve(),)).findings)
        if whole and lost:
            self.folder, self.catalogue, self.compiler = here
            raise RckError(f"it uses what is not found from {target.parent}: {_plain(lost[0])}; nothing was saved")

    def begin_journal(self) -> str:
        """Write every completed command down from now on, after those that the file does not hold yet.

        The journal stands beside the file, or in the user's own folder for an assembly without one. What is returned
        is empty, or why none can be kept.
        """
        path = self.path or unnamed_path()
        self.journal = Journal(path)
        try:
            self.journal.begin(self._entries)
        except OSError as error:
            self.journal = None
            return f"{journal_path(path)}: {error.strerror}; nothing can be recovered after a crash"
        return ""

    def recover_from(self, left: Recovery) -> list[str]:
        """Do again what a journal holds; the commands that were done."""
        for entry in left.entries:
            if entry.state is None:
                self.do(entry.command)
            else:
                before = self.history
                self.history = self.history.then(entry.command, parse_assembly(entry.state, "journal"))
                self._write_down(entry.command, before, again=False)
        return [entry.command for entry in left.entries]

    def will_write(self, path: Path) -> None:
        """Say that a file is about to be written, so that a script that fails later can put it back."""
        for kept in self._before:
            if path not in kept:
                kept[path] = path.read_bytes() if path.is_file() else None

    @contextmanager
    def all_or_nothing(self, what: str) -> Iterator[None]:
        """What is done inside is done completely; at the first refusal everything is as before, files included."""
        state = {name: getattr(self, name) for name in _STATE}
        before = self.history
        self._before.append({})
        self._doing += 1
        try:
            yield
        except BaseException:
            self._put_back(state, self._before[-1])
            raise
        finally:
            self._before.pop()
            self._doing -= 1
        if self.unsaved:
            self._write_down(what, before, again=False)

    def _put_back(self, state: Mapping[str, Any], files: Mapping[Path, bytes | None]) -> None:
        if self.journal is not None and self.journal is not state["journal"]:
            self.journal.end()
        for name, value in state.items():
            setattr(self, name, value)
        for path, content in files.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                write_atomically(path, content)
        if self.journal is not None:
            try:
                self.journal.begin(self._entries)
            except OSError:
                self.journal = None


def _guarded(command: CommandSpec, session: Session, arguments: Arguments) -> Any:
    """What a command returns; whatever it is refused by the system or the geometry is a refusal of the command."""
    try:
        return command.run(session, arguments)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise RckError(f"{place}{error.strerror or error}") from error
    except ValueError as error:
        raise RckError(str(error)) from error


def _plain(finding: Finding) -> str:
    place = f"{finding.where}: " if finding.where else ""
    return f"{place}{finding.message}" + (f" ({finding.fix})" if finding.fix else "")


def compile_file(path: Path, pieces: Pieces, opening: tuple[Path, ...]) -> Body:
    """Another assembly's file as one part."""
    assembly = read_assembly(path)
    built = Compiler(pieces).compile(assembly, (*opening, path))
    if built.value is None:
        raise RckError(f"{path.name}: {_plain(errors_of(built.findings)[0])}")
    return body_of(assembly, built.value, built.findings)


def full_grammar(plugins: Plugins) -> Grammar:
    """The built-in commands and those that plugins add; a plugin cannot replace a built-in one."""
    from rck.language.commands import COMMANDS

    own = {name for one in COMMANDS for name in (one.name, *one.aliases)}
    for one in plugins.all(Command):
        if one.name in own:
            plugins.leave_out(one, "RCK has a command of this name")
    added = [_from_plugin(one, plugins) for one in plugins.all(Command) if one.name not in own]
    return make_grammar([*COMMANDS, *added])


def _from_plugin(command: Command, plugins: Plugins) -> CommandSpec:
    def run(session: Session, arguments: Arguments) -> object:
        with plugins.guard(command):
            made = command.run(session.assembly, arguments.texts("words"))
            if isinstance(made, tuple) and not (len(made) == 2 and isinstance(made[1], str)):
                wrong = "a tuple that is no pair of a document and a text"
                raise Unfit(f"command {command.name} returned {wrong}", place_of_function(command.run))
            document = made[0] if isinstance(made, tuple) else made
            if not isinstance(document, Assembly):
                wrong = f"{type(document).__name__}, not a document"
                raise Unfit(f"command {command.name} returned {wrong}", place_of_function(command.run))
            return made

    words = Argument("words", Kind.TEXT, optional=True, many=True)
    return CommandSpec(command.name, command.summary, run, (words,), details=command.usage, slow=command.slow)


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
    outcomes = []
    with session.all_or_nothing(f"run {where}"):
        lines = text.splitlines()
        for number, line in enumerate(lines, start=1):
            session.job.progress((number - 1) / len(lines), line)
            try:
                outcomes.append(session.do(line))
            except LanguageError as error:
                said = f"{where}:{number}: {error.message}; nothing was changed"
                raise LanguageError(said, error.line, error.word) from None
            except RckError as error:
                raise RckError(f"{where}:{number}: {error}; nothing was changed") from None
    return outcomes


def script_of(commands: Sequence[str]) -> str:
    """The commands as a script."""
    return "".join(f"{command}\n" for command in commands)
