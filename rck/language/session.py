"""The session: an open assembly, its history, and the commands that act on it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rck.assembly.compiler import Compiled
from rck.assembly.document import Assembly
from rck.assembly.history import History
from rck.assembly.journal import (
    Journal,
    JournalEntry,
    Recovery,
    journal_path,
    recoverable,
    remove_unneeded_assets,
    unnamed_path,
)
from rck.assembly.native_file import (
    fingerprint,
    fingerprint_of,
    format_assembly,
    normalised,
    parse_assembly,
    read_assembly,
    write_assembly,
    write_assets,
)
from rck.grammar import Arguments, CommandSpec, Grammar, LanguageError, make_grammar, parse_line
from rck.hooks import Command, Job, Plugins
from rck.hooks.source_location import WrongReturnType
from rck.language.commands import COMMANDS
from rck.language.document import AssemblyContext, Document, plain_text
from rck.language.session_command import CommandOutcome, SessionCommand
from rck.language.typed_values import with_values
from rck.model import Built, Finding, RckError
from rck.parts.library import Catalogue, open_catalogue
from rck.support.file_lock import locked
from rck.support.files import refuse_unwritable, write_atomically
from rck.support.finding import errors_of
from rck.support.units import counted

_BUILT_IN = frozenset(command.name for command in COMMANDS)


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state that a script which fails restores. It is immutable: every change replaces it."""

    context: AssemblyContext
    history: History
    path: Path | None = None
    saved: Assembly | None = None
    """The assembly in the file; None before the first save."""
    on_disk: str = ""
    """The fingerprint of the file when it was opened or saved; empty if there was no file."""
    journal: Journal | None = None
    unsaved_entries: tuple[JournalEntry, ...] = ()
    """The commands since the last save."""


