"""What the editor works on: the session, the selection, the part being placed. Knows nothing of the screen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from rck.assembly.compile import Compiled
from rck.assembly.document import Assembly
from rck.assembly.native import fingerprint
from rck.editor.engines import Engines
from rck.editor.looked_over import LookedOver, look_over
from rck.editor.placing import Placing, start_placing
from rck.geometry.arrays import Floats
from rck.hooks import Job
from rck.language.grammar import read_line
from rck.language.session import Outcome, Session, run_script, script_of
from rck.language.words import LanguageError, quote
from rck.model import Built, Finding, RckError
from rck.model.files import in_words
from rck.render.scene import Cloud

Kind = Literal["instance", "item", "subitem", "joint", "port", "mate", "tool"]
Topic = Literal["assembly", "selection", "preview", "log", "file", "checked", "opened"]
"""What changed: the assembly, what is selected, what is previewed, what was said, whether the file holds it all,
what checks have found, or everything, because another assembly was opened."""
Tone = Literal["done", "told", "refused"]


@dataclass(frozen=True, slots=True)
class Selected:
    """One thing that is selected, everywhere at once."""

    kind: Kind
    name: str
    """Of an instance or its mate `base`; of an item or joint `shoulder/axis`; of a subitem `shoulder/body#0`; of a
    port `base.top`; of a tool `grip`."""

    @property
    def instance(self) -> str:
        """The instance that it belongs to; that of a tool is not in its name."""
        return self.name.replace(".", "/").partition("/")[0]


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the log."""

    text: str
    tone: Tone = "done"


@dataclass(frozen=True, eq=False, slots=True)
class Preview:
    """What the assembly would be, and which items of it are new or moved."""

    line: str
    compiled: Compiled
    ghosts: frozenset[str]


BROKEN = "this command is broken:"

Worked = tuple[Preview | None, str]
"""A preview, or the reason why there is none."""


@dataclass(frozen=True, eq=False, slots=True)
class _Performed:
    """A command that was done or refused, and what there was before it."""

    assembly: Assembly
    first: Assembly
    file: tuple[Path | None, Assembly | None]
    done: bool = False
    said: Said | None = None


Background = Callable[[Callable[[], Any], Callable[[Any], None]], None]
"""Does work beside the interface, then hands its result over in the interface's own thread."""


