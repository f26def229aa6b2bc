"""Guards around lifecycle hooks: failures are reported, and findings and refusals name their plugin."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from functools import wraps
from typing import Any

import pluggy

from rck.hooks.guard import stdout_to_stderr
from rck.hooks.source_location import WrongReturnType
from rck.support.finding import Finding, RckError

Report = Callable[[BaseException], None]


def guard_hook(plugin: str, implementation: pluggy.HookImpl, report: Report) -> None:
    """Put a guard around a lifecycle hook.

    A hook that raises anything but :class:`RckError` is reported, and not called again in this run.
    """
    is_wrapper = implementation.wrapper or implementation.hookwrapper
    make = _guarded_wrapper if is_wrapper else _guarded_function
    implementation.function = make(plugin, implementation.function, report)  # type: ignore[misc]


def _guarded_function(plugin: str, function: Callable[..., Any], report: Report) -> Callable[..., Any]:
    failed = False

    @wraps(function)
    def call(*arguments: Any) -> list[Finding] | None:
        nonlocal failed
        if failed:
            return None
        try:
            with stdout_to_stderr():
                return _stamped(function(*arguments), plugin, function)
        except RckError as refusal:
            raise _refused(plugin, refusal) from refusal
        except (Exception, SystemExit) as error:
            failed = True
            report(error)
            return None

    return call


def _guarded_wrapper(plugin: str, function: Callable[..., Any], report: Report) -> Callable[..., Any]:
    failed = False

    @wraps(function)
    def call(*arguments: Any) -> Generator[None, Any, Any]:
        nonlocal failed
        if failed:
            return (yield)
        inner = function(*arguments)
        try:
            next(inner)
        except RckError as refusal:
            raise _refused(plugin, refusal) from refusal
        except (Exception, SystemExit) as error:
            failed = True
            report(error)
            return (yield)
        results: Any = None
        raised: BaseException | None = None
        try:
            results = yield
        except BaseException as error:
            raised = error
        try:
            _resume(inner, results, raised)
            raise WrongReturnType("a wrapper must yield once", function)
        except StopIteration as done:
            if not isinstance(done.value, list):
                return results
            return [_stamped(found, plugin, function) for found in done.value]
        except RckError as refusal:
            if refusal is raised:
                raise
            raise _refused(plugin, refusal) from refusal
        except (Exception, SystemExit) as error:
            if error is not raised:
                failed = True
                report(error)
        if raised is not None:
            raise raised
        return results

    return call


def _resume(inner: Generator[None, Any, Any], results: Any, raised: BaseException | None) -> None:
    """Continue a wrapper after its `yield`; it must end with :class:`StopIteration`."""
    if raised is None:
        inner.send(results)
    else:
        inner.throw(raised)


def _stamped(found: Iterable[Finding] | None, plugin: str, function: Callable[..., Any]) -> list[Finding]:
    """Return the findings with the name of the plugin."""
    findings = [] if found is None else list(found)
    wrong = next((type(one).__name__ for one in findings if not isinstance(one, Finding)), "")
    if wrong:
        raise WrongReturnType(f"must return findings or None, not {wrong}", function)
    return [one if one.plugin else replace(one, plugin=plugin) for one in findings]


def _refused(plugin: str, refusal: RckError) -> RckError:
    return RckError(f"plugin {plugin}: {refusal}")
