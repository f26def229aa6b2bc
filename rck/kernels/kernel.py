"""Decorators for functions that numba compiles once, for one signature, and caches on disk.

Importing numba takes half a second, so it is imported at the first call of a kernel: signatures are written with the
stand-in :data:`types`, and helpers are wrapped for numba together with the kernel that uses them.
"""

import functools
import hashlib
import importlib
import os
import pkgutil
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

Vector: TypeAlias = tuple[float, float, float]
"""A vector whose numbers numba keeps in registers."""

P = ParamSpec("P")
R = TypeVar("R")

# No fastmath: sums keep their order, so that results do not depend on the compiler's choice of instructions.
# Division by zero gives infinity or not-a-number instead of an exception.
_OPTIONS = {"nogil": True, "fastmath": False, "boundscheck": False, "error_model": "numpy"}

_COMPILING = threading.Lock()

_IMPORT_OF_NEIGHBOUR = re.compile(rf"^from {re.escape(__package__)}\.(\w+) import", re.MULTILINE)


class NumbaType:
    """Stand-in for a numba type, or a function that returns one, resolved when a kernel is compiled.

    Attributes, indices and calls work as on numba types: ``types.void(types.float64[::1])``.
    """

    __slots__ = ("_resolve",)

    def __init__(self, resolve: Callable[[], Any]) -> None:
        self._resolve = resolve

    def __getattr__(self, name: str) -> "NumbaType":
        return NumbaType(lambda: getattr(self._resolve(), name))

    def __getitem__(self, layout: Any) -> "NumbaType":
        return NumbaType(lambda: self._resolve()[layout])

    def __call__(self, *args: Any, **options: Any) -> "NumbaType":
        """Return the stand-in for the result of a call."""
        return NumbaType(lambda: self._resolve()(*map(_resolved, args), **options))


def _resolved(value: Any) -> Any:
    """Resolve a stand-in, or a list or tuple of them."""
    if isinstance(value, NumbaType):
        return value._resolve()
    if isinstance(value, list | tuple):
        return [_resolved(entry) for entry in value]
    return value


def _import_numba() -> Any:
    return importlib.import_module("numba")


types = NumbaType(lambda: _import_numba().types)
"""Stand-in for `numba.types`."""
from_dtype = NumbaType(lambda: _import_numba().from_dtype)
"""Stand-in for `numba.from_dtype`: the type of a record."""


def read_only(dtype: NumbaType, dimensions: int) -> NumbaType:
    """Return the numba type of a contiguous array that a kernel only reads."""
    return types.Array(dtype, dimensions, "C", readonly=True)


@contextmanager
def _deferred_interrupts() -> Iterator[None]:
    """Hold back Ctrl+C: llvmlite's lock stays locked for ever if an exception reaches it while it is being taken."""
    if threading.current_thread() is not threading.main_thread() or (before := signal.getsignal(signal.SIGINT)) is None:
        yield
        return
    interrupts: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if interrupts:
            signal.raise_signal(signal.SIGINT)


class Kernel(Generic[P, R]):
    """A compiled function that Python code can call. Make one with :func:`kernel`.

    It is compiled, or loaded from disk, at the first call. Kernels do not call each other; shared code is a
    :func:`helper`.
    """

    # A call goes straight to the function in this slot, without another Python frame.
    __slots__ = ("__call__", "_dispatcher", "_function", "_options", "_signature", "unchecked")

    __call__: Callable[P, R]
    unchecked: Callable[P, R]
    """The same without numba's check of the argument types, which takes a third of a microsecond. Only for callers that
    guarantee every dtype, contiguity and number of dimensions."""

    def __init__(self, function: Callable[P, R], signature: NumbaType, **options: Any) -> None:
        self._function = function
        self._options = {**_OPTIONS, **options}
        self._signature = signature
        self._dispatcher: Any = None
        self.__call__ = self.unchecked = self._first_call

    @property
    def name(self) -> str:
        """The names of module and function."""
        return f"{self._function.__module__}.{self._function.__name__}"

    def compile(self, *, quiet: bool = False) -> None:
        """Compile the kernel, or load it from disk; show a progress line while it compiles, unless `quiet`."""
        # All threads of a batch may arrive here at once.
        with _deferred_interrupts(), _COMPILING:
            if self._dispatcher is not None:
                return
            numba = _import_numba()
            dispatcher = _cached(_linked(self._function), self._options)
            if numba.config.DISABLE_JIT:
                self.__call__ = self.unchecked = dispatcher
            else:
                listener = _progress_line(self._function.__module__.rpartition(".")[2], quiet)
                with numba.core.event.install_listener("numba:compile", listener):
                    self.unchecked = dispatcher.compile(_resolved(self._signature))
                # Refuse other argument types; numba would silently compile for them.
                dispatcher.disable_compile()
                self.__call__ = dispatcher
            self._dispatcher = dispatcher

    def _first_call(self, *args: P.args, **kwargs: P.kwargs) -> R:
        self.compile()
        # The first call is checked, even through `unchecked`.
        return self(*args, **kwargs)


