"""Fixtures that run the editor without a terminal: tests send keys and mouse events and inspect the workbench."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual._compositor import Compositor
from textual.css.stylesheet import Stylesheet
from textual.keys import _character_to_key, key_to_character
from textual.pilot import Pilot
from textual.widgets import Input

from rck.assembly.history import History
from rck.assembly.native_file import format_assembly
from rck.editor.app import RckApp
from rck.editor.widgets.scene_view import SceneView
from rck.editor.workbench import Workbench
from rck.hooks import Plugins
from rck.hooks.project_plugins import FilePoint
from rck.language.session import Session
from rck.parts.library import Catalogue, read_catalogue

LIBRARY = Path(__file__).with_name("library")
_ROUNDS = 20
"""Maximum number of rounds of waiting for idle: an animation never becomes idle."""
_REDRAW = SceneView.redraw
_PAINT = Compositor.render_update
_SIGNS = ("slash", "colon", "space", "question_mark", "vertical_line", "plus", "minus")


@pytest.fixture(scope="session")
def kit() -> Catalogue:
    """A catalogue of five test parts."""
    return read_catalogue([LIBRARY])


@pytest.fixture(scope="session", autouse=True)
def _styles_are_parsed_once() -> Iterator[None]:
    """Parse the styles once for all tests, which saves a third of the time."""
    parsed: dict[Any, Any] = {}
    parse = Stylesheet._parse_rules

    def remembered(sheet: Stylesheet, *arguments: Any, **options: Any) -> Any:
        key = (str(arguments), str(options), str(sheet._variables))
        if key not in parsed:
            parsed[key] = parse(sheet, *arguments, **options)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", remembered)
        yield


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use separate settings and journals for each test."""
    # No user types here, so checks need not wait.
    monkeypatch.setattr("rck.editor.app._CHECK_DELAY", 0.0)
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("RCK_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("NO_COLOR", raising=False)


def _leave_unpainted(compositor: Compositor, full: bool = False, *arguments: Any, **options: Any) -> Any:
    """Paint the screen only if all of it is requested; otherwise only clear the list of changes."""
    if full:
        return _PAINT(compositor, full, *arguments, **options)
    compositor._dirty_regions.clear()
    return None


class Player:
    """A user who presses keys and clicks, and waits until the editor is idle after each."""

    def __init__(self, pilot: Pilot[Any]) -> None:
        self.pilot = pilot
        self.app: RckApp = pilot.app  # type: ignore[assignment]

    @property
    def bench(self) -> Workbench:
        return self.app.workbench

    @property
    def text(self) -> str:
        """The contents of the file if the assembly were saved now."""
        return format_assembly(self.bench.assembly)

    @property
    def said(self) -> str:
        return self.bench.messages[-1].text if self.bench.messages else ""

    async def rest(self) -> None:
        """Wait until every key is handled, all background work is done, and the screen is updated."""
        patience = _ROUNDS
        while patience:
            if self.app._handling is not None:
                await asyncio.wait([self.app._handling])
            await self.pilot._wait_for_screen()
            self.app.screen._on_timer_update()
            await asyncio.sleep(0)
            if not all(worker.is_finished for worker in self.app.workers):
                await self.app.workers.wait_for_complete()
            elif self.app._handling is None:
                patience = 0 if self._quiet() else patience - 1

    def _quiet(self) -> bool:
        """Return True if no message is left to process."""
        screen = self.app.screen
        if screen._callbacks or screen._layout_required or screen._dirty_widgets or screen._repaint_required:
            return False
        everyone = (self.app, *screen.walk_children(with_self=True))
        return not any(one._next_callbacks or one.message_queue_size for one in everyone)

    def still(self) -> None:
        """Stop the cursors from blinking."""
        for box in self.app.screen.query(Input):
            box.cursor_blink = False

    def send(self, key: str) -> None:
        """Send a key as a terminal does, without waiting."""
        if key == "\r":
            self.app.post_message(events.Key("enter", key))
        elif len(key) == 1:
            self.app.post_message(events.Key(_character_to_key(key), key))
        else:
            self.app.post_message(events.Key(key, key_to_character(key) if key in _SIGNS else None))

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.send(key)
        await self.rest()

    async def type(self, text: str) -> None:
        """Send letters all at once, as over a slow connection."""
        for letter in text:
            self.send(letter)
        await self.rest()

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.rest()

    async def command(self, line: str) -> None:
        """Type a command into the command line and run it."""
        await self.press("escape", "colon")
        await self.paste(line)
        await self.press("enter", "escape")

    async def place(self, words: str, *keys: str) -> None:
        """Search for a part, press some keys, and place it."""
        await self.press("escape", "slash")
        await self.paste(words)
        await self.press("enter", *keys)
        if self.bench.placing is not None:
            await self.press("enter")

    async def click(self, what: Any, offset: tuple[int, int] = (0, 0), *, times: int = 1, **modifiers: bool) -> None:
        self.paint()
        await self.pilot.click(what, offset=offset, times=times, **modifiers)
        await self.rest()

    def paint(self) -> None:
        """Update the layout before a click."""
        self.app.screen._compositor.render_update(full=True, screen_stack=self.app._background_screens)


Story = Callable[[Player], Awaitable[None]]


@dataclass
class Editor:
    """A factory of sessions and editors for one test."""

    folder: Path
    plugins: Plugins
    catalogue: Catalogue
    monkeypatch: pytest.MonkeyPatch

    def use_plugin(self, name: str, source: str) -> None:
        """Use one plugin instead of the installed ones."""
        file = self.folder.parent / f"{name}.py"
        file.write_text(source)
        self.plugins = Plugins([FilePoint(file)])

    def session(self, file: Path | None = None, commands: Sequence[str] = ()) -> Session:
        """Return a session with the test parts and the assembly made by these commands."""
        session = Session(self.plugins, self.catalogue, self.folder, path=file)
        if file is not None and file.exists():
            session.open(file)
        for line in commands:
            session.do(line)
        if commands:
            # As if it had been opened so.
            session._change(history=History(session.assembly), unsaved_entries=())
        return session

    def app(
        self,
        *,
        file: Path | None = None,
        commands: Sequence[str] = (),
        session: Session | None = None,
        drawing: bool = False,
        first_command: str = "",
    ) -> RckApp:
        """Return an editor that is not running; the view is drawn only with `drawing`."""
        self.monkeypatch.setattr(SceneView, "redraw", _REDRAW if drawing else lambda view: None)
        self.monkeypatch.setattr(Compositor, "render_update", _PAINT if drawing else _leave_unpainted)
        return RckApp(session or self.session(file, commands), first_command=first_command)

    def player(self, pilot: Pilot[Any]) -> Player:
        """Return a player for the editor."""
        return Player(pilot)

    def play(
        self,
        story: Story,
        *,
        size: tuple[int, int] = (100, 24),
        file: Path | None = None,
        commands: Sequence[str] = (),
        session: Session | None = None,
        drawing: bool = False,
        first_command: str = "",
    ) -> RckApp:
        """Run the editor, play the story, and end the editor without saving."""

        app = self.app(file=file, commands=commands, session=session, drawing=drawing, first_command=first_command)

        async def run() -> RckApp:
            async with app.run_test(size=size) as pilot:
                player = self.player(pilot)
                await player.rest()
                await story(player)
                player.paint()
            return app

        return asyncio.run(run())


@pytest.fixture
def editor(tmp_path: Path, plugins: Plugins, kit: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Editor:
    """An editor with the test parts."""
    folder = tmp_path / "work"
    folder.mkdir()
    return Editor(folder, plugins, kit, monkeypatch)


@pytest.fixture
def real_editor(editor: Editor, shipped_catalogue: Catalogue) -> Editor:
    """An editor with the parts that ship with RCK."""
    return replace(editor, catalogue=shipped_catalogue)


@pytest.fixture(scope="session")
def arm() -> tuple[str, ...]:
    """The commands of an arm with five instances and three joints."""
    return (
        "create kit/foot",
        "create kit/servo shoulder --at foot.top --by back",
        "create kit/link upper --at shoulder.horn --by a",
        "create kit/servo elbow --at upper.b --by back",
        "create kit/hand --at elbow.horn --by mount",
        "tool grip hand.tip",
    )


@pytest.fixture
def arm_file(editor: Editor, arm: tuple[str, ...]) -> Path:
    """The file of the arm."""
    path = editor.folder / "arm.rck"
    editor.session(path, arm).save()
    return path
