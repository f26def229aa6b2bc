"""File and line in a plugin where something went wrong."""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import rck

_PYTHON = str(Path(os.__file__).parent)
_LIBRARIES = ("site-packages", "dist-packages")
_CORE = str(Path(rck.__file__).parent)


class SourceLocation(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    @property
    def short(self) -> str:
        """The location without the folder."""
        return f"{Path(self.file).name}, line {self.line}"

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


class WrongReturnType(TypeError):
    """A function of a plugin returned a value of the wrong type."""

    def __init__(self, message: str, function: Any) -> None:
        super().__init__(message)
        self.location = location_of_function(function)


def location_of_error(error: BaseException, root: str) -> SourceLocation | None:
    """Return the innermost line of the traceback in the plugin whose modules begin with `root`, if there is one."""
    if isinstance(error, WrongReturnType):
        return error.location
    if isinstance(error, SyntaxError) and error.filename:
        return SourceLocation(error.filename, error.lineno or 1)
    inside, others = [], []
    trace = error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        location = SourceLocation(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        if module == root or module.startswith(f"{root}."):
            inside.append(location)
        elif not _is_outside(module, location.file):
            # A file that the plugin loads by itself has no module name below `root`.
            others.append(location)
        trace = trace.tb_next
    found = inside or others
    return found[-1] if found else None


def _is_outside(module: str, file: str) -> bool:
    """Return True if a frame belongs to RCK, to Python or to pluggy."""
    if module.partition(".")[0] in ("pluggy", "importlib"):
        return True
    in_python = file.startswith(_PYTHON) and not any(name in file for name in _LIBRARIES)
    return in_python or file.startswith((_CORE, "<"))


def location_of_function(function: Any) -> SourceLocation | None:
    """Return where a function is defined."""
    while hasattr(function, "func") or hasattr(function, "__wrapped__"):
        function = getattr(function, "func", None) or function.__wrapped__
    called: Callable[..., Any] = function if hasattr(function, "__code__") else getattr(function, "__func__", function)
    code = getattr(called, "__code__", None) or getattr(type(called).__call__, "__code__", None)
    return None if code is None else SourceLocation(code.co_filename, code.co_firstlineno)


def location_in_module(module: object, message: str) -> SourceLocation | None:
    """Return the hook implementation that an error message names, or else the first line of the plugin."""
    for name, value in vars(module).items() if hasattr(module, "__dict__") else ():
        if hasattr(value, "rck_impl") and repr(name) in message:
            return location_of_function(value)
    file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
    return None if file is None else SourceLocation(file, 1)
