"""Where in a plugin something went wrong: the file and line that its author looks for."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, NamedTuple

import rck

_PYTHON = str(Path(os.__file__).parent)
_LIBRARIES = ("site-packages", "dist-packages")
_OURS = str(Path(rck.__file__).parent)


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    @property
    def short(self) -> str:
        """For a message: without the folder."""
        return f"{Path(self.file).name}, line {self.line}"

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


class Step(NamedTuple):
    """A call on the way to where something happened."""

    module: str
    place: Place


class Hangs(Exception):
    """A plugin did not come back."""

    def __init__(self, message: str, steps: Iterable[Step] = ()) -> None:
        super().__init__(message)
        self.steps = tuple(steps)
        """Where it was when it was given up, the innermost call last."""


class Unfit(TypeError):
    """A plugin returned something that it should not."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.place = place
        """Of the function that returned it."""


def place_of(error: BaseException, root: str) -> Place | None:
    """The innermost line inside the plugin whose modules begin with `root`; None where none can be told."""
    if isinstance(error, Unfit):
        return error.place
    if isinstance(error, SyntaxError) and error.filename:
        return Place(error.filename, error.lineno or 1)
    steps = (error.steps if isinstance(error, Hangs) else ()) or _steps_of(error.__traceback__)
    inside = [step for step in steps if step.module == root or step.module.startswith(f"{root}.")]
    # What is not of the plugin by its name may be of a file that it loaded by itself.
    found = inside or [step for step in steps if not _is_known(step)]
    return found[-1].place if found else None


def steps_of_thread(thread: int | None) -> list[Step]:
    """Where a thread is now, the innermost call last."""
    frame: FrameType | None = sys._current_frames().get(thread or 0)
    steps = []
    while frame is not None:
        steps.append(_step(frame, frame.f_lineno))
        frame = frame.f_back
    return steps[::-1]


def _steps_of(trace: TracebackType | None) -> Sequence[Step]:
    steps = []
    while trace is not None:
        steps.append(_step(trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return steps


def _step(frame: FrameType, line: int) -> Step:
    return Step(str(frame.f_globals.get("__name__", "")), Place(frame.f_code.co_filename, line))


def _is_known(step: Step) -> bool:
    """Whether a call is one of RCK, of Python or of what loads plugins."""
    file = step.place.file
    if step.module.partition(".")[0] in ("pluggy", "importlib"):
        return True
    python = file.startswith(_PYTHON) and not any(name in file for name in _LIBRARIES)
    return python or file.startswith((_OURS, "<"))


def place_of_function(function: Any) -> Place | None:
    """Where a function is defined."""
    while hasattr(function, "func") or hasattr(function, "__wrapped__"):
        function = getattr(function, "func", None) or function.__wrapped__
    called: Callable[..., Any] = function if hasattr(function, "__code__") else getattr(function, "__func__", function)
    code = getattr(called, "__code__", None) or getattr(type(called).__call__, "__code__", None)
    return None if code is None else Place(code.co_filename, code.co_firstlineno)


def place_in(module: object, said: str) -> Place | None:
    """The hook of a plugin that a complaint about it names, else where the plugin begins."""
    for name, value in vars(module).items() if hasattr(module, "__dict__") else ():
        if hasattr(value, "rck_impl") and repr(name) in said:
            return place_of_function(value)
    file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
    return None if file is None else Place(file, 1)