class Session:
    """One open assembly: its file, its history and its journal."""

    def __init__(
        self, plugins: Plugins, catalogue: Catalogue, folder: Path, name: str = "untitled", path: Path | None = None
    ) -> None:
        self.plugins = plugins
        self.grammar = full_grammar(plugins)
        self.job = Job()
        """Takes the progress of slow commands; cancel it to stop them."""
        self.hook_findings: list[Finding] = []
        """Findings of plugins that no message has shown yet; :meth:`take_findings` returns them."""
        self.running: list[Path] = []
        """The scripts that are running, outermost first."""
        context = self._make_context(catalogue, folder)
        self._state = SessionState(context, History(Assembly(name=name)), path)
        self._depth = 0
        """Number of nested commands and scripts that are running."""
        self._defers_checks = False
        """True if editing commands skip the check of the assembly: a script is checked once."""
        self._overwritten: list[dict[Path, bytes | None]] = []
        """For each running script, the previous contents of the files that it wrote; None for a new file."""

    def _make_context(self, catalogue: Catalogue, folder: Path) -> AssemblyContext:
        # The job of the running command: `self.job` is replaced by each one.
        job = Job(lambda fraction, _: self.job.progress(fraction, "shapes"))
        return AssemblyContext(self.plugins, catalogue, folder, job)

    def refresh_plugins(self) -> None:
        """Use the commands and the parts of plugins that were loaded again."""
        self.grammar = full_grammar(self.plugins)
        self._change(context=self._make_context(open_catalogue(self.plugins, self.folder), self.folder))

    def _change(self, **changes: Any) -> None:
        self._state = replace(self._state, **changes)

    @property
    def state(self) -> SessionState:
        """The present state."""
        return self._state

    @property
    def history(self) -> History:
        """The past and future values of the assembly."""
        return self._state.history

    @property
    def assembly(self) -> Assembly:
        """The present assembly."""
        return self.history.present

    @property
    def document(self) -> Document:
        """The present document, for commands and other functions that work on documents."""
        return Document(self.assembly, self._state.context, self.path, self.job)

    @property
    def path(self) -> Path | None:
        """The file of the assembly; None before the first save."""
        return self._state.path

    @property
    def folder(self) -> Path:
        """The folder that relative file names start from."""
        return self._state.context.folder

    @property
    def catalogue(self) -> Catalogue:
        """The parts that instances can be made of."""
        return self._state.context.catalogue

    @property
    def saved(self) -> Assembly | None:
        """The assembly in the file; None before the first save."""
        return self._state.saved

    @property
    def journal(self) -> Journal | None:
        """The journal, if one is kept."""
        return self._state.journal

    @property
    def unsaved(self) -> bool:
        """True if the assembly differs from its file."""
        return self.assembly != (self.saved or self.history.first)

    def compile(self, assembly: Assembly | None = None) -> Built[Compiled]:
        """Compile the present assembly, or another; results are cached."""
        return self._state.context.compile(self.assembly if assembly is None else assembly, self.path)

    def preview(self, line: str) -> Assembly | None:
        """Return the assembly that a command would produce.

        None for a command that edits nothing or reads files, and for a slow one of a plugin.
        """
        parsed = parse_line(self.grammar, line)
        if parsed is None or not isinstance(parsed[0], Command) or not (parsed[0].edits and parsed[0].repeatable):
            return None
        if parsed[0].slow and parsed[0].name not in _BUILT_IN:
            return None
        return self._edited(parsed[0], parsed[1])[0]

    def do(self, line: str) -> CommandOutcome:
        """Run one command. It applies completely or raises :class:`RckError` and changes nothing."""
        parsed = parse_line(self.grammar, line)
        if parsed is None:
            return CommandOutcome()
        command, arguments = parsed
        before = self.history
        self._inspect("rck_before_command", document=self.document, line=line)
        self._depth += 1
        try:
            outcome = self._run(command, arguments)
        finally:
            self._depth -= 1
        repeatable = isinstance(command, Command) and command.edits and command.repeatable
        trouble = self._record(line.strip(), before, repeatable=repeatable)
        found = "" if self.running else "".join(f"\n{finding}" for finding in self.take_findings())
        return CommandOutcome(outcome.message + trouble + found, outcome.changed)

    def _inspect(self, hook: str, **arguments: Any) -> None:
        """Call a lifecycle hook of plugins; an error finding refuses like an exception."""
        found = self.plugins.inspect(hook, **arguments)
        if errors := errors_of(found):
            raise RckError(str(errors[0]))
        self.hook_findings += found

    def take_findings(self) -> list[Finding]:
        """Return the findings of plugins since the last call."""
        found, self.hook_findings = self.hook_findings, []
        return found

    def _run(self, command: CommandSpec, arguments: Arguments) -> CommandOutcome:
        if not (isinstance(command, Command) and command.edits):
            self._check_deferred()
        if isinstance(command, SessionCommand):
            state, before = self._state, self.document
            self._overwritten.append({})
            try:
                with _system_errors():
                    outcome = command.run(self, with_values(before, command, arguments, numbers_only=True))
                try:
                    self._after(before, self.document, arguments)
                except RckError:
                    self._restore(state, self._overwritten[-1])
                    raise
            finally:
                self._overwritten.pop()
            return outcome
        assert isinstance(command, Command)
        if not command.edits:
            message = self._call(command, arguments)[1]
            self._after(self.document, self.document, arguments)
            return CommandOutcome(message)
        assembly, message = self._edited(command, arguments)
        self._after(self.document, self.document.with_assembly(assembly), arguments)
        if assembly is self.assembly:
            return CommandOutcome("nothing changed")
        self._change(history=self.history.then(arguments.line.strip(), assembly))
        return CommandOutcome(message or "done", changed=True)

    def _after(self, before: Document, after: Document, arguments: Arguments) -> None:
        self._inspect("rck_after_command", before=before, after=after, line=arguments.line)

    def _call(self, command: Command[Document], arguments: Arguments) -> tuple[Document, str]:
        document = self.document
        arguments = with_values(document, command, arguments, numbers_only=command.name in _BUILT_IN)
        with _system_errors(), self.plugins.guard(command):
            result: Any = command.run(document, arguments)
            if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], Document)):
                message = f"run returned {type(result).__name__}, not a document and a message"
                raise WrongReturnType(message, command.run)
        changed, message = result
        return changed, message

    def _edited(self, command: Command[Document], arguments: Arguments) -> tuple[Assembly, str]:
        """Return the assembly after an editing command and its message; the present assembly if nothing changes."""
        document, message = self._call(command, arguments)
        assembly = normalised(document.assembly)
        if assembly == self.assembly:
            return self.assembly, message
        if self._defers_checks:
            return assembly, message
        errors = errors_of(self.compile(assembly).findings)
        if not errors:
            return assembly, message
        # A valid assembly must stay valid; an invalid one may be repaired step by step.
        if not errors_of(self.compile().findings):
            raise RckError(plain_text(errors[0]))
        return assembly, f"{message or 'done'}; remaining error: {plain_text(errors[0])}"

    def _check_deferred(self) -> None:
        """Check the assembly if editing commands have skipped that; raise if it has errors."""
        if self._defers_checks and errors_of(self.compile().findings):
            raise _InvalidAssembly

    def apply(self, command: str, assembly: Assembly) -> None:
        """Add a step to the history: an assembly that was edited in another way, and a command that names it."""
        before = self.history
        self._change(history=before.then(command, assembly))
        self._record(command, before, repeatable=False)

    def replace_history(self, history: History) -> None:
        """Move to another history, such as the present one with its last step undone."""
        self._change(history=history)

    def _record(self, command: str, before: History, *, repeatable: bool) -> str:
        """Write a completed command that changed the assembly to the journal; return a warning if that fails.

        Without `repeatable`, the assembly after the command is written too.
        """
        if self._depth or self.history is before or self.history.first is not before.first:
            return ""
        entry = JournalEntry(command, None if repeatable else format_assembly(self.assembly))
        if self.journal is not None and not repeatable:
            write_assets(self.journal.of, self.assembly)
        self._change(unsaved_entries=(*self._state.unsaved_entries, entry))
        if self.journal is None:
            return ""
        try:
            self.journal.record(entry)
        except OSError as error:
            self._change(journal=None)
            return f"\nwarning: cannot write the journal ({error.strerror}); save soon"
        return ""

    def open(self, path: Path, recovery: Recovery | None = None) -> None:
        """Open the assembly in a file, and run the commands of a journal on it."""
        assembly = read_assembly(path)
        if path.parent.resolve() != self.folder.resolve():
            context = self._make_context(open_catalogue(self.plugins, path.parent), path.parent)
        else:
            context = self._state.context
        self._inspect("rck_on_open", path=path, document=Document(assembly, context, path, self.job))
        self._change(context=context)
        self.begin(assembly, path, recovery)

    def begin(self, assembly: Assembly, path: Path | None = None, recovery: Recovery | None = None) -> None:
        """Start a new history with an assembly, which is the contents of the file if there is one."""
        has_journal = self.journal is not None
        self.end_journal()
        on_disk = "" if path is None else fingerprint(path)
        saved = None if path is None else assembly
        self._change(history=History(assembly), path=path, saved=saved, on_disk=on_disk, unsaved_entries=())
        # Recovered commands are recorded one by one, not as part of the command that opens the file.
        depth, self._depth = self._depth, 0
        try:
            if recovery is not None:
                self.recover_from(recovery)
        finally:
            self._depth = depth
            if has_journal:
                self.begin_journal()

    def save(self, path: Path | None = None, *, overwrite: bool = False) -> Path:
        """Write the assembly to its file, or to another, which becomes its file; return the path.

        Refuse to replace a file that another program has changed since it was opened, unless `overwrite` is true.
        """
        target = path or self.path
        if target is None:
            raise RckError("the assembly has no file yet; name one: save FILE.rck")
        if not target.suffix:
            target = target.with_name(f"{target.name}.rck")
        if target.suffix != ".rck":
            raise RckError(f"an assembly file ends in .rck, not {target.suffix}; `export` writes other formats")
        refuse_unwritable(target)
        context = self._context_for(target)
        self._inspect("rck_before_save", path=target, document=self.document)
        self.will_write(target)
        text = format_assembly(self.assembly)
        on_disk = fingerprint_of(text)
        with locked(target, "save"):
            if target == self.path and not overwrite and fingerprint(target) not in ("", self._state.on_disk):
                raise RckError(
                    f"{target.name} was changed by another program since it was opened; nothing was saved. Save to"
                    " another file, or replace it with `save --overwrite`"
                )
            try:
                if self.journal is not None and target == self.path:
                    self.journal.saving(on_disk)
                write_assembly(target, self.assembly, text)
            except OSError as error:
                raise RckError(f"{target}: {error.strerror}; nothing was saved") from None
        self._change(context=context, path=target, saved=self.assembly, on_disk=on_disk, unsaved_entries=())
        if self.journal is not None:
            if not self.journal.is_of(target):
                self.journal.end()
            self.begin_journal()
        remove_unneeded_assets(target, self.history.assemblies())
        self._inspect("rck_after_save", path=target, document=self.document)
        return target

    def _context_for(self, target: Path) -> AssemblyContext:
        """Return the context of a file; refuse a folder from which something that the assembly uses is not found."""
        if target.parent.resolve() == self.folder.resolve():
            return self._state.context
        context = self._make_context(open_catalogue(self.plugins, target.parent), target.parent)
        errors = errors_of(context.compile(self.assembly, target).findings)
        if errors and not errors_of(self.compile().findings):
            reason = plain_text(errors[0])
            raise RckError(f"a part is not found from the folder {target.parent}: {reason}; nothing was saved")
        return context

    def begin_journal(self) -> str:
        """Start a journal of completed commands, beginning with those since the last save.

        The journal is a file next to the assembly, or in the user's data folder for an assembly without a file. Return
        an empty string, or a warning: there is no journal, or an earlier one was kept under another name.
        """
        path = self.path or unnamed_path()
        journal = Journal(path)
        left = recoverable(path)
        try:
            kept = journal.begin(self._state.unsaved_entries)
        except OSError as error:
            self._change(journal=None)
            return f"{journal_path(path)}: {error.strerror}; changes cannot be recovered after a crash"
        self._change(journal=journal)
        if kept is None:
            return ""
        again = f"rename it to {journal_path(path).name} to be asked about it again"
        return f"the journal of an earlier run is kept in {kept} ({left}); {again}"

    def end_journal(self) -> None:
        """Delete the journal."""
        if self.journal is not None:
            self.journal.end()
            self._change(journal=None)

    def recover_from(self, recovery: Recovery) -> list[str]:
        """Run the commands of a journal again and return them.

        If one is refused, those before it stay, and the error says how many were recovered.
        """
        for number, entry in enumerate(recovery.entries):
            try:
                if entry.state is None:
                    self.do(entry.command)
                else:
                    self.apply(entry.command, parse_assembly(entry.state, "journal", self.path or unnamed_path()))
            except RckError as error:
                done = f"recovered {number} of {counted(len(recovery.entries), 'command')}"
                raise RckError(f"{done}; `{entry.command}` was refused: {error}") from None
        return [entry.command for entry in recovery.entries]

    def will_write(self, path: Path) -> None:
        """Announce that a file is about to be written, so that a failing script can restore it."""
        for contents in self._overwritten:
            if path not in contents:
                contents[path] = path.read_bytes() if path.is_file() else None

    @contextmanager
    def all_or_nothing(self, what: str) -> Iterator[None]:
        """Restore the session and its files if the block raises; record the block as one command."""
        before = self._state
        self._overwritten.append({})
        self._depth += 1
        try:
            yield
        except BaseException:
            self._restore(before, self._overwritten[-1])
            raise
        finally:
            self._overwritten.pop()
            self._depth -= 1
        if self.unsaved:
            self._record(what, before.history, repeatable=False)

    def _restore(self, state: SessionState, files: Mapping[Path, bytes | None]) -> None:
        if self.journal is not None and self.journal is not state.journal:
            self.journal.end()
        self._state = state
        for path, content in files.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                write_atomically(path, content)
        if self.journal is not None:
            try:
                self.journal.begin(state.unsaved_entries)
            except OSError:
                self._change(journal=None)

    def run_script(self, text: str, where: str) -> list[CommandOutcome]:
        """Run the commands of a script, one on each line: all of them, or none if one is refused.

        The assembly is compiled once, before a command that reads it and at the end. If it has errors then, the script
        runs again with a check after each command, to refuse the command that is wrong.
        """
        lines = text.splitlines()
        if not errors_of(self.compile().findings):
            with suppress(_InvalidAssembly):
                return self._run_lines(lines, where, defer_checks=True)
        return self._run_lines(lines, where, defer_checks=False)

    def _run_lines(self, lines: Sequence[str], where: str, *, defer_checks: bool) -> list[CommandOutcome]:
        outcomes = []
        outer, self._defers_checks = self._defers_checks, defer_checks
        try:
            with self.all_or_nothing(f"run {where}"):
                for number, line in enumerate(lines, start=1):
                    self.job.progress((number - 1) / len(lines), line)
                    try:
                        outcomes.append(self.do(line))
                    except LanguageError as error:
                        self._check_deferred()
                        message = f"{where}:{number}: {error.message}; nothing was changed"
                        raise LanguageError(message, error.line, error.word) from None
                    except RckError as error:
                        self._check_deferred()
                        raise RckError(f"{where}:{number}: {error}; nothing was changed") from None
                self._check_deferred()
        finally:
            self._defers_checks = outer
        return outcomes


