"""Contract of exporters: :func:`check_exporter`, and :func:`check_keeps` if RCK can read the files."""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path, PureWindowsPath
from typing import Any

from rck.hooks.kinds import Exported, Exporter
from rck.hooks.manager import PluginFailure
from rck.hooks.options import read_options
from rck.model.features import Feature, features_of
from rck.model.joint_events import EventList, JointEvent
from rck.model.robot import Robot, build_robot
from rck.support.files import write_files
from rck.support.finding import RckError, errors_of
from rck.support.job import Job
from rck.testing.assertions import allow_refusal, assert_type
from rck.testing.robots import planar_arm, six_axis_arm


def check_exporter(exporter: Exporter, sources: Iterable[Any] = (), *, given: Mapping[str, str] | None = None) -> None:
    """Run all checks below on RCK's test robots (or events) and on `sources`."""
    assert exporter.endings, "it has no ending, so it can be chosen only by name"
    for source in [*_sources(exporter), *sources]:
        check_files(exporter, source, given or {})
        check_cancel(exporter, source, given or {})


def check_files(exporter: Exporter, source: Any, given: Mapping[str, str]) -> None:
    """Require bytes at safe relative paths, including the requested file, and the same bytes each time."""
    name = f"robot{exporter.endings[0]}"
    values = read_options(exporter.options, given)
    fractions: list[float] = []
    first = _write(exporter, source, name, values, Job(lambda fraction, _: fractions.append(fraction)))
    if first is None:
        return
    assert name in first.files, f"the requested file {name} is missing; the files are {sorted(first.files)}"
    for path in first.files:
        parts = PureWindowsPath(path)
        assert parts.parts, "a file has no name"
        assert not parts.anchor, f"{path} is not relative"
        assert ".." not in parts.parts, f"{path} leaves the folder"
    assert fractions == sorted(fractions), f"the progress decreases: {fractions}"
    again = _write(exporter, source, name, values, Job())
    assert again is not None
    assert dict(again.files) == dict(first.files), "the same source gave other bytes the second time"


def check_cancel(exporter: Exporter, source: Any, given: Mapping[str, str]) -> None:
    """Require that a cancelled job raises `Cancelled`, or returns the files if it never reports progress."""
    job = Job()
    job.cancel()
    with allow_refusal():
        exporter.write(source, f"robot{exporter.endings[0]}", read_options(exporter.options, given), job)


def check_keeps(
    exporter: Exporter,
    robot: Robot,
    read: Callable[[Path], Robot],
    folder: Path,
    *,
    unread: Collection[Feature] = (),
) -> None:
    """Require that the features in `Exporter.keeps` come back when the files are read, except those in `unread`."""
    path = folder / f"robot{exporter.endings[0]}"
    exported = exporter.write(robot, path.name, read_options(exporter.options, {}), Job())
    write_files({folder / name: content for name, content in exported.files.items()})
    found = features_of(read(path))
    missing = [one.value for one in features_of(robot) if one in exporter.keeps and one not in (*found, *unread)]
    assert not missing, f"declared in `keeps`, but not in the file: {', '.join(missing)}"


def _write(exporter: Exporter, source: Any, name: str, values: Mapping[str, Any], job: Job) -> Exported | None:
    """Return the exported files; None if the source is refused with a reason."""
    try:
        exported = exporter.write(source, name, values, job)
    except PluginFailure:
        raise
    except RckError:
        return None
    assert_type(exported, Exported, source.name if hasattr(source, "name") else "events")
    if errors_of(exported.findings):
        return None
    assert exported.files, "it returned neither a file nor an error finding"
    return exported


def _sources(exporter: Exporter) -> list[Any]:
    if exporter.takes == "events":
        return [EventList(()), EventList((JointEvent(1, 0, 90, 0, 1000), JointEvent(2, 1, -45, 500, 250)))]
    return [six_axis_arm("left/arm-1"), planar_arm(3), build_robot("nothing", []).unwrap()]
