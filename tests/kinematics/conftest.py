"""Arms of the catalogue as chains from their base to their flange."""

from functools import cache
from pathlib import Path

import pytest
import rck_parts

from rck.geometry.transforms import invert
from rck.kinematics.chain import chain_between
from rck.model import Frame, build_robot
from rck.parts.library import manifest_paths
from rck.parts.part import build_part, read_part_file

PUMA = """\
rck: 1
name: puma
units: {length: mm, angle: deg}
parts:
  arm: {part: unimation/puma-560}
tools:
  hand: {on: arm.flange}
"""
LIBRARY = Path(rck_parts.__file__).parent


@cache
def files():
    paths = [path for path in manifest_paths(LIBRARY) if "\ndh:" in path.read_text(encoding="utf-8")]
    return {file.manifest.part: file for file in map(read_part_file, paths)}


@cache
def chain_of(name):
    part = build_part(files()[name]).unwrap()
    port = part.ports[part.manifest.dh.tip]
    flange = Frame("flange-frame", port.item, invert(part.robot.item(port.item).pose) @ port.pose)
    robot = build_robot(name.replace("/", "-"), part.robot.items, part.robot.joints, [flange]).unwrap()
    return chain_between(robot, part.ports["base"].item, "flange-frame")


@pytest.fixture
def arm():
    """A function from the name of an arm of the catalogue to its chain."""
    return chain_of


@pytest.fixture
def puma(tmp_path):
    """A file that holds a Puma with a tool."""
    path = tmp_path / "puma.rck"
    path.write_text(PUMA)
    return path
