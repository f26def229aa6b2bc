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
LOADED = ("trimesh", "scipy.spatial", "rck.assembly.compile", "rck.collision.scene", "rck.render.picture")


def interrupted(words: list[str]) -> dict[str, object]:
    """What a command answers to ctrl+C."""
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(said.fileno(), 2)
            sys.argv = ["rck", *words]
            signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), signal.SIGINT))
            signal.setitimer(signal.ITIMER_PROF, AFTER)
            main()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        return {"status": status, "said": said.read()}


for module in LOADED:
    importlib.import_module(module)
lines = sys.stdin.read().splitlines()
answers = [interrupted(json.loads(line)) for line in lines]
sys.stdout.write(json.dumps(answers))
