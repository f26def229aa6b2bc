"""Run in another environment: each line of standard input is a command of `rck`; what came of each is written as JSON.

All are run in one process, as starting Python and loading libraries would take longer than the commands.
"""

import json
import sys
import traceback

import click
from click.testing import CliRunner

from rck.cli.main import cli
from rck.model import RckError


def said(words: list[str]) -> dict[str, object]:
    """What a command answers: its exit status, all that it printed, and where it broke instead of refusing."""
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    error = done.exception
    broke = ""
    if error is not None and not isinstance(error, RckError | OSError | click.ClickException | SystemExit):
        broke = "".join(traceback.format_exception(error))
    refusal = "" if error is None or isinstance(error, SystemExit) else str(error)
    return {"status": done.exit_code, "text": done.output + refusal, "broke": broke}


sys.stdout.write(json.dumps([said(json.loads(line)) for line in sys.stdin]))
