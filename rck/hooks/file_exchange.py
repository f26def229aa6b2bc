"""Import of files: choice of the importer, its options, and the import itself."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rck.hooks.kinds import PROBE_BYTES, Exporter, Imported, Importer, Values
from rck.hooks.manager import PluginFailure, Plugins
from rck.hooks.options import read_options
from rck.hooks.recipe import Recipe, read_recipe, recipe_path
from rck.model.joint_events import EventList
from rck.model.part_definition import PartDefinition, compile_parts
from rck.model.plain_numbers import with_plain_numbers
from rck.model.robot import Robot
from rck.support.files import finish_write
from rck.support.finding import Finding, RckError, Severity, errors_of
from rck.support.job import Job
from rck.support.names import nearest_name


def known_endings(contributions: Iterable[Importer] | Iterable[Exporter]) -> str:
    """Return the file name extensions of importers or exporters, except numeric ones, as a list."""
    endings = {ending for found in contributions for ending in found.endings if not ending[1:].isdigit()}
    return " ".join(sorted(endings))


def importer_for(path: Path, plugins: Plugins, name: str | None = None) -> Importer:
    """Return the importer of that name, or the first that recognises the content, those of the ending first."""
    importers = plugins.all(Importer)
    if name is not None:
        return plugins.choose(name, importers, "importer")
    if path.is_dir():
        raise RckError(f"{path} is a folder, not a file")
    finish_write(path)
    with path.open("rb") as file:
        head = file.read(PROBE_BYTES)
    if not head:
        raise RckError(f"{path} is empty")
    ending = path.suffix.lower()
    failures: dict[str, PluginFailure] = {}
    for importer in sorted(importers, key=lambda found: ending not in found.endings):
        try:
            if importer.probe(path, head):
                return importer
        except PluginFailure as failure:
            failures[importer.name] = failure
        except (RckError, OSError):
            continue
    absent = "".join([*(f"; {failure}" for failure in failures.values()), plugins.absent(ending.removeprefix("."))])
    named = [importer.name for importer in importers if ending in importer.endings and importer.name not in failures]
    if named:
        damaged = "but not the content; it may be damaged or truncated"
        raise RckError(f"{path}: the ending says {named[0]}, {damaged}{absent}")
    raise RckError(f"{path}: no importer recognises this file; known endings: {known_endings(importers)}{absent}")


@dataclass(frozen=True, slots=True)
class FileContents:
    """Contents of a file: a robot, or a list of events, or neither, and findings."""

    robot: Robot | None = None
    events: EventList | None = None
    findings: tuple[Finding, ...] = ()
    summary: str = ""
    """One line for people; may be empty."""
    parts: tuple[PartDefinition, ...] = ()
    """The definitions that the robot was compiled from."""


def read_file(
    path: Path,
    plugins: Plugins,
    given: Mapping[str, str] | None = None,
    name: str | None = None,
    job: Job | None = None,
    recipe: Recipe | None = None,
) -> FileContents:
    """Read a file with its importer and compile the parts in it.

    Options in `given` override those of the recipe, by default the one next to the file.
    """
    importer = importer_for(path, plugins, name)
    return read_with(importer, path, plugins, import_values(importer, path, given or {}, recipe), job)


def read_with(importer: Importer, path: Path, plugins: Plugins, values: Values, job: Job | None = None) -> FileContents:
    """Read a file with an importer and compile the parts in it."""
    imported = importer.read(path, values, job or Job())
    with plugins.guard(importer, str(path)):
        contents = compile_imported(imported, path)
    found = plugins.inspect("rck_on_import", path=path, contents=contents)
    owner = plugins.owner(importer)
    own = (
        contents.findings
        if owner is None or plugins.is_own(importer)
        else plugins.check_codes(owner, contents.findings)
    )
    return replace(contents, findings=(*own, *found))


def compile_imported(imported: Imported, path: Path) -> FileContents:
    """Return the contents of a file, with one robot made of all parts."""
    parts, findings = with_plain_numbers(tuple(imported.parts)), tuple(imported.findings)
    robot = None
    if parts:
        built = compile_parts(parts, parts[0].name if len(parts) == 1 else nearest_name(path.stem, "robot"))
        robot = built.value
        # An importer that knows the line in the file has reported the finding already.
        reported = {finding.code for finding in findings}
        found = [one for one in built.findings if one.severity is Severity.ERROR or one.code not in reported]
        findings = (*findings, *(replace(one, where=f"{path.name}: {one.where}") for one in found))
    return FileContents(robot, with_plain_numbers(imported.events), findings, imported.summary, parts)


def import_values(importer: Importer, path: Path, given: Mapping[str, str], recipe: Recipe | None = None) -> Values:
    """Return the option values for a file; an importer with a survey also receives the recipe, as value `recipe`."""
    if importer.survey is None:
        return read_options(importer.options, given)
    answers = read_recipe(path) if recipe is None else recipe
    try:
        remembered = read_options(importer.options, answers.given)
    except RckError as error:
        raise RckError(f"{recipe_path(path)}: {error}") from None
    chosen = read_options(importer.options, given)
    return {**remembered, **{name: chosen[name] for name in given}, "recipe": answers}


def require_robot(contents: FileContents, path: Path) -> Robot:
    """Return the robot of a file; raise the first error finding if it has no robot."""
    if contents.robot is None:
        broken = errors_of(contents.findings)
        raise RckError(str(broken[0]) if broken else f"{path} contains no robot")
    return contents.robot
