"""An editor that stories are played in: keys and mouse go in, and what it works on can be looked at."""

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
from rck.assembly.native import format_assembly
from rck.catalogue.library import Catalogue, read_catalogue
from rck.editor.app import RckApp
from rck.editor.widgets.scene_view import SceneView
from rck.editor.workbench import Workbench
from rck.hooks import Plugins
from rck.hooks.project import FilePoint
from rck.language.session import Session

LIBRARY = Path(__file__).with_name("library")
_ROUNDS = 20
"""How often everybody is asked for what is left to do: what moves all the time never comes to rest."""
_LOOK_AGAIN = SceneView.look_again
_PAINT = Compositor.render_update
_SIGNS = ("slash", "colon", "space", "question_mark", "vertical_line", "plus", "minus")


@pytest.fixture(scope="session")
def kit() -> Catalogue:
    """Five parts of the tests' own."""
    return read_catalogue([LIBRARY])


@pytest.fixture(scope="session", autouse=True)
def _styles_are_parsed_once() -> Iterator[None]:
    """Every test starts an editor, and all of them have the same styles: a third of the time would go there."""
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
    """Settings and journals of one test are not those of another."""
    # Nobody types here who would have to be waited for.
    monkeypatch.setattr("rck.editor.app._PAUSE", 0.0)
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("RCK_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("NO_COLOR", raising=False)


def _leave_unpainted(compositor: Compositor, full: bool = False, *arguments: Any, **options: Any) -> Any:
    """Paint the screen where somebody asks for all of it, and otherwise only forget what has changed."""
    if full:
        return _PAINT(compositor, full, *arguments, **options)
    compositor._dirty_regions.clear()
    return None


class Player:
    """Presses keys and clicks, and waits until the editor has come to rest each time."""

    def __init__(self, pilot: Pilot[Any]) -> None:
        self.pilot = pilot
        self.app: RckApp = pilot.app  # type: ignore[assignment]

    @property
    def bench(self) -> Workbench:
        return self.app.workbench

    @property
    def text(self) -> str:
        """What the file would hold."""
        return format_assembly(self.bench.assembly)

    @property
    def said(self) -> str:
        return self.bench.said[-1].text if self.bench.said else ""

    async def rest(self) -> None:
        """Wait until every key is handled, all work beside the interface is done, and the screen shows it."""
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
        """Nobody has anything left to do."""
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
        """A key as a terminal sends it, without waiting; a letter stands for itself."""
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
        """Letters all at once, as a fast typist or a slow line has them arrive."""
        for letter in text:
            self.send(letter)
        await self.rest()

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.rest()

    async def command(self, line: str) -> None:
        """Put a command into the command line and do it."""
        await self.press("escape", "colon")
        await self.paste(line)
        await self.press("enter", "escape")

    async def place(self, words: str, *keys: str) -> None:
        """Search for a part and place it; keys between choosing and accepting it."""
        await self.press("escape", "slash")
        await self.paste(words)
        await self.press("enter", *keys)
        if self.bench.placing is not None:
            await self.press("enter")

    async def click(self, what: Any, offset: tuple[int, int] = (0, 0), **modifiers: bool) -> None:
        self.paint()
        await self.pilot.click(what, offset=offset, **modifiers)
        await self.rest()

    def paint(self) -> None:
        """Show what there is now: who clicks has seen it."""
        self.app.screen._compositor.render_update(full=True, screen_stack=self.app._background_screens)


Story = Callable[[Player], Awaitable[None]]


@dataclass
class Editor:
    """Plays stories in an editor of its own."""

    folder: Path
    plugins: Plugins
    catalogue: Catalogue
    monkeypatch: pytest.MonkeyPatch

    def use_plugin(self, name: str, source: str) -> None:
        """Have one plugin instead of those that are installed."""
        file = self.folder.parent / f"{name}.py"
        file.write_text(source)
        self.plugins = Plugins([FilePoint(file)])

    def session(self, file: Path | None = None, commands: Sequence[str] = ()) -> Session:
        """A session with the parts of the tests, and an assembly that these commands have made."""
        session = Session(self.plugins, self.catalogue, self.folder)
        if file is not None and file.exists():
            session.open(file)
        else:
            session.path = file
        for line in commands:
            session.do(line)
        if commands:
            # As if it had been opened so.
            session.history, session._entries = History(session.assembly), ()
        return session

    def app(
        self,
        *,
        file: Path | None = None,
        commands: Sequence[str] = (),
        session: Session | None = None,
        drawing: bool = False,
    ) -> RckApp:
        """An editor that has not been started; the view is drawn, and each change painted, only if asked for."""
        self.monkeypatch.setattr(SceneView, "look_again", _LOOK_AGAIN if drawing else lambda view: None)
        self.monkeypatch.setattr(Compositor, "render_update", _PAINT if drawing else _leave_unpainted)
        return RckApp(session or self.session(file, commands))

    def player(self, pilot: Pilot[Any]) -> Player:
        """Who presses the keys."""
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
    ) -> RckApp:
        """Start the editor, play the story, and end the editor without saving."""

        app = self.app(file=file, commands=commands, session=session, drawing=drawing)

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
    """An editor with the tests' own parts."""
    folder = tmp_path / "work"
    folder.mkdir()
    return Editor(folder, plugins, kit, monkeypatch)


@pytest.fixture
def real_editor(editor: Editor, shipped_catalogue: Catalogue) -> Editor:
    """An editor with the parts that RCK ships."""
    return replace(editor, catalogue=shipped_catalogue)


@pytest.fixture(scope="session")
def arm() -> tuple[str, ...]:
    """The commands of an arm of five pieces and three joints."""
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
    """The arm, saved."""
    path = editor.folder / "arm.rck"
    editor.session(path, arm).save()
    return path
