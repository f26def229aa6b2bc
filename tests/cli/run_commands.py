"""Run `rck` commands, one per line of standard input, and print the results as JSON.

Run in another environment. All commands share one process, because starting Python takes longer than most commands.
"""

import json
import sys
import traceback

import click
from click.testing import CliRunner

from rck.cli.main import cli
from rck.model import RckError


def said(words: list[str]) -> dict[str, object]:
    """Run a command; return its exit status, its output, and the traceback of a crash."""
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    error = done.exception
    broke = ""
    if error is not None and not isinstance(error, RckError | OSError | click.ClickException | SystemExit):
        broke = "".join(traceback.format_exception(error))
    refusal = "" if error is None or isinstance(error, SystemExit) else str(error)
    return {"status": done.exit_code, "text": done.output + refusal, "broke": broke}


sys.stdout.write(json.dumps([said(json.loads(line)) for line in sys.stdin]))
