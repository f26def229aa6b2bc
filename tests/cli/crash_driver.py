"""Kill commands and the editor with SIGKILL at random times, and check the files that they leave.

Run by test_crashes.py: `python crash_driver.py SCENARIO FOLDER SEED COUNT`. Each process is a fork of this one, in
which the slow libraries are loaded already. No completed command may be lost, and each file must have its old or its
new content.
"""

import importlib
import os
import pty
import random
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

from rck.assembly.document import Assembly
from rck.assembly.journal import recoverable
from rck.assembly.native_file import read_assembly
from rck.cli.main import main
from rck.exporting.export import prepare_export
from rck.hooks import discover
from rck.hooks.file_exchange import read_file, require_robot
from rck.language.session import Session, new_session, open_session
from rck.model import RckError
from rck.simulation.recording import read_recording
from rck.simulation.state_file import read_state
from rck.support.files import finish_write

EXAMPLES = Path(__file__).parents[2] / "examples"
LOADED = (
    "trimesh", "rck.collision.scene", "rck.rendering.picture", "rck.control.server", "rck.cli.import_command",
    "rck.cli.export", "rck.cli.simulate", "rck.cli.serve", "rck.cli.session", "rck.cli.edit", "rck.editor.app",
    "rck.editor.screens.build_screen", "rck_plugins.exporters.urdf", "rck_importers.mesh.reader",
)  # fmt: skip
LONGEST = 60.0
"""Seconds after which a process that should end or answer has failed the test."""
PLUGINS = discover()


