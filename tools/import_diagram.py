"""Update the diagram and the table of packages in docs/architecture.md from the imports in the sources."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BEGIN = "<!-- From here to the next mark written by tools/import_diagram.py. -->\n"
END = "<!-- The end of what tools/import_diagram.py writes. -->\n"
OUTSIDE = {
    "bench": "Benchmarks against other libraries: `rck bench`",
    "importers": "Importers of file formats, a module or package each; those of historic formats also export",
    "parts_library": "The parts catalogue that ships with RCK: manifests",
    "plugins": "Solvers, collision backends, sensors, grippers, physics engines, languages, exporters and viewers",
}
"""Folders of code outside `rck`, with their contents."""

Graph = Mapping[str, frozenset[str]]


@cache
def graph() -> Graph:
    """Return each folder of code with the folders of `rck` that it imports."""
    inside = {f.name: f for f in sorted((ROOT / "rck").iterdir()) if (f / "__init__.py").exists()}
    folders = inside | {name: ROOT / name for name in OUTSIDE}
    return {
        name: frozenset(used for file in folder.rglob("*.py") for used in _imports(file) if used in inside) - {name}
        for name, folder in folders.items()
    }


def _imports(file: Path) -> Iterator[str]:
    """Return the folders of `rck` that a file imports at run time, without imports for types only."""
    waiting: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith("rck."))
        waiting += ast.iter_child_nodes(node)


@cache
def reached(name: str) -> frozenset[str]:
    """Return all folders that a folder imports, directly or indirectly."""
    return graph()[name].union(*(reached(used) for used in graph()[name]))


def height(name: str) -> int:
    """Return the number of layers below a folder."""
    return 1 + max((height(used) for used in graph()[name]), default=-1)


def diagram() -> str:
    """Return the graph in Mermaid, without implied arrows."""
    lines = ["graph TD"]
    for name in _in_order():
        used = graph()[name]
        implied = frozenset[str]().union(*(reached(other) for other in used))
        lines += [f"  {name} --> {other}" for other in sorted(used - implied)]
    return "\n".join(["```mermaid", *lines, "```"])


def table() -> str:
    """Return a table of folders, purposes and imports, the top layers first."""
    lines = ["| folder | contents | imports |", "|---|---|---|"]
    for name in _in_order():
        path = name if name in OUTSIDE else f"rck/{name}"
        used = ", ".join(sorted(graph()[name], key=lambda other: (-height(other), other)))
        lines.append(f"| `{path}` | {OUTSIDE.get(name) or _purpose(ROOT / path)} | {used} |")
    return "\n".join(lines)


def _in_order() -> list[str]:
    return sorted(graph(), key=lambda name: (name not in OUTSIDE, -height(name), name))


def _purpose(folder: Path) -> str:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert docstring, f"{folder} has no docstring"
    return docstring.splitlines()[0].rstrip(".")


def rewritten(page: str) -> str:
    """Return the page with a new diagram and table."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{diagram()}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