def kernel(signature: NumbaType, *, short: bool = False) -> Callable[[Callable[P, R]], Kernel[P, R]]:
    """Compile a function for this signature, such as ``types.void(VECTOR, types.float64[::1])``.

    A short kernel keeps Python's global interpreter lock: to release it takes 50 ns. Declare arrays that are only read
    as read-only: that accepts writable arrays too, except inside a NamedTuple.
    """

    def decorate(function: Callable[P, R]) -> Kernel[P, R]:
        return Kernel(function, signature, nogil=not short)

    return decorate


class Helper(Generic[P, R]):
    """A function for kernels and other helpers. Make one with :func:`helper` or :func:`inlined`."""

    def __init__(self, function: Callable[P, R], **options: Any) -> None:
        self.function = function
        self._options = options

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The numba dispatcher of the helper."""
        return _import_numba().njit(**self._options, **_OPTIONS)(_linked(self.function))

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the helper from Python."""
        return cast(R, self.dispatcher(*args, **kwargs))


class NumbaFunction(Helper[P, R]):
    """A function of numba itself, or an extension of it, for kernels and helpers."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @functools.cached_property
    def dispatcher(self) -> Any:
        """What numba compiles a call to."""
        return self._make()


def helper(function: Callable[P, R]) -> Helper[P, R]:
    """Compile a function into the kernels and helpers that call it.

    Numba counts references to every array passed in a call, with atomic additions: pass arrays to a helper that
    contains the loop, not to one that the innermost loop calls.
    """
    return Helper(function)


def inlined(function: Callable[P, R]) -> Helper[P, R]:
    """Compile a function as :func:`helper` does, but inline every call: passing arrays is then free."""
    return Helper(function, inline="always")


def _linked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of the function that refers to the numba dispatchers of its helpers."""
    assert isinstance(function, FunctionType)
    scope = dict(function.__globals__)
    for name in function.__code__.co_names:
        if isinstance(value := scope.get(name), Helper):
            scope[name] = value.dispatcher
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    copy.__qualname__ = function.__qualname__
    return copy


def warm_up(progress: Callable[[int, int, str], None] | None = None) -> list[str]:
    """Compile every kernel of this package that is not yet on disk; return the names of all kernels.

    `progress` is called before each kernel with the number of those that are done, the number of all, and the name.
    """
    folder = importlib.import_module(__package__)
    modules = [
        importlib.import_module(f"{__package__}.{entry.name}")
        for entry in pkgutil.iter_modules(folder.__path__)
        if entry.name != "__main__"
    ]
    kernels = [value for module in modules for value in vars(module).values() if isinstance(value, Kernel)]
    for number, found in enumerate(kernels):
        if progress is not None:
            progress(number, len(kernels), found.name)
        found.compile(quiet=progress is not None)
    return [found.name for found in kernels]


def _cached(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Return the numba dispatcher, cached next to the source or, if that is read-only, in the user's cache folder."""
    numba = _import_numba()
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # No folder is writable, as in some containers: compile in each process.
        return numba.njit(**options)(function)
    if not numba.config.DISABLE_JIT:
        _discard_outdated(Path(dispatcher.stats.cache_path), Path(function.__code__.co_filename))
    return dispatcher


@functools.cache
def _discard_outdated(cache: Path, file: Path) -> None:
    """Delete the cached kernels of a file that were compiled from other sources.

    Numba compares only the file that defines the kernel, and would keep outdated helpers from other files.
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
    """Return a digest of the file and of everything it imports from this package."""
    sources: dict[Path, str] = {}
    waiting = [file]
    while waiting:
        file = waiting.pop()
        if file not in sources:
            sources[file] = _text(file)
            waiting += [Path(__file__).with_name(f"{name}.py") for name in _IMPORT_OF_NEIGHBOUR.findall(sources[file])]
    return hashlib.sha256("".join(text for _, text in sorted(sources.items())).encode()).hexdigest()


@functools.cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


FIRST_USE = (
    "RCK compiles its numeric kernels at their first use, once per installation: one to two minutes in all.\n"
    "To compile all of them now: python -m rck.kernels\n"
)


@functools.cache
def _announce_first_use() -> None:
    sys.stderr.write(FIRST_USE)


def _progress_line(area: str, quiet: bool) -> Any:
    """Return a listener that shows a line on the terminal while numba compiles a kernel."""
    from numba.core.event import Listener

    # Do not write a temporary line to a captured stream, as in a full-screen program.
    real = sys.__stderr__
    shown = not quiet and real is not None and sys.stderr is real and real.isatty()

    class ProgressLine(Listener):  # type: ignore[misc]
        depth = 0

        def on_start(self, event: Any) -> None:
            # Helpers are compiled during the compilation of the kernel.
            self.depth += 1
            if self.depth == 1 and shown:
                _announce_first_use()
                sys.stderr.write(f"compiling kernels, once: {area} ({_spent.seconds:.0f} s so far) ...")
                sys.stderr.flush()
                self.start = monotonic()

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if self.depth == 0 and shown:
                _spent.seconds += monotonic() - self.start
                # A terminal without escape codes cannot erase the line.
                sys.stderr.write("\n" if os.environ.get("TERM", "dumb") == "dumb" else "\r\x1b[K")
                sys.stderr.flush()

    return ProgressLine()


class _Spent:
    """The time that this process has spent compiling, in seconds."""

    seconds = 0.0


_spent = _Spent()
