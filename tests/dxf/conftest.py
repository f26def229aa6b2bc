"""Drawings written with ezdxf, and what the importer makes of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np
import pytest
from rck_importers.dxf import rck_importers

from rck.hooks import Job, Recipe, Survey, Values
from rck.hooks.file_exchange import FileContents, compile_imported, import_values
from rck.model import Port, Robot
from rck.support.finding import errors_of

_BOX = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


@dataclass(frozen=True)
class Desk:
    """A folder to draw in."""

    folder: Path

    def new(self, version: str = "R2010", units: int = 4) -> Any:
        """Return an empty drawing (default unit: mm)."""
        return ezdxf.new(version, units=units)

    def save(self, document: Any, name: str = "drawing.dxf", binary: bool = False) -> Path:
        path = self.folder / name
        document.saveas(path, fmt="bin" if binary else "asc")
        return path

    def read(
        self, document: Any, *, recipe: Recipe | None = None, binary: bool = False, **options: Any
    ) -> FileContents:
        """What the importer makes of a drawing, or of a file; options by name, with _ for -."""
        path = document if isinstance(document, Path) else self.save(document, binary=binary)
        (importer,) = rck_importers()
        return compile_imported(importer.read(path, self._values(path, recipe, options), Job()), path)

    def ports(self, document: Any, **options: Any) -> list[Port]:
        """The ports of all parts of a drawing."""
        contents = document if isinstance(document, FileContents) else self.read(document, **options)
        return [port for part in contents.parts for port in part.ports]

    def survey(self, document: Any, *, recipe: Recipe | None = None, **options: Any) -> Survey:
        path = document if isinstance(document, Path) else self.save(document)
        (importer,) = rck_importers()
        assert importer.survey is not None
        return importer.survey(path, self._values(path, recipe, options), Job())

    def _values(self, path: Path, recipe: Recipe | None, options: dict[str, Any]) -> Values:
        (importer,) = rck_importers()
        given = {name.replace("_", "-"): str(value) for name, value in options.items()}
        return import_values(importer, path, given, recipe or Recipe())

    def robot(self, document: Any, **options: Any) -> Robot:
        """The robot; errors fail the test."""
        imported = self.read(document, **options)
        assert errors_of(imported.findings) == ()
        assert imported.robot is not None
        return imported.robot

    def errors(self, document: Any, **options: Any) -> list[str]:
        """Return the errors, and assert that there is no robot."""
        imported = self.read(document, **options)
        assert imported.robot is None
        return [str(finding) for finding in errors_of(imported.findings)]

    def said(self, imported: FileContents) -> str:
        return "\n".join(str(finding) for finding in imported.findings)

    def box(self, size: Any = (10.0, 20.0, 30.0), at: Any = (0.0, 0.0, 0.0)) -> list[Any]:
        """The faces of a box as corners, seen from outside."""
        unit = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
        points = unit * size + at
        return [points[list(face)] for face in _BOX]

    def add_box(self, layout: Any, size: Any = (10.0, 20.0, 30.0), at: Any = (0.0, 0.0, 0.0), **look: Any) -> None:
        """A box of 3DFACEs."""
        for face in self.box(size, at):
            layout.add_3dface(face, dxfattribs=look)

    def volume(self, robot: Robot) -> float:
        """Of all convex pieces, in mm3."""
        return sum(subitem.shape.volume for item in robot.items for subitem in item.subitems) * 1e9

    def extent(self, robot: Robot) -> list[float]:
        """Least x, y, z, greatest x, y, z, in mm."""
        points = np.concatenate([subitem.shape.vertices for item in robot.items for subitem in item.subitems]) * 1e3
        return [*points.min(axis=0).tolist(), *points.max(axis=0).tolist()]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
