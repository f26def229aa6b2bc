"""Files that files name: where they are looked for, and which ones a file may have."""

from pathlib import Path

import pytest

from rck.importing.assets import Assets, Unavailable, enclosing_package, read_within
from rck.importing.import_options import ImportLimits


def described(written, path="robot_description/urdf/robot.urdf", package="robot_description"):
    """A robot in a package as ROS has it."""
    written("robot_description/package.xml", f"<package><name> {package} </name></package>")
    written("robot_description/meshes/base.stl", "mesh")
    return written(path, "<robot/>")


def test_package_is_found_in_a_parent_folder_of_the_file(written):
    assets = Assets(described(written))
    assert assets.find("package://robot_description/meshes/base.stl").read_text() == "mesh"


def test_a_package_is_found_by_the_name_in_its_manifest(written):
    assets = Assets(described(written, package="other_name"))
    assert assets.find("package://other_name/meshes/base.stl").read_text() == "mesh"


def test_folder_above_is_no_package_because_of_its_name_alone(written):
    written("projects/keys/secret.stl", "secret")
    assets = Assets(written("projects/downloads/robot/urdf/robot.urdf", ""))
    with pytest.raises(Unavailable, match="outside the allowed folders") as refused:
        assets.package("projects")
    assert "allow-outside" in refused.value.fix
    with pytest.raises(Unavailable):
        assets.find("package://projects/keys/secret.stl")
    assert assets.package("robot").name == "robot"
    allowed = Assets(assets.main, ImportLimits(anywhere=True))
    assert allowed.find("package://projects/keys/secret.stl").read_text() == "secret"


def test_package_next_to_another_is_found(written):
    described(written)
    assets = Assets(written("bringup/urdf/cell.urdf", ""))
    assert assets.find("package://robot_description/meshes/base.stl").read_text() == "mesh"


def test_package_is_found_in_the_package_path_of_the_user(written, tmp_path, monkeypatch):
    written("elsewhere/deep/parts/meshes/a.stl", "mesh")
    assets = Assets(written("robot/robot.urdf", ""))
    with pytest.raises(Unavailable) as refused:
        assets.find("package://parts/meshes/a.stl")
    assert "ROS_PACKAGE_PATH" in refused.value.fix
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'elsewhere' / 'deep'}")
    assert assets.find("package://parts/meshes/a.stl").read_text() == "mesh"


def test_file_in_a_package_may_use_a_sibling_folder(written):
    assert Assets(described(written)).find("../meshes/base.stl").read_text() == "mesh"


def test_description_outside_its_package_finds_its_meshes(written):
    written("copy/meshes/base.stl", "mesh")
    assert Assets(written("copy/robot.urdf", "")).find("package://gone/meshes/base.stl").read_text() == "mesh"


@pytest.mark.parametrize(
    "name",
    [
        "package://robot_description/../secret.stl",
        "package://robot_description/../../secret.stl",
        "../../secret.stl",
        "file://../../secret.stl",
        "..\\..\\secret.stl",
        "%2e%2e/%2e%2e/secret.stl",
    ],
)
def test_paths_outside_the_package_are_refused_unless_allowed(written, name):
    path = described(written)
    written("secret.stl", "secret")
    with pytest.raises(Unavailable):
        Assets(path).find(name)
    if name != "package://robot_description/../../secret.stl":
        assert Assets(path, ImportLimits(anywhere=True)).find(name).read_text() == "secret"


@pytest.mark.parametrize("name", ["package://etc/passwd", "model://etc/passwd", "file:///etc/passwd", "/etc/passwd"])
def test_system_folders_are_not_packages(written, name):
    with pytest.raises(Unavailable):
        Assets(described(written)).find(name)


def test_home_folder_is_not_a_package(written, tmp_path, monkeypatch):
    home = tmp_path / "ada"
    monkeypatch.setattr(Path, "home", lambda: home)
    written("ada/.ssh/key.stl", "secret")
    assets = Assets(written("ada/robots/arm.urdf", ""))
    with pytest.raises(Unavailable):
        assets.find("package://ada/.ssh/key.stl")


def test_enclosing_package_is_the_nearest_one(written, tmp_path):
    path = described(written)
    assert enclosing_package(path) == (tmp_path / "robot_description").resolve()


def test_file_above_the_size_limit_is_not_read(written):
    path = written("large.stl", "x" * 2000)
    assert len(read_within(path, ImportLimits(bytes=2000))) == 2000
    with pytest.raises(Unavailable, match="more than the limit") as refused:
        read_within(path, ImportLimits(bytes=1999))
    assert refused.value.code == 509
