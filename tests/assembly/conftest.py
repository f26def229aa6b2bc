"""Local parts and a compiler for tests of assemblies."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rck.assembly.compiler import Compiled, Compiler
from rck.assembly.definitions import Definitions
from rck.assembly.document import Assembly, LocalPart
from rck.geometry.arrays import Floats
from rck.language.document import compile_file
from rck.model import Robot
from rck.parts.library import Catalogue
from rck.parts.manifest import Follow, PartItem, PartJoint, PartPort, Shape

BLOCK = LocalPart(
    items={"body": PartItem(shapes=[Shape(box=(100.0, 60.0, 20.0), at=(5.0, 2.0, 0.0))], mass=1.0)},
    ports={
        "top": PartPort(at=(10.0, 5.0, 10.0), z="z"),
        "side": PartPort(at=(55.0, 2.0, 3.0), z="x", x=(0.0, 1.0, 1.0)),
        "under": PartPort(at=(0.0, 0.0, -10.0), rpy=(180.0, 0.0, 30.0)),
    },
)
SERVO = LocalPart(
    items={
        "body": PartItem(shapes=[Shape(box=(30.0, 50.0, 40.0), at=(0.0, -10.0, 0.0))], mass=0.2),
        "horn": PartItem(shapes=[Shape(box=(20.0, 16.0, 4.0), at=(3.0, 0.0, 22.0))], mass=0.01),
    },
    joints={"axis": PartJoint(base="body", moves="horn", revolute="z", at=(1.0, 2.0, 0.0), limits=(-170.0, 170.0))},
    ports={
        "back": PartPort(on="body", at=(0.0, -10.0, -20.0), z="-z"),
        "horn": PartPort(on="horn", at=(1.0, 2.0, 24.0), z="z", x=(1.0, 2.0, 0.0)),
    },
)
GRIPPER = LocalPart(
    items={
        "palm": PartItem(shapes=[Shape(box=(60.0, 20.0, 10.0))], mass=0.1),
        "left": PartItem(shapes=[Shape(box=(5.0, 20.0, 40.0), at=(-20.0, 0.0, 25.0))], mass=0.02),
        "right": PartItem(shapes=[Shape(box=(5.0, 18.0, 40.0), at=(20.0, 1.0, 25.0))], mass=0.02),
    },
    joints={
        "close": PartJoint(base="palm", moves="left", prismatic="x", limits=(0.0, 17.0), speed=50.0),
        "other": PartJoint(
            base="palm", moves="right", prismatic="-x", limits=(0.0, 17.0), follows=Follow("close", ratio=1.0)
        ),
    },
    ports={
        "mount": PartPort(on="palm", at=(4.0, 0.0, -5.0), z="-z"),
        "tip": PartPort(on="left", at=(-20.0, 0.0, 45.0)),
    },
)
PIECES = {"block": BLOCK, "servo": SERVO, "gripper": GRIPPER}


@pytest.fixture(scope="session")
def pieces() -> dict[str, LocalPart]:
    """Return an asymmetric block, a servo with an off-centre axis, and a gripper with a mimic finger."""
    return PIECES


def new_compiler(folder: Path = Path()) -> Compiler:
    return Compiler(Definitions(Catalogue({}), folder, compile_file))


def compile_assembly(assembly: Assembly, folder: Path = Path()) -> Compiled:
    return new_compiler(folder).compile(assembly).unwrap()


@pytest.fixture(scope="session")
def compiler() -> Callable[..., Compiler]:
    """Make a compiler without a catalogue."""
    return new_compiler


@pytest.fixture(scope="session")
def compiled() -> Callable[..., Compiled]:
    """Compile an assembly without a catalogue."""
    return compile_assembly


def vertices_of(robot: Robot) -> dict[str, Floats]:
    return {
        item.name: np.concatenate(
            [subitem.shape.vertices @ item.pose[:3, :3].T + item.pose[:3, 3] for subitem in item.subitems]
        )
        for item in robot.items
    }


@pytest.fixture(scope="session")
def vertices() -> Callable[[Robot], dict[str, Floats]]:
    """Return the world vertices of each item by name."""
    return vertices_of
