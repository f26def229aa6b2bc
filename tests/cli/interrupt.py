"""Run in a process of its own: each line of standard input is a command that takes long, and gets ctrl+C meanwhile.

What came of each is written as JSON: exit status, and what was printed to standard error. Each command has a fork of
this process, in which the slow libraries are loaded already.
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
LOADED = ("trimesh", "scipy.spatial", "rck.assembly.compile", "rck.collision.scene", "rck.render.picture")


def interrupted(words: list[str]) -> dict[str, object]:
    """What a command answers to ctrl+C."""
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
            # So that it never waits for somebody to read.
            lines.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        return {"status": status, "said": said.read()}


for module in LOADED:
    importlib.import_module(module)
lines = sys.stdin.read().splitlines()
answers = [interrupted(json.loads(line)) for line in lines]
sys.stdout.write(json.dumps(answers))
