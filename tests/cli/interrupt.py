"""Interrupt long `rck` commands, one per line of standard input, with Ctrl+C.

Run in a separate process. Prints the exit status and the standard error of each command as JSON. Each command runs in
a fork of this process, in which the slow libraries are already loaded.
"""

import importlib
import json
import os
import signal
import sys
import tempfile

from rck.cli.main import main

AFTER = 0.6
"""Seconds of work until ctrl+C, not of waiting for a busy machine; every command takes many times longer."""
WAITING = ("serve", "view", "--realtime")
"""Words of commands that wait more than they work: they get ctrl+C once they have printed a line."""
LOADED = ("trimesh", "scipy.spatial", "rck.assembly.compiler", "rck.collision.scene", "rck.rendering.picture")


def interrupted(words: list[str]) -> dict[str, object]:
    """Run a command, send it Ctrl+C, and return its answer."""
    waits = any(word in WAITING for word in words)
    seen, printed = os.pipe()
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            os.dup2(printed, 1)
            os.close(seen)
            os.dup2(said.fileno(), 2)
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
            sys.argv = ["rck", *words]
            if not waits:
                signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), signal.SIGINT))
                signal.setitimer(signal.ITIMER_PROF, AFTER)
            main()
        os.close(printed)
        with os.fdopen(seen) as lines:
            if waits and lines.readline():
                os.kill(child, signal.SIGINT)
            # Do not block on unread output.
            lines.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        return {"status": status, "said": said.read()}


for module in LOADED:
    importlib.import_module(module)
lines = sys.stdin.read().splitlines()
answers = [interrupted(json.loads(line)) for line in lines]
sys.stdout.write(json.dumps(answers))
