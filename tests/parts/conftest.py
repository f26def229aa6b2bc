"""A small manifest, and a fixture that writes it with replacements."""

from collections.abc import Callable
from pathlib import Path

import pytest

LINK = """\
part: toys/link
name: Link
vendor: ACME
category: structure/tube
summary: A bar with a flange at each end
source: made up for tests
units: {length: mm, mass: g}
parameters:
  length: {default: 200, min: 50, max: 500, unit: mm, summary: from end to end}
  holes: {default: 4, min: 2, max: 8, step: 2}
items:
  bar:
    mass: "${length/2}"
    shapes:
      - {box: ["${length}", 20, 10], at: ["${length/2}", 0, 0]}
ports:
  a: {at: [0, 0, 0], z: -x, type: flange, gender: male}
  b: {at: ["${length}", 0, 0], z: x, type: flange, gender: female}
figures: {payload: 2.5, reach: 800}
tags: [bar, beam]
"""


@pytest.fixture
def link_text() -> str:
    return LINK


@pytest.fixture
def manifest(tmp_path: Path) -> Callable[..., Path]:
    """Write the manifest of the link with texts replaced, each of which must be there."""

    def write(*changes: tuple[str, str], name: str = "link.yaml", folder: Path = tmp_path) -> Path:
        text = LINK
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
