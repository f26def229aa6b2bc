"""What the editor works on: the session, the selection, the piece being placed. Knows nothing of the screen."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from rck.assembly.compile import Compiled
from rck.assembly.document import Assembly
from rck.editor.placing import Placing, start_placing
from rck.language.session import Session
from rck.language.words import LanguageError
from rck.model import Built, Finding, RckError

Kind = Literal["instance", "item", "joint", "port", "tool"]
Topic = Literal["assembly", "selection", "preview", "log"]


@dataclass(frozen=True, slots=True)
class Selected:
    """One thing that is selected, everywhere at once."""

    kind: Kind
    name: str
    """Of an instance `base`; of an item or joint `shoulder/axis`; of a port `base.top`."""

    @property
    def instance(self) -> str:
        """The instance that it belongs to."""
        return self.name.replace(".", "/").partition("/")[0]


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the log."""

    text: str
    tone: Literal["done", "told", "refused"] = "done"


@dataclass(frozen=True, eq=False, slots=True)
class Preview:
    """What the assembly would be, and which items of it are new or moved."""

    line: str
    compiled: Compiled
    ghosts: frozenset[str]


@dataclass(eq=False)
class Workbench:
    """The editor's state. Whoever shows it listens; whoever changes it calls one of the methods."""

    session: Session
    selection: tuple[Selected, ...] = ()
    placing: Placing | None = None
    preview: Preview | None = None
    said: list[Said] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    """Every command that was done, in order: it can be saved as a script."""
    _listeners: list[Callable[[Topic], None]] = field(default_factory=list)

    def listen(self, listener: Callable[[Topic], None]) -> None:
        """Call the listener with the topic of each change."""
        self._listeners.append(listener)

    def _changed(self, *topics: Topic) -> None:
        for topic in topics:
            for listener in self._listeners:
                listener(topic)

    @property
    def assembly(self) -> Assembly:
        """The assembly now."""
        return self.session.assembly

    @property
    def built(self) -> Built[Compiled]:
        """The assembly compiled, with its findings."""
        return self.session.compile()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong now."""
        return (*self.built.findings, *self.session.plugins.findings)

    def do(self, line: str) -> bool:
        """Do a command; what it says, or why it was refused, goes into the log."""
        before = self.assembly
        try:
            outcome = self.session.do(line)
        except RckError as error:
            message = error.message if isinstance(error, LanguageError) else str(error)
            self.say(message, "refused")
            return False
        if outcome.changed:
            self.commands.append(line.strip())
        if outcome.message:
            self.say(outcome.message, "done" if outcome.changed else "told")
        self.preview = None
        if self.assembly is not before:
            self._forget_what_is_gone()
            self._changed("assembly", "preview")
        return True

    def say(self, text: str, tone: Literal["done", "told", "refused"] = "told") -> None:
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
        return list(dict.fromkeys(one.instance for one in self.selection if one.instance in self.assembly.parts))

    def _forget_what_is_gone(self) -> None:
        left = tuple(one for one in self.selection if one.instance in self.assembly.parts)
        if left != self.selection:
            self.selection = left
            self._changed("selection")

    def show_preview(self, line: str) -> str:
        """Show what a command would give; empty, or the reason why it would be refused."""
        try:
            assembly = self.session.preview(line)
        except RckError as error:
            self.hide_preview()
            return error.message if isinstance(error, LanguageError) else str(error)
        built = None if assembly is None else self.session.compile(assembly)
        if built is None or built.value is None:
            self.hide_preview()
            return ""
        self.preview = Preview(line, built.value, _changed_items(self.built, built.value))
        self._changed("preview")
        return ""

    def hide_preview(self) -> None:
        """Show the assembly as it is."""
        if self.preview is not None:
            self.preview = None
            self._changed("preview")

    def start_placing(self, part: str) -> None:
        """Begin to place a part: on the floor at once when there is nothing to fasten it to."""
        chosen = self.selected_instances
        placing = start_placing(self.session, part, chosen[-1] if chosen else None)
        if placing is None:
            if self.do(f"create {part}"):
                self.select(Selected("instance", next(reversed(self.assembly.parts))))
            return
        self.change_placing(placing)

    def change_placing(self, placing: Placing) -> None:
        """Place otherwise: another port, turned, flipped."""
        self.placing = placing
        reason = self.show_preview(placing.line)
        if reason:
            self.say(reason, "refused")

    def accept_placing(self) -> bool:
        """Do what the preview shows."""
        placing = self.placing
        if placing is None or not self.do(placing.line):
            return False
        self.placing = None
        self.select(Selected("instance", placing.name))
        self._changed("preview")
        return True

    def cancel_placing(self) -> None:
        """Leave everything as it was."""
        self.placing = None
        self.hide_preview()
        self._changed("preview")


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