def at_once(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
    """The background of a workbench that has no interface."""
    done(work())


@dataclass(eq=False)
class Workbench:
    """The editor's state. Whoever shows it listens; whoever changes it calls one of the methods."""

    session: Session
    selection: tuple[Selected, ...] = ()
    placing: Placing | None = None
    preview: Preview | None = None
    colliding: frozenset[str] = frozenset()
    """The items that touch one another in what is shown."""
    reached: Cloud | None = None
    """Where a tool can get to, shown where joints move."""
    said: list[Said] = field(default_factory=list)
    background: Background = at_once
    """For previews: of those that wait, only the newest needs to be worked out."""
    beside: Background = at_once
    """For commands that take long."""
    quietly: Background | None = None
    """For looking the robot over, while nothing else changes; without it that is not done."""
    looked_over: LookedOver | None = None
    """What checks have found: in the robot of now, or for a moment in the one before the last change."""
    busy: str = ""
    """The command that is being done beside the interface."""
    progress: tuple[float, str] = (0.0, "")
    """How much of that command is done, 0 to 1, and at what it is."""
    engines: Engines = field(default_factory=Engines)
    """What works behind the screens."""
    taught: tuple[Floats, ...] = ()
    """Poses that were taught: vectors of the free joints, to become events."""
    lesson: int = 0
    """The step of the tutorial that was reached."""
    _listeners: list[Callable[[Topic], None]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    """Held while the session works: previews are worked out in a thread of their own."""
    _wish: int = 0
    """Counts up when what was to be previewed is no longer wanted."""
    _on_disk: str = ""
    """The fingerprint of the file as it was read or written last."""
    _built: tuple[Assembly, Built[Compiled]] | None = None

    def __post_init__(self) -> None:
        self._note_file()

    def listen(self, listener: Callable[[Topic], None]) -> None:
        """Call the listener with the topic of each change."""
        self._listeners.append(listener)

    def _changed(self, *topics: Topic) -> None:
        for topic in topics:
            for listener in self._listeners:
                listener(topic)
        if "opened" in topics:
            self.looked_over = None
        if "assembly" in topics or "opened" in topics:
            self.look_over()

    @property
    def unchecked(self) -> bool:
        """Whether the robot of now is still to be looked over."""
        compiled, known = self.built.value, self.looked_over
        return not (self.quietly is None or compiled is None or (known is not None and known.robot is compiled.robot))

    def look_over(self) -> None:
        """Have the robot looked over, unless it is the one that was already."""
        compiled = self.built.value
        if self.quietly is None or compiled is None or not self.unchecked:
            return
        robot, plugins = compiled.robot, self.session.plugins
        self.quietly(lambda: look_over(robot, plugins), self._take_findings)

    def note_findings(self) -> None:
        """Say that there are other findings than before, such as that of a plugin that has failed."""
        self._changed("checked")

    def _take_findings(self, found: LookedOver) -> None:
        now = self.built.value
        if now is not None and now.robot is found.robot:
            self.looked_over = found
            self.note_findings()

    @property
    def assembly(self) -> Assembly:
        """The assembly now."""
        return self.session.assembly

    @property
    def built(self) -> Built[Compiled]:
        """The assembly compiled, with its findings."""
        known = self._built
        if known is None or known[0] is not self.assembly:
            with self._lock:
                known = self._built = (self.assembly, self.session.compile())
        return known[1]

    @property
    def shown(self) -> Compiled | None:
        """What is previewed, else the assembly as it is."""
        return self.preview.compiled if self.preview is not None else self.built.value

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong now."""
        checked = () if self.looked_over is None or self.built.value is None else self.looked_over.findings
        return (*self.built.findings, *checked, *self.session.plugins.findings)

    @property
    def script(self) -> str:
        """The commands that lead from the assembly as it was opened to what it is now."""
        return script_of([command for command, _ in self.session.history.past])

    def do(self, line: str) -> bool:
        """Do a command; what it says, or why it was refused, goes into the log."""
        if self.busy:
            self.say(f"wait: {self.busy} is still under way", "refused")
            return False
        return self._settle(self._perform(line))

    def do_all(self, lines: Sequence[str]) -> bool:
        """Do several commands, all of them or none."""
        if self.busy:
            return self.do(lines[0])
        return self._settle(self._perform(*lines))

    def do_beside(self, line: str, done: Callable[[bool], None]) -> None:
        """Do a command that may take long beside the interface; no other is done meanwhile."""
        if self.busy:
            done(self.do(line))
            return

        def settled(performed: _Performed) -> None:
            self.busy = ""
            self.session.job = Job()
            done(self._settle(performed))

        def note(share: float, what: str) -> None:
            self.progress = (share, what)

        self.busy, self.progress = line, (0.0, "")
        self.session.job = Job(note)
        self.say(f"{line} …")
        self.beside(lambda: self._perform(line), settled)

    def stop(self) -> None:
        """Stop the command that is being done beside the interface; it changes nothing."""
        self.session.job.cancel()

    def takes_long(self, line: str) -> bool:
        """Whether a line is a command that may take long."""
        try:
            read = read_line(self.session.grammar, line)
        except LanguageError:
            return False
        return read is not None and read[0].slow

    def _perform(self, *lines: str) -> "_Performed":
        """Do commands, all or none, and note what there was before; touches nothing that is shown."""
        session = self.session
        before = _Performed(self.assembly, session.history.first, (session.path, session.saved))
        try:
            with self._lock:
                if len(lines) == 1:
                    self._require_own_file(lines[0])
                    outcome = session.do(lines[0])
                else:
                    changes = sum(one.changed for one in run_script(session, "\n".join(lines), "line"))
                    outcome = Outcome(f"{changes} commands done; `undo {changes}` takes them back", changed=True)
                if self.assembly is not before.assembly:
                    self._built = (self.assembly, session.compile())
        except Exception as error:
            return replace(before, said=Said(_reason(error), "refused"))
        wrote = (session.path, session.saved) != before.file
        tone: Tone = "done" if outcome.changed or wrote else "told"
        return replace(before, done=True, said=Said(outcome.message, tone) if outcome.message else None)

    def _settle(self, before: "_Performed") -> bool:
        """Show what a command did."""
        session = self.session
        if before.said is not None:
            self.say(before.said.text, before.said.tone)
        if not before.done:
            return False
        self._wish += 1
        self.preview = None
        opened = session.history.first is not before.first
        if opened:
            self.placing = None
        filed = (session.path, session.saved) != before.file
        if filed:
            self._note_file()
        if self.assembly is not before.assembly:
            self._forget_what_is_gone()
            self._changed("assembly", "preview")
        if opened:
            self._changed("opened")
        elif filed:
            self._changed("file")
        return True

    def _require_own_file(self, line: str) -> None:
        """Refuse to write over what another program wrote meanwhile, unless the file is named."""
        path = self.session.path
        if line.split() == ["save"] and path is not None and fingerprint(path) not in ("", self._on_disk):
            message = f"{path.name} was changed by another program since it was read"
            raise RckError(f"{message}; `save {path.name}` writes over it, another name keeps both")

    def _note_file(self) -> None:
        path = self.session.path
        self._on_disk = "" if path is None else fingerprint(path)

    def recover(self, commands: Callable[[], list[str]]) -> None:
        """Do again what a crash left unsaved."""
        try:
            with self._lock:
                count = len(commands())
            self.say(f"recovered {count} command{'s' if count != 1 else ''}", "done")
        except RckError as error:
            self.say(_reason(error), "refused")
        self._forget_what_is_gone()
        self._changed("assembly", "preview")

    def say(self, text: str, tone: Tone = "told") -> None:
        """Put a line into the log."""
        self.said.append(Said(text, tone))
        self._changed("log")

    def select(self, *things: Selected) -> None:
        """Select exactly these."""
        if things != self.selection:
            self.selection = things
            self._changed("selection")

    def toggle(self, thing: Selected) -> None:
        """Add a thing to the selection, or take it out."""
        rest = tuple(one for one in self.selection if one != thing)
        self.select(*(rest if thing in self.selection else (*self.selection, thing)))

    @property
    def selected_instances(self) -> list[str]:
        """The instances that the selection belongs to, each once."""
        return list(dict.fromkeys(one.instance for one in self.selection if self._exists(one) and one.kind != "tool"))

    def _exists(self, thing: Selected) -> bool:
        return thing.name in self.assembly.tools if thing.kind == "tool" else thing.instance in self.assembly.parts

    def _forget_what_is_gone(self) -> None:
        left = tuple(one for one in self.selection if self._exists(one))
        if left != self.selection:
            self.selection = left
            self._changed("selection")

    def show_preview(self, line: str, told: Callable[[str], None] | None = None) -> None:
        """Show what a command would give, as soon as it is worked out; `told` gets the reason if it would be refused.

        Nothing is shown of a command that changes nothing.
        """
        wish = self._wish

        def done(worked: Worked) -> None:
            if wish != self._wish:
                return
            preview, reason = worked
            if preview is not None or self.preview is not None:
                self.preview = preview
                self._changed("preview")
            if told is not None:
                told(reason)

        self.background(lambda: self._worked_out(line), done)

    def _worked_out(self, line: str) -> Worked:
        """What a command would give; runs in a thread of its own."""
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
        self._wish += 1
        if self.preview is not None:
            self.preview = None
            self._changed("preview")

    def start_placing(self, part: str) -> str:
        """Begin to place a part: the first one stands on the floor at once, others go to a free port.

        Where it fits none, the command that lets it stand free is returned, for the user to go on with.
        """
        chosen = self.selected_instances
        try:
            with self._lock:
                placing = start_placing(self.session, part, chosen[-1] if chosen else None)
        except RckError as error:
            self.say(_reason(error), "refused")
            return ""
        line = f"create {quote(part)}"
        if placing is not None:
            self.change_placing(placing)
        elif self.assembly.parts:
            self.cancel_placing()
            self.say(f"{part} fits no free port; it can stand free, or `mate` puts it somewhere")
            return line
        elif self.do(line):
            self.select(Selected("instance", next(reversed(self.assembly.parts))))
        return ""

    def change_placing(self, placing: Placing) -> None:
        """Place otherwise: another port, turned, flipped."""
        self.placing = placing
        self._changed("preview")

        def told(reason: str) -> None:
            if reason:
                self.say(reason, "refused")

        self.show_preview(placing.line, told)

    def accept_placing(self) -> bool:
        """Do what the preview shows."""
        placing, self.placing = self.placing, None
        if placing is None:
            return False
        if not self.do(placing.line):
            self.placing = placing
            return False
        self.select(Selected("instance", placing.name))
        return True

    def cancel_placing(self) -> None:
        """Leave everything as it was."""
        begun = self.placing is not None
        self.placing = None
        self.hide_preview()
        if begun:
            self._changed("preview")


def _reason(error: Exception) -> str:
    """What the user is told; a mistake in a command, which may be a plugin's, must not take the editor with it."""
    if isinstance(error, LanguageError):
        return error.message
    if isinstance(error, RckError) or (isinstance(error, OSError) and error.filename is not None):
        return in_words(error)
    return f"{BROKEN} {type(error).__name__}: {error}; nothing was changed"


def _changed_items(now: Built[Compiled], then: Compiled) -> frozenset[str]:
    """The items that are new, or stand or look otherwise."""
    known = {} if now.value is None else {item.name: item for item in now.value.robot.items}
    return frozenset(
        item.name
        for item in then.robot.items
        if (old := known.get(item.name)) is None
        or old.subitems is not item.subitems
        or (old.pose is not item.pose and bool((abs(old.pose - item.pose) > 1e-9).any()))
    )
