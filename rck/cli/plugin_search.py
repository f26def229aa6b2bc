"""`rck plugins search`: find plugins in index files and among the installed packages, without a network."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import distributions
from pathlib import Path

import click
import msgspec

from rck.cli.options import JSON
from rck.hooks.entry_points import GROUP
from rck.model import RckError
from rck.support.plain_yaml import load_yaml
from rck.support.user_folders import config_folder

INDEX = "plugin-index.yaml"
"""Name of the index file in the settings folder."""


class IndexEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Plugin in an index file."""

    name: str
    summary: str
    install: str
    """Command that installs it, such as `pip install rck-mass-budget`."""
    kinds: tuple[str, ...] = ()
    requires_rck: str = ""
    home: str = ""


@dataclass(frozen=True, slots=True)
class FoundPlugin:
    """Result of a search."""

    name: str
    summary: str
    install: str
    source: str
    """The index file, or `installed`."""

    @property
    def text(self) -> str:
        """Name and summary in lower case, for searching."""
        return f"{self.name} {self.summary}".casefold()


@click.command("search")
@click.argument("words", nargs=-1)
@click.option("--index", "indexes", multiple=True, type=click.Path(path_type=Path), help="Another index file.")
@JSON
def search_plugins(words: tuple[str, ...], indexes: tuple[Path, ...], as_json: bool) -> None:
    """Search installed packages and index files for plugins; no network is used.

    RCK reads `plugin-index.yaml` in the settings folder, and the files of `--index`. The exit status is 1 if nothing
    is found.
    """
    own = config_folder() / INDEX
    files = [*indexes, *([own] if own.is_file() else [])]
    wanted = [word.casefold() for word in words]
    found = [
        one for one in _all_plugins(files) if all(word in f"{one.name} {one.summary}".casefold() for word in wanted)
    ]
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=2))
    for one in () if as_json else found:
        click.echo(f"{one.name}  {one.summary}  ({one.install or one.source})")
    if not found:
        click.echo(f"nothing found in {', '.join(map(str, files)) or 'the installed packages'}", err=True)
        raise click.exceptions.Exit(1)


def _all_plugins(files: Sequence[Path]) -> Iterator[FoundPlugin]:
    """Yield the installed plugins, then those of index files that are not installed."""
    seen = set()
    for distribution in distributions():
        package = distribution.metadata["Name"]
        if package == GROUP:
            continue
        for point in distribution.entry_points.select(group=GROUP):
            seen.add(point.name)
            yield FoundPlugin(point.name, distribution.metadata["Summary"] or "", "", "installed")
    for file in files:
        for entry in read_index(file):
            if entry.name not in seen:
                seen.add(entry.name)
                words = f"{entry.summary} [{', '.join(entry.kinds)}]" if entry.kinds else entry.summary
                yield FoundPlugin(entry.name, words, entry.install, str(file))


def read_index(path: Path) -> tuple[IndexEntry, ...]:
    """Return the entries of an index file: a list of plugins under the key `plugins`."""
    try:
        data = load_yaml(path.read_text(encoding="utf-8"))
        return msgspec.convert(data, dict[str, tuple[IndexEntry, ...]])["plugins"]
    except OSError as error:
        raise RckError(f"{path} cannot be read: {error.strerror}; an index is a local file") from error
    except KeyError:
        raise RckError(f"{path} has no key `plugins`") from None
    except ValueError as error:
        raise RckError(f"{path}: {' '.join(str(error).split())}") from error
