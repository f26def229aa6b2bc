"""Writes docs/interface.md, the list of what plugins and programs can rely on: `python tools/public_interface.py`.

A test compares the page with the code, and its fingerprint with the changelog: whoever changes something here says so.
"""

import hashlib
import inspect
import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "interface.md"
PACKAGES = ("rck.hooks", "rck.model", "rck.geometry", "rck.kinematics", "rck.collision", "rck.exporting", "rck.testing")

OPENING = """# The public interface

What plugins and programs can rely on. What is not listed here may change without notice; what is listed changes only
with a note in the [changelog](../CHANGELOG.md), and from version 1.0 on only with a new major version. All is typed.

"""


def page() -> str:
    """The whole page."""
    return OPENING + listing()


def fingerprint() -> str:
    """A short digest of the listing."""
    return hashlib.sha256(listing().encode()).hexdigest()[:10]


def listing() -> str:
    """Every public name with its signature and the first line that explains it."""
    return "\n".join(_section(package) for package in PACKAGES)


def _section(package: str) -> str:
    module = import_module(package)
    lines = [f"## `{package}`", "", _first_line(module), ""]
    if hasattr(module, "__all__"):
        lines += [_entry(name, getattr(module, name)) for name in sorted(module.__all__, key=str.casefold)]
        return "\n".join([*lines, ""])
    for info in pkgutil.iter_modules(module.__path__):
        part = import_module(f"{package}.{info.name}")
        lines += [f"### `{package}.{info.name}`", "", _first_line(part), ""]
        lines += [_entry(name, value) for name, value in _own_names(part)] + [""]
    return "\n".join(lines)


def _own_names(module: ModuleType) -> list[tuple[str, Any]]:
    """The public functions and classes that are written in the module."""
    return [
        (name, value)
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def _entry(name: str, value: Any) -> str:
    if inspect.isclass(value):
        fields = [field for field in getattr(value, "__annotations__", {}) if not field.startswith("_")]
        methods = [
            method
            for method, body in vars(value).items()
            if not method.startswith("_") and (inspect.isfunction(body) or isinstance(body, property))
        ]
        members = ", ".join(dict.fromkeys([*fields, *methods]))
        return f"- **`{name}`**{f' ({members})' if members else ''}: {_first_line(value)}"
    if inspect.isroutine(value):
        names = ", ".join(_parameter(one) for one in inspect.signature(value).parameters.values())
        return f"- **`{name}({names})`**: {_first_line(value)}"
    return f"- **`{name}`**"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    optional = "=..." if parameter.default is not inspect.Parameter.empty else ""
    return f"{stars}{parameter.name}{optional}"


def _first_line(value: Any) -> str:
    text = inspect.getdoc(value) or ""
    return " ".join(text.split("\n\n")[0].split())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"interface {fingerprint()}\n")
