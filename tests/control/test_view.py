"""The web page in a real browser with a real server."""

import asyncio
import json
import re
import shutil
import subprocess
from base64 import b64decode
from io import BytesIO
from itertools import count
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest
from PIL import Image
from rck_plugins.viewers.browser import page, rck_viewers
from websockets.asyncio.client import connect

from rck.assembly.journal import journal_path
from rck.cli.view import ViewSource
from rck.control.file_watcher import watch
from rck.control.hub import Hub
from rck.control.messages import Pose, Vector3
from rck.control.server import Address
from rck.control.services import Caller, SpawnRequest, spawn
from rck.language.session import open_session
from rck.model import RckError

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
BACKGROUND = (32, 36, 44)


class Browser:
    """A page in Chromium, controlled by its debugging protocol."""

    def __init__(self, line):
        self._line = line
        self._numbers = count(1)

    async def ask(self, method, **parameters):
        number = next(self._numbers)
        await self._line.send(json.dumps({"id": number, "method": method, "params": parameters}))
        async with asyncio.timeout(60):
            while True:
                message = json.loads(await self._line.recv())
                if message.get("id") == number:
                    return message["result"]

    async def run(self, script):
        """Return the value of a JavaScript expression on the page."""
        told = await self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def until(self, script):
        """Wait until an expression is true."""
        async with asyncio.timeout(60):
            while not await self.run(script):
                await asyncio.sleep(0.05)

    async def picture(self):
        shot = await self.ask("Page.captureScreenshot", format="png")
        return np.asarray(Image.open(BytesIO(b64decode(shot["data"]))).convert("RGB"))

    async def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            await self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def drag(self, start, end):
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            await self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)


