"""The editor in a browser on this machine, through textual-serve: each page runs its own editor."""

import hmac
import os
import shlex
import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from rck.model import RckError

HOST = "127.0.0.1"
_TERMINAL_VARIABLES = ("KITTY_WINDOW_ID", "TMUX", "COLORTERM")
"""Variables that describe this terminal, not the browser."""


def editor_command(file: Path | None) -> str:
    """Return the shell command that runs one editor."""
    words = [sys.executable, "-c", "from rck.cli.main import main; main()", "edit"]
    return shlex.join([*words, *([str(file.resolve())] if file is not None else [])])


def serve(file: Path | None, port: int) -> None:
    """Serve the editor to browsers on this machine until Ctrl+C."""
    try:
        from aiohttp import web
        from textual_serve.server import Server
    except ImportError:
        raise RckError("the editor in a browser needs textual-serve: pip install 'rck[web]'") from None

    token = token_urlsafe(12)
    cookie = f"rck-{port}"

    def require_own_page(request: Any) -> None:
        """Refuse requests of other users and from pages of other sites, which the user's browser may show."""
        hosts = (f"{HOST}:{port}", f"localhost:{port}")
        origin = request.headers.get("Origin")
        if request.host not in hosts or (origin is not None and origin.removeprefix("http://") not in hosts):
            raise web.HTTPForbidden(text="only pages of this server may use it")
        given = request.query.get("token") or request.cookies.get(cookie, "")
        if not hmac.compare_digest(given.encode(), token.encode()):
            raise web.HTTPUnauthorized(text="token required: open the whole address that `rck edit --web` has printed")

    class LocalServer(Server):
        """A server that answers only requests from its own pages."""

        def initialize_logging(self) -> None:
            """Do not log requests to the terminal."""

        async def handle_index(self, request: Any) -> Any:
            require_own_page(request)
            page = await super().handle_index(request)
            page.set_cookie(cookie, token, httponly=True, samesite="Strict", path="/")
            page.headers["Referrer-Policy"] = "no-referrer"
            page.headers["Content-Security-Policy"] = "frame-ancestors 'none'"
            return page

        async def handle_websocket(self, request: Any) -> Any:
            require_own_page(request)
            return await super().handle_websocket(request)

        async def handle_download(self, request: Any) -> Any:
            require_own_page(request)
            return await super().handle_download(request)

        async def on_startup(self, app: Any) -> None:
            self.console.print(
                f"Editor at {self.public_url}/?token={token} (Ctrl+C to stop)", highlight=False, soft_wrap=True
            )

    for name in _TERMINAL_VARIABLES:
        os.environ.pop(name, None)
    os.environ["TERM"] = "xterm-256color"
    # For viewers that the editor opens.
    os.environ["RCK_WEB_ORIGIN"] = f"http://{HOST}:{port}"
    LocalServer(editor_command(file), host=HOST, port=port, title="RCK").serve()
