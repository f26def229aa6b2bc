"""The state of the editor without its user interface: session, selection, preview, part being placed, messages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from rck.assembly.compiler import Compiled
from rck.assembly.document import Assembly
from rck.assembly.suppressions import split_findings
from rck.editor.engines import Engines
from rck.editor.overlay_layers import OverlayLayer
from rck.editor.placement import PartPlacement, start_mounting, start_placement
from rck.editor.robot_checks import CheckResults, run_checks
from rck.geometry.arrays import Floats
from rck.grammar import LanguageError, parse_line, quote
from rck.hooks import Job
from rck.language.session import Session, script_of
from rck.language.session_command import CommandOutcome
from rck.model import Built, Finding, RckError
from rck.rendering.scene import PointCloud
from rck.support.files import in_words
from rck.support.units import counted

Kind = Literal["instance", "item", "subitem", "joint", "port", "mate", "tool"]
Topic = Literal["assembly", "selection", "preview", "log", "file", "checked", "opened", "overlays", "reported"]
"""The kind of a change: the assembly, the selection, the preview, the messages, the file or its saved state, the check
results, everything because another assembly was opened, the shapes of overlays, or only what a command has reported."""
Tone = Literal["done", "info", "error"]


@dataclass(frozen=True, slots=True)
class Selected:
    """A selected object of the assembly."""

    kind: Kind
    name: str
    """`base` for an instance or its mate, `shoulder/axis` for an item or joint, `shoulder/body#0` for a subitem,
    `base.top` for a port, `grip` for a tool."""

    @property
    def instance(self) -> str:
        """The instance that it belongs to; not defined for a tool."""
        return self.name.replace(".", "/").partition("/")[0]


@dataclass(frozen=True, slots=True)
class StatusMessage:
    """An entry of the message log."""

    text: str
    tone: Tone = "done"


@dataclass(frozen=True, eq=False, slots=True)
class Preview:
    """The assembly as a command would leave it, and the items that are new, moved or changed."""

    line: str
    compiled: Compiled
    ghosts: frozenset[str]


@dataclass(frozen=True, eq=False, slots=True)
class _CommandResult:
    """The outcome of commands, and the state before them."""

    assembly: Assembly
    first: Assembly
    file: tuple[Path | None, Assembly | None]
    succeeded: bool = False
    message: StatusMessage | None = None


Runner = Callable[[Callable[[], Any], Callable[[Any], None]], None]
"""Calls the first function, possibly in a thread, then the second with its result in the thread of the interface."""


def run_now(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
    """Run work at once: for a workbench without an interface."""
    done(work())


@dataclass(eq=False)
class Workbench:
    """The state of the editor; its methods change it and notify listeners."""

    session: Session
    selection: tuple[Selected, ...] = ()
    placing: PartPlacement | None = None
    preview: Preview | None = None
    colliding: frozenset[str] = frozenset()
    """The items in contact, highlighted in the views."""
    reach_cloud: PointCloud | None = None
    """The reachable workspace of a tool, shown on the Move screen."""
    layers: dict[str, OverlayLayer] = field(default_factory=dict)
    """The shapes of the overlays that are shown, by name."""
    messages: list[StatusMessage] = field(default_factory=list)
    preview_runner: Runner = run_now
    """Computes previews; only the newest request matters."""
    command_runner: Runner = run_now
    """Runs slow commands."""
    check_runner: Runner | None = None
    """Runs checks while nothing else changes; None disables them."""
    checks: CheckResults | None = None
    """The latest check results; until the checks have run again, those of an earlier robot."""
    busy: str = ""
    """The slow command that is running."""
    progress: tuple[float, str] = (0.0, "")
    """Progress of the slow command: fraction done, and current activity."""
    engines: Engines = field(default_factory=Engines)
    jogged_tool: str = ""
    """The tool that the Move screen moves; empty without one."""
    taught_poses: tuple[Floats, ...] = ()
    """Taught poses, as vectors of free joint positions, to be turned into events."""
    tutorial_step: int = 0
    _listeners: list[Callable[[Topic], None]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    """Held while the session works: previews are computed in another thread."""
    _preview_version: int = 0
    """Increased when requested previews become obsolete."""
    _built: tuple[Assembly, Built[Compiled]] | None = None

    def listen(self, listener: Callable[[Topic], None]) -> None:
        """Call the listener with the topic of each change."""
        self._listeners.append(listener)

    def notify(self, *topics: Topic) -> None:
        """Tell the listeners what changed."""
        for topic in topics:
            for listener in self._listeners:
                listener(topic)
        if "opened" in topics:
            self.checks = None
        if "assembly" in topics or "opened" in topics:
            self.start_checks()

    @property
    def checks_pending(self) -> bool:
        """True if the current robot has not been checked yet."""
        compiled, known = self.built.value, self.checks
        return not (
            self.check_runner is None or compiled is None or (known is not None and known.robot is compiled.robot)
        )

    def start_checks(self) -> None:
        """Start the checks if the current robot has not been checked yet."""
        compiled = self.built.value
        if self.check_runner is None or compiled is None or not self.checks_pending:
            return
        assembly, plugins = self.assembly, self.session.plugins
        self.check_runner(lambda: run_checks(assembly, compiled, plugins), self._take_checks)

    def _take_checks(self, results: CheckResults) -> None:
        compiled = self.built.value
        if compiled is not None and compiled.robot is results.robot:
            self.checks = results
            self.notify("checked")

    @property
    def assembly(self) -> Assembly:
        """The current assembly."""
        return self.session.assembly

    @property
    def built(self) -> Built[Compiled]:
        """The compiled assembly, with its findings."""
        known = self._built
        if known is None or known[0] is not self.assembly:
            with self._lock:
                known = self._built = (self.assembly, self.session.compile())
        return known[1]

    @property
    def shown(self) -> Compiled | None:
        """The preview if there is one, else the compiled assembly."""
        return self.preview.compiled if self.preview is not None else self.built.value

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of the compiler, the checks and the plugins."""
        checked = () if self.checks is None or self.built.value is None else self.checks.findings
        found = (*self.built.findings, *checked, *self.session.plugins.findings)
        return split_findings(found, self.assembly).shown

    @property
    def script(self) -> str:
        """The commands that lead from the opened assembly to the current one."""
        return script_of([command for command, _ in self.session.history.past])

    def run(self, *lines: str) -> bool:
        """Run commands, all or none, and log the result; return True if they succeeded."""
        if self.busy:
            self.log(f"{self.busy} is still running", "error")
            return False
        return self._finish(self._execute(*lines))

    def run_in_background(self, line: str, done: Callable[[bool], None] = lambda _: None) -> None:
        """Run a slow command without blocking the interface; other commands are refused until it ends."""
        if self.busy:
            done(self.run(line))
            return

        def finish(result: _CommandResult) -> None:
            self.busy = ""
            self.session.job = Job()
            done(self._finish(result))

        def note_progress(fraction: float, activity: str) -> None:
            self.progress = (fraction, activity)

        self.busy, self.progress = line, (0.0, "")
        self.session.job = Job(note_progress)
        self.log(f"{line} …")
        self.command_runner(lambda: self._execute(line), finish)

    def stop(self) -> None:
        """Cancel the slow command; it changes nothing."""
        self.session.job.cancel()

    def is_slow(self, line: str) -> bool:
        """Return True if the line is a command that may take long."""
        try:
            read = parse_line(self.session.grammar, line)
        except LanguageError:
            return False
        return read is not None and read[0].slow

    def _execute(self, *lines: str) -> _CommandResult:
        """Run commands, all or none, without updating the interface; may run in another thread."""
        session = self.session
        before = _CommandResult(self.assembly, session.history.first, (session.path, session.saved))
        try:
            with self._lock:
                if len(lines) == 1:
                    outcome = session.do(lines[0])
                else:
                    changes = sum(result.changed for result in session.run_script("\n".join(lines), "line"))
                    outcome = CommandOutcome(f"ran {changes} commands; `undo {changes}` reverts them", changed=True)
                if self.assembly is not before.assembly:
                    self._built = (self.assembly, session.compile())
        except Exception as error:
            return replace(before, message=StatusMessage(_reason(error), "error"))
        wrote = (session.path, session.saved) != before.file
        tone: Tone = "done" if outcome.changed or wrote else "info"
        message = StatusMessage(outcome.message, tone) if outcome.message else None
        return replace(before, succeeded=True, message=message)

    def _finish(self, result: _CommandResult) -> bool:
        """Log the result of commands and notify listeners."""
        session = self.session
        if result.message is not None:
            self.log(result.message.text, result.message.tone)
        if not result.succeeded:
            return False
        self._preview_version += 1
        self.preview = None
        opened = session.history.first is not result.first
        if opened or self._lost_placing():
            self.placing = None
        filed = (session.path, session.saved) != result.file
        if self.assembly is not result.assembly:
            self._drop_stale_selection()
            self.notify("assembly", "preview")
        else:
            self.notify("reported")
        if opened:
            self.notify("opened")
        elif filed:
            self.notify("file")
        return True

    def recover(self, commands: Callable[[], list[str]]) -> bool:
        """Restore the commands that were not saved before a crash; return False if one was refused."""
        try:
            with self._lock:
                count = len(commands())
            self.log(f"recovered {counted(count, 'command')}", "done")
            recovered = True
        except RckError as error:
            self.log(_reason(error), "error")
            recovered = False
        self._drop_stale_selection()
        self.notify("assembly", "preview")
        return recovered

    def log(self, text: str, tone: Tone = "info") -> None:
        """Add a message to the log."""
        self.messages.append(StatusMessage(text, tone))
        self.notify("log")

    def select(self, *things: Selected) -> None:
        """Replace the selection."""
        if things != self.selection:
            self.selection = things
            self.notify("selection")

    def toggle(self, thing: Selected) -> None:
        """Add an object to the selection, or remove it."""
        rest = tuple(other for other in self.selection if other != thing)
        self.select(*(rest if thing in self.selection else (*self.selection, thing)))

    @property
    def selected_instances(self) -> list[str]:
        """The instances that the selected objects belong to, without duplicates."""
        things = (thing for thing in self.selection if self._exists(thing) and thing.kind != "tool")
        return list(dict.fromkeys(thing.instance for thing in things))

    def _exists(self, thing: Selected) -> bool:
        return thing.name in self.assembly.tools if thing.kind == "tool" else thing.instance in self.assembly.parts

    def _lost_placing(self) -> bool:
        """Return True if the instance that is being placed exists no more."""
        placing = self.placing
        return placing is not None and not placing.part and placing.name not in self.assembly.parts

    def _drop_stale_selection(self) -> None:
        self.select(*(thing for thing in self.selection if self._exists(thing)))

    def show_preview(self, line: str, explain: Callable[[str], None] | None = None) -> None:
        """Preview a command as soon as the result is computed.

        `explain` is called with the reason if the command would be refused, else with an empty string. A command that
        changes nothing has no preview.
        """
        version = self._preview_version

        def show(result: tuple[Preview | None, str]) -> None:
            if version != self._preview_version:
                return
            preview, reason = result
            if preview is not None or self.preview is not None:
                self.preview = preview
                self.notify("preview")
            if explain is not None:
                explain(reason)

        self.preview_runner(lambda: self._compute_preview(line), show)

    def _compute_preview(self, line: str) -> tuple[Preview | None, str]:
        """Return the preview of a command, or the reason why it is refused; may run in another thread."""
        try:
            with self._lock:
                assembly = self.session.preview(line)
                built = None if assembly is None else self.session.compile(assembly)
        except Exception as error:
            return None, _reason(error)
        if built is None or built.value is None:
            return None, ""
        return Preview(line, built.value, _changed_items(self.built, built.value)), ""

    def hide_preview(self) -> None:
        """Show the assembly as it is."""
        self._preview_version += 1
        if self.preview is not None:
            self.preview = None
            self.notify("preview")

    def start_placing(self, part: str, mount: str = "", next_part: str = "") -> bool:
        """Start placing a part: the first one is put on the floor at once, others get a preview at a free port.

        The part is mounted by its port `mount`, if that is given, and `next_part` is placed on it afterwards. Return
        False if the part fits no free port.
        """
        chosen = self.selected_instances
        try:
            with self._lock:
                placing = start_placement(self.session, part, chosen[-1] if chosen else None, mount)
        except RckError as error:
            self.log(_reason(error), "error")
            return True
        if placing is not None:
            self.change_placing(replace(placing, next_part=next_part))
        elif self.assembly.parts:
            self.cancel_placing()
            return False
        elif self.run(f"create {quote(part)}"):
            self.select(Selected("instance", next(reversed(self.assembly.parts))))
        return True

    def start_mounting(self, instances: Sequence[str]) -> None:
        """Start placing unattached instances, such as imported ones, on free ports, one after the other."""
        chosen = self.selected_instances
        with self._lock:
            placing = start_mounting(self.session, instances, chosen[-1] if chosen else None)
        if placing is not None:
            self.change_placing(placing)
        elif instances:
            self.log(f"{instances[0]} fits no free port; it stays where its file puts it")

    def change_placing(self, placing: PartPlacement) -> None:
        """Preview the part at another port or in another orientation."""
        self.placing = placing
        self.notify("preview")

        def explain(reason: str) -> None:
            if reason:
                self.log(reason, "error")

        self.show_preview(placing.line, explain)

    def accept_placing(self) -> bool:
        """Place the part as previewed; return True if that succeeded."""
        placing, self.placing = self.placing, None
        if placing is None:
            return False
        if not self.run(placing.line):
            self.placing = placing
            return False
        self.select(Selected("instance", placing.name))
        self.start_mounting(placing.following)
        if placing.next_part:
            self.start_placing(placing.next_part)
        return True

    def cancel_placing(self) -> None:
        """Stop placing, and hide the preview."""
        placing, self.placing = self.placing, None
        self.hide_preview()
        if placing is not None:
            self.notify("preview")
            if not placing.part:
                self.log(f"{placing.name} stays where its file puts it; `undo` removes it")


def _reason(error: Exception) -> str:
    """Return the message for the user; an internal error, possibly of a plugin's command, must not end the editor."""
    if isinstance(error, LanguageError):
        return error.message
    if isinstance(error, RckError) or (isinstance(error, OSError) and error.filename is not None):
        return in_words(error)
    return f"internal error in this command: {type(error).__name__}: {error}; nothing was changed"


def _changed_items(now: Built[Compiled], then: Compiled) -> frozenset[str]:
    """Return the items that are new, moved or have another shape."""
    known = {} if now.value is None else {item.name: item for item in now.value.robot.items}
    return frozenset(
        item.name
        for item in then.robot.items
        if (old := known.get(item.name)) is None
        or old.subitems is not item.subitems
        or (old.pose is not item.pose and bool((abs(old.pose - item.pose) > 1e-9).any()))
    )
