"""The programs in docs/control.md run unchanged."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parent.parent.parent / "docs" / "control.md"
PROGRAMS = re.findall(r"^```text\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("number", "said"), [(0, "'scara_a1': 0.3"), (1, "'success': True"), (2, "'deviation': [0.05")]
)
def test_program_of_the_guide_runs(number, said, served):
    pytest.importorskip("roslibpy")
    served.do(lambda: served.hub.world.set_speed(10.0))
    # Use another port, as tests may run in parallel.
    port = str(served.port)
    program = PROGRAMS[number].replace("connected(", f"connected(port={port}, ").replace("9090", port)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
