"""`rck plugins new`: a complete small plugin of the chosen kind, ready to be installed, tested and changed."""

import ast
import keyword
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

import click

from rck import __version__
from rck.hooks.project_plugins import FOLDER
from rck.model import RckError
from rck.support.files import write_atomically

KINDS = {
    "action": "an action of the editor, with a key and a palette entry",
    "check": "a check of robots",
    "collision": "a collision backend",
    "command": "a command of the command language",
    "exporter": "an exporter of a file format",
    "finding-code": "a finding code, with a check and its fixes",
    "gripper": "a kind of gripper",
    "importer": "an importer of a file format",
    "keymap": "a keymap of the editor",
    "language": "a language for robot programs",
    "lifecycle": "lifecycle hooks",
    "overlay": "an overlay of the 3D views",
    "panel": "a panel of the editor",
    "parts": "a part library",
    "physics": "a physics engine",
    "screen": "a screen of the editor",
    "sensor": "a kind of sensor",
    "settings": "settings of a plugin",
    "solver": "an inverse kinematics solver",
    "start": "a template that the editor starts from",
    "subcommand": "a subcommand of `rck`",
    "theme": "a theme of the editor",
    "viewer": "a viewer for robots",
}
_PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "0.1.0"
description = "{what} for RCK, the Robot Construction Kit"
readme = "README.md"
requires-python = ">=3.11"
dependencies = [{needed}]

[project.optional-dependencies]
test = [{tested}]

[project.entry-points.rck]
{name} = "{module}"
"""
_UNTYPED = """
[[tool.mypy.overrides]]
module = "{untyped}.*"
ignore_missing_imports = true
"""
_WITHOUT_TYPES = ("scipy",)
"""Libraries without type information."""
_README = """\
# {name}

{What} for RCK, the Robot Construction Kit.

```sh
pip install -e '.[test]'
rck plugins info {name}
pytest
```

`{module}/__init__.py` contains all of its code. The tests check it against RCK's contract for this kind of plugin.

## Usage

{use}"""
_USE = "use.md"
"""The file of a template that goes into the README."""


@click.command("new")
@click.argument("name")
@click.option("--kind", type=click.Choice(sorted(KINDS)), required=True, help="Kind of plugin.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=None, help="Folder to create (default: the name)."
)
@click.option("--single-file", is_flag=True, help="Write one file into the folder rck_plugins of a project.")
def new_plugin(name: str, kind: str, out: Path | None, single_file: bool) -> None:
    """Create a small working plugin: code, tests and packaging, or one file for a project."""
    if single_file:
        path = write_single_file(name, kind, Path() if out is None else out)
        click.echo(f"{path}\n\nNext: rck plugins dev {path} && rck plugins doctor {name}")
        return
    folder = Path(name) if out is None else out
    written = write_plugin(name, kind, folder)
    for path in written:
        click.echo(path)
    click.echo(f"\nNext: cd {folder} && pip install -e '.[test]' && rck plugins info {name} && pytest")


def write_plugin(name: str, kind: str, folder: Path) -> list[Path]:
    """Write the files of a plugin into a new folder and return their paths."""
    _refuse_name(name, kind)
    if folder.exists() and any(folder.iterdir()):
        raise RckError(f"{folder} exists and is not empty: choose another folder with --out")
    module = name.replace("-", "_")
    texts = {path: _renamed(text, name, module) for path, text in _template(kind)}
    use = texts.pop(_USE)
    contents = {
        "pyproject.toml": _project(name, kind, texts),
        "README.md": _README.format(name=name, module=module, What=_capital(KINDS[kind]), use=use),
        **{_place(path, module): text for path, text in texts.items()},
    }
    for path, text in contents.items():
        write_atomically(folder / path, text.encode())
    return [folder / path for path in contents]


def write_single_file(name: str, kind: str, project: Path) -> Path:
    """Write a plugin as one file into the folder `rck_plugins` of a project and return its path."""
    _refuse_name(name, kind)
    module = name.replace("-", "_")
    texts = dict(_template(kind))
    if set(texts) != {"plugin.py", "test_plugin.py", _USE}:
        raise RckError(f"{KINDS[kind]} needs more than one file; create a package, without --single-file")
    path = project / FOLDER / f"{module}.py"
    if path.exists():
        raise RckError(f"{path} exists: choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    required = f"# requires-rck: >={'.'.join(__version__.split('.')[:2])}\n"
    write_atomically(path, (required + _renamed(texts["plugin.py"], name, module)).encode())
    return path


def _refuse_name(name: str, kind: str) -> None:
    """Raise if a plugin of this name would not work, or would break something else."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise RckError(f"{name!r} is not a valid plugin name: use lower-case letters and digits, with - between words")
    if why := _taken(name, kind):
        raise RckError(f"{name!r} cannot be used as a plugin name: {why}; choose another")


