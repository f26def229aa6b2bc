"""Use a new plugin of every kind in the editor and print the results.

Run in an environment with these plugins. Subcommands of `rck` are not available in the editor.
"""

import asyncio
import json
import sys
from math import degrees
from pathlib import Path
from typing import Any

from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from rck.editor.app import RckApp
from rck.editor.dialogs.engine import EngineOptionsDialog, Role
from rck.editor.screens.simulate_screen import SimulateScreen
from rck.editor.widgets.findings_panel import FindingsPanel
from rck.editor.widgets.plugin_panels import PanelView
from rck.editor.widgets.row_list import RowList
from rck.editor.workbench import Selected
from rck.hooks import Settings, config_folder, discover, write_settings
from rck.language.session import new_session, open_session
from rck.support.files import write_atomically

HERE = Path.cwd()


class Hands:
    """Driver that presses keys and waits until the editor is idle."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        self.app: RckApp = pilot.app  # type: ignore[assignment]

    async def rest(self) -> None:
        await self.pilot.pause()
        while not all(worker.is_finished for worker in self.app.workers):
            await self.app.workers.wait_for_complete()
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.rest()

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.rest()

    async def choose(self, role: Role, name: str) -> None:
        """Choose from the dialog that the palette opens."""
        self.app.action_choose(role)
        await self.rest()
        lines = self.app.screen.query_one(OptionList)
        lines.highlighted = next(place for place, one in enumerate(lines.options) if f" {name} " in str(one.prompt))
        await self.press("enter")
        if isinstance(self.app.screen, EngineOptionsDialog):
            await self.press("escape")

    def text(self, what: str) -> str:
        return str(self.app.screen.query_one(what, Static).content)


async def extending(hands: Hands, said: dict[str, Any]) -> None:
    """Use actions, keymaps, overlays, screens, start templates and themes."""
    bench, app = hands.app.workbench, hands.app
    app.plugin_features.start_from("acme-start")
    await hands.rest()
    said["start"] = list(bench.assembly.parts)
    bench.select(Selected("instance", "base"))
    await hands.press("escape", "ctrl+g")
    said["action"] = [list(bench.assembly.parts), bench.messages[-2].text]
    await hands.press("escape", "u", "u")
    said["keymap"] = list(bench.assembly.parts)
    bench.run("redo")
    app.plugin_features.switch_overlay("acme-overlay")
    await hands.rest()
    said["overlay"] = len(bench.layers["acme-overlay"].lines)
    await hands.press("f7")
    said["screen"] = app.screen.query_one(PanelView).plain
    app.theme = "acme-theme"
    await hands.rest()
    said["theme"] = app.current_theme.primary
    # The next editor would offer to recover this work.
    bench.session.end_journal()


async def building(hands: Hands, said: dict[str, Any]) -> None:
    """Use parts, commands, panels, checks and importers."""
    bench = hands.app.workbench
    bench.run("create acme-parts/angle corner edge=60")
    await hands.rest()
    said["parts"] = [item.name for item in bench.built.unwrap().robot.items]
    bench.run("acme-command #cc3333")
    said["command"] = [bench.assembly.parts["corner"].colour, bench.messages[-1].text]
    said["panel"] = hands.app.screen.query_one(PanelView).plain
    bench.run("create structure/plate floor length=1000 width=1000 thickness=20")
    await hands.rest()
    findings = hands.app.screen.query_one(FindingsPanel)
    said["check"] = "\n".join(str(one.prompt) for one in findings.options)
    bench.run("create structure/plate lid")
    bench.run("mate floor.top lid.bottom --joint revolute --limits -90..90 --name hinge")
    await hands.rest()
    findings.focus()
    findings.highlighted = next(n for n, one in enumerate(findings.options) if "ACMEFI101" in str(one.prompt))
    await hands.press("enter", "enter")
    (hinge,) = bench.built.unwrap().robot.free_joints
    said["finding-code"] = None if hinge.speed is None else degrees(hinge.speed)
    bench.run('save "two words.rck"')
    said["lifecycle"] = bench.messages[-1].text
    write_settings(config_folder(), discover().all(Settings)[0], {"heaviest": "0.001"})
    bench.run("create structure/plate shelf")
    await hands.rest()
    said["settings"] = next(str(one.prompt) for one in findings.options if "0.001 kg" in str(one.prompt))
    await hands.press("f5")
    hands.app.screen.query_one("#import-file", Input).value = "shelf.boxes"
    await hands.press("enter")
    contents = hands.app.screen.query_one("#contents", RowList)
    said["importer"] = [str(row.cells[0]) for row in contents.rows]
    await hands.press("ctrl+a", "f6")
    said["plugins"] = hands.app.export_screenshot()


async def moving(hands: Hands, said: dict[str, Any]) -> None:
    """Use solvers, collision backends, exporters, viewers and programs."""
    await hands.press("f3")
    await hands.choose("solver", "acme-solver")
    before = hands.app.workbench.shown.robot  # type: ignore[union-attr]
    hands.app.screen.query_one("#jog").focus()
    await hands.press("pagedown")
    after = hands.app.workbench.shown.robot  # type: ignore[union-attr]
    (tool,) = (frame.name for frame in before.frames if frame.tool)
    places = [robot.world_from(tool)[:3, 3] for robot in (before, after)]
    said["solver"] = 1000 * float(((places[1] - places[0]) ** 2).sum() ** 0.5)
    hands.app.workbench.run("create objects/cube block size=100")
    await hands.choose("collision", "acme-collision")
    said["collision"] = hands.text("#numbers-text")
    await hands.choose("viewer", "acme-viewer")
    said["viewer"] = str(hands.app.screen.query_one("#told Static", Static).content)
    await hands.press("escape", "ctrl+e")
    formats = hands.app.screen.query_one("#export-formats", OptionList)
    formats.highlighted = next(n for n, one in enumerate(formats.options) if "acme-exporter" in str(one.prompt))
    await hands.rest()
    lost = hands.text("#export-result")
    await hands.press("enter", "enter")
    said["exporter"] = [lost, (HERE / "desk-arm.masses").read_text()]
    hands.app.workbench.run("undo")
    await hands.press("f4", "l")
    await hands.paste("wave.turns")
    await hands.press("enter")
    player = hands.app.screen.player  # type: ignore[attr-defined]
    player.play_line()
    player.step(0.1)
    said["language"] = " ".join(str(moment.notice) for moment in player.moments)


async def simulating(hands: Hands, said: dict[str, Any]) -> None:
    """Use grippers, sensors and physics."""
    await hands.press("f4")
    screen = hands.app.screen
    assert isinstance(screen, SimulateScreen)
    assert screen.player is not None
    screen.player.load(HERE / "take.yaml")
    await hands.press("right_square_bracket", "right_square_bracket", "right_square_bracket", "space")
    said["gripper"] = " ".join(str(moment.notice) for moment in screen.player.moments)
    said["sensor"] = float(screen.player.simulation.sensors["pad/eye"].reading["distance"][0])
    await hands.choose("physics", "acme-physics")
    forces = screen.player.simulation.forces
    said["physics"] = type(forces.world._made).__module__ if forces is not None else ""  # type: ignore[attr-defined]
    await hands.press("s")


async def main() -> None:
    """Run all steps with three robots."""
    said: dict[str, Any] = {}
    plugins = discover()
    write_atomically(config_folder() / "keys.yaml", b"preset: acme-keymap\n")
    sessions = (
        (extending, new_session(plugins, HERE)),
        (building, new_session(plugins, HERE)),
        (moving, open_session(plugins, HERE / "desk-arm.rck")),
        (simulating, open_session(plugins, HERE / "cell.rck")),
    )
    for story, session in sessions:
        app = RckApp(session)
        async with app.run_test(size=(160, 48)) as pilot:
            hands = Hands(pilot)
            await hands.rest()
            await story(hands, said)
    sys.stdout.write(json.dumps(said) + "\n")


asyncio.run(main())
