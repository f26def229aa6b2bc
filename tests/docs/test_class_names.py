"""Public class names of the core are unique."""

import ast
from collections import defaultdict
from pathlib import Path

CORE = Path(__file__).parents[2] / "rck"


def test_no_two_public_classes_of_the_core_share_a_name():
    files = defaultdict(list)
    for path in sorted(CORE.rglob("*.py")):
        if path.is_relative_to(CORE / "templates"):
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                files[node.name].append(str(path.relative_to(CORE)))
    assert len(files) > 100
    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}