def spawn(words: Sequence[str], folder: Path) -> tuple[int, int]:
    """Start `rck` with these words in a folder; return the process and its output."""
    heard, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(heard)
        os.dup2(tell, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        os.chdir(folder)
        sys.argv = ["rck", *words]
        _run_rck()
    os.close(tell)
    return child, heard


def _run_rck() -> None:
    """Run the command and end this process with its status."""
    status = 1
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        os._exit(status)


def kill(child: int) -> None:
    """Kill a process and wait for it; those that it started must end by themselves."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    deadline = time.monotonic() + LONGEST
    while _group_is_running(child):
        assert time.monotonic() < deadline, "a process outlives the one that started it"
        time.sleep(0.02)


def _group_is_running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def output(heard: int) -> str:
    """Return what a process has written."""
    with os.fdopen(heard, "rb") as file:
        return file.read().decode(errors="replace")


def kill_command(words: Sequence[str], folder: Path, after: float) -> str:
    """Run a command, kill it after some seconds, and return its output."""
    child, heard = spawn(words, folder)
    time.sleep(after)
    kill(child)
    return output(heard)


def duration(words: Sequence[str], folder: Path) -> float:
    """Return how long a command takes, in seconds."""
    started = time.monotonic()
    child, heard = spawn(words, folder)
    said = output(heard)
    status = os.waitpid(child, 0)[1]
    assert status == 0, (words, status, said)
    return time.monotonic() - started


def crash_run(folder: Path, chance: random.Random, count: int) -> None:
    """Kill `rck run`."""
    path = new_session(PLUGINS, folder).save(folder / "arm.rck")
    script = folder / "s.rcks"
    script.write_text("make box first size=1,2,3\n")
    longest = duration(["run", "s.rcks", "arm.rck"], folder)
    for number in range(count):
        script.write_text(f"make box b{number} size=1,2,3\nmove b{number} {number},0,0\n")
        before = read_assembly(path)
        said = kill_command(["run", "s.rcks", "arm.rck"], folder, chance.uniform(0, longest))
        after = read_assembly(path)
        session = open_session(PLUGINS, path)
        if f"b{number}" in after.parts:
            # The other of the two commands is in the file, too.
            assert after.poses != before.poses or after.parts[f"b{number}"] != before.parts.get(f"b{number}")
            session.compile().unwrap()
        else:
            assert after == before, number
            assert "saved" not in said, number


def crash_import(folder: Path, chance: random.Random, count: int) -> None:
    """Kill `rck import`."""
    import trimesh

    trimesh.creation.icosphere(subdivisions=3).export(folder / "ball.stl")
    words = ["import", "ball.stl", "-o", "ball.rck", "--convex", "hull"]
    longest = duration(words, folder)
    whole = (folder / "ball.rck").read_bytes()
    for number in range(count):
        shutil.rmtree(folder / "ball.assets", ignore_errors=True)
        (folder / "ball.rck").unlink(missing_ok=True)
        said = kill_command(words, folder, chance.uniform(0, longest))
        finish_write(folder / "ball.rck")
        if (folder / "ball.rck").exists():
            assert (folder / "ball.rck").read_bytes() == whole, number
            open_session(PLUGINS, folder / "ball.rck").compile().unwrap()
        else:
            assert "wrote" not in said, number


def crash_export(folder: Path, chance: random.Random, count: int) -> None:
    """Kill `rck export`, which writes several files."""
    sets = []
    for size in (50, 80):
        session = new_session(PLUGINS, folder)
        session.do(f"create structure/plate desk length={10 * size} width=600 thickness=20")
        session.do(f"create structure/plate top length={12 * size} width=300 thickness=10")
        session.do("move top 0,0,500 --to")
        name = f"a{size}.rck"
        session.save(folder / name)
        robot = session.compile().unwrap().robot
        robot = open_session(PLUGINS, folder / name).compile().unwrap().robot
        files, _ = prepare_export(robot, folder / "out.sdf", PLUGINS, {})
        sets.append({path: content.replace(name.encode(), b"") for path, content in files.items()})
    longest = max(duration(["export", name, "out.sdf"], folder) for name in ("a50.rck", "a80.rck"))
    present = {path: path.read_bytes() for path in sets[0]}
    for number in range(count):
        name = ("a50.rck", "a80.rck")[number % 2]
        said = kill_command(["export", name, "out.sdf"], folder, chance.uniform(0, longest))
        finish_write(folder / "out.sdf")
        found = {path: path.read_bytes() for path in present}
        require_robot(read_file(folder / "out.sdf", PLUGINS), folder / "out.sdf")
        fresh = sets[number % 2]
        assert found in (present, fresh), (number, said)
        assert "wrote" not in said or found == fresh, number
        present = found


def crash_simulate(folder: Path, chance: random.Random, count: int) -> None:
    """Kill `rck simulate` with a recording and a state."""
    for name in ("desk-arm.rck", "desk-cell.rck", "desk-pick.rckp"):
        shutil.copy(EXAMPLES / name, folder)
    outs = ["--out", "run.npz", "--save-state", "half.state.json"]
    words = ["simulate", "desk-cell.rck", "desk-pick.rckp", "--until", "0.3", "--step", "0.05", *outs]
    longest = duration(words, folder)
    for number in range(count):
        for name in ("run.npz", "half.state.json"):
            (folder / name).unlink(missing_ok=True)
        kill_command(words, folder, chance.uniform(0, 1.1 * longest))
        if (folder / "run.npz").exists():
            assert len(read_recording(folder / "run.npz").times) > 2, number
        if (folder / "half.state.json").exists():
            read_state(folder / "half.state.json")


def crash_serve(folder: Path, chance: random.Random, count: int) -> None:
    """Kill `rck serve`."""
    for name in ("desk-arm.rck", "desk-cell.rck"):
        shutil.copy(EXAMPLES / name, folder)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    words = ["serve", "desk-cell.rck", "--port", "0", "--state", "desk.json"]
    child, heard = spawn(words, folder)
    started = time.monotonic()
    assert select.select([heard], [], [], LONGEST)[0]
    longest = time.monotonic() - started
    kill(child)
    os.close(heard)
    for _ in range(count):
        kill_command(words, folder, chance.uniform(0, 1.5 * longest))
        (folder / "desk.json").unlink(missing_ok=True)
        assert {path: path.read_bytes() for path in folder.iterdir()} == before


def crash_editor(folder: Path, chance: random.Random, count: int) -> None:
    """Kill the editor, in a pseudo-terminal, while commands are typed."""
    import trimesh

    trimesh.creation.icosphere(subdivisions=1).export(folder / "ball.stl")
    start = new_session(PLUGINS, folder)
    for name in ("a", "b"):
        start.do(f"make box {name} size=10,20,30")
    start.save(folder / "start.rck")
    completed = unsaved = 0
    for number in range(count):
        path = folder / "arm.rck"
        for old in folder.glob(".arm.rck*"):
            old.unlink()
        shutil.copy(folder / "start.rck", path)
        told = _type_and_kill(path, number, chance)
        possible = _states(path.with_name("start.rck"), told)
        session = open_session(PLUGINS, path)
        left = recoverable(path)
        if left is not None:
            assert left.matches, (number, told)
            assert not left.damaged, (number, told)
            session.recover_from(left)
            unsaved += 1
        assert any(_equal(session.assembly, one) for one in possible), (number, told, session.assembly, possible)
        if (folder / "out.urdf").exists():
            finish_write(folder / "out.urdf")
            require_robot(read_file(folder / "out.urdf", PLUGINS), folder / "out.urdf")
        completed += sum(line == "done" for line in told)
    sys.stdout.write(f"{completed} commands, {unsaved} recoveries\n")


def _type_and_kill(path: Path, number: int, chance: random.Random) -> list[str]:
    """Type commands into an editor and kill it at some time; return its reports of commands."""
    heard, tell = os.pipe()
    child, terminal = pty.fork()
    if child == 0:
        os.close(heard)
        os.chdir(path.parent)
        os.environ["TERM"] = "xterm-256color"
        _report_commands(tell)
        sys.argv = ["rck", "edit", path.name]
        # The streams of this process are not those of the terminal.
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(n, mode, closefd=False) for n, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
        _run_rck()
    os.close(tell)
    ioctl(terminal, TIOCSWINSZ, pack("HHHH", 40, 120, 0, 0))
    told = b""
    try:
        _read_until(terminal, lambda: b"Command" in screen, screen := bytearray())
        _drain(terminal, 0.3)
        # A number of reports, not a time: the machine may be busy.
        wanted = chance.randrange(12)
        deadline = time.monotonic() + LONGEST
        while told.count(b"\n") < wanted:
            assert time.monotonic() < deadline, (told, wanted)
            text = f":{_random_command(number, chance)}\r"
            for place in range(0, len(text), 8):
                os.write(terminal, text[place : place + 8].encode())
                _drain(terminal, 0.002)
            number += 100
            _drain(terminal, 0.05)
            while told.count(b"\n") < wanted and select.select([heard], [], [], 0)[0]:
                told += os.read(heard, 1 << 16)
        _drain(terminal, chance.uniform(0, 0.1))
    finally:
        kill_terminal(child)
        os.close(terminal)
    return (told.decode() + output(heard)).splitlines()


def kill_terminal(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _read_until(terminal: int, is_done: Callable[[], bool], screen: bytearray) -> None:
    deadline = time.monotonic() + LONGEST
    while not is_done():
        assert time.monotonic() < deadline, bytes(screen[-2000:])
        if select.select([terminal], [], [], 0.1)[0]:
            screen += os.read(terminal, 1 << 16)


def _drain(terminal: int, seconds: float) -> None:
    """Read what the terminal shows for some time."""
    end = time.monotonic() + seconds
    while select.select([terminal], [], [], max(end - time.monotonic(), 0))[0]:
        os.read(terminal, 1 << 16)


def _report_commands(tell: int) -> None:
    """Report each command that the session of this process begins and completes."""
    do = Session.do

    def reported(session: Session, line: str) -> object:
        outermost = not session._depth
        if outermost:
            os.write(tell, f"begin {line}\n".encode())
        try:
            outcome = do(session, line)
        except RckError:
            if outermost:
                os.write(tell, b"refused\n")
            raise
        if outermost:
            os.write(tell, b"done\n")
        return outcome

    Session.do = reported  # type: ignore[method-assign, assignment]


def _random_command(number: int, chance: random.Random) -> str:
    new = f"n{number}"
    return chance.choice(
        [
            f"make box {new} size={chance.randint(1, 99)},20,30",
            f"make box {new} size={chance.randint(1, 99)},20,30",
            f"move a {chance.randint(-9, 9)},1,0",
            f"set b colour=#{chance.randint(0, 0xFFFFFF):06x}",
            f"import ball.stl {new} convex=hull",
            "undo",
            "save",
            "save",
            "export out.urdf",
        ]
    )


def _states(path: Path, told: Sequence[str]) -> list[Assembly]:
    """Return the valid states: after all completed commands, and after the one that was running."""
    session = open_session(PLUGINS, path)
    possible = [session.assembly]
    for line, answer in zip(told[::2], [*told[1::2], ""], strict=False):
        command = line.removeprefix("begin ")
        if not command.startswith(("save", "export")):
            with suppress(RckError):
                session.do(command)
        possible = [session.assembly] if answer in ("done", "refused") else [possible[-1], session.assembly]
    return possible


def _equal(one: Assembly, other: Assembly) -> bool:
    fields = ("parts", "mates", "local_parts", "poses", "contacts")
    return all(getattr(one, name) == getattr(other, name) for name in fields)


SCENARIOS = {
    "run": crash_run,
    "import": crash_import,
    "export": crash_export,
    "simulate": crash_simulate,
    "serve": crash_serve,
    "editor": crash_editor,
}

if __name__ == "__main__":
    scenario, folder, seed, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    for module in LOADED:
        importlib.import_module(module)
    PLUGINS.load_all()
    try:
        SCENARIOS[scenario](folder.resolve(), random.Random(seed), count)
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
    sys.stdout.write(f"{count} kills\n")
