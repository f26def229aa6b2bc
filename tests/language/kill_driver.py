"""Edit and save an assembly in processes that are killed, and check the state that the next process recovers.

Run by test_kill_recovery.py: `python kill_driver.py points|moments FOLDER SEED COUNT`. A child process runs commands
with a journal and reports each completed command. It is killed at a numbered point, where a file is written, flushed
or renamed (`points`), or at a random time (`moments`). The parent then opens the file, recovers, and must find the
assembly after the last completed command, or after the command that was running.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rck.assembly.document import Assembly
from rck.assembly.journal import recoverable
from rck.hooks import Plugins
from rck.language.session import Session, new_session, open_session
from rck.model import RckError

PLUGINS = Plugins([])
POINTS = 60
"""A command in the journal has four points, a save eighteen: this reaches past the second save."""


def random_line(session: Session, choose: random.Random) -> str:
    """Return a random command, valid or not; a third of them save."""
    names = sorted(session.assembly.parts) or ["nothing"]
    name, other = choose.choice(names), choose.choice(names)
    if len(names) > 6:
        return f"remove {name} --with-dependents"
    return choose.choice(
        [
            f"make box size={choose.randint(1, 99)},20,30",
            f"move {name} {choose.randint(-9, 9)},0,{choose.randint(-9, 9)}",
            f"set {name} colour=#{choose.randint(0, 0xFFFFFF):06x} notes='é {choose.random()}'",
            f"mate {name}.top {other}.bottom --turn {choose.randint(0, 90)}",
            f"copy {name} --branch",
            f"remove {name} --keep",
            f"detach {name}",
            "undo",
            "redo",
            "save",
            "save",
            "save",
        ]
    )


def child(path: Path, tell: int, choose: random.Random, count: int) -> None:
    """Recover, continue, and report each command before and after it runs."""
    session = found(path)
    session.begin_journal()
    for _ in range(count):
        line = random_line(session, choose)
        os.write(tell, f"begin {line}\n".encode())
        try:
            session.do(line)
        except RckError:
            os.write(tell, b"refused\n")
        else:
            os.write(tell, b"done\n")
    os._exit(0)


def killed(path: Path, seed: int, prepare: Callable[[], None], wait: tuple[int, float] | None) -> list[str]:
    """Run a child until it kills itself, or kill it some time after a number of reports; return its reports."""
    heard, tell = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(heard)
        prepare()
        child(path, tell, random.Random(seed), 40)
    os.close(tell)
    told = b""
    if wait is not None:
        while told.count(b"\n") < wait[0]:
            told += os.read(heard, 1 << 16)
        time.sleep(wait[1])
        os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    while chunk := os.read(heard, 1 << 16):
        told += chunk
    os.close(heard)
    return told.decode(errors="ignore").splitlines()


def after(start: Session, told: list[str]) -> list[Assembly]:
    """Return the valid states: after all completed commands, and after the command that was running."""
    possible = [start.assembly]
    for line, answer in zip(told[::2], [*told[1::2], ""], strict=False):
        command = line.removeprefix("begin ")
        if command != "save":
            try:
                start.do(command)
            except RckError:
                assert answer in ("refused", ""), (command, answer)
        possible = [start.assembly] if answer in ("done", "refused") else [possible[-1], start.assembly]
    return possible


def found(path: Path) -> Session:
    """Return the state that the next process finds."""
    session = open_session(PLUGINS, path) if path.exists() else new_session(PLUGINS, path.parent, path=path)
    left = recoverable(path)
    if left is not None:
        assert left.matches
        session.recover_from(left)
    return session


def same(one: Assembly, other: Assembly) -> bool:
    return (one.parts, one.mates, one.local_parts) == (other.parts, other.mates, other.local_parts)


class Points:
    """Hook that kills the process at the n-th point where a file is opened, half written, flushed or renamed."""

    def __init__(self, number: int) -> None:
        self.left = number

    def reached(self) -> None:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1

    def install(self) -> None:
        fsync, fdopen, open_path, replace = os.fsync, os.fdopen, Path.open, Path.replace

        def counted(function: Callable[..., object]) -> Callable[..., object]:
            def call(*arguments: object, **more: object) -> object:
                self.reached()
                result = function(*arguments, **more)
                self.reached()
                return result

            return call

        class Torn:
            """A file that is written in two halves, with a point between them."""

            def __init__(self, file: object, points: Points) -> None:
                self.file, self.points = file, points

            def __enter__(self) -> "Torn":
                self.file.__enter__()
                return self

            def __exit__(self, *error: object) -> None:
                self.file.__exit__(*error)

            def write(self, content: bytes) -> None:
                half = len(content) // 2
                self.file.write(content[:half])
                self.file.flush()
                self.points.reached()
                self.file.write(content[half:])

            def __getattr__(self, name: str) -> object:
                return getattr(self.file, name)

        os.fsync = counted(fsync)
        Path.replace = counted(replace)
        os.fdopen = lambda *arguments: Torn(fdopen(*arguments), self)
        Path.open = lambda path, mode="r", *rest, **more: (
            Torn(open_path(path, mode, *rest, **more), self) if "a" in mode else open_path(path, mode, *rest, **more)
        )


def main() -> None:
    how, folder, seed, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    choose = random.Random(seed)
    # Import everything once; the children are copies of this process.
    new_session(PLUGINS, folder).do("make box warm size=1,1,1")
    kills = commands = interrupted = 0
    path = folder / "arm.rck"
    start = new_session(PLUGINS, folder)
    for number in range(count):
        wait = None if how == "points" else (choose.randrange(8), choose.uniform(0, 0.02))
        prepare = Points(7 * number % POINTS).install if how == "points" else lambda: None
        told = killed(path, choose.randrange(1 << 30), prepare, wait)
        possible = after(start, told)
        session = found(path)
        assert any(same(session.assembly, one) for one in possible), (number, told[-4:], session.assembly, possible)
        kills += 1
        commands += len(told) // 2
        interrupted += len(possible) == 2
        start = session
    sys.stdout.write(f"{kills} kills, {commands} commands, {interrupted} interrupted\n")


main()
