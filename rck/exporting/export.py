"""Exporting: choose an exporter, run it, add the losses of its format, and write its files."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath

from rck.exporting.losses import derive_losses
from rck.hooks import Exported, Exporter, Job, Plugins, Values
from rck.hooks.file_exchange import known_endings
from rck.hooks.options import read_options
from rck.model import EventList, Finding, RckError, Robot, Severity
from rck.model.robot import rename_all
from rck.support.files import refuse_unwritable, write_files
from rck.support.finding import errors_of

INDEX = "index.md"
"""The file that lists the files of all formats."""


_OTHER = "Other formats"
_GROUPS = {
    "Simulators": ("urdf", "mjcf", "sdf", "usd"),
    "Pictures and shapes": ("html", "glb", "stl", "obj", "ply", "dxf"),
    "Documents": ("bom", "diagram", "dh"),
    _OTHER: (),
    "Historic formats": ("rib", "robot-file", "robosim", "robosim-program", "seffas"),
}
"""Names of exporters by group, as people look for them."""


def robot_exporters(plugins: Plugins) -> list[Exporter]:
    """Return the exporters of robots, sorted by name."""
    return sorted((one for one in plugins.all(Exporter) if one.takes == "robot"), key=lambda one: one.name)


def grouped_exporters(plugins: Plugins) -> dict[str, list[Exporter]]:
    """Return the exporters of robots by group, the formats that most people use first; none is empty."""
    known = {name: group for group, names in _GROUPS.items() for name in names}
    groups: dict[str, list[Exporter]] = {group: [] for group in _GROUPS}
    for exporter in robot_exporters(plugins):
        groups[known.get(exporter.name, _OTHER)].append(exporter)
    for group, found in groups.items():
        found.sort(key=lambda one: _GROUPS[group].index(one.name) if one.name in known else 0)
    return {group: found for group, found in groups.items() if found}


def with_short_names(robot: Robot) -> Robot:
    """Return the robot without scopes in the names of items, joints and devices: `panda/joint1` is `joint1`.

    A name keeps its scope if another would be the same without. Programs that know a robot by the names in its original
    description, such as controllers, find them again.
    """
    items = _short_names(item.name for item in robot.items)
    joints = _short_names(joint.name for joint in robot.joints)
    devices = _short_names(device.name for device in robot.devices)
    return rename_all(robot, items.__getitem__, joints.__getitem__, str, devices.__getitem__, str)


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """Return each name without its scope if that is unique, otherwise the whole name."""
    listed = list(names)
    count = Counter(name.rpartition("/")[2] for name in listed)
    return {name: last if count[last] == 1 else name for name in listed for last in [name.rpartition("/")[2]]}


def exporter_for(out: Path, source: Robot | EventList, plugins: Plugins, name: str | None = None) -> Exporter:
    """Return the exporter with the given name, or the first for the file name extension and the type of source."""
    takes = "events" if isinstance(source, EventList) else "robot"
    usable = [one for one in plugins.all(Exporter) if one.takes == takes]
    if name is not None:
        return plugins.choose(name, usable, f"exporter of {takes}")
    for exporter in usable:
        if out.suffix.lower() in exporter.endings:
            return exporter
    absent = plugins.absent(out.suffix.lower().removeprefix("."))
    what = out.suffix or "a file without extension"
    raise RckError(f"no exporter of {takes} writes {what}; known extensions: {known_endings(usable)}{absent}")


def run_exporter(
    exporter: Exporter,
    source: Robot | EventList,
    name: str,
    given: Mapping[str, str] | None = None,
    job: Job | None = None,
) -> Exported:
    """Return the files for a main file with the given name, and the losses. Nothing is written."""
    try:
        values = read_options(exporter.options, given or {})
    except RckError as error:
        # Name the exporter: it may have been chosen by the extension.
        raise RckError(f"exporter {exporter.name}: {error}") from None
    exported = exporter.write(source, name, values, job or Job())
    return exported if isinstance(source, EventList) else with_losses(exported, source, exporter, name, values)


def with_losses(
    exported: Exported, robot: Robot, exporter: Exporter, name: str, values: Values | None = None
) -> Exported:
    """Add the losses that follow from what the exporter declares, unless the export was refused."""
    if errors_of(exported.findings):
        return exported
    return replace(exported, findings=(*exported.findings, *derive_losses(robot, exporter, name, values)))


def prepare_export(
    source: Robot | EventList,
    out: Path,
    plugins: Plugins,
    given: Mapping[str, str] | None = None,
    name: str | None = None,
    job: Job | None = None,
) -> tuple[dict[Path, bytes], Exported]:
    """Return the contents of all files by path, the main file first, and the export. Nothing is written.

    An output file without an extension gets that of the format.
    """
    exporter = exporter_for(out, source, plugins, name)
    if not out.suffix:
        out = out.with_name("".join((out.name, *exporter.endings[:1])))
    refuse_unwritable(out)
    exported = run_exporter(exporter, source, out.name, given, job)
    errors = errors_of(exported.findings)
    if errors:
        raise RckError(str(errors[0]))
    exported = _inspected(exported, out, source, exporter, plugins)
    return placed_files(exported, out.parent), exported


def _inspected(
    exported: Exported, path: Path, source: Robot | EventList, exporter: Exporter, plugins: Plugins
) -> Exported:
    """Add the findings of plugins about an export; raise if one refuses it."""
    found = plugins.inspect("rck_on_export", exporter=exporter.name, path=path, robot=source, exported=exported)
    owner = plugins.owner(exporter)
    own = exported.findings
    if owner is not None and not plugins.is_own(exporter):
        own = plugins.check_codes(owner, own)
    if errors := errors_of(found):
        raise RckError(str(errors[0]))
    return replace(exported, findings=(*own, *found)) if found or own else exported


def export(
    source: Robot | EventList,
    out: Path,
    plugins: Plugins,
    given: Mapping[str, str] | None = None,
    name: str | None = None,
    job: Job | None = None,
) -> tuple[list[Path], Exported]:
    """Export to a file, and to the files that belong to it; return the paths that were written, and the export."""
    files, exported = prepare_export(source, out, plugins, given, name, job)
    write_files(files)
    return list(files), exported


def placed_files(exported: Exported, folder: Path) -> dict[Path, bytes]:
    """Return the contents of the exported files by their path in a folder; refuse paths that lead out of it."""
    for name in exported.files:
        # A path must be safe on every system: a backslash or a drive letter leads elsewhere on Windows.
        path = PureWindowsPath(name)
        if path.anchor or not path.parts or ".." in path.parts:
            raise RckError(f"the exporter tried to write {name}, outside {folder}; nothing was written")
    return {folder / name: content for name, content in exported.files.items()}


def write_exported(exported: Exported, folder: Path) -> list[Path]:
    """Write the exported files under a folder, all or none; return their paths."""
    files = placed_files(exported, folder)
    write_files(files)
    return list(files)


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The export of a robot to one format: its files, or the errors that explain why there are none."""

    exporter: Exporter
    main: str
    """The main file, relative to the export folder."""
    exported: Exported

    @property
    def is_refused(self) -> bool:
        """True if the format cannot store the robot."""
        return bool(errors_of(self.exported.findings))


