"""Every shipped plugin is an entry point, named by its kind, in one of the import packages."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
POINTS = PROJECT["project"]["entry-points"]["rck"]
PACKAGES = ["rck", "rck_bench", "rck_importers", "rck_parts", "rck_plugins"]
KIND_OF_FOLDER = {
    "collision": "collision",
    "exporters": "exporter",
    "grippers": "gripper",
    "overlays": "overlay",
    "physics": "physics",
    "programs": "program",
    "sensors": "sensor",
    "solvers": "solver",
    "viewers": "viewer",
}


def modules_below(folder, pattern):
    """Return the dotted names of modules and packages below a folder that match a pattern."""
    found = [path for path in (ROOT / folder).glob(pattern) if (path / "__init__.py").is_file() or path.suffix == ".py"]
    return {
        ".".join(path.relative_to(ROOT / folder).with_suffix("").parts) for path in found if path.stem != "__init__"
    }


@pytest.mark.parametrize(("folder", "pattern"), [("plugins", "rck_plugins/*/*"), ("importers", "rck_importers/*")])
def test_every_plugin_is_an_entry_point(folder, pattern):
    top = pattern.partition("/")[0]
    assert modules_below(folder, pattern) == {module for module in POINTS.values() if module.startswith(top)}


def test_entry_points_are_named_by_kind_and_module():
    for name, module in POINTS.items():
        package, *folders, last = module.split(".") if "." in module else (module, "rck")
        kind, _, rest = name.partition("-")
        assert rest.replace("-", "_") == last
        if package == "rck_plugins":
            assert kind == KIND_OF_FOLDER[folders[0]]


def test_each_package_is_named_once_in_every_list():
    assert sorted(PROJECT["tool"]["mypy"]["packages"]) == PACKAGES
    assert sorted(PROJECT["tool"]["importlinter"]["root_packages"]) == PACKAGES
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(Path(path).name for path in wheel) == PACKAGES
