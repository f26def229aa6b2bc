"""Access to the page of `rck view`: a token in the printed address, then a cookie."""

import asyncio
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

ARM = Path(__file__).parent.parent.parent / "examples" / "desk-arm.rck"
VIEW = (sys.executable, "-c", "from rck.cli.main import main; main()", "view", str(ARM), "--no-open")


@pytest.fixture(scope="module")
def address():
    """The address that `rck view` prints, as a terminal makes it clickable: up to the next space."""
    with subprocess.Popen(VIEW, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
        yield program.stdout.readline().partition(" at ")[2].split()[0]
        program.terminate()


def test_page_may_be_framed_by_the_editor_in_a_browser_only(monkeypatch):
    monkeypatch.setenv("RCK_WEB_ORIGIN", "http://127.0.0.1:8000")
    with subprocess.Popen(VIEW, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
        with urlopen(program.stdout.readline().partition(" at ")[2].split()[0]) as answer:
            assert answer.headers["Content-Security-Policy"] == "frame-ancestors http://127.0.0.1:8000"
        program.terminate()


def status(url, **headers):
    try:
        with urlopen(Request(url, headers=headers)) as answer:
            return answer.status
    except HTTPError as refusal:
        return refusal.code


def test_page_needs_the_token_then_the_cookie(address):
    bare = address.partition("?")[0]
    assert bare.endswith("/")
    assert [status(url) for url in (bare, f"{bare}view.js", f"{bare}?token=wrong")] == [401, 401, 401]
    with urlopen(address) as answer:
        cookie = answer.headers["Set-Cookie"]
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    pair = cookie.partition(";")[0]
    assert status(f"{bare}view.js", Cookie=pair) == 200
    assert status(f"{bare}view.js", Cookie=f"{pair}x") == 401


def test_websocket_needs_the_token_or_the_cookie(address):
    bare, _, token = address.replace("http", "ws", 1).partition("?token=")

    async def knock(url, **headers):
        async with connect(url, additional_headers=headers):
            return True

    with pytest.raises(InvalidStatus):
        asyncio.run(knock(bare))
    assert asyncio.run(knock(f"{bare}?token={token}"))
    assert asyncio.run(knock(bare, Cookie=f"rck-{bare.rstrip('/').rpartition(':')[2]}={token}"))
