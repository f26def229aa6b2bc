"""Small packages, installed for the duration of a test."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder on the path for packages; its modules are removed from `sys.modules` afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def install(site: Path) -> Callable[..., None]:
    """Install a package of one module: its name, the module's source, and its plugins by name."""

    def put(package: str, source: str, plugins: dict[str, str] | None = None, version: str = "1.0") -> None:
        module = package.replace("-", "_")
        (site / f"{module}.py").write_text(source, encoding="utf-8")
        about = site / f"{module}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        points = {package: module} if plugins is None else plugins
        lines = ["[rck]", *(f"{name} = {value}" for name, value in points.items())]
        (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
        importlib.invalidate_caches()

    return put
