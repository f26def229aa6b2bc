"""What every exporter must do: run :func:`check_exporter` on yours."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import PureWindowsPath
from typing import Any

from rck.hooks.job import Job
from rck.hooks.kinds import Exported, Exporter
from rck.hooks.options import read_options
from rck.model.events import EventList, JointEvent
from rck.model.finding import Finding, RckError, errors_of
from rck.model.robot import build_robot
from rck.testing.robots import planar_arm, six_axis_arm


def check_exporter(exporter: Exporter, sources: Iterable[Any] = (), *, given: Mapping[str, str] | None = None) -> None:
    """All checks below, on robots (or events) of ours and on `sources`; the first that fails raises AssertionError."""
    assert exporter.endings, "an exporter without an ending is found by its name only: give it one"
    for source in [*_sources(exporter), *sources]:
        check_files(exporter, source, given or {})
        check_stop(exporter, source, given or {})


def check_files(exporter: Exporter, source: Any, given: Mapping[str, str]) -> None:
    """The files are bytes at safe relative paths, the asked-for one among them, and the same bytes every time."""
    name = f"robot{exporter.endings[0]}"
    values = read_options(exporter.options, given)
    shares: list[float] = []
    first = _written(exporter, source, name, values, Job(lambda share, what: shares.append(share)))
    if first is None:
        return
    assert name in first.files, f"{name} was asked for, but the files are {sorted(first.files)}"
    for path, content in first.files.items():
        parts = PureWindowsPath(path)
        assert isinstance(content, bytes), f"{path} is {type(content).__name__}, not bytes"
        assert parts.parts, "a file without a name"
        assert not parts.anchor, f"{path} is not relative"
        assert ".." not in parts.parts, f"{path} leads out of the folder"
    assert all(isinstance(finding, Finding) for finding in first.findings)
    assert shares == sorted(shares), f"progress went back: {shares}"
    again = _written(exporter, source, name, values, Job())
    assert again is not None
    assert dict(again.files) == dict(first.files), "the same robot gave other bytes the second time"


def check_stop(exporter: Exporter, source: Any, given: Mapping[str, str]) -> None:
    """A user who stops it gets `Cancelled`, or the files where it was too quick to be stopped."""
    job = Job()
    job.cancel()
    # Cancelled is a refusal too.
    with suppress(RckError):
        exporter.write(source, f"robot{exporter.endings[0]}", read_options(exporter.options, given), job)


def _written(exporter: Exporter, source: Any, name: str, values: Mapping[str, Any], job: Job) -> Exported | None:
    """What it writes; None where it refuses the source with a reason."""
    try:
        exported = exporter.write(source, name, values, job)
    except RckError:
        return None
    assert isinstance(exported, Exported), f"it returned {type(exported).__name__}, not Exported"
    return None if errors_of(exported.findings) else exported


def _sources(exporter: Exporter) -> list[Any]:
    if exporter.takes == "events":
        return [EventList(()), EventList((JointEvent(1, 0, 90, 0, 1000), JointEvent(2, 1, -45, 500, 250)))]
    return [six_axis_arm("left/arm-1"), planar_arm(3), build_robot("nothing", []).unwrap()]
