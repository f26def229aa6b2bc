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

from rck.model import RckError
from rck.model.files import write_atomically

KINDS = {
    "check": "a look at every robot",
    "collision": "a collision back end",
    "command": "a word of the command language",
    "exporter": "a file format that can be written",
    "gripper": "a way of holding on to things",
    "importer": "a file format that can be read",
    "language": "a language of robot programs",
    "panel": "a panel of the editor",
    "parts": "a library of parts",
    "physics": "a world under forces",
    "sensor": "a kind of sensor",
    "solver": "a way to solve inverse kinematics",
    "subcommand": "a subcommand of `rck`",
    "viewer": "another way to look at a robot",
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
"""Libraries that tell type checkers nothing about themselves."""
_README = """\
# {name}

{What} for RCK, the Robot Construction Kit.

```sh
pip install -e '.[test]'
rck plugins info {name}
pytest
```

`{module}/__init__.py` is all of its code; `tests` tries it against the contract that RCK publishes for such plugins.

## Using it

{use}"""
_USE = "use.md"
"""The file of a template that goes into the README."""


@click.command("new")
@click.argument("name")
@click.option("--kind", type=click.Choice(sorted(KINDS)), required=True, help="What it is to add.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=None, help="The folder to make; by default the name."
)
def new_plugin(name: str, kind: str, out: Path | None) -> None:
    """Write a small plugin that works: code, tests, and what pip needs to install it."""
    folder = Path(name) if out is None else out
    written = write_plugin(name, kind, folder)
    for path in written:
        click.echo(path)
    click.echo(f"\nNext: cd {folder} && pip install -e '.[test]' && rck plugins info {name} && pytest")


def write_plugin(name: str, kind: str, folder: Path) -> list[Path]:
    """Write the files of a plugin into a new folder; the paths written."""
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


def _refuse_name(name: str, kind: str) -> None:
    """Raise where a plugin of that name would not work, or would break something that does."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise RckError(f"{name!r} is not a name for a plugin: use small letters and digits, with - between words")
    if why := _taken(name, kind):
        raise RckError(f"{name!r} cannot be the name of a plugin: {why}; choose another")


def _taken(name: str, kind: str) -> str:
    """What has the name already; nothing where it is free."""
    from rck.hooks import discover

    module = name.replace("-", "_")
    if keyword.iskeyword(module):
        return "it is a word of Python, and no module can be called that"
    if module in sys.stdlib_module_names:
        return "a module of Python is called that, which it would hide"
    if name in {info.name for info in discover().infos()}:
        return "an installed plugin is called that"
    found = find_spec(module)
    # A folder without code, such as one beside which the user stands, hides nothing.
    if found is not None and found.origin is not None:
        return f"an installed module is called that, which it would hide ({found.origin})"
    if name in _packages():
        return "an installed package is called that, which pip would replace"
    return _reserved(name, kind)


def _packages() -> set[str]:
    """The packages that are installed, by their names as pip compares them."""
    return {re.sub(r"[-_.]+", "-", found.name).lower() for found in metadata.distributions() if found.name}


def _reserved(name: str, kind: str) -> str:
    """Why a word is not free for a command; RCK's own come first, and this one would never be reached."""
    if kind == "subcommand":
        from rck.cli.main import COMMANDS as SUBCOMMANDS

        return f"`rck {name}` exists" if name in SUBCOMMANDS else ""
    if kind == "command":
        from rck.language.commands import COMMANDS

        own = {word for one in COMMANDS for word in (one.name, *one.aliases)}
        return "a command of RCK is called that" if name in own else ""
    return ""


def _project(name: str, kind: str, texts: dict[str, str]) -> str:
    """What pip, and type checkers, must know; every library that the code imports is named."""
    code, tests = _libraries([texts["plugin.py"]]), _libraries([texts["test_plugin.py"]])
    module = name.replace("-", "_")
    needed, tested = ["rck", *code], sorted({"pytest", *tests} - {module, *code})
    text = _PROJECT.format(name=name, module=module, what=KINDS[kind], needed=_quoted(needed), tested=_quoted(tested))
    return text + "".join(_UNTYPED.format(untyped=one) for one in _WITHOUT_TYPES if one in code)


def _libraries(sources: Iterable[str]) -> list[str]:
    """The libraries that code imports, besides Python's own and RCK."""
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
    """The files of the template with their paths below its folder."""
    waiting: list[tuple[str, Traversable]] = [("", files("rck.templates") / kind)]
    while waiting:
        path, entry = waiting.pop()
        if entry.is_file():
            yield path, entry.read_text(encoding="utf-8")
        elif entry.name != "__pycache__":
            waiting += [(f"{path}/{one.name}".lstrip("/"), one) for one in entry.iterdir()]


def _place(path: str, module: str) -> str:
    """Where a file of the template goes."""
    if path == "plugin.py":
        return f"{module}/__init__.py"
    return f"tests/test_{module}.py" if path == "test_plugin.py" else f"{module}/{path}"


def _renamed(text: str, name: str, module: str) -> str:
    # A part that says `gripper: acme` is served by a gripper called acme-gripper.
    stem = name.removesuffix("-gripper")
    text = text.replace("my-gripper", f"{stem}-gripper").replace("gripper: my,", f"gripper: {stem},")
    return text.replace("my-plugin", name).replace("my_plugin", module)
