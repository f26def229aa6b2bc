"""Every package that ships is named wherever packages are listed: one that is not would be missing, or unchecked."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PATHS = sorted(
    file.parent.relative_to(ROOT).as_posix()
    for folder in ("importers", "parts_library", "plugins")
    for file in ROOT.glob(f"{folder}/rck_*/__init__.py")
)
NAMES = sorted(Path(path).name for path in PATHS)
CONTRACTS = {contract["name"]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]}
LISTED = {
    "entry points": PROJECT["project"]["entry-points"]["rck"].values(),
    "mypy": PROJECT["tool"]["mypy"]["packages"],
    "import-linter": PROJECT["tool"]["importlinter"]["root_packages"],
    "independence": CONTRACTS["the core imports no plugin, and no plugin another"]["layers"][0].split(" | "),
}
CORE = {"rck", "rck_bench"}
"""What is no plugin and yet is checked."""


@pytest.mark.parametrize("where", LISTED)
def test_every_package_is_listed_once(where):
    assert sorted(name.strip() for name in LISTED[where] if name not in CORE) == NAMES


def test_every_package_is_in_the_wheel():
    listed = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(listed) == sorted(["rck", "bench/rck_bench", *PATHS])
