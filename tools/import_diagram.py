"""Write the diagram and the table of packages in docs/architecture.md anew, from the imports in the sources."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BEGIN = "<!-- From here to the next mark written by tools/import_diagram.py. -->\n"
END = "<!-- The end of what tools/import_diagram.py writes. -->\n"
OUTSIDE = {
    "bench": "measures RCK side by side with its peers: `rck bench`",
    "importers": "what reads files, and what writes the same historic formats, a package each",
    "parts_library": "the catalogue that ships: manifests, and a line of code that says where they are",
    "plugins": "solvers, collision back ends, sensors, grippers, physics, languages and exporters, a package each",
}
"""The folders beside `rck`, and what is in them."""

Graph = Mapping[str, frozenset[str]]


@cache
def graph() -> Graph:
    """Each folder of code, and the folders of `rck` that it imports."""
    inside = {f.name: f for f in sorted((ROOT / "rck").iterdir()) if (f / "__init__.py").exists()}
    folders = inside | {name: ROOT / name for name in OUTSIDE}
    return {
        name: frozenset(used for file in folder.rglob("*.py") for used in _imports(file) if used in inside) - {name}
        for name, folder in folders.items()
    }


def _imports(file: Path) -> Iterator[str]:
    """The folders of `rck` that a file imports when it runs; not what only its types name."""
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
    """All that a folder stands on, by whatever way."""
    return graph()[name].union(*(reached(used) for used in graph()[name]))


def height(name: str) -> int:
    """How many layers lie below a folder."""
    return 1 + max((height(used) for used in graph()[name]), default=-1)


def diagram() -> str:
    """The graph in Mermaid, without the arrows that others imply."""
    lines = ["graph TD"]
    for name in _in_order():
        used = graph()[name]
        implied = frozenset[str]().union(*(reached(other) for other in used))
        lines += [f"  {name} --> {other}" for other in sorted(used - implied)]
    return "\n".join(["```mermaid", *lines, "```"])


def table() -> str:
    """Each folder, what it is for and what it imports, those on top first."""
    lines = ["| folder | is for | imports |", "|---|---|---|"]
    for name in _in_order():
        path = name if name in OUTSIDE else f"rck/{name}"
        used = ", ".join(sorted(graph()[name], key=lambda other: (-height(other), other)))
        lines.append(f"| `{path}` | {OUTSIDE.get(name) or _purpose(ROOT / path)} | {used} |")
    return "\n".join(lines)


def _in_order() -> list[str]:
    return sorted(graph(), key=lambda name: (name not in OUTSIDE, -height(name), name))


def _purpose(folder: Path) -> str:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert docstring, f"{folder} does not say what it is for"
    return docstring.splitlines()[0].rstrip(".")


def rewritten(page: str) -> str:
    """The page with its diagram and table as the sources say."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{diagram()}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