class _InvalidAssembly(Exception):
    """The commands of a script so far have made an assembly with errors."""


@contextmanager
def _system_errors() -> Iterator[None]:
    """Turn errors of the operating system and of geometry functions into refusals of the command."""
    try:
        yield
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise RckError(f"{place}{error.strerror or error}") from error
    except ValueError as error:
        raise RckError(str(error)) from error


def full_grammar(plugins: Plugins) -> Grammar:
    """Return the grammar of the built-in commands and those of plugins; a plugin cannot replace a built-in command."""
    builtin = {name for command in COMMANDS for name in (command.name, *command.aliases)}
    added: list[CommandSpec] = []
    for command in plugins.all(Command):
        if builtin & {command.name, *command.aliases}:
            plugins.leave_out(command, "RCK has a command of this name")
        else:
            added.append(command)
    return make_grammar([*COMMANDS, *added])


def new_session(plugins: Plugins, folder: Path, name: str = "untitled", path: Path | None = None) -> Session:
    """Return a session with an empty assembly, which will be saved to `path` if it is given."""
    return Session(plugins, open_catalogue(plugins, folder), folder, name, path)


def open_session(plugins: Plugins, path: Path) -> Session:
    """Return a session with the assembly in a file."""
    session = new_session(plugins, path.parent)
    session.open(path)
    return session


def script_of(commands: Sequence[str]) -> str:
    """Return the commands as a script."""
    return "".join(f"{command}\n" for command in commands)
