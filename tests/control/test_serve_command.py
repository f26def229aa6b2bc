"""The command `rck serve`."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rck.cli.main import cli
from rck.control import connected

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.slow
def test_terminated_server_saves_the_world_and_another_resumes_it(serve_command, tmp_path):
    file = tmp_path / "cell.rck"
    shutil.copy(EXAMPLES / "scara-cell.rck", file)
    with serve_command(file, "--record", str(tmp_path / "run.jsonl")) as first:
        with connected(port=first.port, name="driver") as robot:
            robot.call("/stop_on_disconnect", {"data": False})
            robot.call("/move_joints", {"joints": {"scara_a1": 1.0}, "duration": 600.0})
        status, errors = first.end()
    assert status == 0
    assert "saved" in errors
    state = json.loads((tmp_path / "cell.state.json").read_text())
    assert [motion["owner"] for motion in state["served"]["motions"]] == ["driver"]
    recorded = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [line.get("service") for line in recorded] == [None, "/stop_on_disconnect", "/move_joints", None]
    with serve_command(file, "--resume") as second, connected(port=second.port) as robot:
        now = robot.call("/state")
        assert now["time"]["sec"] + 1e-9 * now["time"]["nanosec"] >= state["state"]["time"] - 1e-6
        assert [motion["owner"] for motion in now["motions"]] == ["driver"]


def test_unservable_file_is_refused_with_one_message(tmp_path):
    cell = str(EXAMPLES / "scara-cell.rck")
    for words, said in (
        ([cell, "--host", "0.0.0.0"], "token"),
        ([cell, "--resume", "--state", str(tmp_path / "none")], "no saved state"),
        ([cell, "--port", "0", "--host", "256.1.1.1", "--token", "x"], "256.1.1.1"),
    ):
        result = CliRunner().invoke(cli, ["serve", *words])
        assert result.exit_code != 0
        assert said in str(result.exception)
    assert not (EXAMPLES / "scara-cell.state.json").exists(), "what was saved before is left alone"
