"""Reading and writing files through importers and exporters: choosing one, running it, keeping its output in place."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PureWindowsPath

from rck.hooks.choosing import choose
from rck.hooks.job import Job
from rck.hooks.kinds import PROBE_BYTES, Exported, Exporter, Imported, Importer, Values
from rck.hooks.manager import Plugins
from rck.hooks.options import read_options
from rck.hooks.recipe import Recipe, read_recipe, recipe_path
from rck.model.events import EventList
from rck.model.files import refuse_unwritable, write_atomically
from rck.model.finding import RckError, errors_of
from rck.model.robot import Robot


def _endings(contributions: Iterable[Importer] | Iterable[Exporter]) -> str:
    """The endings that are known, without those that only number files."""
    found = {ending for one in contributions for ending in one.endings if not ending[1:].isdigit()}
    return " ".join(sorted(found))


def importer_for(path: Path, plugins: Plugins, name: str | None = None) -> Importer:
    """The importer of that name, or the one that knows the file's content, its ending counting first."""
    importers = plugins.all(Importer)
    if name is not None:
        return choose(name, importers, "importer", plugins)
    if path.is_dir():
        raise RckError(f"{path} is a folder, not a file")
    with path.open("rb") as file:
        head = file.read(PROBE_BYTES)
    if not head:
        raise RckError(f"{path} is empty")
    ending = path.suffix.lower()
    for importer in sorted(importers, key=lambda one: ending not in one.endings):
        if _recognises(importer, path, head, plugins):
            return importer
    sound = plugins.all(Importer)
    absent = plugins.absent(ending.removeprefix("."))
    named = [importer.name for importer in sound if ending in importer.endings]
    if named:
        damaged = "but the content is not that; is it damaged, or does it break off?"
        raise RckError(f"{path}: the ending says {named[0]}, {damaged}{absent}")
    raise RckError(f"{path}: no importer knows this file; known endings: {_endings(sound)}{absent}")


def _recognises(importer: Importer, path: Path, head: bytes, plugins: Plugins) -> bool:
    """What the importer's probe says; one that fails recognises nothing, and its plugin is reported."""
    try:
        with plugins.guard(importer):
            return bool(importer.probe(path, head))
    except (RckError, OSError):
        return False


def read_file(
    path: Path,
    plugins: Plugins,
    given: Mapping[str, str] | None = None,
    name: str | None = None,
    job: Job | None = None,
    recipe: Recipe | None = None,
) -> Imported:
    """Whatever the file holds, with the findings of the reading.

    What is given counts before the recipe, which is the one beside the file unless another is handed over.
    """
    importer = importer_for(path, plugins, name)
    values = import_values(importer, path, given or {}, recipe)
    with plugins.guard(importer):
        return importer.read(path, values, job or Job())


def import_values(importer: Importer, path: Path, given: Mapping[str, str], recipe: Recipe | None = None) -> Values:
    """The option values for a file; an importer with a survey also gets the recipe, under the name `recipe`."""
    if importer.survey is None:
        return read_options(importer.options, given)
    answers = read_recipe(path) if recipe is None else recipe
    try:
        remembered = read_options(importer.options, answers.given)
    except RckError as error:
        raise RckError(f"{recipe_path(path)}: {error}") from None
    chosen = read_options(importer.options, given)
    return {**remembered, **{name: chosen[name] for name in given}, "recipe": answers}


def require_robot(imported: Imported, path: Path) -> Robot:
    """The robot that was read; its absence is an error with the reason."""
    if imported.robot is None:
        broken = errors_of(imported.findings)
        raise RckError(str(broken[0]) if broken else f"{path} holds no robot")
    return imported.robot


def exporter_for(out: Path, source: Robot | EventList, plugins: Plugins, name: str | None = None) -> Exporter:
    """The exporter of that name, or the one for the file's ending that takes such a source."""
    takes = "events" if isinstance(source, EventList) else "robot"
    usable = [one for one in plugins.all(Exporter) if one.takes == takes]
    if name is not None:
        return choose(name, usable, f"exporter of {takes}", plugins)
    for exporter in usable:
        if out.suffix.lower() in exporter.endings:
            return exporter
    absent = plugins.absent(out.suffix.lower().removeprefix("."))
    what = out.suffix or "a file without ending"
    raise RckError(f"no exporter of {takes} writes {what}; known endings: {_endings(usable)}{absent}")


def export(
    source: Robot | EventList,
    out: Path,
    plugins: Plugins,
    given: Mapping[str, str] | None = None,
    name: str | None = None,
    job: Job | None = None,
) -> tuple[list[Path], Exported]:
    """Write the source to a file, with the ending of the format if it has none, and what belongs to it: the paths."""
    exporter = exporter_for(out, source, plugins, name)
    if not out.suffix:
        out = out.with_name("".join((out.name, *exporter.endings[:1])))
    refuse_unwritable(out)
    exported = exported_by(exporter, source, out.name, plugins, given, job)
    broken = errors_of(exported.findings)
    if broken:
        raise RckError(str(broken[0]))
    return write_exported(exported, out.parent), exported


def exported_by(
    exporter: Exporter,
    source: Robot | EventList,
    name: str,
    plugins: Plugins,
    given: Mapping[str, str] | None = None,
    job: Job | None = None,
) -> Exported:
    """What the exporter makes of the source for a main file of that name; nothing is written."""
    try:
        values = read_options(exporter.options, given or {})
    except RckError as error:
        # The ending has chosen it, perhaps among several.
        raise RckError(f"exporter {exporter.name}: {error}") from None
    with plugins.guard(exporter):
        return exporter.write(source, name, values, job or Job())


def write_exported(exported: Exported, folder: Path) -> list[Path]:
    """Write the files under the folder, each in one step; a path that leads out of it is refused."""
    for name in exported.files:
        # The same files must be safe on every system: a backslash or a drive leads elsewhere on one of them.
        path = PureWindowsPath(name)
        if path.anchor or not path.parts or ".." in path.parts:
            raise RckError(f"the exporter wants to write {name}, outside {folder}; nothing was written")
    # A disk flushes eight files in hardly more time than one, and some robots have a thousand meshes.
    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(write_atomically, (folder / name for name in exported.files), exported.files.values()))
    return [folder / name for name in exported.files]