@pytest.fixture(scope="module")
def debugger(tmp_path_factory):
    """Return the address of the debugger of a browser."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    folder = tmp_path_factory.mktemp("chromium")
    options = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    options += ["--remote-debugging-port=0", f"--user-data-dir={folder}", "--window-size=900,600", "about:blank"]
    with subprocess.Popen([CHROMIUM, *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            line = next(line for line in process.stderr if "DevTools listening on" in line)
            yield line.split("//")[1].split("/")[0]
        finally:
            process.terminate()


async def open_page(debugger, url):
    with urlopen(f"http://{debugger}/json/list") as answer:
        page = next(one for one in json.load(answer) if one["type"] == "page")
    line = await connect(page["webSocketDebuggerUrl"], max_size=None)
    browser = Browser(line)
    await browser.ask("Page.enable")
    await browser.ask("Page.navigate", url=url)
    await browser.until("document.body && document.body.dataset.scene && document.title !== 'RCK'")
    return browser


@pytest.mark.slow
def test_page_shows_the_robot_and_moves_it(world_of, serving, debugger):
    with serving(Hub(world_of()), Address(port=0), page=page) as served:

        async def look():
            browser = await open_page(debugger, f"http://127.0.0.1:{served.port}/")
            await browser.until("document.getElementById('clock').textContent !== '0.00 s'")
            await asyncio.sleep(0.3)
            before = await browser.picture()
            view = before[:, :600]
            robot = (np.abs(view.astype(int) - BACKGROUND).max(axis=2) > 25) & (np.ptp(view, axis=2) < 200)
            assert robot.mean() > 0.03
            assert await browser.run("[...document.querySelectorAll('#joints input')].map((one) => one.name)") == [
                "scara_a1",
                "scara_a2",
                "scara_a3",
                "scara_a4",
            ]
            rows, columns = np.nonzero(robot)
            middle = len(rows) // 2
            await browser.click(int(columns[middle]), int(rows[middle]))
            await browser.until("document.getElementById('selected').textContent.includes('kg at')")
            await browser.run(
                "(() => { const one = document.querySelector('input[name=scara_a1]'); one.value = 60;"
                " one.dispatchEvent(new Event('input')); one.dispatchEvent(new Event('change')); })()"
            )
            await browser.until("document.querySelector('#joints output').textContent === '60.0°'")
            await asyncio.sleep(0.3)
            assert (await browser.picture() != before).mean() > 0.005
            before = await browser.picture()
            served.do(lambda: asyncio.create_task(served.hub.call(Caller("guide"), "/look", b'{"view": "top"}')))
            while (await browser.picture() != before).mean() < 0.02:
                await asyncio.sleep(0.05)
            before = await browser.picture()
            await browser.drag((300, 300), (420, 200))
            while (await browser.picture() != before).mean() < 0.02:
                await asyncio.sleep(0.05)
            await browser.run("document.getElementById('play').click()")
            await browser.until("document.getElementById('play').textContent === 'Play'")

        asyncio.run(look())
        assert served.hub.world.paused
        assert served.hub.world.positions["scara/a1"] == pytest.approx(np.pi / 3, abs=1e-3)


@pytest.mark.slow
def test_page_shows_sensor_data(world_of, serving, debugger):
    with serving(Hub(world_of("mobile-manipulator")), Address(port=0), page=page) as served:
        served.do(
            lambda: spawn(served.hub.world, SpawnRequest("wall", "box", (0.1, 2.0, 1.0), Pose(Vector3(x=2.0, z=0.5))))
        )

        async def look():
            browser = await open_page(debugger, f"http://127.0.0.1:{served.port}/")
            await browser.until("document.querySelector('#sensors canvas')?.width > 1")
            while True:
                view = (await browser.picture())[:, :600].astype(int)
                met = np.abs(view - (255, 77, 128)).max(axis=2) < 8
                if met.sum() > 20:
                    return

        async def in_time():
            async with asyncio.timeout(60):
                await look()

        asyncio.run(in_time())


def test_changes_of_file_and_editor_reach_viewers_and_joints_keep_their_positions(world_of, serving, tmp_path):
    source = EXAMPLES / "desk-arm.rck"
    file = tmp_path / "desk-arm.rck"
    file.write_text(source.read_text())
    hub = Hub(world_of("desk-arm"))
    errors = []
    editor = open_session(hub.world.plugins, file)

    with serving(hub) as served:
        watching = asyncio.run_coroutine_threadsafe(
            watch(hub, [file, journal_path(file)], ViewSource(file, hub.world.plugins).load, errors.append),
            served.loop,
        )

        async def look():
            async with connect(served.url, max_size=None) as line:
                await line.send(json.dumps({"op": "subscribe", "topic": "/scene"}))

                async def scene():
                    return json.loads(await line.recv())["msg"]["items"]

                scenes = [await scene()]
                served.do(lambda: hub.world.place({"waist_axis": 0.4}))
                file.write_text("rck: 1\nname: [")
                while not errors:
                    await asyncio.sleep(0.02)
                file.write_text(source.read_text().replace("length: 200", "length: 260"))
                scenes.append(await scene())
                # Unsaved changes of an editor that has the file open.
                editor.open(file)
                editor.begin_journal()
                for command in ("set upper length=230", "create structure/plate --at base.floor", "undo"):
                    editor.do(command)
                    scenes.append(await scene())
                return scenes

        first, changed, shorter, more, undone = asyncio.run(look())
        watching.cancel()
    names = [item["name"] for item in first]
    assert [[item["name"] for item in scene] for scene in (changed, shorter, undone)] == [names] * 3
    assert [name for name in [item["name"] for item in more] if name not in names] == ["plate/plate"]
    assert first != changed != shorter
    assert undone == shorter
    assert hub.world.positions["waist/axis"] == pytest.approx(0.4)


def test_page_refers_only_to_files_that_the_viewer_has(example):
    wanted, found = ["/"], {}
    while wanted:
        path = wanted.pop()
        kind, content = page(path)
        found[path] = kind
        named = re.findall(r'(?:src=|href=|from )"(?:\./)?([^"]+)"', content.decode())
        wanted += [f"/{name}" for name in named if f"/{name}" not in found]
    assert {"/", "/page.css", "/view.js", "/matrices.js", "/painter.js"} <= set(found)
    (viewer,) = rck_viewers()
    with pytest.raises(RckError, match="rck view"):
        viewer.show(example("scara-cell"), {})


def test_pages_are_served_only_on_request(served, world_of, serving):
    def get(port, path):
        try:
            with urlopen(f"http://127.0.0.1:{port}{path}") as answer:
                return answer.status, answer.headers["Content-Type"]
        except OSError as error:
            return error.code, ""

    assert get(served.port, "/")[0] == 426
    with serving(Hub(world_of()), page=page) as viewed:
        assert get(viewed.port, "/") == (200, "text/html; charset=utf-8")
        assert get(viewed.port, "/view.js")[0] == 200
        assert get(viewed.port, "/../server.py")[0] == 404
