"""300 processes are killed with SIGKILL at random times: no completed command is lost, and no file is incomplete."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DRIVER = Path(__file__).with_name("crash_driver.py")
KILLS = {"run": 60, "import": 50, "export": 70, "simulate": 40, "serve": 40, "editor": 40}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the driver starts its processes with fork")
@pytest.mark.parametrize("scenario", KILLS)
def test_killed_processes_lose_no_completed_command_and_leave_no_half_file(tmp_path: Path, scenario: str):
    count = KILLS[scenario]
    ran = subprocess.run(
        [sys.executable, DRIVER, scenario, tmp_path, "1", str(count)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr[-3000:]
    assert f"{count} kills" in ran.stdout
    if scenario == "editor":
        commands, recoveries = [int(word) for word in ran.stdout.split() if word.isdigit()][:2]
        assert commands > count
        assert recoveries > count / 3
