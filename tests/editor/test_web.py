"""`rck edit --web`: a page in a headless Chromium shows the editor, takes keys, and saves."""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from rck.assembly.journal import journal_path
from rck.assembly.native_file import read_assembly

aiohttp = pytest.importorskip("aiohttp", reason="textual-serve is not installed (pip install 'rck[web]')")
pytest.importorskip("textual_serve", reason="textual-serve is not installed (pip install 'rck[web]')")
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
EDIT = (sys.executable, "-c", "from rck.cli.main import main; main()", "edit", "--web")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def running(*command):
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield program
    finally:
        program.terminate()
        program.wait()


def printed_address(program):
    """Return the address that `rck edit --web` prints, as a terminal makes it clickable: up to the next space."""
    return program.stdout.readline().partition(" at ")[2].split()[0]


async def until(ask):
    """Ask again and again until there is an answer."""
    while True:
        try:
            answer = await ask()
        except aiohttp.ClientError:
            answer = None
        if answer:
            return answer
        await asyncio.sleep(0.1)


class Page:
    """A page of a browser, by Chromium's debugging protocol."""

    def __init__(self, socket):
        self._socket = socket
        self._number = 0

    async def call(self, method, **parameters):
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            answer = json.loads((await self._socket.receive()).data)
            if answer.get("id") == self._number:
                return answer["result"]

    async def value(self, script):
        return (await self.call("Runtime.evaluate", expression=script))["result"].get("value")

    async def type(self, text):
        for letter in text:
            key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13} if letter == "\r" else {"key": letter}
            await self.call("Input.dispatchKeyEvent", type="keyDown", text=letter, **key)
            await self.call("Input.dispatchKeyEvent", type="keyUp", **key)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_editor_in_a_browser_takes_keys_and_saves(arm_file, tmp_path):
    (arm_file.parent / "parts").symlink_to(Path(__file__).with_name("library"))
    port, debugging = free_port(), free_port()
    browser = (CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}")

    async def journal_is_open():
        return journal_path(arm_file).exists()

    async def saved():
        return "other" in read_assembly(arm_file).parts

    async def drive(address):
        async with aiohttp.ClientSession() as client:

            async def served():
                async with client.get(address) as answer:
                    return answer.status == 200

            async def pages():
                async with client.get(f"http://127.0.0.1:{debugging}/json") as answer:
                    return [one for one in await answer.json() if one["url"].startswith(address)]

            await until(served)
            with running(*browser, f"--remote-debugging-port={debugging}", f"{address}&fontsize=12"):
                page = (await until(pages))[0]
                async with client.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0) as connection:
                    shown = Page(connection)
                    await until(lambda: shown.value("document.body.classList.contains('-first-byte')"))
                    await shown.value("document.querySelector('.xterm-helper-textarea').focus()")
                    await until(journal_is_open)
                    await shown.type(":create kit/foot other\r")
                    await shown.type(":save\r")

                    await until(saved)

    with running(*EDIT, "--port", str(port), str(arm_file)) as editor:
        asyncio.run(asyncio.wait_for(drive(printed_address(editor)), 120))


def test_pages_of_other_sites_cannot_reach_the_editor(tmp_path):
    port = free_port()

    async def ask(address):
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:

            async def refused():
                async with client.get(f"http://127.0.0.1:{port}/", headers={"Origin": "http://evil.example"}) as answer:
                    return answer.status

            assert await until(refused) == 403
            async with client.get(f"http://127.0.0.1:{port}/", headers={"Host": "evil.example"}) as answer:
                assert answer.status == 403
            for path in ("/", "/ws", "/?token=wrong"):
                async with client.get(f"http://127.0.0.1:{port}{path}") as answer:
                    assert answer.status == 401
            async with client.get(address) as answer:
                assert answer.status == 200
                assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
            # From now on, the cookie is enough.
            async with client.get(f"http://127.0.0.1:{port}/") as answer:
                assert answer.status == 200

    with running(*EDIT, "--port", str(port), str(tmp_path / "arm.rck")) as editor:
        asyncio.run(asyncio.wait_for(ask(printed_address(editor)), 120))
