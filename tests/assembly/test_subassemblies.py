"""Saved assemblies as instances of other assemblies, nested over several folders."""

import os
from pathlib import Path

import msgspec
import numpy as np
import pytest

from rck.assembly import compiler as compile_module
from rck.assembly.compiler import Compiler
from rck.assembly.definitions import DEEPEST, Definitions
from rck.assembly.document import Assembly, Instance, JointSetting, LocalPart, Mate, Tool
from rck.assembly.native_file import write_assembly
from rck.language.document import compile_file
from rck.model.quantities import PoseSpec
from rck.parts.library import Catalogue
from rck.parts.manifest import PartItem, Shape


def compiler(folder: Path) -> Compiler:
    return Compiler(Definitions(Catalogue({}), folder, compile_file))


def error(folder: Path, assembly: Assembly, opening: tuple[Path, ...] = ()) -> str:
    built = compiler(folder).compile(assembly, opening)
    assert built.value is None
    return built.findings[0].message


@pytest.fixture
def project(tmp_path: Path, pieces) -> Path:
    """Write robot.rck with two limbs/arm.rck; each has ../tools/hand.rck, a servo with a gripper."""
    hand = Assembly(
        "hand",
        parts={"wrist": Instance("servo"), "fingers": Instance("gripper", place=None)},
        mates=[Mate("wrist.horn", "fingers.mount")],
        joints={"wrist/axis": JointSetting(position=30.0)},
        tools={"grip": Tool("fingers.tip")},
        ports={"mount": "wrist.back", "tip": "fingers.tip"},
        local_parts=pieces,
    )
    arm = Assembly(
        "arm",
        parts={"shoulder": Instance("servo"), "hand": Instance("../tools/hand.rck")},
        mates=[Mate("shoulder.horn", "hand.mount", turn=45.0)],
        local_parts=pieces,
    )
    robot = Assembly(
        "robot",
        parts={
            "base": Instance("block"),
            "left": Instance("./limbs/arm.rck"),
            "right": Instance("limbs/arm.rck", mirror="x"),
        },
        mates=[Mate("base.top", "left.shoulder/back"), Mate("base.side", "right.shoulder/back")],
        local_parts=pieces,
    )
    for name, assembly in (("tools/hand", hand), ("limbs/arm", arm), ("robot", robot)):
        write_assembly(tmp_path / f"{name}.rck", assembly)
    return tmp_path


def open_robot(project: Path) -> Assembly:
    from rck.assembly.native_file import read_assembly

    return read_assembly(project / "robot.rck")


def test_names_of_nested_items_contain_every_scope(project: Path):
    built = compiler(project).compile(open_robot(project)).unwrap()
    names = {item.name for item in built.robot.items}
    assert {"base/body", "left/shoulder/horn", "left/hand/fingers/left", "right/hand/wrist/body"} <= names
    assert "right/hand/fingers/close" in built.robot.joint_index
    assert [frame.name for frame in built.robot.frames] == ["left/hand/grip", "right/hand/grip"]


def test_saved_assembly_exposes_its_declared_or_free_ports(project: Path):
    built = compiler(project).compile(open_robot(project)).unwrap()
    assert {end for end in built.ports if end.startswith("left.")} == {"left.shoulder/back", "left.hand/tip"}
    assert built.ports["left.hand/tip"].item == "left/hand/fingers/left"


def test_nested_instances_have_the_poses_of_their_own_files(project: Path, vertices):
    robot = compiler(project).compile(open_robot(project)).unwrap().robot
    arm = compiler(project / "limbs").compile(
        Assembly("a", parts={"it": Instance("arm.rck")})
    ).unwrap().robot  # fmt: skip
    whole, alone = vertices(robot), vertices(arm)
    root = robot.item("left/shoulder/body").pose @ np.linalg.inv(arm.item("it/shoulder/body").pose)
    for name, points in alone.items():
        moved = points @ root[:3, :3].T + root[:3, 3]
        np.testing.assert_allclose(whole[name.replace("it/", "left/")], moved, atol=1e-12)


def test_joints_of_a_saved_assembly_keep_their_saved_positions(project: Path):
    robot = compiler(project).compile(open_robot(project)).unwrap().robot
    assert robot.joint("left/hand/wrist/axis").position == pytest.approx(np.radians(30))


def test_mirrored_assembly_is_the_mirror_image(project: Path, vertices):
    plain = Assembly("a", parts={"it": Instance("limbs/arm.rck")})
    image = Assembly("a", parts={"it": Instance("limbs/arm.rck", mirror="y")})
    one, other = (vertices(compiler(project).compile(a).unwrap().robot) for a in (plain, image))
    for name, points in one.items():
        np.testing.assert_allclose(other[name], points * [1, -1, 1], atol=1e-12)


def test_change_in_the_innermost_file_is_detected(project: Path):
    made = compiler(project)
    robot = open_robot(project)
    before = made.compile(robot).unwrap().robot
    assert made.compile(robot).unwrap().robot.items[0] is before.items[0]
    path = project / "tools" / "hand.rck"
    path.write_text(path.read_text().replace("position: 30", "position: 60"))
    os.utime(path, ns=(1, 1))
    after = made.compile(robot).unwrap().robot
    assert after.joint("left/hand/wrist/axis").position == pytest.approx(np.radians(60))