def _taken(name: str, kind: str) -> str:
    """Return what already has the name; empty if it is free."""
    from rck.hooks import discover

    module = name.replace("-", "_")
    if keyword.iskeyword(module):
        return "it is a Python keyword"
    if module in sys.stdlib_module_names:
        return "it would hide the Python module of the same name"
    if name in {info.name for info in discover().infos()}:
        return "an installed plugin has this name"
    found = find_spec(module)
    # A folder without code, such as one in the current folder, hides nothing.
    if found is not None and found.origin is not None:
        return f"it would hide an installed module of the same name ({found.origin})"
    if name in _packages():
        return "pip would replace an installed package of the same name"
    return _reserved(name, kind)


def _packages() -> set[str]:
    """Return the names of the installed packages, normalised as by pip."""
    return {re.sub(r"[-_.]+", "-", found.name).lower() for found in metadata.distributions() if found.name}


def _reserved(name: str, kind: str) -> str:
    """Return why a command cannot have this name; built-in commands take precedence."""
    if kind == "subcommand":
        from rck.cli.main import COMMANDS as SUBCOMMANDS

        return f"`rck {name}` exists" if name in SUBCOMMANDS else ""
    if kind == "command":
        from rck.language.commands import COMMANDS

        own = {word for one in COMMANDS for word in (one.name, *one.aliases)}
        return "RCK has a command of this name" if name in own else ""
    return ""


def _project(name: str, kind: str, texts: dict[str, str]) -> str:
    """Return the pyproject.toml, which names every library that the code imports."""
    code, tests = _libraries([texts["plugin.py"]]), _libraries([texts["test_plugin.py"]])
    module = name.replace("-", "_")
    needed, tested = ["rck", *code], sorted({"pytest", *tests} - {module, *code})
    text = _PROJECT.format(name=name, module=module, what=KINDS[kind], needed=_quoted(needed), tested=_quoted(tested))
    return text + "".join(_UNTYPED.format(untyped=one) for one in _WITHOUT_TYPES if one in code)


def _libraries(sources: Iterable[str]) -> list[str]:
    """Return the libraries that the code imports, except Python's own and RCK."""
    names: set[str] = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return sorted(names - sys.stdlib_module_names - {"rck"})


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _template(kind: str) -> Iterator[tuple[str, str]]:
    """Return the files of a template with their paths relative to its folder."""
    waiting: list[tuple[str, Traversable]] = [("", files("rck.templates") / kind)]
    while waiting:
        path, entry = waiting.pop()
        if entry.is_file():
            yield path, entry.read_text(encoding="utf-8")
        elif entry.name != "__pycache__":
            waiting += [(f"{path}/{one.name}".lstrip("/"), one) for one in entry.iterdir()]


def _place(path: str, module: str) -> str:
    """Return the target path of a template file."""
    if path == "plugin.py":
        return f"{module}/__init__.py"
    return f"tests/test_{module}.py" if path == "test_plugin.py" else f"{module}/{path}"


def _renamed(text: str, name: str, module: str) -> str:
    # A part that says `gripper: acme` is served by a gripper called acme-gripper.
    stem = name.removesuffix("-gripper")
    text = text.replace("my-gripper", f"{stem}-gripper").replace("gripper: my,", f"gripper: {stem},")
    text = text.replace("MYPLUGIN101", f"{_code_prefix(name)}101")
    return text.replace("my-plugin", name).replace("my_plugin", module)


def _code_prefix(name: str) -> str:
    """Return the prefix of the finding codes of a plugin: at least two letters or digits, and not RCK."""
    prefix = name.removeprefix("rck-").replace("-", "").upper()[:6]
    return f"X{prefix}" if len(prefix) < 2 or prefix.startswith("RCK") else prefix