def try_export(
    robot: Robot,
    exporter: Exporter,
    main: str,
    job: Job | None = None,
    given: Mapping[str, str] | None = None,
) -> ExportResult:
    """Run an exporter without writing files; its findings list the losses of the format."""
    try:
        exported = run_exporter(exporter, robot, Path(main).name, given, job)
    except RckError as error:
        exported = Exported(findings=(Finding(507, Severity.ERROR, Path(main).name, str(error)),))
    return ExportResult(exporter, main, exported)


def export_all(robot: Robot, folder: Path, stem: str, plugins: Plugins, job: Job) -> list[ExportResult]:
    """Export the robot to every format that can store it, each in a folder named after its exporter, with an index."""
    exporters = robot_exporters(plugins)
    results = []
    for number, exporter in enumerate(exporters):

        def show(share: float, what: str, done: int = number, name: str = exporter.name) -> None:
            job.progress((done + share) / len(exporters), f"{name} {what}")

        show(0.0, "")
        result = try_export(robot, exporter, f"{exporter.name}/{stem}{exporter.endings[0]}", Job(show))
        if not result.is_refused:
            path = folder / result.main
            result = replace(result, exported=_inspected(result.exported, path, robot, exporter, plugins))
        results.append(result)
    files = {folder / INDEX: index_text(robot, results).encode()}
    for result in results:
        if not result.is_refused:
            files |= placed_files(result.exported, folder / result.exporter.name)
    write_files(files)
    return results


def index_text(robot: Robot, results: Sequence[ExportResult]) -> str:
    """Return the index: the files, the losses of each format, and the formats that cannot store the robot."""
    return "\n".join(_index_lines(robot, results)) + "\n"


def _index_lines(robot: Robot, results: Sequence[ExportResult]) -> Iterator[str]:
    written = [one for one in results if not one.is_refused]
    yield f"# {robot.name}"
    yield ""
    yield f"{len(robot.items)} items, {len(robot.joints)} joints, {robot.mass_properties.mass:.6g} kg. Written by RCK."
    yield ""
    yield "| format | file | files | summary |"
    yield "|---|---|---|---|"
    for one in written:
        count = len(one.exported.files)
        yield f"| {one.exporter.name} | [{one.main}]({one.main}) | {count} | {one.exporter.summary} |"
    if lossy := [one for one in written if one.exported.findings]:
        yield ""
        yield "## Losses"
        for one in lossy:
            yield ""
            yield f"{one.exporter.name}:"
            yield ""
            yield from (f"- {finding}" for finding in one.exported.findings)
    if refused := [one for one in results if one.is_refused]:
        yield ""
        yield "## Formats that cannot store the robot"
        yield ""
        for one in refused:
            yield from (f"- {one.exporter.name}: {finding}" for finding in errors_of(one.exported.findings))
