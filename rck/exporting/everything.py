"""A robot in every format that there is, each in a folder of its own, and an index of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rck.hooks import Exported, Exporter, Job, Plugins
from rck.hooks.exchange import exported_by, write_exported
from rck.model import Finding, RckError, Robot, Severity
from rck.model.finding import errors_of

INDEX = "index.md"
"""The file that lists the others."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A robot in one format: its files, or the errors that say why there are none."""

    exporter: Exporter
    main: str
    """The main file, relative to the folder of the export."""
    exported: Exported

    @property
    def refused(self) -> bool:
        """Whether the format cannot hold the robot."""
        return bool(errors_of(self.exported.findings))


def attempt(
    robot: Robot,
    exporter: Exporter,
    main: str,
    plugins: Plugins,
    job: Job | None = None,
    given: Mapping[str, str] | None = None,
) -> Attempt:
    """Have an exporter make its files, and write nothing: its findings tell what the format would lose."""
    try:
        exported = exported_by(exporter, robot, Path(main).name, plugins, given, job)
    except RckError as error:
        exported = Exported(findings=(Finding(507, Severity.ERROR, Path(main).name, str(error)),))
    return Attempt(exporter, main, exported)


def robot_exporters(plugins: Plugins) -> list[Exporter]:
    """Those that write robots, by name."""
    return sorted((one for one in plugins.all(Exporter) if one.takes == "robot"), key=lambda one: one.name)


def export_all(robot: Robot, folder: Path, stem: str, plugins: Plugins, job: Job) -> list[Attempt]:
    """Write the robot in every format that can hold it, and an index.

    Each format has a folder of its own, called after the exporter, so that nothing in it needs the others.
    """
    exporters = robot_exporters(plugins)
    attempts = []
    for number, exporter in enumerate(exporters):

        def show(share: float, what: str, done: int = number, name: str = exporter.name) -> None:
            job.progress((done + share) / len(exporters), f"{name} {what}")

        show(0.0, "")
        attempts.append(attempt(robot, exporter, f"{exporter.name}/{stem}{exporter.endings[0]}", plugins, Job(show)))
    # Nothing is written before all is made: whoever stops it finds no half of it.
    for one in attempts:
        if not one.refused:
            write_exported(one.exported, folder / one.exporter.name)
    write_exported(Exported({INDEX: index_text(robot, attempts).encode()}), folder)
    return attempts


def index_text(robot: Robot, attempts: Sequence[Attempt]) -> str:
    """What was written, what each format left out, and which could not hold the robot."""
    return "\n".join(_index_lines(robot, attempts)) + "\n"


def _index_lines(robot: Robot, attempts: Sequence[Attempt]) -> Iterator[str]:
    written = [one for one in attempts if not one.refused]
    yield f"# {robot.name}"
    yield ""
    yield f"{len(robot.items)} items, {len(robot.joints)} joints, {robot.mass_properties.mass:.6g} kg. Written by RCK."
    yield ""
    yield "| format | file | files | what it is |"
    yield "|---|---|---|---|"
    for one in written:
        count = len(one.exported.files)
        yield f"| {one.exporter.name} | [{one.main}]({one.main}) | {count} | {one.exporter.summary} |"
    if lossy := [one for one in written if one.exported.findings]:
        yield ""
        yield "## What was left out"
        for one in lossy:
            yield ""
            yield f"{one.exporter.name}:"
            yield ""
            yield from (f"- {finding}" for finding in one.exported.findings)
    if refused := [one for one in attempts if one.refused]:
        yield ""
        yield "## What could not be written"
        yield ""
        for one in refused:
            yield from (f"- {one.exporter.name}: {finding}" for finding in errors_of(one.exported.findings))
