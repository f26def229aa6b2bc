"""A process is killed with SIGKILL at many points of edits and saves; no completed command is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DRIVER = Path(__file__).with_name("kill_driver.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the driver starts its processes with fork")
@pytest.mark.parametrize(("how", "seed", "count"), [("points", 1, 40), ("moments", 2, 25)])
def test_no_completed_command_is_lost_when_the_process_is_killed(tmp_path: Path, how: str, seed: int, count: int):
    ran = subprocess.run(
        [sys.executable, DRIVER, how, tmp_path, str(seed), str(count)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    kills, commands, under_way = (int(word) for word in ran.stdout.split() if word.isdigit())
    assert kills == count
    assert commands > count
    assert under_way > count / 20
