"""How a kernel is compiled: once, for one list of argument types, and kept on disk."""

import functools
import hashlib
import importlib
import os
import pkgutil
import re
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

import numba
import numpy as np
from numba.core import event
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

P = ParamSpec("P")
R = TypeVar("R")

# Sums keep their order (no fastmath): the digits do not depend on how the compiler lays them out. Division by
# zero gives infinity or not-a-number instead of an exception.
_OPTIONS = {"nogil": True, "fastmath": False, "boundscheck": False, "error_model": "numpy"}

_ONE_AT_A_TIME = threading.Lock()

_NEIGHBOUR = re.compile(rf"^from {re.escape(__package__)}\.(\w+) import", re.MULTILINE)


class Kernel(Generic[P, R]):
    """A compiled function that Python calls. Make one with :func:`kernel`.

    It is compiled, or loaded from disk, at the first call. Kernels do not call one another: what they share
    is a :func:`helper`.
    """

    # A slot of this name makes a call go straight to what the slot holds, with no Python frame between.
    __slots__ = ("__call__", "_dispatcher", "_signature", "unchecked")

    __call__: Callable[P, R]
    unchecked: Callable[P, R]
    """The same without numba's look at the argument types, which costs a third of a microsecond. Only for
    callers that have made sure of every dtype, of contiguity and of the number of dimensions."""

    def __init__(self, function: Callable[P, R], signature: Any) -> None:
        self._signature = signature
        self._dispatcher = _cached(function)
        if numba.config.DISABLE_JIT:
            self.__call__ = self.unchecked = function
        else:
            self.__call__ = self.unchecked = self._first_call

    @property
    def name(self) -> str:
        """Module and function."""
        return f"{self._dispatcher.__module__}.{self._dispatcher.__name__}"

    def compile(self) -> None:
        """Make it ready to be called, with a progress line where it is not yet on disk."""
        # The threads of a batch all arrive here at once.
        with _ONE_AT_A_TIME:
            if numba.config.DISABLE_JIT or self.__call__ is self._dispatcher:
                return
            area = self._dispatcher.__module__.rpartition(".")[2]
            with event.install_listener("numba:compile", _Announcement(area)):
                self.unchecked = self._dispatcher.compile(self._signature)
            # Other argument types are then refused, where numba would quietly compile again.
            self._dispatcher.disable_compile()
            self.__call__ = self._dispatcher

    def _first_call(self, *args: P.args, **kwargs: P.kwargs) -> R:
        self.compile()
        # The first call is a checked one, even of `unchecked`.
        return self(*args, **kwargs)


def kernel(signature: Any) -> Callable[[Callable[P, R]], Kernel[P, R]]:
    """Compile the function for this numba signature, such as ``types.void(VECTOR, types.float64[::1])``.

    Arrays that are only read should have a read-only type: it accepts both sorts.
    """

    def decorate(function: Callable[P, R]) -> Kernel[P, R]:
        return Kernel(function, signature)

    return decorate


def helper(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels and other helpers call; it becomes part of them.

    Numba counts every array that goes into a call in and out again, with locked additions: give arrays to a
    helper that has the loop, not to one that the innermost loop calls.
    """
    compiled: Callable[P, R] = numba.njit(**_OPTIONS)(function)
    return compiled


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As :func:`helper`, written out wherever it is called: arrays that go into it then cost nothing."""
    compiled: Callable[P, R] = numba.njit(inline="always", **_OPTIONS)(function)
    return compiled


def read_only(dtype: Any, dimensions: int) -> Any:
    """The numba type of a contiguous array that a kernel only reads."""
    return numba.types.Array(dtype, dimensions, "C", readonly=True)


def warm_up() -> list[str]:
    """Compile every kernel of this folder that is not yet on disk; the names of all of them."""
    folder = importlib.import_module(__package__)
    modules = [
        importlib.import_module(f"{__package__}.{entry.name}") for entry in pkgutil.iter_modules(folder.__path__)
    ]
    kernels = [value for module in modules for value in vars(module).values() if isinstance(value, Kernel)]
    for found in kernels:
        found.compile()
    return [found.name for found in kernels]


def _cached(function: Callable[..., Any]) -> Any:
    """The numba dispatcher, with the cache beside the source or, where that is read-only, in the user's folder."""
    try:
        dispatcher = numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        # Nothing is writable, as in some containers: compile anew in each process.
        return numba.njit(**_OPTIONS)(function)
    if not numba.config.DISABLE_JIT:
        _discard_outdated(Path(dispatcher.stats.cache_path), Path(function.__code__.co_filename))
    return dispatcher


@functools.cache
def _discard_outdated(cache: Path, file: Path) -> None:
    """Remove what the cache holds of a file of kernels if it was made by other sources.

    Numba compares only the file in which a kernel stands, and would keep the code of a helper that has
    changed in another file.
    """
    stamp = cache / f"{file.stem}.stamp"
    digest = _digest_of_sources(file)
    with suppress(OSError):
        if stamp.exists() and stamp.read_text() == digest:
            return
        for pattern in (f"{file.stem}.*.nbi", f"{file.stem}.*.nbc"):
            for old in cache.glob(pattern):
                old.unlink(missing_ok=True)
        cache.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest)


def _digest_of_sources(file: Path) -> str:
    """A digest of the file and of all that it imports from this folder."""
    sources: dict[Path, str] = {}
    waiting = [file]
    while waiting:
        file = waiting.pop()
        if file not in sources:
            sources[file] = _text(file)
            waiting += [Path(__file__).with_name(f"{name}.py") for name in _NEIGHBOUR.findall(sources[file])]
    return hashlib.sha256("".join(text for _, text in sorted(sources.items())).encode()).hexdigest()


@functools.cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


class _Announcement(event.Listener):  # type: ignore[misc]
    """One line on a terminal while numba compiles. It is told only of what the disk does not hold."""

    def __init__(self, area: str) -> None:
        self._area = area
        self._depth = 0
        # A stream that somebody captures, as a full-screen program does, is not a place for a passing line.
        real = sys.__stderr__
        self._shown = real is not None and sys.stderr is real and real.isatty()

    def on_start(self, event: Any) -> None:
        """A compilation begins; those of helpers lie inside that of the kernel."""
        self._depth += 1
        if self._depth == 1 and self._shown:
            sys.stderr.write(f"compiling kernels, once: {self._area} ...")
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        """A compilation is done or has failed."""
        self._depth -= 1
        if self._depth == 0 and self._shown:
            # A terminal that knows no escape codes keeps the line.
            sys.stderr.write("\n" if os.environ.get("TERM", "dumb") == "dumb" else "\r\x1b[K")
            sys.stderr.flush()
