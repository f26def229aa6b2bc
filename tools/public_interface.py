"""Write docs/interface.md, the list of public names: `python tools/public_interface.py`.

A test compares the page with the code, so that every change of the interface shows up in a diff.
"""

import ast
import inspect
import itertools
import pkgutil
import textwrap
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "interface.md"
PACKAGES = (
    "rck.hooks",
    "rck.grammar",
    "rck.model",
    "rck.geometry",
    "rck.kinematics",
    "rck.collision",
    "rck.exporting",
    "rck.testing",
)
MODULES: dict[str, tuple[str, ...]] = {
    "rck.geometry.primitives": (),
    "rck.geometry.transforms": (),
    "rck.model.quantities": ("PoseSpec",),
    "rck.model.robot_arrays": ("robot_arrays",),
    "rck.model.forward_kinematics": ("forward", "forward_rates"),
    "rck.hooks.actions": (),
    "rck.simulation.action_types": ("ActionType", "InstructionReply"),
    "rck.kinematics.ik_answers": (),
    "rck.collision.backend": (),
    "rck.assembly.document": (),
    "rck.language.document": ("Document",),
    "rck.language.argument_values": (),
    "rck.language.session": ("Session", "new_session", "open_session"),
    "rck.kinematics.chain": (),
    "rck.kinematics.loads": ("static_efforts",),
    "rck.parts.library": ("Catalogue",),
    "rck.parts.part": ("PartFile",),
    "rck.language.completion": ("complete",),
}
"""Modules inside packages that are listed too: all of one, or only these names, with the members of classes."""

_LONG = 120
"""Longest definition that is shown, in characters."""

OPENING = """# Plugin interface

Your plugins and programs can use the names on this page. They change only with a note in the
[changelog](../CHANGELOG.md), and from version 1.0 on only with a new major version. All other names may change without
notice. For scripts, prefer the smaller [Python interface](python.md).

```python
from rck.geometry.primitives import box
from rck.model import Subitem, build_item

print(build_item("block", [Subitem(box(0.1, 0.1, 0.2), density=2700)]).unwrap().mass)  # in kilograms
```

`Floats` and `Ints` are NumPy arrays; the docstrings give their shapes and units (`help(NAME)` in Python). Functions
that build something return a `Built`: its `value`, or None and the `findings` that explain why. `unwrap()` returns the
value or raises `ModelError`.

"""


def page() -> str:
    """Return the page."""
    return OPENING + listing()


def listing() -> str:
    """Return every public name with its signature and the first line of its docstring."""
    return "\n".join([*map(_section, PACKAGES), *(_module(name, names) for name, names in MODULES.items())])


def _section(package: str) -> str:
    module = import_module(package)
    lines = [f"## `{package}`", "", _first_line(module), ""]
    if hasattr(module, "__all__"):
        lines += [_entry(name, getattr(module, name), package) for name in sorted(module.__all__, key=str.casefold)]
        return "\n".join([*lines, ""])
    names = (f"{package}.{info.name}" for info in pkgutil.iter_modules(module.__path__))
    return "\n".join([*lines, *(_module(name, (), "###") for name in names)])


def _module(name: str, names: tuple[str, ...], heading: str = "##") -> str:
    module = import_module(name)
    lines = [f"{heading} `{name}`", "", _first_line(module), ""]
    if names:
        lines += [_entry(one, getattr(module, one)) for one in names]
    else:
        lines += [_entry(one, value, name.rpartition(".")[0]) for one, value in _own_names(module)]
    return "\n".join([*lines, ""])


def _own_names(module: ModuleType) -> list[tuple[str, Any]]:
    """Return the public functions and classes of a module."""
    return [
        (name, value)
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def _entry(name: str, value: Any, package: str = "") -> str:
    if inspect.ismodule(value):
        return f"- **`{name}`**: {_first_line(value)} [Listed below](#{value.__name__.replace('.', '')})."
    if inspect.isclass(value):
        members = ", ".join(f"`{member}`" for member in _members(value))
        return f"- **`{name}`**: {_first_line(value)}{f'<br>{members}' if members else ''}"
    if inspect.isroutine(value):
        function = _parsed(value)
        assert isinstance(function, ast.FunctionDef)
        return f"- **`{name}{_signature(function)}`**: {_first_line(value)}"
    written, told = _alias(name, package)
    return f"- **`{name}`**{f': {told}' if told else ''}{f'<br>`{written}`' if written else ''}"


def _alias(name: str, package: str) -> tuple[str, str]:
    """Return the definition and the description of a name that is neither class nor function."""
    for info in pkgutil.iter_modules(import_module(package).__path__):
        body = ast.parse(inspect.getsource(import_module(f"{package}.{info.name}"))).body
        for node, after in itertools.pairwise([*body, ast.Pass()]):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if isinstance(node, ast.Assign | ast.AnnAssign) and any(
                isinstance(target, ast.Name) and target.id == name for target in targets
            ):
                said = (
                    after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
                )
                written = ast.unparse(node.value) if node.value is not None else ""
                told = " ".join(str(said).split())
                return written if len(written) < _LONG else "", told
    return "", ""


def _members(value: type) -> list[str]:
    """Return the fields with their types, the properties, and the methods with their signatures."""
    found = []
    body = _parsed(value)
    assert isinstance(body, ast.ClassDef)
    for node in body.body:
        if isinstance(node, ast.AnnAssign):
            default = "" if node.value is None else f" = {_default(node.value)}"
            found.append(f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}{default}")
        elif isinstance(node, ast.Assign) and issubclass(value, Enum):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.FunctionDef) and _is_property(node):
            found.append(f"{node.name}: {ast.unparse(node.returns) if node.returns else 'Any'}")
        elif isinstance(node, ast.FunctionDef):
            found.append(f"{node.name}{_signature(node)}")
    return [member for member in found if not member.startswith("_")]


def _default(value: ast.expr) -> str:
    made = isinstance(value, ast.Call) and ast.unparse(value.func) == "field"
    return "..." if made else ast.unparse(value)


def _is_property(function: ast.FunctionDef) -> bool:
    return any("property" in ast.unparse(decorator) for decorator in function.decorator_list)


def _signature(function: ast.FunctionDef) -> str:
    """Return the signature as written in the source, which is the same in every version of Python."""
    taken = function.args
    if taken.args and taken.args[0].arg in ("self", "cls"):
        del taken.args[0]
    given = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"({ast.unparse(taken)}){given}"


def _parsed(value: Any) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]


def _first_line(value: Any) -> str:
    text = inspect.getdoc(value) or ""
    return " ".join(text.split("\n\n")[0].split())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
