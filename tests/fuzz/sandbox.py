"""Run readers on many files in child processes that are watched for time, memory, crashes and reads outside.

A child is a copy of this process, so that nothing is imported twice. It reads one file after the other and reports
each; the parent kills it when a file takes too long, and continues with the next file in a new child.
"""

import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TIME_LIMIT = 30.0
"""Seconds of processor time for one file."""
WAIT_LIMIT = 120.0
"""Seconds for one file in which no process wants a processor. On a busy machine, processes wait, but they want one."""
_POLL = 1.0
"""Seconds between two looks at the processes."""
MEMORY_LIMIT = 1 << 30
"""Bytes of resident memory of the process that reads a file, and of each of its children."""
SECRET = b"<robot name='canary'/>"
_OPENED = ("open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.mkdir")
_HERE = Path(__file__).parents[2].resolve()


@dataclass(frozen=True)
class Case:
    """A file to read."""

    number: int
    name: str
    content: bytes
    target: str
    options: dict[str, str] = field(default_factory=dict)
    neighbours: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What reading a file led to."""

    case: Case
    problem: str
    """Empty if the file was read, or refused with a reason."""
    refusal: str
    seconds: float
    megabytes: float


def run(cases: Sequence[Case], time_limit: float = TIME_LIMIT) -> Iterator[Outcome]:
    """Yield the outcome of each case."""
    done = 0
    while done < len(cases):
        for outcome in _run_in_child(cases[done:], time_limit):
            done += 1
            yield outcome


def _run_in_child(cases: Sequence[Case], time_limit: float) -> Iterator[Outcome]:
    """Yield outcomes until a case ends the child."""
    heard, tell = os.pipe()
    folder = Path(tempfile.mkdtemp(prefix="rck-fuzz-")).resolve()
    child = os.fork()
    if child == 0:
        os.close(heard)
        os.setpgid(0, 0)
        _read_all(cases, tell, folder)
    os.close(tell)
    buffer = b""
    try:
        for case in cases:
            started, waited = time.monotonic(), 0.0
            used, _ = processor_use(child)
            while b"\n" not in buffer:
                if not select.select([heard], [], [], _POLL)[0]:
                    now, is_waiting = processor_use(child)
                    waited += _POLL * is_waiting
                    if now - used > time_limit or waited > WAIT_LIMIT:
                        spent = f"{now - used:.0f} s of processor time and {waited:.0f} s of waiting"
                        yield Outcome(case, f"does not end within {spent}", "", now - used, 0)
                        return
                    continue
                chunk = os.read(heard, 1 << 16)
                if not chunk:
                    status = os.waitpid(child, 0)[1]
                    child = 0
                    yield Outcome(case, f"ends the process (status {status})", "", time.monotonic() - started, 0)
                    return
                buffer += chunk
            line, _, buffer = buffer.partition(b"\n")
            said = json.loads(line)
            yield Outcome(case, **said)
            if said["megabytes"] * 1e6 > MEMORY_LIMIT:
                return
    finally:
        os.close(heard)
        if child:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        shutil.rmtree(folder, ignore_errors=True)


def processor_use(group: int) -> tuple[float, bool]:
    """Return the seconds that a process group and its ended children have used, and if no process wants a processor.

    Systems without `/proc` hide both: there, all time counts as waiting.
    """
    ticks, is_waiting = 0, True
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name of the program, in parentheses, can contain anything.
            state, _, its_group, *fields = path.read_bytes().rpartition(b")")[2].split()
            if int(its_group) == group:
                ticks += sum(map(int, fields[8:12]))
                is_waiting &= state in (b"S", b"T", b"Z")
    return ticks / os.sysconf("SC_CLK_TCK"), is_waiting


def _read_all(cases: Sequence[Case], tell: int, folder: Path) -> None:
    """Read the files and report each; never return."""
    # A wild allocation fails instead of disturbing other programs.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (6 * MEMORY_LIMIT, hard))
    null = os.open(os.devnull, os.O_WRONLY)
    # Libraries in C write to the descriptors.
    os.dup2(null, 1)
    os.dup2(null, 2)
    watch = _Watch()
    sys.addaudithook(watch.event)
    status = 1
    try:
        for case in cases:
            said = json.dumps(_read(case, folder, watch)) + "\n"
            os.write(tell, said.encode())
        status = 0
    except BaseException:
        os.write(tell, (json.dumps(_fields(traceback.format_exc(), "", 0.0)) + "\n").encode())
    finally:
        os._exit(status)


def _read(case: Case, folder: Path, watch: "_Watch") -> dict[str, Any]:
    from readers import READERS

    from rck.hooks.manager import PluginFailure
    from rck.support.finding import RckError

    path = _write(case, folder / "work")
    started = sum(os.times()[:4])
    problem, refusal = "", ""
    # A script names its files on behalf of the user.
    watch.begin(None if case.target == "script" else path.parent)
    try:
        with Path(os.devnull).open("w") as null, redirect_stdout(null), redirect_stderr(null):
            refusal = READERS[case.target](path, case.options)
    except PluginFailure as error:
        problem = f"blames a plugin: {error}\n{_where(error)}"
    except RckError as error:
        refusal = str(error)
    except OSError as error:
        refusal = str(error)
        problem = "" if error.filename else f"an error without a file: {error!r}\n{traceback.format_exc()}"
    except BaseException:
        problem = traceback.format_exc()
    finally:
        outside = watch.end()
    if not problem and outside:
        problem = f"opens {outside[0]}"
    if not problem and "plugin" in refusal and "failed" in refusal:
        problem = f"blames a plugin: {refusal}"
    said = _fields(problem, refusal, sum(os.times()[:4]) - started)
    if not problem and said["megabytes"] * 1e6 > MEMORY_LIMIT:
        said["problem"] = f"takes {said['megabytes']:.0f} MB"
    shutil.rmtree(folder / "work", ignore_errors=True)
    return said


def _fields(problem: str, refusal: str, seconds: float) -> dict[str, Any]:
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {"problem": problem, "refusal": refusal, "seconds": seconds, "megabytes": peak * 1024 / 1e6}


def _where(error: BaseException) -> str:
    cause = error.__cause__
    return "" if cause is None else "".join(traceback.format_exception(cause))


def _write(case: Case, work: Path) -> Path:
    """Write the file and its neighbours to a folder next to a secret one; return the path."""
    home = work / "robot"
    home.mkdir(parents=True)
    (work / "secret").mkdir()
    for name in ("canary.xml", "canary.stl", "canary.yaml"):
        (work / "secret" / name).write_bytes(SECRET)
    for name, content in {**case.neighbours, case.name: case.content}.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return home / case.name


class _Watch:
    """Audit hook that collects the files outside a folder that are opened."""

    def __init__(self) -> None:
        self.home: Path | None = None
        self.outside: list[str] = []
        programs = (
            sys.prefix,
            sys.base_prefix,
            *sys.path,
            _HERE,
            "/usr",
            "/lib",
            "/proc",
            "/sys",
            "/dev",
            "/etc/mime.types",
        )
        own = (os.environ.get(name, "/nonexistent") for name in ("RCK_CONFIG", "RCK_DATA", "RCK_CACHE"))
        # The memory of this folder is that of the worker processes.
        workers = Path(tempfile.gettempdir()) / "rck-worker-"
        self._allowed = tuple({os.path.realpath(place) for place in (*programs, *own) if place} | {str(workers)})

    def begin(self, home: Path | None) -> None:
        self.home, self.outside = home, []

    def end(self) -> list[str]:
        self.home = None
        return self.outside

    def event(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.home is None or name not in _OPENED or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        path = os.fsdecode(arguments[0])
        home, self.home = self.home, None
        try:
            full = os.path.realpath(path)
            # Folders above may be searched for the marks of a package, such as package.xml.
            inside = full == str(home) or full.startswith((f"{home}{os.sep}", *self._allowed))
            if name == "open" and not inside and not full.endswith(("/package.xml", "/model.config")):
                self.outside.append(f"{name} {path}")
        finally:
            self.home = home