@pytest.mark.parametrize("length", [1, 2, 3])
def test_files_that_contain_themselves_are_refused_by_name(tmp_path: Path, pieces, length: int):
    names = [f"part{number}.rck" for number in range(length)]
    for name, inner in zip(names, [*names[1:], names[0]], strict=True):
        write_assembly(
            tmp_path / name, Assembly("a", parts={"b": Instance("block"), "in": Instance(inner)}, local_parts=pieces)
        )
    said = error(tmp_path, Assembly("outer", parts={"in": Instance(names[0])}))
    assert "contains itself: " + " → ".join([*names, names[0]]) in said


def test_an_assembly_cannot_contain_the_file_it_is_in(tmp_path: Path, pieces):
    path = tmp_path / "self.rck"
    write_assembly(path, Assembly("self", parts={"b": Instance("block")}, local_parts=pieces))
    assembly = Assembly("self", parts={"b": Instance("./self.rck")})
    assert "contains itself" in error(tmp_path, assembly, (path.resolve(),))


def test_assemblies_nested_too_deeply_are_refused(tmp_path: Path, pieces):
    write_assembly(tmp_path / "0.rck", Assembly("a", parts={"b": Instance("block")}, local_parts=pieces))
    for number in range(1, DEEPEST + 2):
        write_assembly(tmp_path / f"{number}.rck", Assembly("a", parts={"b": Instance(f"{number - 1}.rck")}))
    assert compiler(tmp_path).compile(Assembly("a", parts={"b": Instance("10.rck")})).value is not None
    said = error(tmp_path, Assembly("a", parts={"b": Instance(f"{DEEPEST + 1}.rck")}))
    assert f"{DEEPEST} assemblies deep" in said


def test_exponentially_growing_assemblies_are_refused_early(tmp_path: Path, pieces, monkeypatch):
    monkeypatch.setattr(compile_module, "MOST_ITEMS", 1_000)
    write_assembly(
        tmp_path / "0.rck", Assembly("a", parts={f"b{n}": Instance("block") for n in range(10)}, local_parts=pieces)
    )
    for number in range(1, 8):
        parts = {f"b{n}": Instance(f"{number - 1}.rck") for n in range(10)}
        write_assembly(tmp_path / f"{number}.rck", Assembly("a", parts=parts))
    assert "10000 items, more than" in error(tmp_path, Assembly("a", parts={"b": Instance("7.rck")}))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no file"),
        ("rck: 1\nname: a\n", "is empty"),
        ("rck: 1\nname: [\n", "broken.rck:"),
        ("rck: 1\nname: a\nparts: {b: {part: nothing}}\n", "there is no part 'nothing'"),
        ("rck: 99\nname: a\n", "newer RCK"),
    ],
)
def test_errors_of_a_file_are_reported_at_the_instance_that_uses_it(tmp_path: Path, content: str | None, said: str):
    if content is not None:
        (tmp_path / "broken.rck").write_text(content)
    assert said in error(tmp_path, Assembly("a", parts={"b": Instance("broken.rck")}))


def test_parameters_of_an_assembly_file_are_refused(project: Path):
    assembly = Assembly("a", parts={"b": Instance("limbs/arm.rck", with_={"length": 3.0})})
    assert "has no parameters" in error(project, assembly)


def test_mesh_path_is_relative_to_the_file_that_names_it(tmp_path: Path):
    import trimesh

    (tmp_path / "inner").mkdir()
    trimesh.creation.box((10, 20, 30)).export(tmp_path / "inner" / "block.stl")
    piece = LocalPart({"b": PartItem(shapes=[Shape(mesh="block.stl")], mass=1.0)})
    write_assembly(tmp_path / "inner" / "a.rck", Assembly("a", parts={"b": Instance("m")}, local_parts={"m": piece}))
    outer = Assembly("outer", parts={"it": Instance("inner/a.rck")}, local_parts={"m": piece})
    assert compiler(tmp_path).compile(outer).value is not None
    beside = msgspec.structs.replace(outer, parts={"it": Instance("m")})
    assert "cannot be read" in error(tmp_path, beside)


def test_separate_trees_of_one_file_move_together(tmp_path: Path, pieces):
    parts = {
        "one": Instance("block"),
        "two": Instance("block", place=PoseSpec(at=(0.0, 0.0, 100.0))),
        "ball": Instance("block", place=PoseSpec(at=(0.0, 0.0, 200.0)), loose=True),
    }
    write_assembly(tmp_path / "pair.rck", Assembly("pair", parts=parts, local_parts=pieces))
    outer = Assembly(
        "outer",
        parts={"base": Instance("block"), "pair": Instance("pair.rck")},
        mates=[Mate("base.top", "pair.one/under")],
        local_parts=pieces,
    )
    robot = compiler(tmp_path).compile(outer).unwrap().robot
    assert robot.joint("pair/mate").moves == ("pair/one/body", "pair/two/body")
