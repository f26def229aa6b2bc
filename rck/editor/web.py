"""The editor in a browser on this machine, through textual-serve: each page runs an editor of its own."""

import os
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from rck.model import RckError

HOST = "127.0.0.1"
_OF_TERMINALS = ("KITTY_WINDOW_ID", "TMUX", "COLORTERM")
"""What this terminal says of itself does not hold for the browser."""

Handler = Callable[[Any], Awaitable[Any]]


def editor_command(file: Path | None) -> str:
    """The command line, for a shell, that runs one editor."""
    words = [sys.executable, "-c", "from rck.cli.main import main; main()", "edit"]
    return shlex.join([*words, *([str(file.resolve())] if file is not None else [])])


def serve(file: Path | None, port: int) -> None:
    """Serve the editor on this machine until ctrl+C; nobody else can reach it."""
    try:
        from aiohttp import web
        from textual_serve.server import Server
    except ImportError:
        raise RckError("the editor in a browser needs textual-serve: pip install 'rck[web]'") from None

    @web.middleware
    async def from_here_only(request: Any, handler: Handler) -> Any:
        """Refuse pages of other sites that would reach the editor through the user's browser."""
        own = (f"{HOST}:{port}", f"localhost:{port}")
        origin = request.headers.get("Origin")
        if request.host not in own or (origin is not None and origin.removeprefix("http://") not in own):
            raise web.HTTPForbidden(text="only pages of this server may use it")
        return await handler(request)

    class LocalServer(Server):
        """Answers only to this machine and to its own pages."""

        def initialize_logging(self) -> None:
            """Requests are nothing to tell the user about."""

        async def _make_app(self) -> Any:
            app = await super()._make_app()
            app.middlewares.append(from_here_only)
            return app

        async def on_startup(self, app: Any) -> None:
            self.console.print(f"The editor is at {self.public_url}; ctrl+C ends it.", highlight=False)

    for name in _OF_TERMINALS:
        os.environ.pop(name, None)
    os.environ["TERM"] = "xterm-256color"
    LocalServer(editor_command(file), host=HOST, port=port, title="RCK").serve()
